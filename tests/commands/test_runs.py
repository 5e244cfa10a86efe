"""evaluate, compare, runs and batch, against the tests' own server."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from tests.commands.conftest import DATA, Cli
from tests.datasets.samples import locomo, says
from tests.openai_server import OpenAIServer, Request

KEY = "planted-KEY-0123456789abcdef"


def flat(text: str) -> str:
    """What a terminal of any width would say."""
    return " ".join(text.split())


def reply(request: Request) -> str:
    """Right or wrong by the size of the prompt, so that methods differ; the same to the same request."""
    if "judgment" in request.prompt:
        right = "correct" if "yes" in request.texts[-1] else "incorrect"
        return f'{{"judgment": "{right}", "reason": "Because."}}'
    return "yes, here" if len(request.prompt) % 5 else "no, there"


@pytest.fixture(scope="module")
def running() -> Iterator[OpenAIServer]:
    with OpenAIServer(reply) as server:
        yield server


@pytest.fixture
def server(running: OpenAIServer, monkeypatch: pytest.MonkeyPatch) -> OpenAIServer:
    running.fresh()
    monkeypatch.setenv("CUEMEM_MODEL", "openai/test")
    monkeypatch.setenv("CUEMEM_API_BASE", running.base)
    monkeypatch.setenv("CUEMEM_API_KEY", KEY)
    return running


def test_a_benchmark_is_run_shown_compared_exported_and_imported(
    server: OpenAIServer, cli: Cli, empty: Cli, tmp_path: Path
) -> None:
    words = ["evaluate", "lakeside", "--cues", "imported", "--limit", 6, "--method", "cuemem", "--method", "oracle"]
    assert "say --yes" in cli("--json", *words, code=1).document["error"]
    assert server.log == []
    assert "12 answers and at most 12 verdicts" in cli(*words, "--estimate").out.replace("\n", " ")
    document = cli("--json", *words, "--yes").document
    one = document["runs"][0]
    assert [it["state"] for it in document["runs"]] == ["done", "done"]
    answers = sum("judgment" not in request.prompt for request in server.log)
    assert answers == 12
    asked = len(server.log)

    shown = cli(*words, "--yes").out
    assert len(server.log) == asked
    for word in ("CueMem", "Oracle evidence", "accuracy %", "What a question costs (Table 3)", "81.1", "not known"):
        assert word in shown
    assert max(map(len, shown.splitlines())) <= 80

    compared = cli("compare", one["run_id"], "oracle", "--show", "fixed").out
    assert "The answer prompts" not in compared
    assert "Method: CueMem → Oracle evidence." in compared
    assert max(map(len, compared.splitlines())) <= 80
    flips = cli("--json", "compare", one["run_id"], "oracle").document
    kinds = [row["became"] for row in flips["questions"]]
    assert sum(kinds.count(kind) for kind in ("fixed", "broken", "both right", "both wrong")) == len(kinds) == 6

    group = one["card"]["groups"][0]
    for ending in ("jsonl", "csv", "parquet", "md", "tex"):
        cli("runs", "export", group, tmp_path / f"out.{ending}")
    with (tmp_path / "out.csv").open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert len(rows) == 12
    assert {row["verdict"] for row in rows} <= {"correct", "incorrect"}
    assert json.loads((tmp_path / "out.csv.card.json").read_text())[one["run_id"]]["method"] == "cuemem"
    for file_ in tmp_path.glob("out.*"):
        assert KEY.encode() not in file_.read_bytes()

    assert "2 runs" in empty("runs", "import", tmp_path / "out.jsonl").out
    assert "here already" in empty("runs", "import", tmp_path / "out.jsonl").out
    there = empty("--json", "runs", "show", group).document["runs"]
    for before, after in zip(document["runs"], there, strict=True):
        assert after["summary"] == before["summary"]
    assert "Removed" in empty("runs", "remove", group, "--yes").out
    assert empty("--json", "runs", "list").document["runs"] == []


def test_presets_settings_and_caps(server: OpenAIServer, cli: Cli) -> None:
    document = cli("--json", "evaluate", "--cues", "imported", "--preset", "ablations", "--model", "none").document
    assert [run["card"]["graph"] for run in document["runs"]] == ["on", "off", "off at equal tokens"]
    words = ("evaluate", "lakeside", "--cues", "imported", "--limit", 8, "--settings", "w=1,m=5", "--no-priority")
    capped = cli("--json", *words, "--preset", "comparison", "--judge", "none", "--yes", "--max-calls", 3).document
    assert "cap of 3 calls" in capped["stopped"]
    assert len(server.log) == 3
    assert [run["state"] for run in capped["runs"]] == ["5 answers to come", "8 answers to come"]
    assert capped["runs"][0]["label"] == "Full history, no priority instruction"
    assert capped["runs"][1]["card"]["conversations"][0]["settings"]["window"] == 1
    group = capped["runs"][0]["card"]["groups"][0]
    assert cli("--json", "evaluate", "--resume", group, "--yes").document["stopped"] is None
    assert len(server.log) == 16
    for wrong, said in {
        ("--method", "magic"): "is not one of",
        ("--method", "oracle:m=3"): "has no setting 'm'",
        ("--settings", "q=3"): "None of the methods",
        ("--settings", "w"): "is not a setting",
        ("--method", "cuemem:w=99"): "outside its range",
        ("--resume", group, "--method", "oracle"): "knows its questions",
        ("--dataset", "nothing"): "No conversation of dataset",
    }.items():
        ran = cli("evaluate", "--cues", "imported", *wrong, code=1 if "nothing" in wrong else 2)
        assert said in flat(ran.err), wrong


def test_a_chat_model_that_reranks_is_told_capped_or_refused(server: OpenAIServer, cli: Cli) -> None:
    server.respond = lambda request: '{"relevance": 5}' if "relevance" in request.prompt else reply(request)
    cli("build", "lakeside", "--method", "qgmem", "--units", DATA / "units")
    words = ("evaluate", "lakeside", "--method", "qgmem:reranker=chat,n=4", "--limit", 2)
    assert "at most 8 marks by the reranker, 2 answers and at most 2 verdicts" in flat(cli(*words, "--estimate").out)
    refused = flat(cli(*words, "--model", "none", code=2).err)
    assert "is of retrieval alone, so none is asked" in refused
    assert "(--model NAME, without --batch)" in refused
    assert "waits for batch files, so none is asked" in flat(cli(*words, "--batch", code=2).err)
    assert server.log == []
    capped = cli("--json", *words, "--yes", "--max-calls", 3).document
    assert "cap of 3 calls" in capped["stopped"]
    assert len(server.log) == 3
    assert cli("--json", *words, "--yes").document["runs"][0]["state"] == "done"
    assert len(server.log) <= 12


def batch(requests: Path, server: OpenAIServer) -> list[dict[str, Any]]:
    """What a batch service makes of a file of requests."""
    lines = []
    for line in requests.read_text(encoding="utf-8").splitlines():
        said = json.loads(line)
        assert (said["method"], said["url"]) == ("POST", "/v1/chat/completions")
        assert said["body"]["model"] == "test"
        text = reply(Request(said["url"], {}, said["body"], 0.0))
        choice = {"index": 0, "message": {"role": "assistant", "content": text}, "finish_reason": "stop"}
        body = {"choices": [choice], "usage": {"prompt_tokens": 100, "completion_tokens": 7}}
        response = {"status_code": 200, "request_id": "r", "body": body}
        lines.append({"id": "b", "custom_id": said["custom_id"], "response": response, "error": None})
    return lines


def test_a_run_whose_replies_come_from_batch_files(server: OpenAIServer, cli: Cli, tmp_path: Path) -> None:
    words = ("evaluate", "lakeside", "--cues", "imported", "--limit", 6, "--batch")
    (run,) = cli("--json", *words).document["runs"]
    assert run["state"] == "waiting for 6 replies"
    assert "6 answers" in cli("batch", "export", run["run_id"], tmp_path / "v.jsonl", "--part", "judging", code=1).err
    out, back = tmp_path / "answers.jsonl", tmp_path / "back.jsonl"
    assert cli("--json", "batch", "export", run["run_id"], out, "--part", "answers").document["lines"] == 6
    lines = batch(out, server)[::-1]
    lines[1] |= {"response": None, "error": {"code": "batch_expired", "message": "Too late."}}
    stranger = lines[0] | {"custom_id": "x" * 64}
    back.write_text("\n".join([*map(json.dumps, [*lines[:5], stranger]), "{broken"]), encoding="utf-8")
    (arrived,) = cli("--json", "batch", "import", back).document["files"]
    counts = {key: arrived["arrived"][key] for key in ("replies", "known", "failed", "unknown", "missing")}
    assert counts == {"replies": 4, "known": 0, "failed": 1, "unknown": 1, "missing": 1}
    kinds = sorted(problem["kind"] for problem in arrived["arrived"]["problems"])
    assert kinds == ["batch line failed", "batch line unknown", "batch line unreadable"]
    assert arrived["arrived"]["resumed"] == [run["run_id"]]
    (now,) = cli("--json", "runs", "show", run["run_id"]).document["runs"]
    assert now["state"] == "waiting for 1 reply"

    cli("evaluate", "--resume", run["run_id"], "--retry-failed")
    again = tmp_path / "again.jsonl"
    assert cli("--json", "batch", "export", run["run_id"], again).document["lines"] == 2
    back.write_text("\n".join(map(json.dumps, batch(again, server))), encoding="utf-8")
    assert "2 replies taken in" in flat(cli("batch", "import", back).out)
    assert cli("--json", "batch", "export", run["run_id"], out, "--part", "judging").document["lines"] <= 6
    lines = batch(out, server)
    lost = lines[0] | {"response": None, "error": {"code": "batch_expired", "message": "Too late."}}
    back.write_text("\n".join(map(json.dumps, [lost, *lines[1:]])), encoding="utf-8")
    cli("batch", "import", back)
    cli("evaluate", "--resume", run["run_id"], "--retry-failed")
    assert cli("--json", "batch", "export", run["run_id"], out, "--part", "judging").document["lines"] == 1
    back.write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    assert "1 reply taken in" in flat(cli("batch", "import", back).out)
    (done,) = cli("--json", "runs", "show", run["run_id"]).document["runs"]
    assert done["state"] == "done"
    assert server.log == []
    live = cli("--json", "evaluate", "lakeside", "--cues", "imported", "--limit", 6, "--yes").document["runs"][0]
    assert live["run_id"] == run["run_id"]
    assert server.log == []
    back.write_text(json.dumps(stranger), encoding="utf-8")
    assert "answers nothing that went out" in cli("batch", "import", back, code=1).err


def test_an_extraction_whose_replies_come_from_a_batch_file(server: OpenAIServer, empty: Cli, tmp_path: Path) -> None:
    talk = tmp_path / "talk.json"
    talk.write_text(
        json.dumps([locomo([says(f"D1:{n}", f"I have {n} cats.") for n in range(1, 5)], sample_id="one")])
    )
    empty("load", talk)
    out = tmp_path / "cues.jsonl"
    assert empty("--json", "batch", "export", "one", out, "--part", "extraction").document["lines"] == 4
    waits = empty("build", "one", "--cues", "llm", "--batch", code=1).out
    assert "still to come from a batch file" in flat(waits)
    fact = json.dumps({"facts": [{"subject": "Ann", "relation": "has", "object": "cats"}]})
    lines = batch(out, server)
    for line in lines:
        line["response"]["body"]["choices"][0]["message"]["content"] = fact
    lines[0]["response"] |= {"status_code": 500, "body": {"error": {"message": "Oops."}}}
    out.write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    assert "3 replies taken in, 0 known already, 1 failed" in flat(empty("batch", "import", out).out)
    document = empty("--json", "build", "one", "--cues", "llm", "--batch").document
    assert document["built"][0]["memory"]["cue_count"] == 3
    assert [it["turn_id"] for it in document["failed_turns"]] == ["D1:1"]
    assert server.log == []
