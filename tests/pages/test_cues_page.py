"""The Cues page, run whole: tables, a correction with its effect, its undoing, sentences in place of tables."""

from __future__ import annotations

import re
from html import unescape
from pathlib import Path
from typing import Any

from streamlit.testing.v1 import AppTest

from cuemem.methods import CueMem
from cuemem.workbench import Workbench
from tests.pages.conftest import OpenPage, shown

LAKESIDE = {"conversation": "lakeside", "cues": "imported"}
ANCHORS_ONLY = LAKESIDE | {"w": "0", "k": "0", "m": "10"}


def page_of(test: AppTest) -> str:
    assert not test.exception
    return shown(test)


def field(test: AppTest, label: str) -> Any:
    return next(box for box in test.text_input if box.label == label)


def press(test: AppTest, label: str) -> AppTest:
    return next(button for button in test.button if button.label == label).click().run()


def tabs(test: AppTest) -> list[str]:
    return [tab.label for tab in test.tabs]


def test_every_cue_with_its_turn_its_rank_and_the_origin(open_page: OpenPage, sample_store: Path) -> None:
    test = open_page("cues", sample_store, **LAKESIDE)
    page = page_of(test)
    assert "340 cues from 140 of 226 turns, 1.5 a turn" in page
    assert "lakeside.jsonl" in page
    assert tabs(test) == ["All cues · 340", "Turns without cues · 86", "Duplicates", "Corrections · 0"]
    table = test.dataframe[0].value
    assert list(table.columns[:6]) == ["rank", "cosine", "subject", "relation", "object", "turn"]
    assert len(table) == 340
    assert sorted(table["rank"]) == list(range(1, 341))
    assert "Select a row" in page


def test_the_cues_of_the_gold_turns_by_rank(open_page: OpenPage, sample_store: Path) -> None:
    test = open_page("cues", sample_store, **LAKESIDE, **{"page.show": "gold"})
    table = test.dataframe[0].value
    assert table["turn"].tolist() == ["D2:6"] * 3 + ["D4:4"] * 3
    assert table["rank"].tolist()[0] == 2


def test_the_search_takes_words_and_turns(open_page: OpenPage, sample_store: Path) -> None:
    test = open_page("cues", sample_store, **LAKESIDE)
    field(test, "Find a cue by its words, or by its turn").set_value("VERY QUIET").run()
    assert test.dataframe[0].value["turn"].tolist() == ["D4:4"]
    field(test, "Find a cue by its words, or by its turn").set_value("d2:6").run()
    assert len(test.dataframe[0].value) == 3
    assert test.query_params["page.find"] == "d2:6"


def test_turns_without_cues_and_duplicates(open_page: OpenPage, sample_store: Path) -> None:
    test = open_page("cues", sample_store, **LAKESIDE, **{"page.part": "bare"})
    assert len(test.dataframe[0].value) == 86
    assert "5 of them hold gold evidence" in page_of(test)
    test = open_page("cues", sample_store, **LAKESIDE, **{"page.part": "duplicates", "page.close": "0.90"})
    page = page_of(test)
    assert "No two cues are the same" in page
    assert "have a cosine of 0.90 or more" in page
    pairs = test.dataframe[0].value
    assert pairs["cosine"].is_monotonic_decreasing
    assert pairs["cosine"].min() >= 0.9


def test_the_selected_turn_with_the_nearest_cues(open_page: OpenPage, sample_store: Path) -> None:
    test = open_page("cues", sample_store, **LAKESIDE, turn="D4:4", **{"page.cue": "1"})
    page = page_of(test)
    assert "the whole beauty of Lakeside Town" in page
    assert "It was not retrieved" in page
    nearest = test.dataframe[1].value
    assert len(nearest) == 10
    assert nearest["cosine"].is_monotonic_decreasing
    assert field(test, "Object of cue 2").value == "very quiet"


def test_a_correction_changes_the_context_and_can_be_undone(open_page: OpenPage, own_store: Path) -> None:
    test = open_page("cues", own_store, **ANCHORS_ONLY, turn="D4:4")
    assert "D4:4 was lost at retrieval" in page_of(test)
    field(test, "Subject of cue 2").set_value("Marta's mother")
    field(test, "Relation of cue 2").set_value("would prefer")
    field(test, "Object of cue 2").set_value("Lakeside Town, a calm place")
    press(test, "Save and rebuild")
    page = page_of(test)
    assert re.search(
        "The cues of D4:4 are corrected. For question 0 its best cue has rank [0-9] now; it was 168.", page
    )
    assert "gained D4:4" in page
    assert "gold found: 1 → 2 of 2" in page
    assert "D4:4 is in the context" in page
    assert tabs(test)[3] == "Corrections · 1"

    test = open_page("cues", own_store, **ANCHORS_ONLY, turn="D4:4", **{"page.part": "corrections"})
    assert "Lakeside Town is very quiet" in page_of(test)
    press(test, "Undo")
    page = page_of(test)
    assert "Correction 1 is undone" in page
    assert "lost D4:4" in page
    assert "D4:4 was lost at retrieval" in page
    assert not [button for button in test.button if button.label == "Undo"]


def test_a_short_link_leads_to_the_same_memory_after_a_correction(open_page: OpenPage, own_store: Path) -> None:
    workbench = Workbench.open(own_store)
    lakeside = workbench.store.resolve("lakeside")
    workbench.build(lakeside, CueMem(cue_source="observations"))
    workbench.correct_cues(lakeside, CueMem(cue_source="imported"), "D4:4", ["Lakeside Town is calm"])
    workbench.store.close()
    assert "source: imported" in page_of(open_page("cues", own_store, conversation="lakeside"))


def test_a_cue_is_added_and_removed(open_page: OpenPage, own_store: Path) -> None:
    test = open_page("cues", own_store, **ANCHORS_ONLY, turn="D5:7")
    assert "No cue points to D5:7" in page_of(test)
    field(test, "Add a cue: subject").set_value("Marta")
    press(test, "Save and rebuild")
    assert "The cue “Marta · … · …” has an empty part" in page_of(test)
    field(test, "Add a cue: relation").set_value("likes")
    field(test, "Add a cue: object").set_value("calm places")
    press(test, "Save and rebuild")
    assert "it had none before" in page_of(test)
    assert tabs(test)[:2] == ["All cues · 341", "Turns without cues · 85"]
    test.checkbox[0].check()
    press(test, "Save and rebuild")
    assert "D5:7 has no cue now" in page_of(test)
    assert tabs(test)[1:2] + tabs(test)[3:] == ["Turns without cues · 86", "Corrections · 2"]


def test_cues_that_are_gone_are_a_sentence(open_page: OpenPage, own_store: Path) -> None:
    test = open_page("cues", own_store, **LAKESIDE)
    store = Workbench.open(own_store).store
    store.remove_cue_set(store.resolve("lakeside"), "imported", "utterance")
    store.close()
    assert "has no cues from" in unescape(page_of(test.run()))


def test_the_same_cues_again_change_nothing(open_page: OpenPage, own_store: Path) -> None:
    test = press(open_page("cues", own_store, **LAKESIDE, turn="D4:4"), "Save and rebuild")
    assert "has these very cues already" in page_of(test)
    assert tabs(test)[3] == "Corrections · 0"


def test_sentences_stand_in_place_of_what_is_not_there(open_page: OpenPage, sample_store: Path) -> None:
    without = page_of(open_page("cues", sample_store, conversation="lakeside", method="full_history"))
    assert "Full history works without cues" in without
    assert "memory yet" in page_of(open_page("cues", sample_store, conversation="sample_user"))
    assert "no conversation in the store yet" in page_of(open_page("cues", None))
    stale = page_of(open_page("cues", sample_store, **LAKESIDE, turn="D4:4", **{"page.cue": "99", "page.close": "x"}))
    assert "Lakeside Town" in stale
