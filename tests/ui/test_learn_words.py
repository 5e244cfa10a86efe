"""The sentences of the lessons, from numbers made up for each case."""

from __future__ import annotations

import pytest

from cuemem.evaluation.curves import Point
from cuemem.evaluation.ladder import Least, Outcome, Rung
from cuemem.types import CueHit, Edge, Explanation
from cuemem.types.memory import Cue
from cuemem.ui.learn import exercises, words


def rung(value: int | None, turns: int, tokens: int, *found: str) -> Rung:
    return Rung(value, Outcome(turns, tokens, found))


@pytest.mark.parametrize(
    ("before", "after", "said"),
    [
        (
            rung(2, 10, 300, "D1:1"),
            rung(3, 16, 480, "D1:1", "D4:4"),
            "w = 3 instead of w = 2 adds 6 turns and 180 tokens; it finds 1 more gold turn (D4:4).",
        ),
        (
            rung(2, 10, 300, "D1:1"),
            rung(1, 9, 280),
            "w = 1 instead of w = 2 saves 1 turn and 20 tokens; it loses 1 gold turn (D1:1).",
        ),
        (
            rung(2, 10, 300, "D1:1"),
            rung(3, 9, 310, "D1:1"),
            "w = 3 instead of w = 2 means 1 turn fewer and 10 tokens more; no gold turn is won or lost.",
        ),
        (rung(2, 10, 300), rung(3, 10, 300), "w = 3 instead of w = 2 changes nothing here."),
    ],
)
def test_what_a_step_does(before: Rung, after: Rung, said: str) -> None:
    assert words.changed("w", before, after) == said


def test_a_budget_is_told_in_tokens() -> None:
    said = words.changed("budget", rung(1000, 33, 980), rung(None, 39, 1222, "D4:4"))
    assert said == (
        "No budget instead of a budget of 1,000 tokens adds 6 turns and 242 tokens; it finds 1 more gold turn (D4:4)."
    )


def test_the_usual_value_is_compared_with_the_last_lower_one_that_differs() -> None:
    rungs = (rung(1, 5, 50), rung(2, 9, 90), rung(3, 9, 90), rung(4, 12, 120))
    assert words.compared_with(rungs, 3, 3) == rungs[0]
    assert words.compared_with(rungs, 4, 3) == rungs[2]  # another value with the usual one
    assert words.compared_with(rungs, 1, 1) == rungs[1]  # nothing below: with the one above
    assert words.compared_with(rungs, 7, 3) is None
    assert words.compared_with(rungs[:1], 1, 1) is None


def test_lists_of_names() -> None:
    assert words.listed([]) == "none"
    assert words.listed(["a"]) == "a"
    assert words.listed(["a", "b", "c"]) == "a, b and c"
    assert words.listed(list("abcdefgh"), 3) == "a, b, c and 5 more"


def test_a_long_text_is_shortened() -> None:
    assert words.short("one\n two", 20) == "one two"
    assert words.short("a" * 21, 20) == "a" * 20 + "…"
    assert words.short("a " * 38_000, 10) == "a a a a a…"


@pytest.mark.parametrize(
    ("rival", "ends"),
    [
        (Point(45, 1270.0, 0.807, 0.7), "against 91.3% for 1,274 tokens here: 11 percentage points less."),
        (Point(45, 1270.0, 0.95, 0.7), "4 percentage points more."),
        (Point(45, 1270.0, 0.914, 0.7), "the same."),
        (Point(60, 900.0, 0.914, 0.7), "the same. Its largest m spends only 900 of the 1,274 tokens."),
        (None, "cannot spend as few as 1,274 tokens, so there is nothing to compare."),
    ],
)
def test_a_verdict_takes_no_side(rival: Point | None, ends: str) -> None:
    said = words.verdict(Point(10, 1274.0, 0.913, 0.9), rival, 60, "Anchors only")
    assert said.startswith("Anchors only")
    assert said.endswith(ends)


RUNGS = (rung(0, 17, 746), rung(6, 70, 2054))


def test_an_exercise_asks_for_the_turn_that_needs_most() -> None:
    least = (Least("D1:1", 0), Least("D2:2", 3), Least("D3:3", 2), Least("D4:4", None))
    given = exercises.least_value("w", least, RUNGS)
    assert given.task == "Find the least w that brings in D2:2, the other settings as they are."
    assert given.answer == "w = 3."
    assert exercises.target_of(least, 0) == least[1]


def test_an_exercise_says_how_the_turn_comes_in() -> None:
    hit = CueHit(168, 0.17, Cue(0, "D4:4", "quiet"))
    edge = Edge("D2:6", "D4:4", "semantic", 1, 0.49, 5, 0)
    explanation = Explanation("D4:4", "in context", "semantic", (edge,), (hit,), 168, (), "D4:4 is linked.")
    given = exercises.least_value("m", (Least("D4:4", 2),), (rung(1, 6, 229), rung(60, 122, 3305)), explanation)
    assert given.answer == "m = 2. D4:4 is linked. By its own cues it would have to wait for rank 168."


def test_exercises_where_the_knob_decides_nothing() -> None:
    free = exercises.least_value("w", (Least("D1:1", 0), Least("D2:2", None)), RUNGS)
    assert free.task == "Set w to 0. Which gold turns are lost?"
    assert free.answer == "Not D1:1: for that w is not needed. D2:2 is out of reach of w alone."
    never = exercises.least_value("w", (Least("D1:1", None),), RUNGS)
    assert never.answer == "No. No w from 0 to 6 does, the other settings as they are."
    nothing = exercises.least_value("w", (), RUNGS)
    assert "From 746 tokens at w = 0 to 2,054 at w = 6." in nothing.answer


def test_how_the_gold_came_in_names_both_cues() -> None:
    edge = Edge("D2:6", "D4:4", "semantic", 1, 0.49, 0, 1)
    explanation = Explanation("D4:4", "in context", "semantic", (edge,), (), 168, (), "D4:4 is linked.")
    given = exercises.ways_in((explanation,), ["place is quiet", "town is quiet"])
    assert given.answer == (
        "D4:4 is linked. The two cues are “place is quiet” and “town is quiet”. By itself its best cue has rank 168."
    )
    assert "no gold turn" in exercises.ways_in((), []).task


def test_the_other_exercises() -> None:
    here = Outcome(39, 1222, ("D2:6",))
    assert "226 turns are 5,811 tokens" in exercises.whole_history(226, 5811, here).answer
    assert "39 turns and 1,222 tokens: 21%" in exercises.whole_history(226, 5811, here).answer
    assert exercises.without_cue(226, 140, ("D5:7", "D8:17")).answer.startswith(
        "86 of 226 turns have none. Among them are 2 gold turns of this conversation's questions: D5:7 and D8:17."
    )
    assert "nothing that is asked for was lost" in exercises.without_cue(9, 4, ()).answer
    budget = exercises.least_budget((Least("D2:6", 300), Least("D4:4", 1010), Least("D9:9", None)), here)
    assert budget.answer == "1,010 tokens. Below that D4:4 is cut; without a budget the context has 1,222 tokens."
    assert "no gold turn is reached" in exercises.least_budget((Least("D9:9", None),), here).answer
    assert "no gold turn to keep" in exercises.least_budget((), here).answer
