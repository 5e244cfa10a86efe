"""Replies from batch files are the user's own, and what failed in one can be asked again to the last prompt."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import pytest

from cuemem.adapters.store import Store
from cuemem.adapters.tokens import FixedTokenizer
from cuemem.errors import BadInput
from cuemem.prompts import Prompts
from cuemem.types import Question
from cuemem.workbench import Workbench
from cuemem.workbench.models import ModelSettings
from cuemem.workbench.runs import Contender, Plan, begin, go, listed, opened
from cuemem.workbench.runs.batches import Arrived, import_batch, run_batch
from cuemem.workbench.runs.estimate import estimate
from tests.adapters.store_samples import Loaded, load, sha
from tests.fakes import HashEmbedder, talk

NAME = "gpt-4o-mini"  # one whose price for batches is listed
KEY = f"{sha('file')[:16]}/0"


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[Workbench]:
    with Store.open(tmp_path / "store.duckdb") as store:
        questions = (
            Question(0, "Who said word 1?", "Ben", "single-hop", 4),
            Question(1, "What?", "it", "multi-hop", 1),
        )
        load(store, [Loaded(replace(talk(5, 3), conversation_id=KEY), questions)])
        yield Workbench(store, cast("Any", HashEmbedder()), FixedTokenizer())


@pytest.fixture
def run_id(bench: Workbench) -> str:
    plan = Plan([Contender("full_history")], [KEY], answering=ModelSettings(NAME), waits=True)
    (made,) = begin(bench, plan)
    go(bench, [made])
    return made


def replied(_body: dict[str, Any]) -> dict[str, Any]:
    message = {"role": "assistant", "content": "word"}
    usage = {"prompt_tokens": 1000, "completion_tokens": 10}
    return {"status_code": 200, "body": {"choices": [{"message": message, "finish_reason": "stop"}], "usage": usage}}


def failed(status: int) -> Callable[[dict[str, Any]], dict[str, Any]]:
    return lambda _body: {"status_code": status, "body": {"error": {"message": "It failed."}}}


def exchanged(bench: Workbench, run_id: str, service: Callable[[dict[str, Any]], dict[str, Any]]) -> Arrived:
    """What comes of the answers of a run by this batch service."""
    (file,) = run_batch(bench, run_id, "answers", Prompts()).files
    asked = [json.loads(line) for line in file.decode().splitlines()]
    lines = [{"custom_id": it["custom_id"], "response": service(it["body"]), "error": None} for it in asked]
    path = bench.store.path.with_name("back.jsonl")
    path.write_text("\n".join(map(json.dumps, lines)), encoding="utf-8")
    return import_batch(bench, path, Prompts())


def test_replies_of_a_batch_file_are_ones_own(bench: Workbench, run_id: str) -> None:
    assert exchanged(bench, run_id, replied).replies == 2
    rows = opened(bench.store, run_id).rows
    assert [(row.answer.text, row.answer.recorded) for row in rows if row.answer] == [("word", False)] * 2
    spent = bench.store.spent(NAME)
    assert (spent.calls, spent.requests, spent.tokens_in, spent.tokens_out, spent.unpriced) == (2, 2, 2000, 20, 0)
    assert spent.cost > 0
    other = Plan([Contender("full_history")], [KEY], answering=ModelSettings(NAME), style="reasoned")
    runs = [opened(bench.store, it) for it in begin(bench, other)]
    go(bench, [run.run_id for run in runs], ask=False)
    runs = [opened(bench.store, run.run_id) for run in runs]
    told = estimate(bench.store, runs, lambda _role, name: ModelSettings(name))
    assert (told.answers, told.seconds) == (2, None)  # how long a batch took says nothing of a call
    bench.store.forget_recorded(NAME)  # as before a recording
    assert bench.store.spent(NAME) == spent


def test_an_answer_whose_shortened_prompt_failed_is_asked_again(bench: Workbench, run_id: str) -> None:
    assert exchanged(bench, run_id, failed(413)).failed == 2  # too long: asked again with less
    assert exchanged(bench, run_id, failed(500)).failed == 2
    with pytest.raises(BadInput, match="has its reply already"):
        run_batch(bench, run_id, "answers", Prompts())
    go(bench, [run_id], retry_failed=True)
    assert bench.store.chat_failures() == ()
    assert exchanged(bench, run_id, failed(413)).failed == 2
    assert exchanged(bench, run_id, replied).replies == 2
    assert listed(bench.store)[0].state == "done"
    assert all(row.answer and row.answer.dropped for row in opened(bench.store, run_id).rows)
