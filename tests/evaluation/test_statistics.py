"""Statistics against published values, formulas written out, and hand-counted cases."""

from __future__ import annotations

import math
from fractions import Fraction
from statistics import NormalDist

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cuemem.evaluation.statistics import Flips, bootstrap_difference, bootstrap_mean, flips, kappa, wilson


@pytest.mark.parametrize(
    ("right", "n", "low", "high"),
    [
        # Newcombe (1998), Two-sided confidence intervals for the single proportion, table I, method 3.
        (81, 263, 0.2553, 0.3662),
        (15, 148, 0.0624, 0.1605),
        (0, 20, 0.0000, 0.1611),
        (1, 29, 0.0061, 0.1718),
    ],
)
def test_wilson_intervals_are_those_published(right: int, n: int, low: float, high: float) -> None:
    found = wilson(right, n)
    assert found is not None
    assert (round(found.low, 4), round(found.high, 4)) == (low, high)
    assert wilson(0, 0) is None


@given(st.integers(1, 3000).flatmap(lambda n: st.tuples(st.integers(0, n), st.just(n))))
def test_wilson_intervals_solve_the_score_equation(counts: tuple[int, int]) -> None:
    """Wilson (1927): the bounds are the p at which |p_hat - p| is z of p's own standard errors."""
    right, n = counts
    found, z = wilson(right, n), NormalDist().inv_cdf(0.975)
    assert found is not None
    assert found.estimate == right / n
    for bound in (found.low, found.high):
        assert (found.estimate - bound) ** 2 == pytest.approx(z**2 * bound * (1 - bound) / n, abs=1e-12)
    assert found.low <= found.estimate <= found.high


def test_flips_are_counted_and_tested_exactly() -> None:
    before = [True] * 5 + [False] * 5
    after = [True, True, True, False, False] + [True] * 4 + [False]
    assert flips(before, after) == Flips(3, 4, 2, 1)
    # Two-sided binomial: P(X <= 2 or X >= 4 | 6, 1/2) = 2 · 22/64
    assert Flips(3, 4, 2, 1).p == pytest.approx(44 / 64)
    assert Flips(0, 10, 0, 0).p == pytest.approx(2 / 1024)
    assert Flips(9, 0, 0, 1).p == 1.0
    with pytest.raises(ValueError, match=r"shorter|longer"):
        flips([True], [])


@given(st.integers(0, 150), st.integers(0, 150))
def test_mcnemars_p_is_the_binomial_sum_in_whole_numbers(fixed: int, broken: int) -> None:
    n, least = fixed + broken, min(fixed, broken)
    one_tail = sum(math.comb(n, count) for count in range(least + 1))
    assert Flips(0, fixed, broken, 0).p == pytest.approx(float(min(Fraction(1), Fraction(2 * one_tail, 2**n))))


def test_mcnemars_p_is_that_published() -> None:
    # Agresti, Categorical Data Analysis: approval at two surveys. Fay (2010), exact2x2, gives the exact p.
    assert Flips(794, 86, 150, 570).p == pytest.approx(3.716e-05, abs=5e-9)


def test_kappa_is_cohens() -> None:
    # Fleiss, Statistical Methods for Rates and Proportions, table 13.1: two raters, 100 patients, three diagnoses
    table = {"pp": 75, "pn": 1, "po": 4, "np": 5, "nn": 4, "no": 1, "oo": 10}
    raters = ["".join(pair[place] * count for pair, count in table.items()) for place in (0, 1)]
    assert round(kappa(*raters) or 0, 2) == 0.68
    # 50 items: both yes 20, both no 15, 5 and 10 apart: p_o = .7, p_e = .5, kappa = .4
    one = ["y"] * 25 + ["n"] * 25
    other = ["y"] * 20 + ["n"] * 5 + ["y"] * 10 + ["n"] * 15
    assert kappa(one, other) == pytest.approx(0.4)
    assert kappa(["y"], ["y"]) is None
    assert kappa([], []) is None
    with pytest.raises(ValueError, match="1 and 2 items"):
        kappa(["y"], ["y", "n"])


def test_the_bootstrap_draws_conversations() -> None:
    same = [([0.0, 1.0], [1.0, 1.0])] * 6  # every conversation gains one half
    found = bootstrap_difference(same, seed=1)
    assert found is not None
    assert (found.estimate, found.low, found.high) == (0.5, 0.5, 0.5)
    mixed = [([0.0] * 10, [1.0] * 10), ([1.0] * 10, [0.0] * 10)]
    wide = bootstrap_difference(mixed, seed=1)
    assert wide is not None
    assert (wide.estimate, wide.low, wide.high) == (0.0, -1.0, 1.0)
    assert bootstrap_difference([], seed=1) is None
    assert bootstrap_difference(mixed, seed=1) == wide


def test_the_bootstrap_of_a_mean_weighs_conversations_by_their_questions() -> None:
    found = bootstrap_mean([[1.0] * 3, [0.0]], seed=1)
    assert found is not None
    assert (found.estimate, found.low, found.high) == (0.75, 0.0, 1.0)  # one in four draws is the second one twice
