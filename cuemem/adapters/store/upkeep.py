"""Taking things out of the store again, and what the store says of itself."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator

import pyarrow as pa

from cuemem.adapters.store.connection import Connected, Cursor
from cuemem.adapters.store.conversations import Conversations, require
from cuemem.adapters.store.records import Compacted, StoreInfo
from cuemem.turns import cut_turns
from cuemem.types import ConversationId, TurnUnit

# Every table with a conversation_id; the array tables go by the memories that name them.
_KEYED = (
    "results",
    "memories",
    "cues",
    "extractions",
    "cue_sets",
    "problems",
    "observations",
    "evidence",
    "questions",
    "utterances",
    "sessions",
    "conversations",
)
_TABLES = (*_KEYED, "files", "vectors", "arrays", "runs")
_UNITS: tuple[TurnUnit, ...] = ("utterance", "exchange")
