"""Metrics against hand-counted cases; a question without gold never counts as hit or miss."""

from __future__ import annotations

import math
from dataclasses import replace

import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from sklearn.metrics import ndcg_score

from cuemem.evaluation.metrics import gold_of, measure, ndcg_at, recall_at, score, summarise
from cuemem.evaluation.oracle import oracle_context
from cuemem.evaluation.retrieval import category_label, evaluate, grid, summaries
from cuemem.methods import CueMem, FullHistory, QGMem
from cuemem.turns import cut_turns
from cuemem.types import Evidence, Question
from tests.fakes import AngleEmbedder, GivenUnits, HashEmbedder, WordTokens, models, talk

CUES = {"D1:1": ["a @0"], "D1:4": ["b @10"], "D1:5": ["c @90"], "D2:3": ["d @12"]}
METHOD = CueMem(cue_source="given", window=1, neighbours=0, top_cues=2)


def question(index: int, *evidence: str, number: int = 4, text: str = "q @5", session: int | None = None) -> Question:
    gold = tuple(Evidence(cited, cited) for cited in evidence)
    if session is not None:
        gold += (Evidence(f"session {session}", None, session),)
    return Question(index, text, "x", "single-hop", number, evidence=gold)


@pytest.mark.parametrize(
    ("gold", "chosen", "expected"),
    [
        ("ab", "bc", (0.5, 1.0, 0.0, 0.5)),
        ("ab", "abc", (1.0, 1.0, 1.0, 2 / 3)),
        ("ab", "c", (0.0, 0.0, 0.0, 0.0)),
        ("ab", "", (0.0, 0.0, 0.0, None)),
        ("", "abc", (None, None, None, None)),
        ("", "", (None, None, None, None)),
    ],
)
def test_score(gold: str, chosen: str, expected: tuple[float | None, ...]) -> None:
    found = score(gold, chosen)
    assert (found.recall, found.any, found.all, found.precision) == expected


def test_ranking_metrics_by_hand() -> None:
    ranked = ["x", "a", "y", "b"]
    assert recall_at(ranked, ["a", "b", "never"], 2) == pytest.approx(1 / 3)
    gained = 1 / math.log2(3) + 1 / math.log2(5)
    ideal = 1 + 1 / math.log2(3) + 1 / math.log2(4)  # over all gold, also the never retrieved
    assert ndcg_at(ranked, ["a", "b", "never"], 4) == pytest.approx(gained / ideal)
    assert ndcg_at(["a"], ["a"], 10) == 1.0
    assert ndcg_at(["x", "a"], ["a"], 10) < 1.0  # ranks 1 and 2 do not weigh the same
    assert ndcg_at(ranked, [], 5) is None
    # A method that ranks and finds nothing scores 0, or its mean would be of the questions that suit it.
    assert (recall_at([], ["a"], 5), ndcg_at([], ["a"], 5)) == (0.0, 0.0)
    assert (recall_at(None, ["a"], 5), ndcg_at(None, ["a"], 5)) == (None, None)


def test_a_question_that_no_channel_finds_anything_for_counts_as_nothing_found() -> None:
    talked = talk(2)
    given = replace(models({}, HashEmbedder()), unit_sources={"given": GivenUnits({"D1:1": ["bees 1"]})})
    memory = QGMem(unit_source="given").build(talked, given)
    asked = question(0, "D1:1", text="zebra")
    alone = QGMem(unit_source="given", dense=False, parses="none")
    (row,) = evaluate(memory, alone, [asked], None)
    got = row.retrieval
    assert (got.turn.recall, got.anchor_recall, got.recall_at[5], got.ndcg_at[10]) == (0.0, 0.0, 0.0, 0.0)
    history = FullHistory().build(talked, given)
    (row,) = evaluate(history, FullHistory(), [asked], None)
    assert (row.retrieval.anchor_recall, row.retrieval.ndcg_at[10]) == (None, None)


@given(st.lists(st.booleans(), min_size=2, max_size=30), st.integers(0, 5), st.integers(1, 30))
def test_ndcg_is_that_of_scikit_learn(relevant: list[bool], unranked: int, k: int) -> None:
    """To scikit-learn gold that was never retrieved is ranked after all else, and so never among the first k."""
    assume(any(relevant) or unranked)
    assume(not unranked or k <= len(relevant))
    ranked = [str(place) for place in range(len(relevant))]
    gold = [name for name, is_gold in zip(ranked, relevant, strict=True) if is_gold]
    gold += [f"never {number}" for number in range(unranked)]
    gains = [float(it) for it in [*relevant, *([True] * unranked)]]
    scores = [float(-place) for place in range(len(gains))]  # all apart, since scikit-learn averages over ties
    assert ndcg_at(ranked, gold, k) == pytest.approx(ndcg_score([gains], [scores], k=k))


def test_a_recall_is_measured_at_turn_and_session_level() -> None:
    memory = METHOD.build(talk(5, 3), models(CUES, AngleEmbedder()))
    turns = {turn.turn_id: turn for turn in memory.turns}
    # anchors D1:1, D1:4; context D1:1 … D1:5
    asked = question(0, "D1:1", "D1:2", "D2:3", session=2)
    row = measure(memory.recall(asked.query, METHOD), gold_of(asked, memory.turns), turns)
    assert row.turn.recall == pytest.approx(2 / 3)
    assert row.anchor_recall == pytest.approx(1 / 3)
    assert row.session.recall == pytest.approx(1 / 2)
    assert row.turn.precision == pytest.approx(2 / 5)
    assert row.turns == 5


def test_summaries_keep_apart_what_is_not_answerable_and_leave_out_what_has_no_gold() -> None:
    memory = METHOD.build(talk(5, 3), models(CUES, AngleEmbedder()))
    asked = [
        question(0, "D1:1"),
        question(1, "D2:3"),
        question(2),  # no evidence
        question(3, "D1:1", number=5),
        question(4, session=1),  # known by session only
    ]
    found = {summary.name: summary for summary in summaries(list(evaluate(memory, METHOD, asked, None)))}
    headline = found["all answerable"]
    assert (headline.questions, headline.n, headline.n_session) == (4, 2, 3)
    assert headline.recall == pytest.approx(0.5)
    assert headline.session_recall == pytest.approx(2 / 3)
    assert found["apart: 5 single-hop"].n == 1
    assert category_label(asked[3]) == "5 single-hop"


def test_no_questions_have_no_mean() -> None:
    empty = summarise("none", [])
    assert (empty.recall, empty.tokens, empty.tokens_p95) == (None, None, None)


def test_grid_is_the_mean_over_answerable_questions_with_gold() -> None:
    memory = METHOD.build(talk(5, 3), models(CUES, AngleEmbedder()))
    asked = [question(0, "D1:1", "D1:2"), question(1, "D2:3"), question(2), question(3, "D1:1", number=5)]
    rows = {
        (row.setting["w"], row.setting["m"]): row for row in grid(memory, METHOD, asked, {"w": [0, 1], "m": [2, 3]})
    }
    assert rows[0, 2].questions == 2
    assert (rows[0, 2].anchor_recall, rows[0, 2].context_recall, rows[0, 2].all_recall) == (0.25, 0.25, 0.0)
    assert (rows[1, 2].context_recall, rows[1, 2].all_recall, rows[1, 2].mean_turns) == (0.5, 0.5, 5.0)
    assert (rows[1, 3].context_recall, rows[1, 3].mean_turns) == (1.0, 7.0)


def test_the_oracle_context_is_the_gold_turns_in_order() -> None:
    turns = cut_turns(talk(5, 3))
    context = oracle_context(question(0, "D2:3", "D1:2"), turns, WordTokens())
    assert context.turn_ids == ("D1:2", "D2:3")
    assert {item.role for item in context.items} == {"gold"}
