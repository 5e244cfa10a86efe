"""The Home page, run whole: an empty store, the samples, a model that cannot be loaded."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from cuemem.errors import BadSetting
from tests.pages.conftest import OpenPage, shown


def page_of(test: AppTest) -> str:
    assert not test.exception
    return shown(test)


def links(test: AppTest) -> dict[str, Any]:
    return {element.proto.label: element.proto for element in test.get("page_link")}


def test_an_empty_store_offers_the_sample(open_page: OpenPage) -> None:
    test = open_page("home", None)
    page = page_of(test)
    assert "nothing in it yet" in page
    assert "Extraction by a model, new answers and verdicts need one" in page
    assert [button.label for button in test.button] == ["Load and build it"]
    assert {"Go to Data", "Go to Models", "Go step by step"} <= links(test).keys()
    assert "Recent conversations" not in [it.value for it in test.subheader]


def test_a_built_sample_is_one_click_from_trace(open_page: OpenPage, sample_store: Path) -> None:
    test = open_page("home", sample_store)
    page = page_of(test)
    assert "8 conversations, 63 questions, 1 memory" in page
    assert "cues=imported" in links(test)["Open it in Trace"].query_string
    assert not test.button
    assert "lakeside" in page
    assert "locomo · 11 sessions · 226 messages · 56 questions · 1 memory (CueMem: imported)" in page
    assert "longmemeval · 19 sessions · 155 messages · 1 question · no memory yet" in page
    assert links(test)["Trace"].query_string.startswith("conversation=")
    assert "page.part=build" in links(test)["Build a memory"].query_string
    assert "All 8 conversations" in links(test)


def test_a_model_that_cannot_be_loaded_says_so(
    open_page: OpenPage, monkeypatch: pytest.MonkeyPatch, own_store: Path
) -> None:
    class Broken:
        name, ready = "no-such-model", False

        def warm_up(self) -> None:
            raise BadSetting("The embedding model 'no-such-model' could not be loaded. Name another one.")

    monkeypatch.setattr("cuemem.workbench.workbench.SentenceEmbedder", lambda _name: Broken())
    test = open_page("home", own_store)
    for _ in range(50):
        if "failed" in shown(test):
            break
        test.run()
    page = page_of(test)
    assert "could not be loaded. Name another one." in page
    assert "cm-bad" in page
