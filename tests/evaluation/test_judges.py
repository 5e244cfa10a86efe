"""Agreement, kappa and steadiness of judges by hand-worked cases and an independent formula."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cuemem.evaluation.judges import OUTCOMES, agreement, sample, stability
from cuemem.evaluation.statistics import kappa
from cuemem.types import VerdictOutcome


def test_agreement_counts_what_cannot_be_read_as_not_right() -> None:
    person: list[VerdictOutcome] = ["correct"] * 5 + ["incorrect"] * 5
    judge: list[VerdictOutcome] = ["correct"] * 4 + ["incorrect"] + ["correct"] + ["incorrect"] * 3 + ["unparsed"]
    it = agreement(person, judge)
    # p_o = .8; the judge says right to 5 of 10 as well, so p_e = .5
    assert it.agreed is not None
    assert it.agreed.estimate == pytest.approx(0.8)
    assert it.kappa == pytest.approx(0.6)
    assert it.apart == (4, 5)
    assert it.accuracies == (0.5, 0.5)
    assert it.table == {
        ("correct", "correct"): 4,
        ("correct", "incorrect"): 1,
        ("incorrect", "correct"): 1,
        ("incorrect", "incorrect"): 3,
        ("incorrect", "unparsed"): 1,
    }
    assert agreement(["correct"], ["correct"]).kappa is None
    assert agreement([], []).agreed is None
    with pytest.raises(ValueError, match="zip"):
        agreement(["correct"], [])


@given(st.lists(st.tuples(st.sampled_from(OUTCOMES), st.sampled_from(OUTCOMES)), min_size=1))
def test_kappa_is_the_one_of_the_definition(pairs: list[tuple[VerdictOutcome, VerdictOutcome]]) -> None:
    ones, others = [one for one, _ in pairs], [other for _, other in pairs]
    found = kappa(ones, others)
    n = len(pairs)
    observed = sum(one == other for one, other in pairs) / n
    expected = sum(ones.count(name) * others.count(name) for name in OUTCOMES) / n**2
    assert (found is None) == (expected == 1)
    if found is not None:
        assert found == pytest.approx((observed - expected) / (1 - expected))


def test_steadiness_by_hand() -> None:
    it = stability(
        [
            ["correct", "correct", "correct"],
            ["correct", "incorrect", "correct"],  # one pair of three agrees
            ["incorrect", "unparsed", "incorrect"],  # never right
            ["correct", "incorrect"],  # no pair agrees
            ["correct"],  # judged once: nothing to tell
        ]
    )
    assert (it.answers, it.rounds, it.unsteady) == (4, 3, (1, 3))
    assert it.unchanged is not None
    assert it.unchanged.estimate == 0.5
    assert it.pairwise == pytest.approx((1 + 1 / 3 + 1 + 0) / 4)
    assert it.accuracies == pytest.approx((1 / 3, 2 / 3))  # over the three that every round judged
    assert stability([["correct"]]).pairwise is None
    assert stability([]).unchanged is None


@given(st.integers(0, 30), st.integers(0, 30), st.integers(0, 99))
def test_a_larger_sample_begins_with_the_smaller(small: int, more: int, seed: int) -> None:
    items = list(range(40))
    drawn = sample(items, small + more, seed)
    assert drawn[:small] == sample(items, small, seed)
    assert len(set(drawn)) == min(40, small + more)
