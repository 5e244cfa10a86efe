"""Looking into a built memory: what lies close together in it, what stands in it twice, which turns have no cue.

Pure functions over the memory; the cosines are those of section 4.2, so a neighbour here is a neighbour there.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import TypeAlias

import numpy as np

from cuemem.errors import BadSetting, UnknownName
from cuemem.methods.cuemem.method import CueMemory
from cuemem.similarity import SLACK, Cosines, Ranking, approximate, cosines
from cuemem.types import Cue, CueHit, Indices, Query, Turn

_BLOCK = 256  # rows

_Pairs: TypeAlias = tuple[Indices, Indices, Cosines]  # of each pair the lower and the higher index, and the cosine


@dataclass(frozen=True, slots=True)
class CuePair:
    """Two cues that say nearly the same, the one of the lower index first."""

    one: Cue
    other: Cue
    cosine: float


@dataclass(frozen=True, slots=True)
class NearDuplicates:
    """The closest pairs, best first, ties to the lower indices; ``total`` counts those not listed too."""

    pairs: tuple[CuePair, ...]
    total: int


def nearest(memory: CueMemory, cue_index: int, count: int) -> tuple[CueHit, ...]:
    """The ``count`` nearest other cues of c_i with their cosines, as N_sem ranks them, however many.

    Raises UnknownName for a cue there is not.
    """
    cues = memory.cue_graph.cues
    if not 0 <= cue_index < len(cues):
        raise UnknownName(f"There is no cue {cue_index}; the {len(cues)} cues are counted from 0.")
    found, values = Ranking.of(memory.vectors, memory.vectors[cue_index]).top(count + 1)
    others = [(int(row), float(value)) for row, value in zip(found, values, strict=True) if row != cue_index]
    return tuple(CueHit(rank, value, cues[row]) for rank, (row, value) in enumerate(others[:count], 1))


def ranked(memory: CueMemory, query: Query) -> tuple[CueHit, ...]:
    """All cues by their rank for a query, of which the first m are C_q."""
    found, values = Ranking.of(memory.vectors, memory.embedder.encode([query.text])[0]).top(memory.cue_count)
    cues = memory.cue_graph.cues
    return tuple(
        CueHit(rank, float(value), cues[row])
        for rank, (row, value) in enumerate(zip(found.tolist(), values, strict=True), 1)
    )


def exact_duplicates(memory: CueMemory) -> tuple[tuple[Cue, ...], ...]:
    """Cues with the very same text, in groups of two and more, by their first cue."""
    groups: dict[str, list[Cue]] = {}
    for cue in memory.cue_graph.cues:
        groups.setdefault(cue.text, []).append(cue)
    return tuple(tuple(group) for group in groups.values() if len(group) > 1)


def near_duplicates(memory: CueMemory, threshold: float, most: int = 1000) -> NearDuplicates:
    """Pairs of cues of different text with a cosine of ``threshold`` or more; at most so many of them.

    Raises BadSetting for a threshold that is not above 0 and at most 1.
    """
    if not 0 < threshold <= 1:
        raise BadSetting(f"A threshold of {threshold} is no cosine to look for; choose one above 0, up to 1.")
    vectors, cues = memory.vectors, memory.cue_graph.cues
    numbers: dict[str, int] = {}
    texts = np.array([numbers.setdefault(cue.text, len(numbers)) for cue in cues], np.int64)
    kept: _Pairs = (np.empty(0, np.int64), np.empty(0, np.int64), np.empty(0))
    total = 0
    for start in range(0, len(cues), _BLOCK):
        rough = approximate(vectors[start : start + _BLOCK], vectors.T)
        found = [kept]
        for row, line in enumerate(rough, start):
            others = row + 1 + np.flatnonzero(line[row + 1 :] >= threshold - SLACK)
            others = others[texts[others] != texts[row]]
            exact = cosines(vectors[others], vectors[row])
            others, exact = others[exact >= threshold], exact[exact >= threshold]
            total += len(others)
            found.append((np.full(len(others), row), others, exact))
        kept = _best(found, most)
    pairs = zip(*(part.tolist() for part in kept), strict=True)
    return NearDuplicates(tuple(CuePair(cues[one], cues[other], value) for one, other, value in pairs), total)


def turns_without_cues(memory: CueMemory) -> tuple[Turn, ...]:
    """The turns that no cue points to: only an edge can bring them into a context."""
    pointed = set(memory.cue_graph.cue_turn.tolist())
    return tuple(turn for turn in memory.turns if turn.index not in pointed)


def _best(found: list[_Pairs], most: int) -> _Pairs:
    one, other, value = (np.concatenate(parts) for parts in zip(*found, strict=True))
    order = np.lexsort((other, one, -value))[:most]
    return one[order], other[order], value[order]
