"""The Runs page, run whole: started, going on, cancelled, resumed, compared, carried elsewhere."""

from __future__ import annotations

import threading
import time
from html import escape
from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from cuemem.adapters.store import Store
from cuemem.types import ChatRequest
from cuemem.workbench.runs import listed, opened
from cuemem.workbench.runs.files import rows_file
from tests.fakes import ScriptedChat
from tests.pages.conftest import OpenPage, shown


def named(widgets: Any, label: str) -> Any:
    return next(widget for widget in widgets if widget.label == label)


def labels(test: AppTest) -> list[str]:
    return [button.label for button in test.button]


def until(test: AppTest, text: str) -> str:
    """The page once it says this; what runs in the background is given time."""
    deadline = time.monotonic() + 60
    while text not in shown(test) and time.monotonic() < deadline:
        time.sleep(0.02)
        test.run()
    assert not test.exception
    assert text in shown(test)
    return shown(test)


@pytest.fixture
def chat(monkeypatch: pytest.MonkeyPatch) -> ScriptedChat:
    """A model that is set; it answers yes, and is judged right for it."""

    def respond(request: ChatRequest) -> str:
        return "yes" if request.schema is None else '{"judgment": "correct", "reason": "It is."}'

    made = ScriptedChat("test/model", respond)
    monkeypatch.setenv("CUEMEM_MODEL", "test/model")
    monkeypatch.setattr("cuemem.workbench.models.plain_chat", lambda _settings: made)
    return made


def test_an_empty_store_says_the_one_next_thing(open_page: OpenPage) -> None:
    test = open_page("runs", None)
    assert "Nothing has been run yet" in shown(test)
    named(test.button, "Start a run").click().run()
    assert test.query_params["page.part"] == "start"
    assert "There is no conversation with questions yet" in shown(test)
    assert not test.exception


def test_retrieval_is_measured_compared_and_imported_without_a_model(
    open_page: OpenPage, own_store: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("CUEMEM_MODEL", raising=False)
    test = open_page("runs", own_store, **{"page.part": "start"})
    assert "No language model is set" in shown(test)
    named(test.text_input, "Settings of CueMem").set_value("w=9").run()
    named(test.segmented_control, "Preset").set_value("ablations").run()
    named(test.button, "Measure 3 runs").click().run()
    assert "outside its range" in shown(test)
    named(test.text_input, "Settings of CueMem").set_value("w=1, k=0").run()
    named(test.button, "Measure 3 runs").click().run()
    page = until(test, "Evidence, all answerable questions")
    page = until(test, "anchors only at equal tokens")
    table = test.dataframe[0].value
    deadline = time.monotonic() + 60
    while list(table["state"]) != ["done"] * 3 and time.monotonic() < deadline:
        time.sleep(0.05)
        table = test.run().dataframe[0].value
    assert list(table["state"]) == ["done"] * 3
    assert "Gold turns of answerable questions lost" in shown(test)

    with Store.open(own_store) as store:
        ids = [run.run_id for run in listed(store)]
        whole = rows_file([opened(store, run_id) for run_id in ids], "jsonl")
        row = opened(store, ids[0]).rows[3]
    pair = f"{row.conversation_id}:3"
    params = {"page.part": "compare", "page.a": ids[2], "page.b": ids[1], "page.pair": pair}
    test = open_page("runs", own_store, **params)
    page = shown(test)
    assert not test.exception
    assert "all gold turns are in the context" in page
    assert escape(row.question.text) in page
    assert "Gold found" in page
    links = [link.proto.query_string for link in test.get("page_link") if "Trace as in" in link.proto.label]
    assert len(links) == 2
    assert "w=1" in links[0]
    assert "w=0" in links[1]
    named(test.selectbox, "Became").set_value("broken").run()
    assert set(test.dataframe[0].value["became"]) <= {"broken"}
    assert test.query_params["page.became"] == "broken"

    elsewhere = open_page("runs", None)
    named(elsewhere.file_uploader, "A .jsonl file of whole runs").upload(
        "runs.jsonl", whole, "application/jsonl"
    ).run()
    assert "3 runs imported." in shown(elsewhere)
    assert len(elsewhere.dataframe[0].value) == 3
    elsewhere = open_page("runs", tmp_path / "empty.duckdb", **params)
    assert "Load locomo_sample.json to trace the question." in shown(elsewhere)


def test_a_run_that_is_going_on_is_followed_cancelled_and_taken_up_again(
    open_page: OpenPage, own_store: Path, chat: ScriptedChat, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CUEMEM_CONCURRENCY", "1")  # side by side the fifth might be asked before the fourth
    gate, plain = threading.Semaphore(4), chat.respond

    def slowly(request: ChatRequest) -> str:
        assert gate.acquire(timeout=60)
        return plain(request)

    chat.respond = slowly
    test = open_page("runs", own_store, **{"page.part": "start"})
    named(test.number_input, "At most so many questions").set_value(8).run()
    named(test.button, "Find the contexts of 1 run").click().run()
    until(test, "To come: 8 answers and at most 8 verdicts")
    assert chat.log == []
    named(test.number_input, "Stop after so many calls").set_value(100).run()
    named(test.button, "Ask the model").click().run()
    page = until(test, "answers: 4 of 8")
    assert "in this go so far, price not known" in page
    assert "These runs are going on" in "".join(caption.value for caption in test.caption)
    named(test.button, "Cancel").click().run()
    gate.release(4)
    until(test, "it goes on from there")
    gate.release(100)
    named(test.button, "Resume").click().run()
    page = until(test, "Accuracy with its 95 % interval")
    deadline = time.monotonic() + 60
    while test.dataframe[0].value["state"][0] != "done" and time.monotonic() < deadline:
        time.sleep(0.02)
        test.run()
    assert test.dataframe[0].value["state"][0] == "done"
    assert "100.0 %" in shown(test)
    assert len({request.key("test/model") for request in chat.log}) == len(chat.log)
