"""The seams of the project: what a method may ask of the outside world, and what a method offers.

Adapters implement the first half, methods the second; neither knows the other. Fakes exist only here.
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any, ClassVar, Literal, Protocol, Self

import numpy as np
import numpy.typing as npt

from cuemem.types import (
    ChatReply,
    ChatRequest,
    Conversation,
    Explanation,
    Indices,
    Matrix,
    Query,
    Recall,
    Triple,
    Turn,
    TurnGraph,
    TurnId,
)
from cuemem.unit_ports import QueryParser, Reranker, TrajectorySource, UnitCatalogue, UnitSource


class Embedder(Protocol):
    """Enc: texts to vectors of unit length. ``name`` tells which model, so that a store never mixes two."""

    @property
    def name(self) -> str: ...

    def encode(self, texts: Sequence[str]) -> Matrix:  # (len(texts), d)
        ...


class ChatModel(Protocol):
    """A language model by its LiteLLM name. A reply is usable, or ChatFailure is raised; never an empty success."""

    @property
    def name(self) -> str: ...

    @property
    def window(self) -> int | None:
        """The most tokens of prompt and reply together, None where not known."""
        ...

    def cost(self, tokens_in: int, tokens_out: int) -> float | None:
        """The price of so many tokens in US dollars, None where not known."""
        ...

    def complete(self, request: ChatRequest) -> ChatReply: ...

    def stream(self, request: ChatRequest) -> Generator[str, None, ChatReply]:
        """The reply piece by piece; returns what :meth:`complete` would. Not for requests with a schema."""
        ...


class TokenCounter(Protocol):
    """The fixed offline tokenizer by which every context and budget is counted."""

    @property
    def name(self) -> str: ...

    def count(self, text: str) -> int: ...

    def shorten(self, text: str, limit: int) -> str:
        """The text cut in the middle to at most ``limit`` tokens, with a visible mark of what is missing."""
        ...


@dataclass(frozen=True, slots=True)
class Extraction:
    """What a cue source made of one turn. A failure is data: it is counted, stored and can be retried."""

    turn_id: TurnId
    contents: tuple[Triple | str, ...]
    failure: str | None = None


class CueSource(Protocol):
    """Section 4.1: turns to cues. Yields each turn of ``turns`` exactly once, in order, cues or none."""

    @property
    def name(self) -> str: ...

    @property
    def provenance(self) -> Mapping[str, str]:
        """Where the cues come from: a file and its hash, a model and its prompt, …"""
        ...

    def extract(self, conversation: Conversation, turns: Sequence[Turn]) -> Iterable[Extraction]: ...


class ArrayCache(Protocol):
    """Derived arrays by content key, so that opening a built memory computes nothing twice."""

    def get(self, key: str) -> Mapping[str, npt.NDArray[Any]] | None: ...

    def put(self, key: str, arrays: Mapping[str, npt.NDArray[Any]]) -> None: ...


NEVER = 255  # in an entry table: no value of the counted knob brings the turn in


@dataclass(frozen=True, slots=True)
class EntryTable:
    """The contexts of one query at every setting, for a method whose contexts only grow with the knob ``counted``.

    ``least`` has an axis for each of ``axes`` (knob names with the values tried) and then one for the turns: the
    least value of the knob ``counted``, from 1 to ``most``, at which the turn is in the context in paper mode.
    Where the context's text is not the turns themselves, ``pieces`` has the same for the pieces it is made of, and
    ``costs`` their tokens.
    """

    axes: Mapping[str, tuple[int, ...]]
    counted: str
    most: int
    least: npt.NDArray[np.uint8]  # (…, T)
    pieces: npt.NDArray[np.uint8] | None = None  # (…, P)
    costs: npt.NDArray[np.float64] | None = None  # (P,)


Progress = Callable[[str, int, int], None]  # what is being done, steps done, steps in all; may raise Cancelled


def no_progress(_what: str, _done: int, _total: int) -> None:
    """Report nothing."""


JobState = Literal["queued", "running", "interrupted", "done", "failed", "cancelled"]


@dataclass(frozen=True, slots=True)
class JobRecord:
    """Background work as it is kept over a restart. ``details`` are JSON: all that is needed to do it again.

    ``what``, ``done`` and ``total`` are the last progress that was kept, ``message`` says why it failed, or at which
    limit it stopped by itself.
    Interrupted is what had been queued or running when its process stopped. Times are aware and in UTC.
    """

    job_id: str
    kind: str
    title: str
    details: Mapping[str, Any]
    state: JobState
    message: str
    what: str
    done: int
    total: int
    created_at: datetime
    started_at: datetime | None = None
    ended_at: datetime | None = None


class JobLog(Protocol):
    """Where the records of background work are kept."""

    def save_job(self, record: JobRecord) -> None: ...

    def jobs(self) -> tuple[JobRecord, ...]: ...

    def remove_job(self, job_id: str) -> None: ...


@dataclass(frozen=True)
class Models:
    """What a build, and the memory it makes, may use of the outside world; sources, parsers, rerankers by name."""

    embedder: Embedder
    tokens: TokenCounter
    cue_sources: Mapping[str, CueSource]
    arrays: ArrayCache
    progress: Progress = no_progress
    unit_sources: Mapping[str, UnitSource] = field(default_factory=dict)
    trajectories: TrajectorySource | None = None
    parsers: Mapping[str, QueryParser] = field(default_factory=dict)
    rerankers: Mapping[str, Reranker] = field(default_factory=dict)


class Memory(Protocol):
    """A built memory: read-only and shareable between threads and sessions."""

    @property
    def conversation(self) -> Conversation: ...

    @property
    def turns(self) -> tuple[Turn, ...]: ...

    @property
    def cue_count(self) -> int:
        """How many cues, units or the like were extracted; 0 where the turns themselves are ranked."""
        ...

    @property
    def catalogue(self) -> UnitCatalogue | None:
        """The memory units it is made of; None where it is made of something else."""
        ...

    def graph(self, method: Any) -> TurnGraph:
        """The turn graph under the recall-time knobs of ``method``; edgeless where the method has none."""
        ...

    def recall(self, query: Query, method: Any, budget: int | None = None) -> Recall:
        """The evidence context for a query, with its trace. ``budget`` None is the paper's uncapped mode."""
        ...

    def reached(self, query: Query, method: Any) -> tuple[Indices, Indices]:
        """Only the turn indices of the anchors and of the context in paper mode, ascending: for grids."""
        ...

    def entries(self, query: Query, method: Any) -> EntryTable | None:
        """The contexts of all settings at once, under the options of ``method``; None where they do not nest."""
        ...

    def explain(self, query: Query, method: Any, turn_id: TurnId, budget: int | None = None) -> Explanation:
        """Why this turn is, or is not, in the context that :meth:`recall` gives for the same arguments."""
        ...


class MemoryMethod(Protocol):
    """One memory method is one frozen value; its fields are its hyper-parameters (see :mod:`cuemem.knobs`).

    ``noun`` is what it ranks, in the singular: a cue, a turn.
    """

    name: ClassVar[str]
    title: ClassVar[str]
    noun: ClassVar[str]

    def build(self, conversation: Conversation, models: Models) -> Memory: ...

    def suited_to(self, conversation: Conversation) -> tuple[Self, int | None]:
        """This method with the defaults for such a conversation, and the default budget (None: no cap)."""
        ...

    def without_graph(self) -> Self | None:
        """This method with everything but its graph (the ablation of section 5.3); None where it has no graph."""
        ...
