"""The memory units that come with the sample: whole, each bound to what was said, and every question parsed."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from cuemem.adapters.store import Store
from cuemem.adapters.tokens import FixedTokenizer
from cuemem.types import Problem
from cuemem.workbench import Workbench
from cuemem.workbench.materials import material_of
from cuemem.workbench.samples import BY_MODEL, UNITS, load_samples
from tests.fakes import HashEmbedder


@pytest.fixture
def bench(tmp_path: Path) -> Any:
    with Store.open(tmp_path / "store.duckdb") as store:
        yield Workbench(store, HashEmbedder(), FixedTokenizer())  # type: ignore[arg-type]


def test_the_files_fit_the_conversation(bench: Any) -> None:
    plan = load_samples(bench)[1]
    problems: list[Problem] = []
    record = bench.build(plan.conversation_id, plan.method, plan.files, report=problems.extend)
    assert problems == []
    memory = bench.memory(plan.conversation_id, plan.method)
    assert record.cue_count == len(memory.units) > len(memory.turns)
    assert all(unit.triple.subject and unit.triple.object and unit.entities for unit in memory.units)
    # What is not covered by a unit says nothing by itself: a question, a cheer, or a joke.
    held = {turn for spans in memory.index.spans for turn in spans}
    bare = [turn for turn in memory.turns if turn.index not in held]
    assert len(bare) < 30
    assert all(len(turn.text) < 100 for turn in bare)
    questions = bench.store.questions(plan.conversation_id)
    parsed = bench.store.parses(plan.conversation_id, "imported")
    assert {it.query for it in parsed.values()} == {it.query for it in questions}


def test_the_recording_of_a_model_s_units_is_whole(bench: Any) -> None:
    """Every window, every index and every question of it is replayed; what a trace is depends on the vectors."""
    plan = load_samples(bench)[-1]
    assert plan.method == BY_MODEL
    record = bench.build(plan.conversation_id, plan.method, llm=plan.model)
    conversation = bench.store.conversation(plan.conversation_id)
    material = material_of(plan.method)
    assert material is not None
    lost = material.failures(bench.store, conversation, plan.method)
    absent = [where for where, why in lost if why.startswith("not recorded")]
    assert [where for where in absent if not where.startswith("trajectory")] == []
    assert record.cue_count > 50
    parsed = bench.store.parses(plan.conversation_id, "llm").values()
    assert len(parsed) == len(bench.store.questions(plan.conversation_id))
    assert bench.store.spent().requests == 0  # nobody here has asked


def test_traces_go_from_the_oldest_state_to_the_newest() -> None:
    lines = (UNITS / "lakeside.units.jsonl").read_text(encoding="utf-8").splitlines()
    order = [json.loads(line)["unit_id"] for line in lines]
    traces = [json.loads(it) for it in (UNITS / "lakeside.traces.jsonl").read_text(encoding="utf-8").splitlines()]
    for trace in traces:
        assert [order.index(member) for member in trace["members"]] == sorted(map(order.index, trace["members"]))
    told = [member for trace in traces for member in trace["members"]]
    assert len(told) == len(set(told))
