"""The Data page, run whole: load, check, build, flag, remove; sentences in place of failures."""

from __future__ import annotations

import hashlib
import json
import time
from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from cuemem.datasets.own_chat import EXAMPLE
from tests.adapters.file_server import Manners, serving
from tests.openai_server import OpenAIServer, Request
from tests.pages.conftest import ROOT, OpenPage, shown

HOSTILE = "<script>alert(1)</script> **b** $x^2$ [l](javascript:alert(1)) :material/delete:"


def page_of(test: AppTest) -> str:
    assert not test.exception
    return shown(test)


def named(widgets: Any, label: str) -> Any:
    return next(widget for widget in widgets if widget.label == label)


def labels(test: AppTest) -> list[str]:
    return [button.label for button in test.button]


def until(test: AppTest, text: str) -> str:
    """The page once it says this; what runs in the background is given time."""
    deadline = time.monotonic() + 60
    while text not in page_of(test) and time.monotonic() < deadline:
        time.sleep(0.05)
        test.run()
    assert text in page_of(test)
    return page_of(test)


def part(name: str) -> dict[str, str]:
    return {"page.part": name}


@pytest.mark.parametrize("name", ["contents", "problems", "build", "gold"])
def test_an_empty_store_says_the_one_next_thing(open_page: OpenPage, name: str) -> None:
    test = open_page("data", None, **part(name))
    assert "Nothing is loaded yet" in page_of(test)
    assert labels(test) == ["Load a file"]
    test.button[0].click().run()
    assert test.query_params["page.part"] == "load"
    assert test.file_uploader


def test_an_upload_is_loaded_reported_and_built(open_page: OpenPage, tmp_path: Path) -> None:
    test = open_page("data", None)
    content = EXAMPLE.replace("[2, 3]", "[3, 99]").replace("Tilly", HOSTILE.replace('"', "'"))
    named(test.file_uploader, "Upload files").upload("my <b>chat.jsonl", content.encode(), "application/jsonl").run()
    page = until(test, "Soundness")
    assert "my &lt;b&gt;chat.jsonl" in page
    assert "1 conversation, 2 sessions, 3 messages; all new" in page
    assert "1: own question (1)" in page
    assert "1 problem" in page
    assert not (tmp_path / "empty.duckdb.incoming").exists()

    named(test.button, "See problems and notes").click().run()
    assert "A citation names no turn; it never counts as a miss." in page_of(test)
    table = test.dataframe[0].value
    assert table["kind"].tolist() == ["evidence unresolved"]
    assert table["detail"].tolist() == ["'99' is neither the line of a message nor the id of a turn."]

    test.query_params["page.part"] = "load"
    test.run()
    named(test.button, "Build memories of it").click().run()
    named(test.button, "Build 1 memory").click().run()
    until(test, "cues from 3 turns")
    assert test.dataframe[0].value["made from"].tolist() == ["sentences"]
    named(test.button, "Dismiss").click().run()
    assert "cues from 3 turns" not in page_of(test)


def test_a_file_that_cannot_be_read_is_refused_in_a_sentence(open_page: OpenPage, tmp_path: Path) -> None:
    test = open_page("data", None)
    named(test.text_input, "Or a path on the machine that runs the app").set_value(str(tmp_path / "nowhere.json"))
    named(test.button, "Load from the path").click().run()
    page = until(test, "Failed")
    assert "There is no file" in page
    assert "Resume" not in labels(test)
    named(test.button, "Dismiss").click().run()
    test.run()
    assert "Failed" not in page_of(test)


def test_a_download_is_loaded_and_its_checksum_told(
    open_page: OpenPage, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    test = open_page("data", None)
    with serving(Manners(content=EXAMPLE.encode())) as address:
        named(test.text_input, "Or another address").set_value(f"{address}/cats.jsonl?key=secret")
        named(test.button, "Download and load").click().run()
        page = until(test, "Soundness")
    assert f"from {address}/cats.jsonl; checksum: nothing to compare it with" in page
    assert hashlib.sha256(EXAMPLE.encode()).hexdigest() in page
    assert "secret" not in page
    test.query_params["page.part"] = "store"
    test.run()
    named(test.button, "Delete the downloads").click().run()
    assert "of downloaded files. What was loaded from them stays." in page_of(test)
    assert not list((tmp_path / "cache").rglob("*.jsonl"))


def test_an_address_that_may_not_be_fetched_is_refused(open_page: OpenPage) -> None:
    test = open_page("data", None)
    named(test.text_input, "Or another address").set_value("file:///etc/passwd")
    named(test.button, "Download and load").click().run()
    assert "only http:// and https:// are fetched" in until(test, "Failed")


def test_contents_of_all_files_and_of_one(open_page: OpenPage, sample_store: Path) -> None:
    test = open_page("data", sample_store, **part("contents"))
    page_of(test)
    files, conversations = (frame.value for frame in test.dataframe)
    assert files["file"].tolist() == ["locomo_sample.json", "longmemeval_sample.json"]
    assert len(conversations) == 8
    assert conversations["memories"][0] == "CueMem imported (utterance)"
    sha256 = hashlib.sha256((ROOT / "data" / "locomo_sample.json").read_bytes()).hexdigest()
    named(test.selectbox, "File").select(sha256).run()
    page = page_of(test)
    assert "56: 1 multi-hop (13), 2 temporal (11), 3 open-domain (5), 4 single-hop (21), 5 adversarial (6)" in page
    assert test.query_params["page.file"] == sha256[:16]
    assert len(test.dataframe[0].value) == 1


def test_problems_and_notes_stand_apart(open_page: OpenPage, sample_store: Path) -> None:
    test = open_page("data", sample_store, **part("problems"))
    assert "No message of a gold session is flagged; it counts at session level only." in page_of(test)
    table = test.dataframe[0].value
    kinds = sorted(set(table["kind"]))
    assert len(kinds) > 1
    named(test.multiselect, "Show only").select(kinds[0]).run()
    assert set(test.dataframe[0].value["kind"]) == {kinds[0]}
    assert test.query_params["page.kinds"] == kinds[0]
    test = open_page("data", sample_store, **part("problems"), **{"page.weight": "problems"})
    assert "There are no problems here." in page_of(test)


def test_building_says_what_is_missing(open_page: OpenPage, sample_store: Path, tmp_path: Path) -> None:
    test = open_page("data", sample_store, conversation="sample_user", **part("build"))
    page_of(test)
    source = test.radio[0]
    assert source.options == ["Imported", "Observations", "Sentences", "Language model"]
    choice = named(test.multiselect, "Conversations")
    assert "longmemeval/sample_user" in choice.options
    assert len(choice.value) == 1
    assert "No calls to a language model, no cost." in page_of(test)
    test.radio[0].set_value("observations").run()
    assert "sample_user came without observations." in page_of(test)
    assert named(test.button, "Build 1 memory").disabled
    test.radio[0].set_value("imported").run()
    assert "Say where the cues of sample_user are" in page_of(test)
    path = named(test.text_input, "Or a path on the machine that runs the app")
    path.set_value(str(tmp_path)).run()
    assert "lacks sample_user.jsonl." in page_of(test)
    named(test.text_input, "Or a path on the machine that runs the app").set_value(str(tmp_path / "no")).run()
    assert "There is no file or folder" in page_of(test)


def test_a_list_of_wrong_gold_is_laid_on_and_taken_off(open_page: OpenPage, own_store: Path) -> None:
    entries = [
        {"sample_id": "lakeside", "question_index": 0, "error_type": "WRONG_CITATION"},
        {"sample_id": "lakeside", "question_index": 999},
    ]
    test = open_page("data", own_store, **part("gold"))
    named(test.file_uploader, "Upload a list").upload("audit.json", json.dumps(entries).encode()).run()
    page = page_of(test)
    assert "1 question flagged in 1 conversation" in page
    assert "1 of its 2 entries: 1 WRONG_CITATION" in page
    assert test.dataframe[0].value["kind"].tolist() == ["flag question unknown"]
    named(test.button, "Remove").click().run()
    assert "flagged" not in page_of(test).replace("flags the questions", "")
    named(test.file_uploader, "Upload a list").upload("audit.json", b'[{"x": 1}]').run()
    assert "audit.json is no list of faults of gold." in page_of(test)


def test_the_store_tells_its_size_and_compacts(open_page: OpenPage, own_store: Path) -> None:
    test = open_page("data", own_store, **part("store"))
    assert str(own_store) in page_of(test)
    named(test.button, "Compact").click().run()
    page = page_of(test)
    assert "The file went from" in page or "There was nothing to drop" in page


def test_a_stale_address_falls_back(open_page: OpenPage, sample_store: Path) -> None:
    stale = {"page.part": "no such part", "page.file": "feed", "page.kinds": "nonsense", "page.weight": "x"}
    test = open_page("data", sample_store, **stale)
    page_of(test)
    assert test.file_uploader
    page_of(open_page("data", sample_store, **(stale | part("problems"))))


def test_a_language_model_extracts_and_its_failures_are_listed_and_asked_again(
    open_page: OpenPage, monkeypatch: pytest.MonkeyPatch
) -> None:
    for role in ("", "EXTRACTOR_", "ANSWER_", "JUDGE_"):
        monkeypatch.delenv(f"CUEMEM_{role}MODEL", raising=False)
    test = open_page("data", None)
    named(test.file_uploader, "Upload files").upload("cats.jsonl", EXAMPLE.encode(), "application/jsonl").run()
    until(test, "Soundness")
    named(test.button, "Build memories of it").click().run()
    named(test.radio, "Where the cues come from").set_value("llm").run()
    assert "No language model is named for extraction" in page_of(test)
    assert named(test.button, "Build 1 memory").disabled

    broken = True

    def reply(request: Request) -> str:
        if broken and "says the vet" in request.prompt:
            return "no JSON at all"
        return json.dumps({"facts": [{"subject": "Ann", "relation": "says", "object": HOSTILE}]})

    with OpenAIServer(reply) as server:
        monkeypatch.setenv("CUEMEM_MODEL", "openai/some-model")
        monkeypatch.setenv("CUEMEM_API_BASE", server.base)
        test.run()
        assert "3 calls for 3 turns" in page_of(test)
        assert "price not known" in page_of(test)
        named(test.button, "Build 1 memory").click().run()
        page = until(test, "cues from 3 turns")
        assert "2 cues from 3 turns" in page
        assert len(server.log) == 4  # once more for what was no JSON
        assert "1 failure of the model" in "".join(it.label for it in test.expander)
        broken = False
        named(test.button, "Ask about them again").click().run()
        until(test, "3 cues from 3 turns")
        assert len(server.log) == 5
        assert "Every turn is done already" in page_of(test)
