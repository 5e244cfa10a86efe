"""Questions under a limit: a sample that is spread, nested and the same everywhere; old runs stay what they were."""

from __future__ import annotations

from collections import Counter
from dataclasses import replace
from datetime import UTC, datetime

from hypothesis import given
from hypothesis import strategies as st

from cuemem.evaluation.contrast import unlike
from cuemem.evaluation.run import Code, QuestionSet, RunCard, as_json, from_json
from cuemem.types import Question
from cuemem.workbench.runs.sampling import Asked, spread

NAMES = {1: "multi-hop", 2: "temporal", 3: "open-domain", 4: "single-hop", 5: "adversarial"}


def asked(*sizes: tuple[int, ...]) -> list[Asked]:
    """A conversation for each tuple: how many questions of category 1, 2, …, in this order."""
    made = []
    for place, counts in enumerate(sizes):
        numbers = [number for number, count in enumerate(counts, 1) for _ in range(count)]
        made += [
            (f"talk/{place}", Question(index, "?", "!", NAMES[number], number))
            for index, number in enumerate(numbers)
        ]
    return made


def categories(drawn: list[Asked]) -> dict[int | None, int]:
    return dict(Counter(question.category_number for _, question in drawn))


def test_categories_have_their_shares_and_conversations_are_drawn_from_alike() -> None:
    # By hand: one each, then by 60/√2, 60/√6, 60/√12, 20/√2 and 60/√20
    drawn = spread(asked((10, 0, 2, 30), (10, 0, 2, 30)), 8, seed=1)
    assert categories(drawn) == {1: 2, 3: 1, 4: 5}
    assert Counter(key for key, _ in drawn) == {"talk/0": 4, "talk/1": 4}
    assert categories(spread(asked((282, 321, 96, 841, 446)), 12, seed=1)) == {1: 2, 2: 2, 3: 1, 4: 5, 5: 2}
    one_each = spread(asked(*[(0, 1)] * 30, *[(1,)] * 10), 8, seed=1)  # as LongMemEval has them
    assert categories(one_each) == {1: 2, 2: 6}
    assert [int(key[5:]) for key, _ in one_each] != [*range(6), 30, 31]  # not the first ones


@given(
    st.lists(st.tuples(*[st.integers(0, 4)] * 3), min_size=1, max_size=4),
    st.integers(0, 20),
    st.integers(0, 20),
    st.integers(0, 99),
)
def test_a_larger_sample_holds_the_smaller_in_any_order_of_the_conversations(
    sizes: list[tuple[int, ...]], small: int, more: int, seed: int
) -> None:
    every = asked(*sizes)
    drawn, larger = spread(every, small, seed), spread(every, small + more, seed)
    assert len(drawn) == min(small, len(every))
    assert [it for it in larger if it in drawn] == drawn
    assert {(key, it.index) for key, it in spread(every[::-1], small, seed)} == {(key, it.index) for key, it in drawn}
    assert len(categories(drawn)) == min(small, len(categories(every)))


CARD = RunCard(
    "cuemem", "CueMem", "on", "locomo", (), (), QuestionSet(12, "abc", 12), "minilm", "cl100k", None, None,
    datetime(2026, 1, 1, tzinfo=UTC), Code("1", None), {},
)  # fmt: skip


def test_runs_that_were_made_before_there_was_a_seed_are_read_and_known_again() -> None:
    said = as_json(CARD)
    del said["questions"]["seed"]
    assert from_json(RunCard, said, "An old card") == CARD
    assert CARD.run_id == "cuemem-ed55f179"
    drawn = replace(CARD, questions=replace(CARD.questions, hash="def", seed=1))
    assert drawn.run_id != CARD.run_id
    (sentence,) = unlike(CARD, drawn)
    assert "at most 12, the first of each conversation against" in sentence
    assert sentence.endswith("at most 12, a sample by seed 1.")
