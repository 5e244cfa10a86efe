"""The Sweep page over the bundled conversation: its numbers, its controls, and what it says where it has none."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from html import unescape
from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from cuemem.ui import cache
from cuemem.ui.sweep import measured, plainly
from cuemem.workbench import sweeping
from tests.pages.conftest import OpenPage, shown

AXES = {"window": (0,), "neighbours": (0,), "top_cues": (5, 10, 20)}
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


def test_while_settings_are_measured_the_page_follows_and_can_be_left(
    open_page: OpenPage, own_store: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    gate, plain = threading.Semaphore(2), sweeping.recalled

    def slowly(*args: Any) -> Iterator[Any]:
        for row in plain(*args):
            assert gate.acquire(timeout=60)
            yield row

    monkeypatch.setattr(sweeping, "recalled", slowly)
    monkeypatch.setattr(plainly, "coarse_of", lambda _group, _method: AXES)
    monkeypatch.setattr(measured, "coarse_of", lambda _group, _method: AXES)
    test = open_page("sweep", own_store, **LAKESIDE, budget="500")
    assert "3 settings × 50 questions" in said(test)
    test.button(key="sweep.measure.main").click().run()
    until(test, "questions: 2 of 50".capitalize())
    assert "sweep.measure.main" not in {it.key for it in test.button}
    (job,) = cache.jobs().jobs("sweep")
    test.button(key=f"sweep.cancel.{job.job_id}").click().run()
    gate.release()
    cache.jobs().wait(job.job_id, 30)
    test.run()
    assert "What was done is kept" in said(test)
    gate.release(1000)
    test.button(key="sweep.measure.main").click().run()
    cache.jobs().wait(job.job_id, 60)
    test.run()
    assert "3 settings × 50 scorable questions" in said(test)


def until(test: AppTest, text: str) -> None:
    deadline = time.monotonic() + 60
    while text not in said(test) and time.monotonic() < deadline:
        time.sleep(0.02)
        test.run()
    assert text in said(test)


def test_sentences_stand_in_place_of_what_is_not_there(open_page: OpenPage, sample_store: Path) -> None:
    assert "The link says w = “99”, which cannot be." in said(open_page("sweep", sample_store, **LAKESIDE, w="99"))
    rag = said(open_page("sweep", sample_store, conversation="lakeside", method="naive_rag"))
    assert "60 settings" in rag
    assert "no two knobs" in rag
    assert "memory yet" in said(open_page("sweep", sample_store, conversation="sample_user"))
    assert "no conversation in the store yet" in said(open_page("sweep", None))
