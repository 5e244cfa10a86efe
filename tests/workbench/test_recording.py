"""Replies are recorded of a model over the bundled conversations and replayed elsewhere, marked, without a model."""

from __future__ import annotations

import json
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import pytest

from cuemem.adapters.store import Store
from cuemem.adapters.tokens import FixedTokenizer
from cuemem.prompts import Prompts
from cuemem.workbench import Workbench, recording, samples
from cuemem.workbench.answering import answerer, contestant
from cuemem.workbench.models import ModelSettings
from tests.fakes import HashEmbedder
from tests.openai_server import OpenAIServer, Request


def reply(request: Request) -> str:
    return "Lakeside Town" if request.mode == "text" else '{"judgment": "incorrect", "reason": "It is not."}'


@pytest.fixture
def workbench(tmp_path: Path) -> Iterator[Workbench]:
    bench = Workbench(Store.open(tmp_path / "a.duckdb"), cast("Any", HashEmbedder()), FixedTokenizer())
    yield bench
    bench.store.close()


def test_what_is_recorded_is_replayed_and_marked(
    workbench: Workbench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(recording, "QUESTIONS", {"lakeside": (0, 51)})
    monkeypatch.setattr(samples, "_OTHERS", ())
    monkeypatch.setattr(samples, "REPLIES", tmp_path / "none.jsonl")
    file = tmp_path / "replies.jsonl"
    with OpenAIServer(reply) as server:
        settings = ModelSettings("openai/some-model", server.base)
        made = recording.record(workbench, settings, Prompts(), file)
        asked = len(server.log)
        assert recording.record(workbench, settings, Prompts(), file) == made
        assert len(server.log) == asked  # nothing is asked twice
    assert made.failed == made.unparsed == 0
    assert made.answers == made.verdicts
    rows = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    assert len(rows) == asked
    assert {row["model"] for row in rows} == {"openai/some-model"}

    monkeypatch.setattr(samples, "REPLIES", file)
    store = Store.open(tmp_path / "b.duckdb")
    other = Workbench(store, cast("Any", HashEmbedder()), FixedTokenizer())
    plan = samples.load_samples(other)[0]
    other.build(plan.conversation_id, plan.method, plan.files)
    suited, budget = plan.method.suited_to(store.conversation(plan.conversation_id))
    question = store.questions(plan.conversation_id)[0]
    found = contestant(other, plan.conversation_id, suited, budget, question.query)
    unreachable = ModelSettings("openai/some-model", "http://127.0.0.1:9/v1")
    answer = answerer(store, unreachable, Prompts(), other.tokens).answer(
        question.query, found.context, found.turns, plan.conversation_id
    )
    assert (answer.text, answer.recorded, answer.failure) == ("Lakeside Town", True, None)
    assert store.spent().requests == 0  # nobody here has paid for it
    with OpenAIServer(reply) as server:  # who records again asks again
        assert recording.record(other, replace(settings, api_base=server.base), Prompts(), file) == made
        assert len(server.log) == asked
    store.close()
