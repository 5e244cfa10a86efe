"""Learn: every step on the sample, its link, its controls, and what it says when something is missing."""

from __future__ import annotations

import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from cuemem.ui import cache
from cuemem.ui.learn.lessons import LESSONS
from tests.pages.conftest import OpenPage, shown


def opened(open_page: OpenPage, store: Path | None, step: int | str, **params: str) -> AppTest:
    test = open_page("learn", store, **{"page.step": str(step)}, **params)
    assert not test.exception
    return test


def said(test: AppTest) -> str:
    """The words of the page, without its HTML."""
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", shown(test)))


def button(test: AppTest, key: str) -> Any:
    return next(it for it in test.button if it.key == key)


def test_a_fresh_tab_gets_the_papers_story(open_page: OpenPage, sample_store: Path) -> None:
    test = open_page("learn", sample_store)
    assert not test.exception
    text = said(test)
    assert "Which place mentioned earlier would Marta's mother prefer?" in text.replace("&#x27;", "'")
    assert "With w = 2, k = 1, m = 10: 39 of 226 turns, 1,222 tokens, 2 of 2 gold turns." in text
    assert "Step 1 of 7" in text
    assert test.query_params["cues"] == "imported"


@pytest.mark.parametrize("lesson", LESSONS, ids=lambda lesson: lesson.name)
def test_every_step_has_its_link(open_page: OpenPage, sample_store: Path, lesson: Any) -> None:
    test = opened(open_page, sample_store, lesson.number)
    assert lesson.title in said(test)
    assert [it.value for it in test.latex] == [f"$$\n{equation.latex}\n$$" for equation in lesson.equations]
    assert test.query_params["page.step"] == str(lesson.number)
    steps = [it for it in test.button if (it.key or "").startswith("learn.step.")]
    assert [it.label for it in steps] == [it.name for it in LESSONS]


def test_back_and_on(open_page: OpenPage, sample_store: Path) -> None:
    test = opened(open_page, sample_store, 8)
    button(test, "learn.on").click().run()
    assert test.query_params["page.step"] == "9"
    assert not [it for it in test.button if it.key == "learn.on"]
    button(test, "learn.back").click().run()
    button(test, "learn.step.2").click().run()
    assert test.query_params["page.step"] == "2"
    assert not test.exception


def test_turns_and_cues_are_shown_as_they_are(open_page: OpenPage, sample_store: Path) -> None:
    first = said(opened(open_page, sample_store, 1))
    assert "T = 226: 226 turns in 11 sessions from 4 Feb 2024 to 20 Oct 2024" in first
    assert "D2:6 ★ turn 25 of 226 session 2, Saturday, 24 February 2024, 09:40 41 tokens" in first
    second = said(opened(open_page, sample_store, 2))
    assert "N = 340 cues, which point to 140 of 226 turns" in second
    assert "place to eat has to be quiet → D2:6" in second
    assert "86 of 226 turns have none. Among them are" in second


def test_a_slider_says_what_it_changes(open_page: OpenPage, sample_store: Path) -> None:
    test = opened(open_page, sample_store, 3)
    assert "From D2:6 temporal edges lead to D2:4, D2:5, D2:7 and D2:8 (w = 2)." in said(test)
    test.slider(key="learn.w").set_value(3).run()
    assert not test.exception
    text = said(test)
    assert "w = 3 instead of w = 2 adds 9 turns and 291 tokens; no gold turn is won or lost." in text
    assert "With w = 3, k = 1, m = 10: 48 of 226 turns, 1,513 tokens" in text
    assert test.query_params["w"] == "3"


def test_a_question_that_needs_w(open_page: OpenPage, sample_store: Path) -> None:
    test = opened(open_page, sample_store, 3)
    button(test, "learn.find.w").click().run()
    assert not test.exception
    assert test.query_params["question"] == "1"  # needs temporal and semantic edges, says data/README.md
    assert "Find the least w that brings in" in said(test)


def test_the_edge_of_the_story(open_page: OpenPage, sample_store: Path) -> None:
    test = opened(open_page, sample_store, 4)
    text = said(test)
    assert "The cues nearest to “place to eat has to be quiet”, of 339 others:" in text
    assert "1 Lakeside Town is very quiet → D4:4 ★ an edge from D2:6 0.490" in text
    assert "k = 1 instead of k = 0 adds 6 turns and 242 tokens; it finds 1 more gold turn (D4:4)." in text
    assert "Find the least k that brings in D4:4" in text
    test.selectbox(key="learn.cue").set_value(0).run()
    assert test.query_params["page.cue"] == "0"
    test.selectbox(key="learn.turn").set_value("D1:1").run()
    assert not test.exception
    assert "page.cue" not in test.query_params


def test_the_question_and_its_cues(open_page: OpenPage, sample_store: Path) -> None:
    text = said(opened(open_page, sample_store, 5))
    assert "m = 10: what is below is not looked at again" in text
    assert "168 Lakeside Town has no cars and its last bus at five → D4:4 ★ the best cue of this gold turn" in text
    assert "m = 2. D4:4 is in the context as a semantic neighbour" in text
    assert "By its own cues it would have to wait for rank 168." in text


def test_one_hop(open_page: OpenPage, sample_store: Path) -> None:
    test = opened(open_page, sample_store, 6, turn="D4:4")
    text = said(test)
    assert "Anchors only 9 419 1 of 2 gold turns" in text
    assert "With both 39 1,222 2 of 2 gold turns" in text
    assert "The two cues are “place to eat has to be quiet” and “Lakeside Town is very quiet”." in text
    assert "Selected: D4:4 is in the context" in text
    part = opened(open_page, sample_store, 6, **{"page.hop": "anchors"})
    assert part.query_params["page.hop"] == "anchors"


def test_context_and_budget(open_page: OpenPage, sample_store: Path) -> None:
    test = opened(open_page, sample_store, 7)
    text = said(test)
    assert "The whole history would be 5,811 tokens; this is 21% of it." in text
    assert "Lakeside Town" in text
    assert "Prioritize the information most recent and closest to the question time" in text
    test.select_slider(key="learn.budget").set_value(1000).run()
    assert not test.exception
    assert test.query_params["budget"] == "1000"
    assert "A budget of 1,000 tokens instead of no budget saves 6 turns and 242 tokens" in said(test)


def test_the_limits_at_equal_tokens(open_page: OpenPage, sample_store: Path) -> None:
    test = opened(open_page, sample_store, 8)
    text = said(test)
    assert "Anchors only, more cues: m = 47 30 1,220 1 of 2 gold turns" in text
    assert "Whole turns, no cues: m = 41 41 1,208 1 of 2 gold turns" in text
    assert "percentage points" not in text
    button(test, "learn.all").click().run()
    assert not test.exception
    assert test.query_params["page.all"] == "on"
    assert "against 91.3% for 1,274 tokens here: 11 percentage points less." in said(test)
    assert len(test.get("plotly_chart")) == 1


def test_a_question_without_an_answer(open_page: OpenPage, sample_store: Path) -> None:
    test = opened(open_page, sample_store, 7, question="50")
    assert "The answer was never said. Turns that mislead: ★ D5:16" in said(test)


def test_any_other_question(open_page: OpenPage, sample_store: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    whole = cache.questions
    monkeypatch.setattr(cache, "questions", lambda key: tuple(replace(it, evidence=()) for it in whole(key)))
    for lesson in LESSONS:
        test = opened(open_page, sample_store, lesson.number, question="7", **{"page.all": "on"})
        assert "No gold turn is known for this question." in said(test)
    button(test, "learn.story").click().run()
    assert not test.exception
    assert test.query_params["question"] == "0"
    assert test.query_params["page.step"] == "9"


def test_another_method_gives_way(open_page: OpenPage, sample_store: Path) -> None:
    test = opened(open_page, sample_store, 3, method="naive_rag")
    assert "This page explains CueMem, so that is the method it shows." in said(test)
    assert test.query_params["method"] == "cuemem"


def test_a_stale_link(open_page: OpenPage, sample_store: Path) -> None:
    test = opened(open_page, sample_store, "99", conversation="gone/7", turn="D99:1")
    text = said(test)
    assert "There is no step “99”" in text
    assert "The store holds no conversation “gone/7”" in text
    assert "This memory has no turn “D99:1”" in text


def test_an_empty_store_offers_the_sample(open_page: OpenPage) -> None:
    test = opened(open_page, None, 4)
    assert "it has to be loaded once" in said(test)
    assert [it.label for it in test.button] == ["Load and build it"]
