"""Section 4.2: turn graph construction.

Nodes are the turns. Temporal edges follow from the window alone. Semantic edges are kept as what they are
made of: for each cue its nearest cues, so that k, w and the options act at recall and rebuild nothing.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cached_property

import numpy as np

from cuemem.methods.cuemem.settings import MOST_NEIGHBOURS, Settings
from cuemem.similarity import Nearest, nearest_rows
from cuemem.types import Cue, Edge, Indices, Matrix, Turn, TurnGraph


@dataclass(frozen=True)
class CueGraph:
    """The turns, their cues and each cue's nearest cues: everything that edges are read from.

    ``cue_turn[i]`` is τ_i as a turn index; it ascends, since cues are ordered by source turn. ``anywhere`` is
    the paper's N_sem over C \\ {c_i}; ``elsewhere`` leaves out the cue's own turn (option ``exclude_same_turn``).
    """

    turns: tuple[Turn, ...]
    cues: tuple[Cue, ...]
    cue_turn: Indices  # (N,)
    anywhere: Nearest
    elsewhere: Nearest

    @cached_property
    def sessions(self) -> Indices:  # (T,)
        """The session of each turn."""
        return np.array([turn.session for turn in self.turns], np.int64)

    @cached_property
    def first_cue(self) -> Indices:  # (T + 1,)
        """The cues of turn i are those from ``first_cue[i]`` up to ``first_cue[i + 1]``."""
        return np.searchsorted(self.cue_turn, np.arange(len(self.turns) + 1))

    @cached_property
    def place(self) -> dict[str, int]:
        """The index of a turn by its id."""
        return {turn.turn_id: turn.index for turn in self.turns}

    def neighbours(self, settings: Settings) -> Nearest:
        """The nearest cues under the option ``exclude_same_turn``."""
        return self.elsewhere if settings.exclude_same_turn else self.anywhere

    def cues_of(self, turn: int) -> range:
        """The indices of the cues that point to a turn."""
        return range(int(self.first_cue[turn]), int(self.first_cue[turn + 1]))

    @cached_property
    def kept_edges(self) -> dict[tuple[int, int, bool, bool], tuple[Edge, ...]]:
        """What :func:`semantic_edges` has found, by turn, k and options."""
        return {}

    @cached_property
    def _pointing(self) -> dict[bool, tuple[Indices, Indices, Indices]]:
        """For either option: (target, source, rank) of every neighbour pair, sorted by target, rank, source."""
        tables = {}
        for exclude, neighbours in ((False, self.anywhere), (True, self.elsewhere)):
            source, column = np.nonzero(neighbours.rows >= 0)
            target = neighbours.rows[source, column]
            order = np.lexsort((source, column, target))
            tables[exclude] = (target[order], source[order], column[order] + 1)
        return tables

    def pointing_at(self, cue: int, settings: Settings) -> list[tuple[int, int]]:
        """The cues that count ``cue`` among their nearest, as (source cue, neighbour rank): for ``symmetric``."""
        target, source, rank = self._pointing[settings.exclude_same_turn]
        start, end = np.searchsorted(target, (cue, cue + 1))
        return list(zip(source[start:end].tolist(), rank[start:end].tolist(), strict=True))


def point_cues(turns: Sequence[Turn], cues: Sequence[Cue]) -> Indices:
    """τ: the turn index that each cue points to. Cues must come in the order of their turns."""
    place = {turn.turn_id: turn.index for turn in turns}
    return np.array([place[cue.turn_id] for cue in cues], np.int64)


def link_cues(vectors: Matrix, cue_turn: Indices, rows: Indices | None = None) -> tuple[Nearest, Nearest]:
    """N_sem(c_i): each cue's nearest cues over C \\ {c_i}, and over the cues of other turns; for all or some rows."""
    return nearest_rows(vectors, MOST_NEIGHBOURS, cue_turn, rows)


def in_window(graph: CueGraph, turn: int, settings: Settings) -> list[int]:
    """N_temp(v_i) = {v_j : 0 < |i − j| ≤ w}, nearest first, the earlier before the later.

    Session borders do not cut unless ``session_break`` is on.
    """
    sessions, last = graph.sessions, len(graph.turns)
    reached = (turn + step for distance in range(1, settings.window + 1) for step in (-distance, distance))
    return [j for j in reached if 0 <= j < last and (not settings.session_break or sessions[j] == sessions[turn])]


def turn_graph(graph: CueGraph, settings: Settings) -> TurnGraph:
    """G = (V, E_temp ∪ E_sem) under the recall-time knobs: each pair of turns once for each kind.

    A semantic edge keeps the pair of cues with the best neighbour rank that made it; self-loops add nothing
    and are left out.
    """
    ids = [turn.turn_id for turn in graph.turns]
    edges: list[Edge] = []
    for turn in graph.turns:
        edges += [
            Edge(turn.turn_id, ids[j], "temporal", abs(j - turn.index))
            for j in in_window(graph, turn.index, settings)
        ]
        edges += semantic_edges(graph, turn.index, settings)
    return TurnGraph(tuple(ids), tuple(edges))


def semantic_edges(graph: CueGraph, turn: int, settings: Settings) -> tuple[Edge, ...]:
    """The semantic edges that leave a turn, by neighbour rank and then target: all of its cues count.

    Kept once found, since a search for the least m or w asks for those of the same anchors again and again.
    """
    key = (turn, settings.neighbours, settings.exclude_same_turn, settings.symmetric)
    held = graph.kept_edges.get(key)
    if held is None:
        held = graph.kept_edges[key] = _semantic_edges(graph, turn, settings)
    return held


def _semantic_edges(graph: CueGraph, turn: int, settings: Settings) -> tuple[Edge, ...]:
    neighbours, most = graph.neighbours(settings), settings.neighbours
    best: dict[int, tuple[int, int, int, float]] = {}
    for cue in graph.cues_of(turn):
        found = zip(neighbours.rows[cue, :most].tolist(), neighbours.cosines[cue, :most].tolist(), strict=True)
        pairs = [(rank, cue, other, cosine) for rank, (other, cosine) in enumerate(found, 1) if other >= 0]
        if settings.symmetric:
            pairs += [
                (rank, cue, other, float(neighbours.cosines[other, rank - 1]))
                for other, rank in graph.pointing_at(cue, settings)
                if rank <= most
            ]
        for pair in pairs:
            target = int(graph.cue_turn[pair[2]])
            if target != turn and (target not in best or pair[:3] < best[target][:3]):
                best[target] = pair
    ids = graph.turns
    return tuple(
        Edge(ids[turn].turn_id, ids[target].turn_id, "semantic", rank, cosine, source, other)
        for target, (rank, source, other, cosine) in sorted(best.items(), key=lambda pair: (pair[1][0], pair[0]))
    )
