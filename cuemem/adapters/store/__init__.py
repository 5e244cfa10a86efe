"""The store: one DuckDB file with all that was loaded, extracted, embedded, built and measured.

The only place that imports duckdb. ``schema.sql`` is the table of contents.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Self

import platformdirs

from cuemem.adapters.store.arrays import Arrays
from cuemem.adapters.store.batch_table import BatchTable
from cuemem.adapters.store.cached_chat import CachedChat, KeptReplies
from cuemem.adapters.store.connection import acquire
from cuemem.adapters.store.corrections import Corrections
from cuemem.adapters.store.job_table import JobTable
from cuemem.adapters.store.loading import Load, Loadable, Loading
from cuemem.adapters.store.memories import Memories
from cuemem.adapters.store.migrations import CURRENT as SCHEMA_VERSION
from cuemem.adapters.store.overlays import Overlays
from cuemem.adapters.store.records import (
    BatchRecord,
    CategoryCount,
    ChatFailureRecord,
    Compacted,
    ConversationSummary,
    Correction,
    CueSet,
    FileRecord,
    MemoryRecord,
    OverlayRecord,
    ParseRecord,
    ResultRecord,
    ReviewRecord,
    RunRecord,
    Spent,
    StoreInfo,
    UnitSet,
    VerdictRecord,
)
from cuemem.adapters.store.replies import Replies
from cuemem.adapters.store.results import Results
from cuemem.adapters.store.reviews import Reviews
from cuemem.adapters.store.stored_units import RerankScores
from cuemem.adapters.store.units import UnitSets
from cuemem.adapters.store.upkeep import Upkeep
from cuemem.adapters.store.vectors import CachedEmbedder, Found, Vectors
from cuemem.adapters.store.verdicts import Verdicts

__all__ = [
    "SCHEMA_VERSION",
    "BatchRecord",
    "CachedChat",
    "CachedEmbedder",
    "CategoryCount",
    "ChatFailureRecord",
    "Compacted",
    "ConversationSummary",
    "Correction",
    "CueSet",
    "FileRecord",
    "Found",
    "KeptReplies",
    "Load",
    "Loadable",
    "MemoryRecord",
    "OverlayRecord",
    "ParseRecord",
    "ResultRecord",
    "ReviewRecord",
    "RunRecord",
    "Spent",
    "Store",
    "StoreInfo",
    "UnitSet",
    "VerdictRecord",
    "default_store_path",
]


def default_store_path() -> Path:
    """Where the store lies unless one is named: $CUEMEM_STORE, else the user's data folder."""
    named = os.environ.get("CUEMEM_STORE")
    folder = platformdirs.user_data_path("cuemem", appauthor=False)
    return Path(named).expanduser() if named else folder / "cuemem.duckdb"


class Store(
    Loading,
    Corrections,
    UnitSets,
    Vectors,
    RerankScores,
    Replies,
    Verdicts,
    Memories,
    Results,
    Reviews,
    BatchTable,
    Overlays,
    JobTable,
    Upkeep,
):
    """An open store. Safe to share between threads; a second process cannot open the same file.

    Writes are transactions of their own unless they stand in one ``with store.writing():`` block. Do not read
    the file by other means while it is open: closing it there would drop the lock that keeps others out.
    """

    @classmethod
    def open(cls, path: str | Path | None = None) -> Self:
        """The store at ``path`` (None: :func:`default_store_path`), made with its folders if it is not there.

        All that this process opens under one path share a connection, closed with the last of them.
        Raises Refused where another process holds the file, it may not be written, or another application or
        a newer version wrote it; BadInput for a file that is no sound database. Neither changes the file.
        """
        return cls(acquire(default_store_path() if path is None else Path(path)))

    @property
    def arrays(self) -> Arrays:
        """The cache of derived arrays, as :class:`cuemem.ports.ArrayCache`."""
        return Arrays(self)
