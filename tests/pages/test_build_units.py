"""Data · Build with memory units: from uploaded files, and by a model whose faults are listed and asked again."""

from __future__ import annotations

import json
from dataclasses import replace
from pathlib import Path
from urllib.parse import parse_qsl

import pytest
from streamlit.testing.v1 import AppTest

from cuemem.adapters.store import Store
from cuemem.types import Question
from tests.adapters.store_samples import Loaded, load, sha
from tests.fakes import talk
from tests.openai_server import Act, OpenAIServer, Request
from tests.pages.conftest import OpenPage, shown
from tests.pages.test_data_page import labels, named, page_of, part, until
from tests.unit_files import unit_line
from tests.unit_model import entry, kind_of, reply, unit

KEY = f"{sha('file')[:16]}/0"


@pytest.fixture
def talk_store(tmp_path: Path) -> Path:
    """A conversation of two sessions, eight and two lines: windows of six lines at D1:1, D1:5 and D2:1."""
    path = tmp_path / "talk.duckdb"
    with Store.open(path) as store:
        questions = (Question(0, "What does Ada say?", "it", "single-hop", 4),)
        load(store, [Loaded(replace(talk(8, 2), conversation_id=KEY), questions)])
    return path


def with_units(open_page: OpenPage, store: Path) -> AppTest:
    test = open_page("data", store, **part("build"))
    page_of(test)
    named(test.selectbox, "Method").select("qgmem").run()
    return test


def test_units_traces_and_questions_are_uploaded_together(open_page: OpenPage, talk_store: Path) -> None:
    test = with_units(open_page, talk_store)
    assert "Say where the units of test are" in page_of(test)
    lines = [unit_line(1, "D1:1", "Ann left"), unit_line(2, "D9:9", "Ben left"), unit_line(3, "D1:2", "Ann came")]
    units = "".join(f"{json.dumps(it)}\n" for it in lines).encode()
    parse = json.dumps({"qa_index": 0, "entities": ["Ann"], "locations": [], "time": {}}).encode()
    trace = json.dumps({"members": ["u1", "u3"], "trajectory": "First gone, then back."}).encode()
    named(test.file_uploader, "Upload its file of units").set_value(
        [("any.queries.jsonl", parse, "application/jsonl")]
    ).run()
    assert "There is no file of memory units among any.queries.jsonl" in page_of(test)
    files = [("mine.jsonl", units), ("any.queries.jsonl", parse), ("other.traces.jsonl", trace)]
    together = [(name, content, "application/jsonl") for name, content in files]
    named(test.file_uploader, "Upload its file of units").set_value(together).run()
    assert "No calls to a language model, no cost." in page_of(test)
    named(test.button, "Build 1 memory").click().run()
    until(test, "2 units from 10 turns")
    assert [it.label for it in test.expander] == ["1 problem in what it was made from"]
    built = test.dataframe[-1].value
    assert built[["method", "made from", "holds"]].values.tolist() == [["QGMem", "imported", "2 units"]]
    with Store.open(talk_store) as store:
        (held,) = store.unit_sets(KEY)
        assert (held.traces_given, held.trajectories, held.provenance["file"]) == (True, 1, "mine.units.jsonl")
        assert len(store.parses(KEY, "imported")) == 1
    assert not list(talk_store.parent.glob("*.incoming/*"))


def test_the_faults_of_a_model_are_counted_shown_and_asked_again(
    open_page: OpenPage, talk_store: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """No JSON, missing ids, evidence in the overlap alone, no date, an unknown unit, a failed trajectory."""
    broken = True

    def respond(request: Request) -> Act | str:
        kind, asked = kind_of(request), request.texts[-1]
        if not broken:
            return reply(request)
        if kind in ("trajectory", "parse") or (kind == "units" and "[D2:1]" in asked):
            return "no JSON at all"
        if kind == "index" and '"w0.1"' in asked:
            return json.dumps({"memory_units": [{"entities": ["no id"]}]})
        made = json.loads(reply(request))
        if kind == "units" and "[D1:8]" in asked:
            made["memory_units"] += [unit("D1:5", end="D1:6"), unit("")]
        if kind == "index":
            made["memory_units"] = [entry("w1.1", "2024-13", "2024-13"), entry("w7.7")]
        return json.dumps(made)

    with OpenAIServer(respond) as server:
        monkeypatch.setenv("CUEMEM_MODEL", "openai/some-model")
        monkeypatch.setenv("CUEMEM_API_BASE", server.base)
        test = with_units(open_page, talk_store)
        named(test.radio, "Where the units come from").set_value("llm").run()
        named(test.number_input, "Relation threshold").set_value(0).run()
        assert "8 calls for 10 messages" in page_of(test)  # two a window, one a trace, one a question
        named(test.button, "Build 1 memory").click().run()
        until(test, "8 units from 10 turns")
        failed, rejected = (it for it in test.expander if "failure" in it.label or "problem" in it.label)
        if "problem" in failed.label:
            failed, rejected = rejected, failed
        assert failed.label.startswith("4 failures of the model")
        places = [str(it) for it in failed.dataframe[0].value["where"]]
        assert [place.split(" of ")[0].split(" “")[0] for place in places] == [
            "window 2",
            "index",
            "trajectory",
            "question",
        ]
        assert "not JSON" in failed.dataframe[0].value["why"][0]
        assert "schema broken" in failed.dataframe[0].value["why"][1]
        units = open_page("units", talk_store, method="qgmem", cues="llm")
        lost = next(it for it in units.expander if it.label == "Where these 8 units come from")
        assert lost.dataframe[0].value["where"].tolist()[: len(places)] == places
        kinds = {why.partition(":")[0] for why in lost.dataframe[0].value["why"][len(places) :]}
        assert kinds == set(rejected.dataframe[0].value["kind"])
        assert "openai/some-model" in shown(units)
        assert sorted(rejected.dataframe[0].value["kind"]) == [
            "unit id unknown",
            "unit in overlap only",
            "unit interval invalid",
            "unit not indexed",
            "unit turn unknown",
        ]
        broken = False
        named(test.button, "Ask about them again").click().run()
        until(test, "10 units from 10 turns")
        assert not any("failure" in it.label for it in test.expander)
        asked = len(server.log)
        assert "Every message is done already" in page_of(test)
        assert labels(test).count("Build 1 memory") == 1
        assert len(server.log) == asked


def test_a_link_from_a_method_without_a_memory_opens_its_build(open_page: OpenPage, talk_store: Path) -> None:
    test = open_page("trace", talk_store, method="qgmem")
    (link,) = [it for it in test.get("page_link") if it.proto.label == "Build a memory"]
    params = dict(parse_qsl(link.proto.query_string))
    test = open_page("data", talk_store, **params)
    assert not test.exception
    assert named(test.selectbox, "Method").value == "qgmem"
    assert named(test.radio, "Where the units come from").value
