"""One question at every value of a knob, against recalls made one by one."""

from __future__ import annotations

import pytest

from cuemem.evaluation.ladder import (
    Least,
    budget_ladder,
    hinges_on,
    ladder,
    least_values,
    outcome_of,
    rungs_of,
)
from cuemem.knobs import Knob, knobs_of, with_settings
from cuemem.methods import CueMem
from cuemem.methods.cuemem.method import CueMemory
from cuemem.types import Evidence, Query, Question, Triple
from tests.fakes import AngleEmbedder, models, talk

# Two sessions of five and four utterances. The question at 0 degrees meets the cue of D1:2; the cue of D2:3 lies at
# 60 degrees from it and is the nearest other cue of D1:2's.
CUES = {
    "D1:2": [Triple("tea", "is", "hot @0")],
    "D1:5": [Triple("sea", "is", "cold @150")],
    "D2:3": [Triple("coffee", "is", "hot @60")],
}
QUERY = Query("what is hot? @0")
METHOD = CueMem(cue_source="given", turn_unit="utterance", window=1, neighbours=1, top_cues=1)


@pytest.fixture(scope="module")
def memory() -> CueMemory:
    return METHOD.build(talk(5, 4), models(CUES, AngleEmbedder()))


def knob(symbol: str) -> Knob:
    return next(it for it in knobs_of(METHOD) if it.symbol == symbol)


def asked(index: int, *gold: str, category: int | None = 1) -> Question:
    evidence = tuple(Evidence(it, it, int(it[1])) for it in gold)
    return Question(index, QUERY.text, "tea", "some", category, evidence=evidence)


def test_each_rung_is_the_recall_at_that_value(memory: CueMemory) -> None:
    gold = ("D1:4", "D2:3")
    rungs = ladder(memory, METHOD, QUERY, gold, "window", (0, 1, 2, 3), None)
    for rung in rungs:
        context = memory.recall(QUERY, with_settings(METHOD, {"w": rung.value})).context
        assert rung.outcome == outcome_of(context, gold)
        assert (rung.outcome.turns, rung.outcome.tokens) == (len(context.items), context.tokens)
    # D1:2 and its semantic neighbour D2:3 at w = 0; D1:1 and D1:3 at w = 1; D1:4 at w = 2; D1:5 at w = 3.
    assert [rung.outcome.turns for rung in rungs] == [2, 4, 5, 6]
    assert [rung.outcome.found for rung in rungs] == [("D2:3",), ("D2:3",), gold, gold]


def test_budgets(memory: CueMemory) -> None:
    whole = memory.recall(QUERY, METHOD).context
    rungs = budget_ladder(memory, METHOD, QUERY, ("D2:3",), (whole.tokens - 1, None))
    assert rungs[0].outcome.turns < rungs[1].outcome.turns == len(whole.items)
    assert [rung.outcome.found for rung in rungs] == [(), ("D2:3",)]  # semantic neighbours enter last


def test_the_least_value_of_each_knob(memory: CueMemory) -> None:
    gold = ("D1:4", "D1:5", "D2:3")
    by_window = least_values(memory, METHOD, QUERY, gold, "window", None)
    assert by_window == (Least("D1:4", 2), Least("D1:5", 3), Least("D2:3", 0))
    by_neighbours = least_values(memory, METHOD, QUERY, gold, "neighbours", None)
    assert by_neighbours == (Least("D1:4", None), Least("D1:5", 2), Least("D2:3", 1))


def test_a_question_that_hinges_on_a_knob(memory: CueMemory) -> None:
    at_first, over_there, unanswerable = asked(0, "D1:2"), asked(1, "D2:3"), asked(2, "D1:3", category=5)
    questions = (at_first, unanswerable, over_there)
    assert hinges_on(memory, METHOD, questions, knob("k"), None) == over_there
    assert hinges_on(memory, METHOD, questions, knob("w"), None) is None
    beyond = asked(3, "D1:5")  # it would need w = 3, which it has not
    assert hinges_on(memory, METHOD, (beyond,), knob("w"), None) is None
    assert hinges_on(memory, with_settings(METHOD, {"w": 3}), (beyond,), knob("w"), None) == beyond


def test_the_values_to_look_at() -> None:
    assert rungs_of(knob("w")) == (0, 1, 2, 3, 4, 5, 6)
    assert rungs_of(knob("k")) == tuple(range(11))
    assert rungs_of(knob("m"), 12) == (1, 2, 3, 5, 8, 10, 12, 15, 20, 30, 40, 60)
