"""Cosine and top-k against brute force, and the same whatever the shape of the computation."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from cuemem import similarity
from cuemem.similarity import Ranking, cosines, nearest_rows
from cuemem.types import Matrix


def unit_rows(count: int, dimensions: int, seed: int, distinct: int | None = None) -> Matrix:
    """Random unit rows; with ``distinct`` many rows are equal, so that ties are everywhere."""
    generator = np.random.default_rng(seed)
    rows = generator.standard_normal((distinct or count, dimensions)).astype(np.float32)
    rows /= np.linalg.norm(rows, axis=1, keepdims=True)
    return np.ascontiguousarray(rows[generator.integers(0, len(rows), count)] if distinct else rows)


def plain_order(matrix: Matrix, query: Matrix) -> list[int]:
    values = [round(float(np.dot(row.astype(float), query.astype(float))), 6) for row in matrix]
    return sorted(range(len(matrix)), key=lambda i: (-values[i], i))


@settings(max_examples=60, deadline=None)
@given(
    count=st.integers(1, 80),
    top=st.integers(0, 90),
    seed=st.integers(0, 999),
    distinct=st.one_of(st.none(), st.integers(1, 5)),
)
def test_top_is_a_prefix_of_a_stable_sort_and_rank_its_place(
    count: int, top: int, seed: int, distinct: int | None
) -> None:
    matrix = unit_rows(count, 8, seed, distinct)
    query = unit_rows(1, 8, seed + 1)[0]
    order = plain_order(matrix, query)
    ranking = Ranking.of(matrix, query)
    chosen, values = ranking.top(top)
    assert chosen.tolist() == order[:top]
    assert values.tolist() == cosines(matrix[chosen], query).tolist()
    for row in range(0, count, 7):
        assert ranking.rank(row)[0] == order.index(row) + 1
    one_by_one = [ranking.rank(row) for row in range(count)]
    rows = list(range(count)) * (1 + 60 // count)  # enough of them to be ranked together
    assert ranking.ranks(rows) == one_by_one * (1 + 60 // count)


def plain_nearest(matrix: Matrix, groups: list[int], row: int, count: int, elsewhere: bool) -> list[int]:
    order = [i for i in plain_order(matrix, matrix[row]) if i != row]
    found = [i for i in order if not (elsewhere and groups[i] == groups[row])][:count]
    return found + [-1] * (count - len(found))


@settings(max_examples=40, deadline=None)
@given(
    count=st.integers(1, 60),
    seed=st.integers(0, 999),
    distinct=st.one_of(st.none(), st.integers(1, 4)),
    data=st.data(),
)
def test_nearest_rows(count: int, seed: int, distinct: int | None, data: st.DataObject) -> None:
    matrix = unit_rows(count, 6, seed, distinct)
    groups = sorted(data.draw(st.lists(st.integers(0, 12), min_size=count, max_size=count)))
    some = np.array(sorted(data.draw(st.sets(st.integers(0, count - 1)))), np.int64)
    for rows in (None, some):
        anywhere, elsewhere = nearest_rows(matrix, 4, np.array(groups), rows)
        for line, row in enumerate(range(count) if rows is None else rows.tolist()):
            assert anywhere.rows[line].tolist() == plain_nearest(matrix, groups, row, 4, False)
            assert elsewhere.rows[line].tolist() == plain_nearest(matrix, groups, row, 4, True)


@pytest.mark.parametrize("distinct", [None, 40])
def test_long_lines_are_folded_without_a_difference(monkeypatch: pytest.MonkeyPatch, distinct: int | None) -> None:
    # 3,000 rows are enough to fold when the border is lowered; the answer must be that of whole lines.
    matrix = unit_rows(3000, 16, 5, distinct)
    groups = np.arange(3000) // 4
    rows = np.arange(0, 3000, 50)
    whole = nearest_rows(matrix, 10, groups, rows)
    monkeypatch.setattr(similarity, "_FOLD_FROM", 1000)
    for left, right in zip(whole, nearest_rows(matrix, 10, groups, rows), strict=True):
        assert np.array_equal(left.rows, right.rows)
        assert np.array_equal(left.cosines, right.cosines)


def test_one_query_and_many_rank_alike_whatever_the_block() -> None:
    matrix = unit_rows(500, 384, 3)
    groups = np.arange(500)
    together = nearest_rows(matrix, 10, groups)[0]
    for row in range(0, 500, 25):
        alone = nearest_rows(matrix, 10, groups, np.array([row]))[0]
        assert np.array_equal(alone.rows[0], together.rows[row])
        assert np.array_equal(alone.cosines[0], together.cosines[row])
        # A cue as a query finds itself first and then the same neighbours.
        assert Ranking.of(matrix, matrix[row]).top(11)[0][1:].tolist() == together.rows[row].tolist()


def test_nothing_to_rank() -> None:
    empty = np.empty((0, 4), np.float32)
    assert Ranking.of(empty, np.ones(4, np.float32)).top(5)[0].tolist() == []
    anywhere, _ = nearest_rows(empty, 3, np.empty(0, np.int64))
    assert anywhere.rows.shape == (0, 3)
