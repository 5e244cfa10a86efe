"""The Sweep page over the bundled conversation: its numbers, its controls, and what it says where it has none."""

from __future__ import annotations

from html import unescape
from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from tests.pages.conftest import OpenPage, shown

LAKESIDE = {"conversation": "lakeside", "cues": "imported"}


def said(test: AppTest) -> str:
    assert not test.exception
    return unescape(shown(test))


def table(test: AppTest, column: str) -> Any:
    return next(it.value for it in test.dataframe if column in it.value)


def test_the_page_says_what_the_open_setting_finds_and_what_the_graph_adds(
    open_page: OpenPage, sample_store: Path
) -> None:
    test = open_page("sweep", sample_store, **LAKESIDE)
    text = said(test)
    assert "4,620 settings × 50 scorable questions of 1 conversation" in text
    assert "At w = 2, k = 1, m = 10 a context of" in text
    assert "holds 91.3% of a question's gold turns" in text  # data/README.md
    assert "80.7%" in text  # anchors only, as the last lesson says
    assert "more than added up" in text
    assert "this takes two of them" in text
    by_category = table(test, "their tokens")
    assert by_category["questions"].tolist()[0] == by_category["questions"].sum() / 2 == 50
    assert by_category["recall"][0] == pytest.approx(0.913, abs=0.002)
    assert table(test, "how it is added")["step"].tolist()[:4] == ["w = 2", "w = 2", "k = 1", "k = 1"]
    assert table(test, "turns")["tokens"].is_monotonic_increasing  # the frontier

    test.select_slider(key="sweep.at.top_cues").set_value(20).run()
    assert test.query_params["m"] == "20"
    assert "At w = 2, k = 1, m = 20" in said(test)
    test.selectbox(key="sweep.category").set_value("2 temporal").run()
    assert "of the category 2 temporal" in said(test)
    test.selectbox(key="sweep.shown").set_value("over").run()
    assert "In percentage points" in said(test)


def test_cues_and_methods_on_one_chart(open_page: OpenPage, sample_store: Path) -> None:
    test = open_page("sweep", sample_store, **LAKESIDE, **{"page.ways": "all"})
    rows = table(test, "way")
    assert list(zip(rows["way"], rows["graph"], strict=True)) == [
        ("CueMem, imported cues", "anchors only"),
        ("CueMem, imported cues", "w = 2, k = 1"),
        ("Naive RAG", "–"),
    ]
    assert rows["at 500 tokens"][0] > rows["at 500 tokens"][2]
    assert "Full history is not on the chart" in said(test)


def test_what_cannot_be_swept_at_once_is_offered_in_the_background(open_page: OpenPage, sample_store: Path) -> None:
    test = open_page("sweep", sample_store, **LAKESIDE, budget="500")
    assert "Under the budget of 500 tokens" in said(test)
    assert test.button(key="sweep.measure.main").label == "Measure in the background"
    test.button(key="sweep.uncapped").click().run()
    assert "4,620 settings" in said(test)


def test_sentences_stand_in_place_of_what_is_not_there(open_page: OpenPage, sample_store: Path) -> None:
    rag = said(open_page("sweep", sample_store, conversation="lakeside", method="naive_rag"))
    assert "60 settings" in rag
    assert "no two knobs" in rag
    assert "memory yet" in said(open_page("sweep", sample_store, conversation="sample_user"))
    assert "no conversation in the store yet" in said(open_page("sweep", None))
