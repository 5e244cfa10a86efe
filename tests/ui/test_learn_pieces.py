"""The HTML of the lessons: what is drawn, and that texts of data stay texts."""

from __future__ import annotations

import re
from dataclasses import replace

from cuemem.evaluation.ladder import Outcome, Rung
from cuemem.turns import cut_turns
from cuemem.types import Cue, Triple
from cuemem.ui.learn import pieces
from cuemem.ui.learn.pieces import Ranked
from tests.fakes import talk

TURNS = cut_turns(talk(4, 3), "utterance")
EVIL = '<img src=x onerror="alert(1)"> **bold** $x$'


def test_an_arc_leads_to_each_turn_that_is_reached() -> None:
    strip = pieces.strip(TURNS, TURNS[3], {1, 2, 4, 5}, 3, {"D2:1"})
    assert strip.count('class="cml-arc"') == 4
    assert re.findall(r"--away:(\d)", strip) == ["2", "1", "1", "2"]
    assert strip.count("<li") == 7
    assert re.findall(r"session (\d)", strip) == ["2"]  # the border is drawn before D2:1
    assert re.search(r"D2:1</b> <span[^>]*>★", strip)


def test_the_strip_ends_with_the_conversation() -> None:
    strip = pieces.strip(TURNS, TURNS[0], {1}, 3, ())
    assert strip.count("<li") == 4
    assert "--count:4" in strip


def test_the_line_stands_where_the_kept_cues_end() -> None:
    rows = [
        Ranked(1, 0.9, "one", "D1:1", True),
        Ranked(2, 0.8, "two", "D1:2", False),
        None,
        Ranked(9, 0.1, "nine", "D2:1", False),
    ]
    table = pieces.ranked_table(rows, {"D2:1"}, "here is the cut")
    assert table.count("here is the cut") == 1
    assert table.index("one") < table.index("here is the cut") < table.index("two") < table.index("…")
    assert 'style="width:80.0%"' in table
    all_kept = pieces.ranked_table([replace(rows[0], rank=1)], (), "here is the cut")  # type: ignore[type-var]
    assert "here is the cut" not in all_kept


def test_the_present_value_is_marked_for_eyes_and_readers() -> None:
    rungs = (Rung(1, Outcome(3, 50, ("D1:1",))), Rung(None, Outcome(6, 100, ())))
    table = pieces.ladder_table("budget", "About", rungs, None, 2)
    assert table.count('aria-current="true"') == 1
    assert '<th scope="row">none</th>' in table
    assert "1 of 2" in table
    assert "gold found" not in pieces.ladder_table("w", "About", rungs, 1, 0)


def test_texts_of_data_stay_texts() -> None:
    evil = cut_turns(replace(talk(1), utterances=(replace(talk(1).utterances[0], text=EVIL, utterance_id=EVIL),)))
    turn = evil[0]
    cue = Cue(0, turn.turn_id, Triple(EVIL, EVIL, EVIL))
    for piece in (
        pieces.turn_card(turn, 1, 9, ()),
        pieces.cue_table((cue,)),
        pieces.cue_table((Cue(0, turn.turn_id, EVIL),)),
        pieces.strip(evil, turn, (), 3, {turn.turn_id}),
        pieces.ranked_table([Ranked(1, 0.5, EVIL, turn.turn_id, True, EVIL)], (), EVIL),
        pieces.paragraph(EVIL),
    ):
        assert "<img" not in piece
        assert "&lt;img" in piece


def test_a_turn_without_cues_says_so() -> None:
    assert "No cue points to this turn." in pieces.cue_table(())
