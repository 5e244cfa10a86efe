"""The Answers page, run whole: without a model, with one, with one that fails; its counts are the server's."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from cuemem.ui import cache
from tests import openai_server as openai
from tests.openai_server import OpenAIServer, Request
from tests.pages.conftest import OpenPage, shown

LAKESIDE = {"conversation": "lakeside", "cues": "imported", "question": "0"}
HOSTILE = "Lakeside Town <script>alert(1)</script> **bold** [x](javascript:1)"
TEXT = "Lakeside Town &lt;script&gt;alert(1)&lt;/script&gt; **bold** [x](javascript:1)"


def reply(request: Request) -> str:
    if request.mode == "json_schema":
        right = "Kestrel" not in request.prompt
        return f'{{"judgment": "{"correct" if right else "incorrect"}", "reason": "By the gold <b>answer</b>."}}'
    return "Kestrel Bay" if len(request.prompt) > 20_000 else HOSTILE


@pytest.fixture(scope="module")
def running() -> Iterator[OpenAIServer]:
    with OpenAIServer(reply) as server:
        yield server


@pytest.fixture
def server(running: OpenAIServer, monkeypatch: pytest.MonkeyPatch) -> OpenAIServer:
    """A server that the environment names for every role."""
    running.fresh()
    monkeypatch.setenv("CUEMEM_MODEL", "openai/test")
    monkeypatch.setenv("CUEMEM_API_BASE", running.base)
    monkeypatch.setenv("CUEMEM_WINDOW", "100000")
    return running


def pressed(test: AppTest, key: str) -> AppTest:
    """The page once what the button asks for has come."""
    test.button(key=key).click().run()
    assert cache.asking().wait(30)
    test.run()
    assert not test.exception
    return test


def params(test: AppTest) -> dict[str, Any]:
    return {name.removeprefix("page."): value for name, value in test.query_params.items() if "page." in name}


def test_without_a_model_it_says_what_there_is_and_how_to_get_one(open_page: OpenPage, sample_store: Path) -> None:
    test = open_page("answers", sample_store, **LAKESIDE)
    assert not test.exception
    page = shown(test)
    assert "No language model is set" in page
    assert "the local one is brought" in page
    assert "21% of the longest" in page
    assert "2 of 2 gold turns" in page
    assert page.count('<span class="cma-recorded">recorded</span> by local/qwen2.5-coder-1.5b') == 4
    assert page.count("recorded 20") == 4  # and so were the verdicts
    assert "Nobody has asked this yet" not in page
    assert "answers.ask" not in {it.key for it in test.button}
    assert "Models" in {it.proto.label for it in test.get("page_link")}
    test = open_page("answers", sample_store, **LAKESIDE | {"question": "1"})
    assert shown(test).count("Nobody has asked this yet") == 4


def test_a_conversation_without_a_memory_still_compares_the_others(open_page: OpenPage, sample_store: Path) -> None:
    test = open_page("answers", sample_store, conversation="sample_temporal", **{"page.cards": "cuemem,full_history"})
    assert not test.exception
    page = shown(test)
    assert "has no CueMem memory yet" in page
    assert page.count("Nobody has asked this yet") == 1
    assert test.selectbox(key="answers.judge").value == "longmemeval"


def test_an_empty_store_says_the_next_step(open_page: OpenPage) -> None:
    test = open_page("answers", None)
    assert not test.exception
    assert "There is no conversation in the store yet" in shown(test)


def test_asked_answers_are_text_with_verdict_and_counts_as_the_servers(
    open_page: OpenPage, own_store: Path, server: OpenAIServer
) -> None:
    test = open_page("answers", own_store, **LAKESIDE)
    assert "4 answers from 7,523 tokens of context by openai/test" in shown(test)
    assert server.log == []  # nothing asks a model by itself
    page = shown(pressed(test, "answers.ask"))
    assert page.count(TEXT) == 3
    assert "<script>" not in page
    assert page.count("By the gold &lt;b&gt;answer&lt;/b&gt;.") == 4
    assert (page.count(">correct<"), page.count(">incorrect<")) == (3, 1)
    for figure in ("Tokens in", "Reconstruction", "Inference", "LoCoMo token F1", "set-token F1", "not known"):
        assert page.count(figure) >= 4
    # Three answers are the same, so one verdict serves them: four answers and two verdicts.
    assert f"Asked from this tab: {len(server.log)} requests to models, 2 replied from the store, 0 failed" in page
    assert f"About this conversation in all: {len(server.log)} requests" in page
    assert len(server.log) == 6
    assert "nothing is left to ask" in page
    test.segmented_control(key="answers.human.cuemem").set_value("Wrong").run()
    assert test.segmented_control(key="answers.human.oracle").value == "Wrong"  # it answered in the same words
    assert test.segmented_control(key="answers.human.full_history").value is None
    assert shown(test).count(">correct<") == 3  # beside the machine's verdict, not in its place
    again = open_page("answers", own_store, **LAKESIDE)
    assert shown(again).count(TEXT) == 3
    assert "shown from the cache" in shown(again)
    assert len(server.log) == 6


def test_the_ablations_and_the_address(open_page: OpenPage, own_store: Path, server: OpenAIServer) -> None:
    test = open_page("answers", own_store, **LAKESIDE, **{"page.cards": "cuemem"})
    pressed(test, "answers.ask")
    test.toggle(key="answers.graphless").set_value(True).run()
    assert "CueMem, anchors only" in shown(test)
    assert "w = 0 · k = 0 · m = 10" in shown(test)
    pressed(test, "answers.ask")
    assert len(server.log) == 3  # two answers alike and their verdict
    test.toggle(key="answers.priority").set_value(False).run()
    assert shown(test).count("Not asked yet") == 2
    test.selectbox(key="answers.judge").set_value("none").run()
    test.selectbox(key="answers.style").set_value("reasoned").run()
    assert params(test) == {
        "cards": "cuemem",
        "graphless": "on",
        "priority": "off",
        "judge": "none",
        "style": "reasoned",
    }
    pressed(test, "answers.ask")
    assert "Prioritize" not in server.log[-1].prompt
    assert len(server.log) == 5


def test_a_failure_is_a_sentence_that_a_retry_mends(
    open_page: OpenPage, own_store: Path, server: OpenAIServer
) -> None:
    server.respond = lambda _request: openai.BAD_KEY
    test = open_page("answers", own_store, **LAKESIDE, **{"page.cards": "oracle"})
    page = shown(pressed(test, "answers.ask"))
    assert "No answer: bad key: openai/test: the key is missing, wrong or not allowed this" in page
    assert "1 request to models, 0 replied from the store, 1 failed" in page
    server.respond = reply
    page = shown(pressed(test, "answers.retry.oracle"))
    assert TEXT in page
    assert "3 requests to models, 0 replied from the store, 1 failed" in page
    assert len(server.log) == 3


def test_full_history_that_exceeds_the_window_is_cut_and_says_so(
    open_page: OpenPage, own_store: Path, server: OpenAIServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("CUEMEM_WINDOW", "4096")
    asked = LAKESIDE | {"question": "1", "page.cards": "full_history", "page.judge": "none"}
    test = open_page("answers", own_store, **asked)
    assert "oldest turns left out, since the model&#x27;s window is shorter" in shown(test)
    page = shown(pressed(test, "answers.ask"))
    assert "oldest turns were left out: the whole exceeds the model&#x27;s window" in page


def test_a_question_of_ones_own_is_traced_and_not_judged(
    open_page: OpenPage, own_store: Path, server: OpenAIServer
) -> None:
    asked = {"page.ask": "own", "page.own": "What is <i>Biscuit</i>?"}
    test = open_page("answers", own_store, **LAKESIDE, **asked)
    page = shown(pressed(test, "answers.ask"))
    assert "Oracle" not in page
    assert page.count(">correct<") == page.count(">incorrect<") == 0
    assert len(server.log) == 3
    assert "What is <i>Biscuit</i>?" in server.log[0].prompt
    assert "Context" in [it.value for it in test.subheader]
    assert "anchor" in page
    test.text_input(key="answers.own").set_value("And Bramble?").run()
    assert params(test)["own"] == "And Bramble?"


def test_an_answer_that_cites_is_shown_with_its_lines_and_the_ways_to_them(
    open_page: OpenPage, own_store: Path, server: OpenAIServer
) -> None:
    def cite(request: Request) -> str:
        if "judgment" in request.prompt:
            return reply(request)
        path = "She likes calm <b>places</b> [D2:6]; the lake is quiet [D4:4]; so D99:1 says."
        return json.dumps({"reasoning_path": path, "answer": "Lakeside Town"})

    server.respond = cite
    test = open_page("answers", own_store, **LAKESIDE, **{"page.style": "cited", "page.cards": "cuemem"})
    page = shown(pressed(test, "answers.ask"))
    assert "[D2:6] Marta: The band would finish her." in server.log[0].prompt
    assert '<p class="cma-path" dir="auto">She likes calm &lt;b&gt;places&lt;/b&gt; [D2:6]' in page
    assert "<b>D4:4</b> Kofi: Nothing!" in page
    assert "<b>D99:1</b> unknown: the context has no such label" in page
    assert "It cites D99:1, which the context does not have." in page
    links = {it.proto.label: it.proto for it in test.get("page_link")}
    assert {"D2:6", "D4:4"} <= set(links)
    assert "D99:1" not in links
    assert params(test)["style"] == "cited"
