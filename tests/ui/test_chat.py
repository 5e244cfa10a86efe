"""The chat's pure parts: what is sent to the browser, the margin, the filters and the search."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import datetime, timedelta

import pytest

from cuemem.context import Candidate, assemble
from cuemem.turns import cut_turns
from cuemem.types import Anchor, Edge, Query, Recall, Turn, Utterance
from cuemem.ui.chat.marks import Wanted, found, laid_over, margin, marked, offered, shown
from cuemem.ui.chat.text import LONG_TEXT, chat_text, clock, day
from cuemem.ui.view import View
from tests.fakes import WordTokens, talk

TURNS = cut_turns(talk(4, 3))
BY_ID = {turn.turn_id: turn for turn in TURNS}


def recall(budget: int | None = None) -> Recall:
    """D1:2 is an anchor, D1:3 its temporal neighbour, D2:1 a semantic one, which a budget of 20 words cuts."""
    edge = Edge("D1:2", "D1:3", "temporal", 1)
    candidates = [
        Candidate(BY_ID["D1:2"], "anchor"),
        Candidate(BY_ID["D1:3"], "temporal", (edge,)),
        Candidate(BY_ID["D2:1"], "semantic", (replace(edge, target="D2:1", kind="semantic", cosine=0.5),)),
    ]
    context = assemble(candidates, WordTokens(), budget)
    return Recall(Query("?"), "m", {}, (Anchor(1, "D1:2"),), ("D1:2",), context, ())


def looks(gold: list[str], budget: int | None = None) -> dict[str, tuple[str, str]]:
    rows = margin(marked(BY_ID, gold, recall(budget)), recalled=True)
    return {TURNS[place].turn_id: (look, letters) for place, look, letters, _ in rows}


def test_the_margin_names_every_role() -> None:
    assert looks([]) == {"D1:2": ("anchor", "A1"), "D1:3": ("temporal", "T"), "D2:1": ("semantic", "S")}
    assert looks(["D1:2", "D1:3", "D2:2"]) == {
        "D1:2": ("found anchor", "A1"),
        "D1:3": ("found temporal", "T"),
        "D2:1": ("semantic", "S"),
        "D2:2": ("missed", "miss"),
    }


def test_what_a_budget_cut_is_marked_so_and_gold_there_is_missed() -> None:
    budget = recall().context.tokens - 3
    assert looks([], budget)["D2:1"] == ("cut", "cut")
    assert looks(["D2:1"], budget)["D2:1"] == ("missed", "miss")


def test_without_a_recall_gold_is_neither_found_nor_missed() -> None:
    marks = marked(BY_ID, ["D1:1"], None)
    assert margin(marks, recalled=False) == [[0, "found history", "gold", "gold"]]
    assert set(offered(marks, None, False, "all")) == {"all", "gold"}


def test_filters_and_their_counts() -> None:
    marks = marked(BY_ID, ["D1:2", "D2:2"], recall())
    cues = {"D1:1": 2, "D2:2": 1}
    counts = {name: count for name, (_, count) in offered(marks, cues, True, "all").items()}
    assert counts == {"all": 7, "gold": 2, "missed": 1, "anchors": 1, "context": 3, "cues": 2, "no-cues": 5}
    assert shown(marks, cues, Wanted()) is None
    assert shown(marks, cues, Wanted("missed")) == [5]
    assert shown(marks, cues, Wanted("cues")) == [0, 5]
    assert shown(marks, cues, Wanted(session=2)) == [4, 5, 6]
    assert shown(marks, cues, Wanted(speaker=0)) == [0, 2, 4, 6]
    assert shown(marks, cues, Wanted(speaker=7)) == list(range(7))
    assert shown(marks, cues, Wanted("context", session=2)) == [4]


def test_a_role_that_is_chosen_stays_offered_when_nothing_has_it() -> None:
    marks = marked(BY_ID, [], recall())
    assert "cut" not in offered(marks, None, True, "all")
    assert offered(marks, None, True, "cut")["cut"][1] == 0


def test_search_takes_any_case_captions_names_and_ids() -> None:
    odd = Utterance("D9:1", 9, "STRAẞE", "Grün", None, caption="a Cat")
    turns = [*TURNS, Turn("D9:1", 7, (odd,))]
    assert found(turns, "WORD 2") == [1, 5]
    assert found(turns, "cat") == found(turns, "GRÜN") == found(turns, "strasse") == [7]
    assert found(turns, " d1:3 ") == [2]
    assert found(turns, "  ") == []


def test_the_stepper_goes_through_hits_else_filtered_else_gold() -> None:
    marks = marked(BY_ID, ["D1:2"], recall())
    steps = [
        (laid["stepping"], laid["steps"])
        for laid in (
            laid_over(marks, None, wanted, True)
            for wanted in (Wanted(), Wanted("context"), Wanted("context", find="WORD 1"))
        )
    ]
    assert steps == [("Gold", [1]), ("Shown", [1, 2, 4]), ("Found", [0, 4])]


def test_what_a_view_asks_for_is_read_with_care() -> None:
    view = View().with_extra("show", "gold").with_extra("session", "-3").with_extra("find", "x")
    assert Wanted.of(view) == Wanted("gold", None, -3, "x")
    assert (
        Wanted.of(View().with_extra("show", "<b>").with_extra("speaker", "١").with_extra("session", "1e9"))
        == Wanted()
    )


def test_the_text_is_plain_json_with_sides_folds_and_times() -> None:
    start = datetime(2024, 3, 1, 9, 0)
    said = (
        Utterance("S1:1.1", 1, "User", "x" * (LONG_TEXT + 1), start, "user"),
        Utterance("S1:1.2", 1, "Assistant", "<b>$x$</b>", start + timedelta(hours=1), "assistant", caption="a dog"),
    )
    text = chat_text([Turn("S1:1", 0, said)], "r")
    first, second = text["turns"][0]["said"]
    assert json.loads(json.dumps(text)) == text
    assert text["sessions"] == [{"number": 1, "date": "Friday, 1 March 2024, 09:00", "day": "1 Mar 2024", "turns": 1}]
    assert (first["right"], first["long"]) == (1, "901 characters")
    assert second == {"by": 1, "text": "<b>$x$</b>", "image": "a dog", "time": "10:00"}


def test_two_people_face_each_other_and_three_do_not() -> None:
    sides = [message.get("right", 0) for turn in chat_text(TURNS, "r")["turns"] for message in turn["said"]]
    assert sides[:3] == [0, 1, 0]
    third = replace(TURNS[1], utterances=(replace(TURNS[1].utterances[0], speaker="Eve"),))
    rows = chat_text([TURNS[0], third, TURNS[1]], "r")["turns"]
    assert not any("right" in message for turn in rows for message in turn["said"])


@pytest.mark.parametrize(
    ("time", "start", "text"),
    [
        (datetime(2024, 3, 1, 10, 5), datetime(2024, 3, 1, 9), "10:05"),
        (datetime(2024, 3, 2, 0, 5), datetime(2024, 3, 1, 23), "2 Mar 2024, 00:05"),
        (datetime(2024, 3, 2, 0, 5), None, "2 Mar 2024, 00:05"),
    ],
)
def test_a_time_names_the_day_where_it_is_another(time: datetime, start: datetime | None, text: str) -> None:
    assert clock(time, start) == text
    assert day(None) == "date unknown"
