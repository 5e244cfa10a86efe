"""The Conversation page, run whole; what the chat draws in the browser is tested there."""

from __future__ import annotations

from pathlib import Path
from typing import Any

from streamlit.testing.v1 import AppTest

from tests.pages.conftest import OpenPage, shown


def page_of(test: AppTest) -> str:
    assert not test.exception
    return shown(test)


def select(test: AppTest, label: str) -> Any:
    return next(box for box in test.selectbox if box.label == label)


def test_question_answer_and_result_stand_beside_the_chat(open_page: OpenPage, sample_store: Path) -> None:
    test = open_page("conversation", sample_store, conversation="lakeside")
    page = page_of(test)
    assert "226 turns in 11 sessions" in page
    assert "Which place mentioned earlier would Marta&#x27;s mother prefer?" in page
    assert "Lakeside Town" in page
    assert "Select a turn" in page


def test_a_selected_turn_is_explained_with_its_cues(open_page: OpenPage, sample_store: Path) -> None:
    page = page_of(open_page("conversation", sample_store, conversation="lakeside", turn="D4:4"))
    assert "D4:4 is in the context as a semantic neighbour" in page
    assert "Lakeside Town is very quiet" in page
    assert "★ gold" in page


def test_the_filters_stand_in_the_address_and_back(open_page: OpenPage, sample_store: Path) -> None:
    test = open_page("conversation", sample_store, conversation="lakeside")
    select(test, "Session").set_value("4").run()
    test.text_input[0].set_value("quiet").run()
    assert test.query_params["page.session"] == "4"
    assert test.query_params["page.find"] == "quiet"
    test = open_page("conversation", sample_store, **{"conversation": "lakeside", "page.speaker": "1"})
    assert select(test, "Speaker").value == "1"
    select(test, "Speaker").set_value("").run()
    assert "page.speaker" not in test.query_params
    page_of(test)


def test_an_id_in_the_search_selects_the_turn(open_page: OpenPage, sample_store: Path) -> None:
    test = open_page("conversation", sample_store, conversation="lakeside")
    test.text_input[0].set_value("d4:4").run()
    assert test.query_params["turn"] == "D4:4"
    assert "D4:4 is in the context" in page_of(test)


def test_without_a_memory_the_talk_is_there_and_the_next_step_said(open_page: OpenPage, sample_store: Path) -> None:
    test = open_page("conversation", sample_store, conversation="sample_user")
    page = page_of(test)
    assert "78 turns in 19 sessions" in page
    assert "£85" in page
    assert "There is no memory of this conversation yet" in page


def test_a_method_without_cues_shows_the_same_page(open_page: OpenPage, sample_store: Path) -> None:
    page = page_of(
        open_page("conversation", sample_store, conversation="lakeside", method="full_history", turn="D4:4")
    )
    assert "D4:4 is in the context." in page


def test_an_empty_store_says_what_to_do(open_page: OpenPage) -> None:
    assert "no conversation in the store yet" in page_of(open_page("conversation", None))


def test_a_stale_address_gives_sentences(open_page: OpenPage, sample_store: Path) -> None:
    stale = {"conversation": "lakeside", "turn": "D99:1", "question": "900", "page.show": "x", "page.session": "soon"}
    page = page_of(open_page("conversation", sample_store, **stale))
    assert "no turn “D99:1”" in page
    assert "There is no question 900" in page
