"""Section 4.3: context reconstruction. A query finds cues, their turns become anchors, one hop adds neighbours."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from cuemem.context import Candidate
from cuemem.methods.cuemem.graph import CueGraph, in_window, semantic_edges
from cuemem.methods.cuemem.settings import MOST_CUES, Settings
from cuemem.similarity import Cosines, Ranking
from cuemem.types import Anchor, CueHit, Edge, Indices, Matrix


@dataclass(frozen=True)
class Retrieval:
    """C_q for every m at once: the best cues of a query, best first, up to the largest m there is."""

    graph: CueGraph
    ranking: Ranking
    cues: Indices  # (≤ MOST_CUES,)
    cosines: Cosines  # (≤ MOST_CUES,)
    _hops: dict[tuple[bool, bool], Hops] = field(default_factory=dict, repr=False, compare=False)
    _expanded: list[tuple[Settings, tuple[Candidate, ...]]] = field(default_factory=list, repr=False, compare=False)

    @cached_property
    def turns(self) -> Indices:
        """The turn of each retrieved cue, τ_i for c_i in C_q, in the order of the cues."""
        return self.graph.cue_turn[self.cues]

    @cached_property
    def first_rank(self) -> dict[int, int]:
        """For each turn that any m makes an anchor, the rank of its best cue: it is an anchor once m reaches it."""
        ranks: dict[int, int] = {}
        for rank, turn in enumerate(self.turns.tolist(), 1):
            ranks.setdefault(turn, rank)
        return ranks

    def anchors(self, settings: Settings) -> list[int]:
        """A_q = {τ_i : c_i ∈ C_q}, by best cue rank; fewer than m when cues share a turn."""
        return [turn for turn, rank in self.first_rank.items() if rank <= settings.top_cues]

    def expansion(self, settings: Settings) -> tuple[Candidate, ...]:
        """What :func:`expand` gives, kept for the settings asked for last: recall and explanations share it."""
        held = next((candidates for known, candidates in self._expanded if known == settings), None)
        if held is None:
            held = tuple(expand(self, settings))
            self._expanded[:] = [(settings, held)]
        return held

    def hops(self, settings: Settings) -> Hops:
        """The semantic hops under the options, computed once for all w, k and m."""
        options = (settings.exclude_same_turn, settings.symmetric)
        if options not in self._hops:
            self._hops[options] = semantic_hops(self, settings)
        return self._hops[options]


def retrieve(graph: CueGraph, vectors: Matrix, query: Matrix) -> Retrieval:
    """C_q = TopK cos(q, t_i) over C, ties to the lower cue index."""
    ranking = Ranking.of(vectors, query)
    return Retrieval(graph, ranking, *ranking.top(MOST_CUES))


def reached_turns(retrieval: Retrieval, settings: Settings) -> Indices:
    """E_q = A_q ∪ N(A_q) as ascending turn indices: what :func:`expand` gives, without the reasons."""
    graph, anchors = retrieval.graph, retrieval.anchors(settings)
    inside = np.zeros(len(graph.turns), bool)
    inside[anchors] = True
    for anchor in anchors:
        inside[in_window(graph, anchor, settings)] = True
    if settings.symmetric:
        for anchor in anchors:
            inside[[graph.place[edge.target] for edge in semantic_edges(graph, anchor, settings)]] = True
    elif settings.neighbours:
        cues = np.concatenate([np.asarray(graph.cues_of(anchor)) for anchor in anchors] or [np.empty(0, np.int64)])
        found = graph.neighbours(settings).rows[cues, : settings.neighbours].ravel()
        inside[graph.cue_turn[found[found >= 0]]] = True
    return np.flatnonzero(inside)


def expand(retrieval: Retrieval, settings: Settings) -> list[Candidate]:
    """E_q with reasons, in the order in which turns enter a budget.

    Anchors by best cue rank; then temporal neighbours by distance, anchor rank and turn; then semantic
    neighbours by neighbour rank, anchor rank and turn. A turn reached by both kinds counts as temporal and
    keeps both reasons.
    """
    graph, anchors = retrieval.graph, retrieval.anchors(settings)
    taken = set(anchors)
    reasons: dict[int, list[tuple[tuple[int, int, int], Edge]]] = {}
    for kind_order, edges in ((0, _temporal_edges), (1, _semantic_edges)):
        for order, edge in edges(graph, anchors, settings):
            target = graph.place[edge.target]
            if target not in taken:
                reasons.setdefault(target, []).append(((kind_order, edge.rank, order), edge))
    entering = sorted(reasons.items(), key=lambda pair: (min(key for key, _ in pair[1]), pair[0]))
    candidates = [Candidate(graph.turns[turn], "anchor") for turn in anchors]
    for turn, found in entering:
        via = tuple(edge for _, edge in sorted(found, key=lambda pair: pair[0]))
        candidates.append(Candidate(graph.turns[turn], via[0].kind, via))
    return candidates


def _temporal_edges(graph: CueGraph, anchors: list[int], settings: Settings) -> Iterator[tuple[int, Edge]]:
    """The temporal edges that leave the anchors, with the anchor's rank."""
    for order, anchor in enumerate(anchors):
        source = graph.turns[anchor].turn_id
        for target in in_window(graph, anchor, settings):
            yield order, Edge(source, graph.turns[target].turn_id, "temporal", abs(target - anchor))


def _semantic_edges(graph: CueGraph, anchors: list[int], settings: Settings) -> Iterator[tuple[int, Edge]]:
    """The semantic edges that leave the anchors, with the anchor's rank."""
    if settings.neighbours:
        for order, anchor in enumerate(anchors):
            yield from ((order, edge) for edge in semantic_edges(graph, anchor, settings))


def name_anchors(retrieval: Retrieval, settings: Settings) -> tuple[Anchor, ...]:
    """The anchors A1, A2, … with the retrieved cues that made them."""
    hits: dict[int, list[CueHit]] = {}
    rows = zip(retrieval.cues.tolist(), retrieval.cosines.tolist(), retrieval.turns.tolist(), strict=True)
    for rank, (cue, cosine, turn) in enumerate(rows, 1):
        if rank <= settings.top_cues:
            hits.setdefault(turn, []).append(CueHit(rank, cosine, retrieval.graph.cues[cue]))
    turns = retrieval.graph.turns
    return tuple(
        Anchor(rank, turns[turn].turn_id, tuple(found)) for rank, (turn, found) in enumerate(hits.items(), 1)
    )


@dataclass(frozen=True, slots=True)
class Hops:
    """Every semantic edge that leaves a turn which some m makes an anchor, for all m and k at once."""

    anchor_rank: Indices  # best cue rank of the turn it leaves: the least m that makes it an anchor
    target: Indices  # turn index
    neighbour_rank: Indices  # the least k that makes the edge


def semantic_hops(retrieval: Retrieval, settings: Settings) -> Hops:
    """The hops under the options of ``settings``; its m and k do not matter. Sweep and explanation read them."""
    graph = retrieval.graph
    anchors = np.fromiter(retrieval.first_rank, np.int64)
    ranks = np.fromiter(retrieval.first_rank.values(), np.int64)
    starts = graph.first_cue[anchors]
    counts = graph.first_cue[anchors + 1] - starts
    cues = np.arange(counts.sum()) + np.repeat(starts - np.cumsum(counts) + counts, counts)
    ranks = np.repeat(ranks, counts)
    found = graph.neighbours(settings).rows[cues]
    line, column = np.nonzero(found >= 0)
    hops = Hops(ranks[line], graph.cue_turn[found[line, column]], column + 1)
    if not settings.symmetric:
        return hops
    pairs = [
        (rank, source, neighbour_rank)
        for cue, rank in zip(cues.tolist(), ranks.tolist(), strict=True)
        for source, neighbour_rank in graph.pointing_at(cue, settings)
    ]
    back = np.array(pairs, np.int64).reshape(-1, 3)
    return Hops(
        np.concatenate([hops.anchor_rank, back[:, 0]]),
        np.concatenate([hops.target, graph.cue_turn[back[:, 1]]]),
        np.concatenate([hops.neighbour_rank, back[:, 2]]),
    )
