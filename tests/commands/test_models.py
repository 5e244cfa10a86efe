"""build --cues llm, answer, prompts and extraction-quality, against the tests' own server."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path

import pytest

from cuemem.commands.model_options import money
from cuemem.prompts import PLACES, Prompts
from tests import openai_server as openai
from tests.commands.conftest import Cli
from tests.datasets.samples import locomo, says
from tests.openai_server import OpenAIServer, Request


def reply(request: Request) -> str:
    if "judgment" in request.prompt:
        return '{"judgment": "incorrect", "reason": "Another place."}'
    if "facts" in request.prompt:
        turn = request.texts[-1].rpartition("The turn:\n")[2].splitlines()[0]
        return json.dumps({"facts": [{"subject": "turn", "relation": "says", "object": turn}]})
    return "Kestrel Bay"


@pytest.fixture(scope="module")
def running() -> Iterator[OpenAIServer]:
    with OpenAIServer(reply) as server:
        yield server


@pytest.fixture
def server(running: OpenAIServer, monkeypatch: pytest.MonkeyPatch) -> OpenAIServer:
    running.fresh()
    monkeypatch.setenv("CUEMEM_MODEL", "openai/test")
    monkeypatch.setenv("CUEMEM_API_BASE", running.base)
    return running


@pytest.fixture
def small(empty: Cli, tmp_path: Path) -> Cli:
    talk = [says(f"D1:{n}", f"I have {n} cats.", speaker=("Ann", "Bo")[n % 2]) for n in range(1, 7)]
    file = tmp_path / "talk.json"
    file.write_text(json.dumps([locomo(talk, sample_id="one")]))
    empty("load", file)
    return empty


def test_a_build_by_a_model_tells_what_it_takes_and_what_failed(server: OpenAIServer, small: Cli) -> None:
    told = small("--json", "build", "one", "--cues", "llm", "--estimate").document["estimates"]["one"]
    assert (told["turns"], told["calls"], told["cost"]) == (6, 6, None)
    assert server.log == []
    shown = small("build", "one", "--cues", "llm", "--estimate").out
    assert "not known" in shown
    server.respond = lambda request: "no" if "3 cats" in request.prompt.rpartition("The turn:")[2] else reply(request)
    run = small("build", "one", "--cues", "llm")
    assert "openai/test: 6 calls for 6 turns" in run.err.replace("\n", " ")
    assert "1 memory built" in run.out
    assert "What the model failed at" in run.out.replace("\n", " ")
    assert "D1:3" in run.out
    assert len(server.log) == 7
    server.log.clear()
    server.respond = reply
    document = small("--json", "build", "one", "--model", "openai/test", "--retry-failed").document
    assert document["failed_turns"] == []
    assert document["built"][0]["memory"]["cue_count"] == 6
    assert len(server.log) == 1
    assert "every turn is done" in small("build", "one", "--cues", "llm").err.replace("\n", " ")


def test_a_build_by_a_model_that_cannot_be_had(
    server: OpenAIServer, small: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    server.respond = lambda _request: openai.BAD_KEY
    assert "the key is missing, wrong" in small("build", "one", "--cues", "llm", code=1).err.replace("\n", " ")
    monkeypatch.delenv("CUEMEM_MODEL")
    assert "--model NAME" in small("build", "one", "--cues", "llm", code=1).err.replace("\n", " ")
    assert "nothing to estimate" in small("build", "one", "--estimate", code=2).err


def test_the_comparison_is_printed(server: OpenAIServer, cli: Cli) -> None:
    words = [
        "answer",
        "lakeside",
        0,
        "--method",
        "cuemem",
        "--method",
        "full_history",
        "--oracle",
        "--cues",
        "imported",
    ]
    document = cli("--json", *words).document
    assert [row["method"] for row in document["rows"]] == ["CueMem", "Full history", "Oracle evidence"]
    assert len(server.log) == 4  # three answers; the judge is asked once, since they are the same
    for row in document["rows"]:
        assert row["verdict"]["outcome"] == "incorrect"
        assert row["tokens_in"] > 0
        assert row["cost"] is None
        assert row["answer"]["text"] == "Kestrel Bay"
    assert document["rows"][0]["reconstruction_seconds"] > 0
    assert document["differences"] == []
    shown = cli(*words).out
    for word in ("Full history", "incorrect", "Another place.", "Lakeside Town", "not known", "from the store"):
        assert word in shown
    assert len(server.log) == 4
    assert max(map(len, shown.splitlines())) <= 80


def test_options_of_an_answer(server: OpenAIServer, cli: Cli) -> None:
    cli("answer", "lakeside", 0, "--cues", "imported", "--judge", "none", "--no-priority", "--style", "reasoned")
    (request,) = server.log
    assert "Prioritize" not in request.prompt
    assert "think it through" in request.prompt
    own = cli("--json", "answer", "lakeside", "Who bakes rye bread?", "--method", "naive_rag").document
    assert own["rows"][0]["verdict"] is None
    assert own["question"]["text"] == "Who bakes rye bread?"
    assert "no gold turns" in cli("answer", "lakeside", "Who?", "--method", "naive_rag", "--oracle", code=1).err
    assert "is not one of" in cli("answer", "lakeside", 0, "--method", "magic", code=2).err
    assert "no question 99" in cli("answer", "lakeside", 99, "--method", "naive_rag", code=1).err
    server.log.clear()
    cli("answer", "lakeside", 1, "--method", "naive_rag", "--judge-model", "openai/other", "--judge", "generous")
    assert [request.body["model"] for request in server.log] == ["test", "other"]
    assert "Be generous" in server.log[1].prompt


def test_an_answer_that_fails_says_why(server: OpenAIServer, cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    server.respond = lambda _request: openai.NO_CREDIT
    run = cli("answer", "lakeside", 0, "--method", "naive_rag", code=1)
    assert "no credit" in run.out
    assert "no answer" in run.out
    monkeypatch.delenv("CUEMEM_MODEL")
    assert "No language model is named" in cli("answer", "lakeside", 0, "--method", "naive_rag", code=2).err


def test_prompts_are_printed_with_source_and_hash(empty: Cli, tmp_path: Path) -> None:
    shown = empty("prompts").out
    for prompt in Prompts().all():
        assert f"{prompt.name} · {prompt.version.hash}" in shown
    assert "Source: " in shown
    document = empty("--json", "prompts").document["prompts"]
    assert [it["name"] for it in document] == list(PLACES)
    alone = empty("prompts", "judge_strict").out
    (tmp_path / "judge_strict.txt").write_text(alone, encoding="utf-8")
    own = empty("--json", "prompts", "judge_strict", "--prompts", tmp_path).document["prompts"][0]
    assert own["own"] is True
    assert "your own" in empty("prompts", "--prompts", tmp_path).out
    assert "No prompt 'judge'" in empty("prompts", "judge", code=1).err
    assert "no folder" in empty("prompts", "--prompts", tmp_path / "nowhere", code=2).err


def test_extraction_quality_is_printed(server: OpenAIServer, empty: Cli) -> None:
    document = empty("--json", "extraction-quality", "--concurrency", 4).document
    assert (document["facts"], document["triples"], document["failed"]) == (130, 54, 0)
    assert 0 < document["recall"] < 1
    assert len(server.log) == 54
    shown = empty("extraction-quality").out
    assert "facts found" in shown
    assert "54 calls" in shown
    assert len(server.log) == 54


def test_prices_for_people() -> None:
    shown = {
        None: "not known",
        0.0: "$0.00",
        0.00001: "< $0.0001",
        0.0012: "$0.0012",
        0.02: "$0.02",
        12.346: "$12.35",
    }
    assert {cost: money(cost) for cost in shown} == shown
