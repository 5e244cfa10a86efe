"""The seams of event-centric memory (QGMem): where units, trajectories, parsed queries and reranking come from.

Part of :mod:`cuemem.ports`, in a file of its own for its size.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Protocol

from cuemem.types import Conversation, MemoryTrace, MemoryUnit, Problem, Query, QueryParse, Turn, Window


@dataclass(frozen=True, slots=True)
class UnitExtraction:
    """What a unit source made of one window; the units' indices are places within it.

    ``failure`` says why the window gave nothing, ``index_failure`` why its units have no attributes. ``rejected`` are
    the units, or parts of their index, that failed validation.
    """

    position: int
    units: tuple[MemoryUnit, ...]
    failure: str | None = None
    index_failure: str | None = None
    rejected: tuple[Problem, ...] = ()

    @property
    def flawed(self) -> bool:
        """Whether asking again may give more: something failed, or did not pass validation."""
        return bool(self.failure or self.index_failure or self.rejected)


class UnitSource(Protocol):
    """QGMem, section III-A: windows to memory units. Yields each window of ``windows`` exactly once, in order."""

    @property
    def name(self) -> str: ...

    @property
    def provenance(self) -> Mapping[str, str]: ...

    def extract(
        self, conversation: Conversation, windows: Sequence[Window], anew: Collection[int] = ()
    ) -> Iterable[UnitExtraction]:
        """``anew``: positions of windows of which something was rejected before; nothing kept answers for them."""
        ...


@dataclass(frozen=True, slots=True)
class Trajectory:
    """What is told of one relation cluster: its units by id, oldest first, and their states in order of time."""

    members: tuple[str, ...]
    text: str
    failure: str | None = None


class TrajectorySource(Protocol):
    """QGMem, section III-A2: relation clusters to trajectories."""

    def given(self, conversation: Conversation) -> tuple[Trajectory, ...] | None:
        """The clusters themselves, where they came with the units; None where they are to be computed."""
        ...

    def write(
        self, conversation: Conversation, clusters: Sequence[tuple[str, Sequence[MemoryUnit]]]
    ) -> Iterable[Trajectory]:
        """For each cluster (its relation, its units) once, in order, the trajectory; empty where nobody wrote one."""
        ...


class QueryParser(Protocol):
    """φ(q, t_q). None for a question that has not been parsed: then there is no event-attribute channel."""

    @property
    def name(self) -> str: ...

    def parse(self, query: Query) -> QueryParse | None: ...


class Reranker(Protocol):
    """Reranker(q, m): how well each document serves the question, larger is better.

    ``dear``: a score takes so long that none is computed only to see what would be.
    """

    @property
    def name(self) -> str: ...

    @property
    def dear(self) -> bool: ...

    def score(self, query: str, documents: Sequence[str]) -> Sequence[float]: ...


class UnitCatalogue(Protocol):
    """M and R as they can be looked into: every unit with its evidence, its source turns and its trace."""

    @property
    def units(self) -> tuple[MemoryUnit, ...]: ...

    @property
    def traces(self) -> tuple[MemoryTrace, ...]: ...

    @property
    def units_of(self) -> Mapping[int, tuple[int, ...]]:
        """The units whose evidence bounds hold a turn, for each turn that has any."""
        ...

    @property
    def trace_of(self) -> Mapping[int, MemoryTrace]:
        """The trace of each unit that has one."""
        ...

    def turns_of(self, unit: int) -> tuple[Turn, ...]:
        """The turns in which its evidence lies."""
        ...

    def evidence(self, unit: int) -> str:
        """Its source dialogue, a line for each message."""
        ...

    def utterance_time(self, unit: int) -> str:
        """T^u in words."""
        ...
