"""Frontier, control, contributions and halves on a grid small enough to work out by hand."""

from __future__ import annotations

import numpy as np
import pytest

from cuemem.evaluation.frontier import (
    best_within,
    by_edges,
    contributions,
    fair,
    frontier,
    over_control,
    without_graph,
)
from cuemem.evaluation.halves import halved, halves, trials
from cuemem.evaluation.swept import Asked, Means, Swept
from cuemem.methods import CueMem, NaiveRag

AXES = {"window": (0, 1), "neighbours": (0, 1), "top_cues": (1, 2, 3)}
# Two questions of two conversations, with two gold turns and with one. The settings, m running fastest:
#          w=0 k=0    w=0 k=1    w=1 k=0    w=1 k=1
FOUND_A = [0, 1, 1,   1, 1, 1,   1, 1, 2,   1, 2, 2]  # fmt: skip
FOUND_B = [0, 0, 1,   0, 1, 1,   1, 1, 1,   1, 1, 1]  # fmt: skip
TOKENS = [10, 20, 40, 20, 30, 60, 30, 50, 70, 35, 60, 90]


def swept(found_b: list[int] = FOUND_B) -> Swept:
    asked = (Asked("a", 0, "1 multi-hop", 2), Asked("b", 3, "4 single-hop", 1))
    turns = np.full((2, 12), 5, np.uint16)
    return Swept(AXES, asked, np.array([FOUND_A, found_b], np.uint8), turns, np.array([TOKENS, TOKENS], np.int32))


MEANS = swept().means()
METHOD = CueMem()


def test_means_are_over_questions() -> None:
    assert MEANS.recall.tolist() == [0, 0.25, 0.75, 0.25, 0.75, 0.75, 0.75, 0.75, 1, 0.75, 1, 1]
    assert MEANS.any.tolist()[:4] == [0, 0.5, 1, 0.5]
    assert MEANS.all.tolist()[:4] == [0, 0, 0.5, 0]
    assert MEANS.found.tolist()[-1] == 1.5
    spread = Swept({}, swept().asked, *(np.array([[1], [1]], kind) for kind in (np.uint8, np.uint16)),
                   np.array([[100], [200]], np.int32)).means()  # fmt: skip
    assert (spread.tokens[0], spread.tokens_p95[0]) == (150, pytest.approx(195))


def test_thirds_add_up_to_one() -> None:
    asked = tuple(Asked("a", place, "", gold) for place, gold in enumerate((3, 3, 7, 1)))
    full = np.array([[it.gold] for it in asked], np.uint8)
    assert Swept({}, asked, full, full.astype(np.uint16), full.astype(np.int32)).means().recall.tolist() == [1.0]


def test_the_frontier_takes_what_nothing_as_cheap_equals() -> None:
    # 10 → 0, 20 → .25 (the first of two), 30 → .75 (k before w), 60 → 1
    assert frontier(MEANS.tokens, MEANS.recall) == [0, 1, 4, 10]


def test_the_best_within_tokens() -> None:
    assert best_within(MEANS, "recall", 59) == 4
    assert best_within(MEANS, "recall", 60) == 10
    assert best_within(MEANS, "recall", 9) is None
    control = without_graph(MEANS, METHOD)
    assert control is not None
    assert best_within(MEANS, "recall", 60, control) == 2


def test_the_control_at_equal_tokens_and_where_it_ends() -> None:
    control = without_graph(MEANS, METHOD)
    assert control is not None
    assert control.tolist() == [0, 1, 2]
    assert fair(MEANS, control, 9) is None
    assert fair(MEANS, control, 35) == (1, False)
    assert fair(MEANS, control, 42) == (2, False)
    assert fair(MEANS, control, 43) == (2, True)  # 40 is less than 95 % of 43
    over = over_control(MEANS, control, "recall")
    assert over[:7].tolist()[3:5] == [0, 0.5]
    assert np.isnan(over[[7, 8, 10, 11]]).all()
    assert without_graph(MEANS, NaiveRag()) is None


def test_settings_by_the_edges_they_have() -> None:
    assert [(names, places.tolist()) for names, places, _ in by_edges(MEANS, METHOD)] == [
        (("window", "neighbours"), [9, 10, 11]),
        (("neighbours",), [3, 4, 5]),
        (("window",), [6, 7, 8]),
    ]
    ((names, places, _),) = by_edges(MEANS, NaiveRag())
    assert (names, len(places)) == ((), 12)


def test_what_each_kind_of_edge_contributes() -> None:
    rows = contributions(MEANS, METHOD, {"window": 1, "neighbours": 1, "top_cues": 1})
    assert [(row.step, row.knob, row.gold, row.tokens) for row in rows] == [
        ("alone", "window", 1.0, 20.0),
        ("last", "window", 0.5, 15.0),
        ("alone", "neighbours", 0.5, 10.0),
        ("last", "neighbours", 0.0, 5.0),
        ("instead", "top_cues", 0.5, 10.0),  # m = 2 costs 20 of 35
    ]
    assert rows[0].per_hundred == 5.0
    assert contributions(MEANS, METHOD, {"window": 0, "neighbours": 0, "top_cues": 1}) == ()
    assert contributions(MEANS, NaiveRag(), {"window": 1, "neighbours": 1, "top_cues": 1}) == ()


def test_a_setting_chosen_on_one_half_is_reported_on_the_other() -> None:
    assert halves(["a", "b", "c"]) == (("a", "c"), ("b",))
    rows = {(row.chosen_on, row.reported_on): row for row in trials(halved(swept()), "recall", 60)}
    # On a, two of its gold turns need w = 1, k = 1, m = 2; on b one turn at 30 tokens is all.
    assert rows["half 1", "half 1"].setting == {"window": 1, "neighbours": 1, "top_cues": 2}
    assert rows["half 1", "half 2"].recall == 1.0
    held_out = rows["half 2", "half 1"]
    assert (held_out.setting, held_out.recall) == ({"window": 0, "neighbours": 1, "top_cues": 2}, 0.5)
    assert [row.tuned for row in rows.values()] == [True, False, False, True, True]
    assert halved(swept().of(["a"])) == {}
    assert trials({}, "recall", 60) == ()
    assert trials(halved(swept()), "recall", 5) == ()
    bare = trials(halved(swept()), "recall", 60, lambda means: without_graph(means, METHOD))
    assert {row.setting["window"] for row in bare} == {0}


def test_places_and_settings_are_the_same() -> None:
    assert [MEANS.place(MEANS.setting(place)) for place in range(MEANS.size)] == list(range(12))
    assert MEANS.place({"window": 0, "neighbours": 0, "top_cues": 9}) is None
    assert isinstance(MEANS, Means)
