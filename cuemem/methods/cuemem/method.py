"""CueMem: the calls of section 4 in order. Offline: turns, cues, vectors, turn graph. Online: recall, explain."""

from __future__ import annotations

from dataclasses import dataclass
from functools import lru_cache
from time import perf_counter
from typing import ClassVar, Self

import numpy as np

from cuemem import knobs
from cuemem.context import assemble
from cuemem.errors import BadSetting
from cuemem.methods.cuemem.explain import explain_turn
from cuemem.methods.cuemem.extraction import extract_cues
from cuemem.methods.cuemem.graph import CueGraph, link_cues, point_cues, turn_graph
from cuemem.methods.cuemem.reconstruction import Retrieval, name_anchors, reached_turns, retrieve
from cuemem.methods.cuemem.settings import Settings
from cuemem.methods.cuemem.sweep import entry_table
from cuemem.methods.cuemem.trace import stages
from cuemem.methods.lookup import find_turn, same_build
from cuemem.ports import Embedder, EntryTable, Models, TokenCounter
from cuemem.similarity import Nearest
from cuemem.turns import cut_turns, resolve_unit
from cuemem.types import Conversation, Explanation, Indices, Matrix, Query, Recall, Turn, TurnGraph, TurnId

EXCHANGE_BUDGET = 3000  # whole exchanges cost 3–15K tokens in paper mode, not the paper's "about 2K"


@dataclass(frozen=True, slots=True)
class CueMem(Settings):
    """Cue-guided context reconstruction (arXiv 2609.12354, section 4)."""

    name: ClassVar[str] = "cuemem"
    title: ClassVar[str] = "CueMem"
    noun: ClassVar[str] = "cue"

    def build(self, conversation: Conversation, models: Models) -> CueMemory:
        """Sections 4.1 and 4.2: extract and embed the cues of every turn and link each to its nearest."""
        knobs.check(self)
        if self.cue_source not in models.cue_sources:
            raise BadSetting(f"No cue source {self.cue_source!r}; there are {', '.join(sorted(models.cue_sources))}.")
        turns = cut_turns(conversation, self.turn_unit)
        cues = extract_cues(conversation, turns, models.cue_sources[self.cue_source], models.progress)
        vectors = models.embedder.encode([cue.text for cue in cues])
        cue_turn = point_cues(turns, cues)
        models.progress("turn graph", 0, 1)
        anywhere, elsewhere = _linked(vectors, cue_turn, models)
        models.progress("turn graph", 1, 1)
        graph = CueGraph(turns, cues, cue_turn, anywhere, elsewhere)
        return CueMemory(conversation, self, graph, vectors, models.embedder, models.tokens)

    def suited_to(self, conversation: Conversation) -> tuple[Self, int | None]:
        """w = 2 in paper mode on utterances; w = 1 with a budget of 3,000 tokens on exchanges."""
        if resolve_unit(conversation, self.turn_unit) == "utterance":
            return knobs.with_settings(self, {"window": 2}), None
        return knobs.with_settings(self, {"window": 1}), EXCHANGE_BUDGET

    def without_graph(self) -> Self:
        """Anchors only: no temporal and no semantic edges."""
        return knobs.with_settings(self, {"window": 0, "neighbours": 0})


def _linked(vectors: Matrix, cue_turn: Indices, models: Models) -> tuple[Nearest, Nearest]:
    """The nearest cues of every cue, from the cache where these very vectors were linked before."""
    key = knobs.array_key("cuemem nearest cues", vectors, cue_turn)
    held = models.arrays.get(key)
    if held is None:
        anywhere, elsewhere = link_cues(vectors, cue_turn)
        held = {
            "anywhere": anywhere.rows,
            "anywhere_cosines": anywhere.cosines,
            "elsewhere": elsewhere.rows,
            "elsewhere_cosines": elsewhere.cosines,
        }
        models.arrays.put(key, held)
    return (
        Nearest(held["anywhere"], held["anywhere_cosines"]),
        Nearest(held["elsewhere"], held["elsewhere_cosines"]),
    )


class CueMemory:
    """A built CueMem memory: cue records, source-turn pointers and the turn graph. Read-only, thread-safe."""

    catalogue = None

    def __init__(
        self,
        conversation: Conversation,
        method: CueMem,
        graph: CueGraph,
        vectors: Matrix,
        embedder: Embedder,
        tokens: TokenCounter,
    ) -> None:
        self.conversation = conversation
        self.built_as = method
        self.cue_graph = graph
        self.vectors = vectors  # (N, d)
        self.embedder = embedder
        self.tokens = tokens
        # The last few queries: a slider step repeats the query, so it must cost no encoding and no search.
        self._retrieved = lru_cache(maxsize=32)(self._retrieve)

    @property
    def turns(self) -> tuple[Turn, ...]:
        """u_1 … u_T."""
        return self.cue_graph.turns

    @property
    def cue_count(self) -> int:
        """N = |C|."""
        return len(self.cue_graph.cues)

    def graph(self, method: CueMem) -> TurnGraph:
        """G under the recall-time knobs of ``method``."""
        self._check(method)
        return turn_graph(self.cue_graph, method)

    def recall(self, query: Query, method: CueMem, budget: int | None = None) -> Recall:
        """E_q with its trace: query → cues → anchors → expansion → context."""
        self._check(method)
        retrieval, encoding, searching = self._retrieved(query.text)
        started = perf_counter()
        anchors = name_anchors(retrieval, method)
        candidates = retrieval.expansion(method)
        expanded = perf_counter()
        context = assemble(candidates, self.tokens, budget, method.turn_cap)
        seconds = (encoding, searching, expanded - started, perf_counter() - expanded)
        ranking = tuple(self.turns[turn].turn_id for turn in retrieval.first_rank)
        trace = stages(retrieval, method, anchors, candidates, context, seconds, self.embedder.name)
        return Recall(query, method.name, knobs.settings(method), anchors, ranking, context, trace)

    def reached(self, query: Query, method: CueMem) -> tuple[Indices, Indices]:
        """Only the turn indices of A_q and of E_q in paper mode, ascending: for grids and sweeps."""
        self._check(method)
        retrieval = self._retrieved(query.text)[0]
        return np.sort(np.array(retrieval.anchors(method), np.int64)), reached_turns(retrieval, method)

    def entries(self, query: Query, method: CueMem) -> EntryTable:
        """The contexts at every (w, k, m) under the options of ``method``."""
        self._check(method)
        return entry_table(self._retrieved(query.text)[0], method)

    def explain(self, query: Query, method: CueMem, turn_id: TurnId, budget: int | None = None) -> Explanation:
        """Why this turn is, or is not, in the context of :meth:`recall` with the same arguments."""
        self._check(method)
        turn = find_turn(self.turns, turn_id)
        return explain_turn(self._retrieved(query.text)[0], turn, method, self.tokens, budget)

    def _retrieve(self, text: str) -> tuple[Retrieval, float, float]:
        started = perf_counter()
        query = self.embedder.encode([text])[0]
        encoded = perf_counter()
        retrieval = retrieve(self.cue_graph, self.vectors, query)
        return retrieval, encoded - started, perf_counter() - encoded

    def _check(self, method: CueMem) -> None:
        knobs.check(method)
        same_build(self.built_as, method, self.conversation)
