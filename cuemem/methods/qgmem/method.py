"""QGMem: the calls of section III in order. Offline: units, traces, indexes. Online: recall, explain."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property, lru_cache
from time import perf_counter
from typing import ClassVar, Self

import numpy as np
import numpy.typing as npt

from cuemem import knobs
from cuemem.context import assemble
from cuemem.errors import BadSetting
from cuemem.methods.lookup import find_turn, same_build
from cuemem.methods.qgmem.activation import Asked
from cuemem.methods.qgmem.attributes import EventAttributes
from cuemem.methods.qgmem.construction import consolidate, cut_windows, extract_units
from cuemem.methods.qgmem.explain import explain_turn
from cuemem.methods.qgmem.generation import local_graph, piece_costs, turn_candidates, unit_context
from cuemem.methods.qgmem.settings import NO_PARSES, TURNS, Settings
from cuemem.methods.qgmem.sweep import entry_table
from cuemem.methods.qgmem.trace import stages
from cuemem.methods.qgmem.units import UnitIndex
from cuemem.ports import EntryTable, Models
from cuemem.similarity import Nearest, cosines, nearest_rows
from cuemem.turns import cut_turns
from cuemem.types import (
    Anchor,
    Conversation,
    Cue,
    CueHit,
    EvidenceContext,
    Explanation,
    Indices,
    Matrix,
    MemoryTrace,
    MemoryUnit,
    Query,
    Recall,
    Turn,
    TurnGraph,
    TurnId,
)


@dataclass(frozen=True, slots=True)
class QGMem(Settings):
    """Event-centric memory with query-aware graph augmentation (section III of its paper)."""

    name: ClassVar[str] = "qgmem"
    title: ClassVar[str] = "QGMem"
    noun: ClassVar[str] = "unit"

    def build(self, conversation: Conversation, models: Models) -> UnitMemory:
        """Section III-A: extract the units of every window, embed them, and consolidate them to traces."""
        knobs.check(self)
        windows = cut_windows(conversation, self.window_turns, self.overlap_turns)
        if self.unit_source not in models.unit_sources:
            known = ", ".join(sorted(models.unit_sources))
            raise BadSetting(f"No unit source {self.unit_source!r}; there are {known}.")
        units = extract_units(conversation, windows, models.unit_sources[self.unit_source], models.progress)
        facts = models.embedder.encode([unit.fact_text for unit in units])
        triples = models.embedder.encode([str(unit.triple).strip() or unit.fact_text for unit in units])
        nearest = _nearest(triples, self, models)
        traces = consolidate(conversation, units, nearest, self, models.trajectories, models.progress)
        attributes = EventAttributes.of(units, models.embedder)
        turns = cut_turns(conversation, self.turn_unit)
        return UnitMemory(
            conversation, self, UnitIndex(conversation, turns, units, facts, attributes, traces), models
        )

    def suited_to(self, conversation: Conversation) -> tuple[Self, int | None]:
        """k = 10 units, no cap, whatever the conversation; questions parsed where the units come from."""
        known = next(knob.choices for knob in knobs.knobs_of(self) if knob.name == "parses")
        parses = self.unit_source if self.unit_source in known else NO_PARSES
        return knobs.with_settings(self, {"parses": parses}), None

    def without_graph(self) -> None:
        """It has no graph of turns: its graph is made of the facts of what was chosen already."""


def _nearest(triples: Matrix, method: QGMem, models: Models) -> Nearest:
    """The nearest facts of every unit, from the cache where these very vectors were compared before."""
    count = method.trace_neighbours
    key = knobs.array_key(f"qgmem nearest facts {count}", triples)
    held = models.arrays.get(key)
    if held is None:
        models.progress("traces", 0, 1)
        found, _ = nearest_rows(triples, count, np.arange(len(triples)))
        held = {"rows": found.rows, "cosines": found.cosines}
        models.arrays.put(key, held)
    return Nearest(held["rows"], held["cosines"])


class UnitMemory:
    """A built QGMem memory S = (M, R): units, traces and the indexes over them. Read-only, thread-safe."""

    def __init__(self, conversation: Conversation, method: QGMem, index: UnitIndex, models: Models) -> None:
        self.conversation = conversation
        self.built_as = method
        self.index = index
        self.models = models
        self.tokens = models.tokens
        # The last few queries: a slider step repeats the query, so it must cost no encoding and no search.
        self._asked = lru_cache(maxsize=32)(self._ask)

    @property
    def turns(self) -> tuple[Turn, ...]:
        """The turns that evidence is scored on."""
        return self.index.turns

    @property
    def units(self) -> tuple[MemoryUnit, ...]:
        """M."""
        return self.index.units

    @property
    def traces(self) -> tuple[MemoryTrace, ...]:
        """R."""
        return self.index.traces

    @property
    def catalogue(self) -> UnitIndex:
        """M and R as they can be looked into."""
        return self.index

    @property
    def cue_count(self) -> int:
        """|M|."""
        return len(self.index.units)

    def graph(self, method: QGMem) -> TurnGraph:
        """No edges between turns."""
        self._check(method)
        return TurnGraph(tuple(turn.turn_id for turn in self.turns))

    def recall(self, query: Query, method: QGMem, budget: int | None = None) -> Recall:
        """The serialised working memory, or its source turns, with the trace of how it came about."""
        self._check(method)
        asked = self._asked(query)
        activation = asked.activate(method)
        working = activation.working(method)
        started = perf_counter()
        graph = local_graph(self.index, working)
        built = perf_counter()
        context = self._context(working, method, budget)
        seconds = (built - started, perf_counter() - built)
        trace = stages(asked, method, activation, graph, context, self.models.embedder.name, seconds)
        ranking = tuple(self.turns[turn].turn_id for turn in self.index.source_turns(activation.ranked.tolist()))
        anchors = self._anchors(asked, working, context)
        return Recall(query, method.name, knobs.settings(method), anchors, ranking, context, trace)

    def reached(self, query: Query, method: QGMem) -> tuple[Indices, Indices]:
        """The source turns of the working memory, which are anchors and context in one."""
        self._check(method)
        working = self._asked(query).activate(method).working(method)
        turns = np.sort(np.array(self.index.source_turns(working), np.int64))
        return turns, turns

    def entries(self, query: Query, method: QGMem) -> EntryTable:
        """The contexts at every entity threshold, n and k, all else as ``method`` says."""
        self._check(method)
        return entry_table(self._asked(query), method, self._costs)

    def explain(self, query: Query, method: QGMem, turn_id: TurnId, budget: int | None = None) -> Explanation:
        """Why this turn is, or is not, in the context of :meth:`recall` with the same arguments."""
        self._check(method)
        turn = find_turn(self.turns, turn_id)
        return explain_turn(self._asked(query), turn, method, self.tokens, budget)

    @cached_property
    def _costs(self) -> npt.NDArray[np.float64]:
        return piece_costs(self.index, self.tokens)

    def _context(self, working: list[int], method: QGMem, budget: int | None) -> EvidenceContext:
        if method.context_form == TURNS:
            return assemble(turn_candidates(self.index, working), self.tokens, budget, method.turn_cap)
        return unit_context(self.index, working, self.tokens, budget)

    def _anchors(self, asked: Asked, working: list[int], context: EvidenceContext) -> tuple[Anchor, ...]:
        """The source turns A1, A2, … in the order in which they enter, with the units whose evidence they are."""
        hits: dict[int, list[CueHit]] = {}
        near = cosines(self.index.facts[working], asked.vector).tolist()
        for rank, (unit, cosine) in enumerate(zip(working, near, strict=True), 1):
            for turn in self.index.spans[unit]:
                cue = Cue(unit, self.turns[turn].turn_id, self.units[unit].fact_text)
                hits.setdefault(turn, []).append(CueHit(rank, cosine, cue))
        return tuple(
            Anchor(rank, self.turns[turn].turn_id, tuple(found)) for rank, (turn, found) in enumerate(hits.items(), 1)
        )

    def _ask(self, query: Query) -> Asked:
        models = self.models
        return Asked(self.index, query, models.embedder, models.parsers, models.rerankers)

    def _check(self, method: QGMem) -> None:
        knobs.check(method)
        same_build(self.built_as, method, self.conversation)
