"""Naive RAG, the paper's turn-level baseline (section 5.1): retrieve whole turns by semantic similarity."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from time import perf_counter
from typing import ClassVar, Self

import numpy as np

from cuemem import knobs
from cuemem.context import Candidate, assemble, least_budget
from cuemem.knobs import knob
from cuemem.methods.explanation import describe, outcome
from cuemem.methods.lookup import find_turn, same_build
from cuemem.methods.stages import context_stage, query_stage
from cuemem.ports import NEVER, Embedder, EntryTable, Models, TokenCounter
from cuemem.similarity import Ranking
from cuemem.turns import cut_turns
from cuemem.types import (
    Anchor,
    Change,
    Conversation,
    Cue,
    CueHit,
    Explanation,
    Indices,
    Matrix,
    Query,
    Recall,
    Stage,
    StageItem,
    Turn,
    TurnGraph,
    TurnId,
    TurnUnitChoice,
)

MOST_TURNS = 60


@dataclass(frozen=True, slots=True)
class NaiveRag:
    """Embeds each turn as "Name: text (image: caption)" and takes the nearest: a number of turns, or a budget."""

    name: ClassVar[str] = "naive_rag"
    title: ClassVar[str] = "Naive RAG"
    noun: ClassVar[str] = "turn"

    turn_unit: TurnUnitChoice = knob(
        "auto", "what a turn is, as for CueMem", choices=("auto", "utterance", "exchange"), when="build"
    )
    top_turns: int = knob(
        10,
        "turns retrieved for a query; without effect under a budget",
        symbol="m",
        low=1,
        high=MOST_TURNS,
        tries=(5, 10, 15, 20, 30),
    )
    turn_cap: int = knob(400, "budget mode: most tokens of one turn", low=50, high=8000)

    def build(self, conversation: Conversation, models: Models) -> TurnMemory:
        """Embed every turn."""
        knobs.check(self)
        turns = cut_turns(conversation, self.turn_unit)
        vectors = models.embedder.encode([turn.text for turn in turns])
        return TurnMemory(conversation, self, turns, vectors, models.embedder, models.tokens)

    def suited_to(self, conversation: Conversation) -> tuple[Self, int | None]:
        """The 10 nearest turns, no cap, whatever the conversation."""
        return self, None

    def without_graph(self) -> None:
        """It has no graph."""


class TurnMemory:
    """The turns with their vectors. Read-only, thread-safe."""

    cue_count = 0
    catalogue = None

    def __init__(
        self,
        conversation: Conversation,
        method: NaiveRag,
        turns: tuple[Turn, ...],
        vectors: Matrix,
        embedder: Embedder,
        tokens: TokenCounter,
    ) -> None:
        self.conversation = conversation
        self.built_as = method
        self.turns = turns
        self.vectors = vectors  # (T, d)
        self.embedder = embedder
        self.tokens = tokens
        self._ranked = lru_cache(maxsize=32)(self._rank)

    def graph(self, method: NaiveRag) -> TurnGraph:
        """No edges: the baseline has no graph."""
        self._check(method)
        return TurnGraph(tuple(turn.turn_id for turn in self.turns))

    def recall(self, query: Query, method: NaiveRag, budget: int | None = None) -> Recall:
        """The nearest turns in chronological order; under a budget as many as fit, best first."""
        self._check(method)
        hits, encoding, searching = self._ranked(query.text)
        started = perf_counter()
        chosen = self._chosen(hits, method, budget)
        context = assemble(chosen, self.tokens, budget, method.turn_cap)
        kept = set(context.turn_ids)
        anchors = tuple(
            Anchor(hit.rank, hit.cue.turn_id, (hit,)) for hit in hits[: len(chosen)] if hit.cue.turn_id in kept
        )
        shown = hits[: max(method.top_turns, len(anchors))]
        retrieved = Stage(
            "turns",
            "Turn retrieval",
            f"the nearest of {len(self.turns):,} turns",
            tuple(StageItem(hit.cue.text, hit.cue.turn_id, hit.rank, hit.cosine) for hit in shown),
            searching,
        )
        trace = (
            query_stage(self.embedder.name, encoding),
            retrieved,
            context_stage(context, perf_counter() - started),
        )
        ranking = tuple(hit.cue.turn_id for hit in hits)
        return Recall(query, method.name, knobs.settings(method), anchors, ranking, context, trace)

    def reached(self, query: Query, method: NaiveRag) -> tuple[Indices, Indices]:
        """The nearest turns, which are anchors and context in one."""
        self._check(method)
        nearest = np.array([hit.cue.index for hit in self._ranked(query.text)[0][: method.top_turns]], np.int64)
        return np.sort(nearest), np.sort(nearest)

    def entries(self, query: Query, method: NaiveRag) -> EntryTable:
        """The rank of every turn: the number of turns that brings it in."""
        self._check(method)
        least = np.full(len(self.turns), NEVER, np.uint8)
        for hit in self._ranked(query.text)[0][:MOST_TURNS]:
            least[hit.cue.index] = hit.rank
        return EntryTable({}, "top_turns", MOST_TURNS, least)

    def explain(self, query: Query, method: NaiveRag, turn_id: TurnId, budget: int | None = None) -> Explanation:
        """The turn's rank and the least number of turns, or budget, that brings it in."""
        self._check(method)
        turn_id = self.turns[find_turn(self.turns, turn_id)].turn_id
        hits = self._ranked(query.text)[0]
        hit = next(hit for hit in hits if hit.cue.turn_id == turn_id)
        chosen = self._chosen(hits, method, budget)
        candidate = chosen[hit.rank - 1] if hit.rank <= len(chosen) else None
        inside = candidate is not None
        changes: tuple[Change, ...] = ()
        if budget is not None:
            inside = turn_id in assemble(chosen, self.tokens, budget, method.turn_cap).turn_ids
            changes = (Change("budget", least_budget(chosen, hit.rank - 1, self.tokens, method.turn_cap)),)
        elif hit.rank <= MOST_TURNS:
            changes = (Change("top_turns", hit.rank, "m"),)
        stage = outcome(in_context=inside, chosen=candidate is not None, ranked=True)
        return describe(turn_id, stage, candidate, (hit,), changes, method.top_turns, "turn")

    def _chosen(self, hits: tuple[CueHit, ...], method: NaiveRag, budget: int | None) -> list[Candidate]:
        count = method.top_turns if budget is None else len(hits)
        return [Candidate(self.turns[hit.cue.index], "anchor") for hit in hits[:count]]

    def _rank(self, text: str) -> tuple[tuple[CueHit, ...], float, float]:
        started = perf_counter()
        query = self.embedder.encode([text])[0]
        encoded = perf_counter()
        order, values = Ranking.of(self.vectors, query).top(len(self.turns))
        hits = tuple(
            CueHit(rank, cosine, Cue(turn, self.turns[turn].turn_id, self.turns[turn].text))
            for rank, (turn, cosine) in enumerate(zip(order.tolist(), values.tolist(), strict=True), 1)
        )
        return hits, encoded - started, perf_counter() - encoded

    def _check(self, method: NaiveRag) -> None:
        knobs.check(method)
        same_build(self.built_as, method, self.conversation)
