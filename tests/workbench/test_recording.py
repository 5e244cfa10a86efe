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
from cuemem.errors import BadInput
from cuemem.methods import QGMem
from cuemem.prompts import Prompts
from cuemem.workbench import Workbench, recording, samples
from cuemem.workbench.answering import answerer, contestant
from cuemem.workbench.materials import material_of
from cuemem.workbench.models import ModelSettings
from cuemem.workbench.unit_material import key_of
from tests.fakes import HashEmbedder
from tests.openai_server import OpenAIServer, Request
from tests.unit_model import reply as unit_reply

LARGE = QGMem(unit_source="llm", window_turns=20, overlap_turns=0)
BROKEN = "NEW_IN_THIS_WINDOW [D2:1]"  # a line of the window that the model fails at


def reply(request: Request) -> str:
    """Answers, verdicts, and QGMem's units but for one window."""
    if request.mode == "text":
        return "Lakeside Town"
    if "judgment" in request.prompt:
        return '{"judgment": "incorrect", "reason": "It is not."}'
    return "no JSON" if BROKEN in request.prompt else unit_reply(request)


def asked_for(server: OpenAIServer) -> set[str]:
    """The prompts of what succeeded."""
    return {request.prompt for request in server.log if BROKEN not in request.prompt}


def shortened(folder: Path) -> Path:
    """Two sessions of the bundled conversation with six of its questions: all of it is read by the model."""
    (sample,) = json.loads((samples.DATA / "locomo_sample.json").read_text(encoding="utf-8"))
    sample["qa"] = sample["qa"][:6]
    talk = sample["conversation"]
    kept = ("speaker_a", "speaker_b", *(f"session_{at}{end}" for at in (1, 2) for end in ("", "_date_time")))
    sample["conversation"] = {name: talk[name] for name in kept}
    file = folder / "locomo_sample.json"
    file.write_text(json.dumps([sample]), encoding="utf-8")
    return file


@pytest.fixture
def workbench(tmp_path: Path) -> Iterator[Workbench]:
    bench = Workbench(Store.open(tmp_path / "a.duckdb"), cast("Any", HashEmbedder()), FixedTokenizer())
    yield bench
    bench.store.close()


def test_what_is_recorded_is_replayed_and_marked(
    workbench: Workbench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(recording, "QUESTIONS", {"lakeside": (0, 5)})
    monkeypatch.setattr(samples, "_WITH_CUES", shortened(tmp_path))
    monkeypatch.setattr(samples, "_OTHERS", ())
    monkeypatch.setattr(samples, "REPLIES", tmp_path / "none.jsonl")
    monkeypatch.setattr(samples, "BY_MODEL", LARGE)
    monkeypatch.setattr(recording, "BY_MODEL", LARGE)
    file = tmp_path / "replies.jsonl"
    with OpenAIServer(reply) as server:
        settings = ModelSettings("openai/some-model", server.base)
        made = recording.record(workbench, settings, Prompts(), file)
        asked, prompts = len(server.log), asked_for(server)
        assert recording.record(workbench, settings, Prompts(), file) == made
        again = server.log[asked:]
        assert again  # what failed is asked again
        assert all(BROKEN in request.prompt for request in again)  # and nothing else is
    assert made.failed == made.unparsed == 0
    assert made.answers == made.verdicts
    assert made.units_failed == 1
    rows = [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]
    assert len({row["request_key"] for row in rows}) == len(rows) == len(prompts) + 1
    (lost,) = (row["failure"] for row in rows if "failure" in row)
    assert lost["kind"] == "not JSON"
    assert {row["model"] for row in rows} == {"openai/some-model"}

    monkeypatch.setattr(samples, "REPLIES", file)
    store = Store.open(tmp_path / "b.duckdb")
    other = Workbench(store, cast("Any", HashEmbedder()), FixedTokenizer())
    plans = samples.load_samples(other)
    plan, by_model = plans[0], plans[-1]
    other.build(plan.conversation_id, plan.method, plan.files)
    assert by_model.model is not None
    memory = other.build(by_model.conversation_id, by_model.method, llm=by_model.model)
    assert memory.cue_count == made.units
    material = material_of(by_model.method)
    assert material is not None
    conversation = store.conversation(plan.conversation_id)
    ((_, why),) = material.failures(store, conversation, by_model.method)
    assert why.endswith(lost["sentence"])
    suited, budget = plan.method.suited_to(store.conversation(plan.conversation_id))
    question = store.questions(plan.conversation_id)[0]
    found = contestant(other, plan.conversation_id, suited, budget, question.query)
    unreachable = ModelSettings("openai/some-model", "http://127.0.0.1:9/v1")
    answer = answerer(store, unreachable, Prompts(), other.tokens).answer(
        question.query, found.context, found.turns, plan.conversation_id
    )
    assert (answer.text, answer.recorded, answer.failure) == ("Lakeside Town", True, None)
    assert store.spent().requests == 0  # nobody here has paid for it
    assert samples.load_samples(other)[-1].method == LARGE  # the second time, too
    with OpenAIServer(reply) as server:  # who records again asks again
        assert recording.record(other, replace(settings, api_base=server.base), Prompts(), file) == made
        assert asked_for(server) == prompts
    store.replace_unit_set(key_of(conversation, LARGE), {"source": "llm", "model": "another"}, [])
    assert LARGE not in [plan.method for plan in samples.load_samples(other)]  # nobody's units are thrown away
    with pytest.raises(BadInput, match="by another"):
        recording.record(other, unreachable, Prompts(), file)
    held = [it.provenance["model"] for it in store.unit_sets(plan.conversation_id) if it.source == "llm"]
    assert held == ["another"]
    store.close()
