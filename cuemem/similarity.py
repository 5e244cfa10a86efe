"""Cosine similarity and top-k, the one place that computes either.

A matrix product in float32 differs in its last bits with the shape of the product, so a rank could change
with the number of queries or with an incremental update. Here the fast float32 product only proposes
candidates; they are then compared by their float64 cosine, rounded to 1e-6, ties to the lower index. So one
query and many, full and incremental computation, give the same ranks.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import cache

import numpy as np
import numpy.typing as npt
from threadpoolctl import ThreadpoolController

from cuemem.types import Indices, Matrix

Cosines = npt.NDArray[np.float64]
Scores = npt.NDArray[np.float32]

DECIMALS = 6
# The error of a float32 dot product of unit vectors is below d·2⁻²⁴ (2.3e-5 at d = 384), on both sides.
SLACK = 1e-4
_BLOCK_ROWS = 256
_MANY = 48  # so many rows, as of one very long turn, are ranked faster together
_EXACT_ROWS = 4096
_SPARE = 6  # candidates beyond the count asked for, so that near-ties rarely need the slow path
_MOST_SPARE = 32
_FOLD = 64
_FOLD_FROM = 8192


@cache
def _threads() -> ThreadpoolController:
    return ThreadpoolController()


def approximate(matrix: Matrix, query: Matrix) -> Scores:  # (n, d), (d,) or (d, q) → (n,) or (n, q)
    """All float32 cosines, good for choosing candidates only. One BLAS thread: two cost more than they give."""
    with _threads().limit(limits=1, user_api="blas"):
        product: Scores = matrix @ query
    return product


def cosines(rows: Matrix, query: Matrix) -> Cosines:  # (n, d), (d,) → (n,)
    """The cosine of each unit row with a unit query: float64, rounded to 1e-6."""
    products: Cosines = (rows.astype(np.float64) * query.astype(np.float64)).sum(axis=-1)
    return np.round(products, DECIMALS)


@dataclass(frozen=True, slots=True)
class Ranking:
    """All rows of a matrix against one query, ranked on demand. Rank 1 is the nearest row."""

    matrix: Matrix  # (n, d)
    query: Matrix  # (d,)
    rough: Scores  # (n,)

    @classmethod
    def of(cls, matrix: Matrix, query: Matrix) -> Ranking:
        """Rank the rows of ``matrix`` against ``query``."""
        return cls(matrix, query, approximate(matrix, query))

    def top(self, count: int) -> tuple[Indices, Cosines]:
        """The ``count`` nearest rows, best first, ties to the lower index; fewer when there are fewer rows."""
        rows = len(self.rough)
        count = min(count, rows)
        if count == 0:
            return np.empty(0, np.int64), np.empty(0)
        least = np.partition(self.rough, rows - count)[rows - count]
        chosen = np.flatnonzero(self.rough >= least - SLACK)
        exact = cosines(self.matrix[chosen], self.query)
        order = np.lexsort((chosen, -exact))[:count]
        return chosen[order], exact[order]

    def rank(self, row: int) -> tuple[int, float]:
        """The rank of one row among all of them, and its cosine."""
        exact = float(cosines(self.matrix[row : row + 1], self.query)[0])
        surely = int(np.count_nonzero(self.rough > exact + SLACK))
        close = np.flatnonzero(np.abs(self.rough - np.float32(exact)) <= 2 * SLACK)
        close = close[self.rough[close] <= exact + SLACK]
        rivals = cosines(self.matrix[close], self.query)
        before = (rivals > exact) | ((rivals == exact) & (close < row))
        return surely + int(before.sum()) + 1, exact

    def ranks(self, rows: Sequence[int]) -> list[tuple[int, float]]:
        """The rank and the cosine of each of some rows; of many rows by ranking all there are, once."""
        if len(rows) < _MANY:
            return [self.rank(row) for row in rows]
        blocks = range(0, len(self.matrix), _EXACT_ROWS)
        exact = np.concatenate([cosines(self.matrix[at : at + _EXACT_ROWS], self.query) for at in blocks])
        place = np.empty(len(exact), np.int64)
        place[np.lexsort((np.arange(len(exact)), -exact))] = np.arange(1, len(exact) + 1)
        return [(int(place[row]), float(exact[row])) for row in rows]


@dataclass(frozen=True, slots=True)
class Nearest:
    """For each of some rows its nearest other rows, best first; index -1 with cosine 0 where there are no more."""

    rows: Indices  # (r, count)
    cosines: Cosines  # (r, count)


def nearest_rows(
    matrix: Matrix, count: int, groups: Indices, rows: Indices | None = None
) -> tuple[Nearest, Nearest]:  # (n, d), (n,) → (r, count) each
    """Each row's ``count`` nearest other rows, and its nearest among the rows of other groups.

    Ties go to the lower index. ``groups`` ascends; ``rows`` (r,) defaults to all. Works in blocks, so memory
    stays at a few hundred rows of n scores.
    """
    chosen = np.arange(len(matrix)) if rows is None else rows
    starts = np.searchsorted(groups, groups[chosen], side="left")
    ends = np.searchsorted(groups, groups[chosen], side="right")
    anywhere = Nearest(np.full((len(chosen), count), -1, np.int64), np.zeros((len(chosen), count)))
    elsewhere = Nearest(anywhere.rows.copy(), anywhere.cosines.copy())
    # Room for near-ties, and for the row's own group, which does not count elsewhere.
    spare = _SPARE + min(_MOST_SPARE, int((ends - starts).max(initial=1)) - 1)
    for at in range(0, len(chosen), _BLOCK_ROWS):
        block = slice(at, at + _BLOCK_ROWS)
        own = chosen[block]
        scores = matrix[own] @ matrix.T
        scores[np.arange(len(scores)), own] = -np.inf
        candidates = _candidates(scores, count + spare)
        rough = np.take_along_axis(scores, candidates, axis=1)
        exact = np.einsum("bcd,bd->bc", matrix[candidates], matrix[own], dtype=np.float64)
        exact = np.where(np.isfinite(rough), np.round(exact, DECIMALS), -np.inf)
        floor = rough.min(axis=1) if candidates.shape[1] < len(matrix) else np.full(len(own), -np.inf, np.float32)
        for line in _take_best(candidates, rough, exact, floor, anywhere, block):
            _take_slowly(matrix, scores[line], own[line], anywhere, at + line)
        same = (candidates >= starts[block, None]) & (candidates < ends[block, None])
        rough, exact = np.where(same, -np.inf, rough), np.where(same, -np.inf, exact)
        for line in _take_best(candidates, rough, exact, floor, elsewhere, block):
            scores[line, starts[at + line] : ends[at + line]] = -np.inf
            _take_slowly(matrix, scores[line], own[line], elsewhere, at + line)
    return anywhere, elsewhere


def _take_best(
    candidates: Indices, rough: Scores, exact: Cosines, floor: Scores, into: Nearest, block: slice
) -> list[int]:
    """Write the best candidates of each line; a score of -inf is no candidate. The lines to be done slowly.

    A line is sure when ``floor``, which bounds all scores that are no candidates, is clearly below the last
    one taken, so that nothing outside can reach it.
    """
    count = min(into.rows.shape[1], candidates.shape[1])
    order = np.lexsort((candidates, -exact), axis=1)[:, :count]
    best, values = np.take_along_axis(candidates, order, axis=1), np.take_along_axis(exact, order, axis=1)
    real = np.isfinite(values)
    into.rows[block, :count] = np.where(real, best, -1)
    into.cosines[block, :count] = np.where(real, values, 0.0)
    least = np.partition(rough, rough.shape[1] - count, axis=1)[:, rough.shape[1] - count]
    sure = (floor < least - SLACK) | np.isneginf(floor)
    return [int(line) for line in np.flatnonzero(~sure)]


def _take_slowly(matrix: Matrix, scores: Scores, row: int, into: Nearest, line: int) -> None:
    """Write the best of one whole line of scores, where the candidates did not settle it."""
    count = min(into.rows.shape[1], len(scores))
    least = np.partition(scores, len(scores) - count)[len(scores) - count]
    rivals = np.flatnonzero((scores >= least - SLACK) & np.isfinite(scores))
    close = cosines(matrix[rivals], matrix[row])
    kept = np.lexsort((rivals, -close))[:count]
    into.rows[line], into.cosines[line] = -1, 0.0
    into.rows[line, : len(kept)], into.cosines[line, : len(kept)] = rivals[kept], close[kept]


def _candidates(scores: Scores, count: int) -> Indices:
    """The columns of the ``count`` largest scores of each line, in no order (all columns when fewer).

    Partitioning long lines is slow and a running maximum is fast, so long lines are folded first: the largest
    ``count`` scores lie in the ``count`` folds with the largest maxima.
    """
    width = scores.shape[1]
    if width <= count:
        return np.broadcast_to(np.arange(width), scores.shape).copy()
    if width < _FOLD_FROM:
        return np.argpartition(scores, width - count, axis=1)[:, width - count :]
    folds = width // _FOLD
    maxima = scores[:, : folds * _FOLD].reshape(len(scores), _FOLD, folds).max(axis=1)
    largest = np.argpartition(maxima, folds - count, axis=1)[:, folds - count :]
    members = (largest[:, :, None] + folds * np.arange(_FOLD)[None, None, :]).reshape(len(scores), -1)
    tail = np.broadcast_to(np.arange(folds * _FOLD, width), (len(scores), width - folds * _FOLD))
    columns = np.concatenate([members, tail], axis=1)
    held = np.take_along_axis(scores, columns, axis=1)
    kept = np.argpartition(held, columns.shape[1] - count, axis=1)[:, columns.shape[1] - count :]
    return np.take_along_axis(columns, kept, axis=1)
