"""Memories, arrays, runs and results."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

import numpy as np
import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from cuemem.adapters.store import MemoryRecord, ResultRecord, Store
from cuemem.errors import BadInput, UnknownName
from cuemem.ports import ArrayCache
from tests.adapters.store_samples import load, sample

key = sample().conversation.conversation_id
memory = MemoryRecord(
    memory_id="m1",
    conversation_id=key,
    method="cuemem",
    settings={"turn_unit": "auto", "cues": "llm"},
    embedding_model="all-MiniLM-L6-v2",
    turn_unit="utterance",
    cue_source="llm",
    turn_count=6,
    cue_count=8,
    array_key="k1",
    built_at=datetime(2026, 1, 2, 3, 4, 5, 6, UTC),
)


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store.open(tmp_path / "store.duckdb") as opened:
        load(opened, [sample(), sample(position=1, sample_id="conv-30")])
        yield opened


def test_memories(store: Store) -> None:
    later = replace(memory, memory_id="m0", cue_source=None, array_key=None, built_at=memory.built_at + timedelta(1))
    other = replace(memory, memory_id="m2", conversation_id=f"{key[:16]}/1", built_at=memory.built_at - timedelta(1))
    for record in (later, memory, other):
        store.save_memory(record)
    assert store.memories(key) == (memory, later)
    assert store.memories() == (other, memory, later)
    assert [summary.memories for summary in store.conversations()] == [2, 1]
    store.save_memory(replace(memory, cue_count=9))
    assert store.memories(key) == (replace(memory, cue_count=9), later)
    store.remove_memory("m0")
    store.remove_memory("m0")
    assert [it.memory_id for it in store.memories()] == ["m2", "m1"]
    store.remove(key)
    assert store.memories() == (other,)
    with pytest.raises(UnknownName):
        store.save_memory(memory)


def test_times_are_kept_in_utc(store: Store) -> None:
    tokyo = timezone(timedelta(hours=9))
    store.save_memory(replace(memory, built_at=datetime(2026, 1, 1, 8, tzinfo=tokyo)))
    (kept,) = store.memories()
    assert kept.built_at.isoformat() == "2025-12-31T23:00:00+00:00"


def test_arrays_go_with_the_last_memory_that_names_them(store: Store) -> None:
    for name in ("k1", "k2"):
        store.arrays.put(name, {"x": np.arange(3)})
    store.save_memory(memory)
    store.save_memory(replace(memory, memory_id="m2", conversation_id=f"{key[:16]}/1"))
    store.remove_memory("m2")
    assert store.arrays.get("k1") is not None
    store.remove(key)
    assert store.arrays.get("k1") is None
    assert store.arrays.get("k2") is not None  # not yet named: a build may be under way
    assert store.compact().arrays == 1
    assert store.arrays.get("k2") is None


kinds = st.sampled_from(["<f4", "<f8", "<i8", "<i4", "|b1", "|u1", "<U5", ">f4", "<M8[us]"]).map(np.dtype)


@settings(max_examples=60, deadline=None, suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(kinds.flatmap(lambda kind: arrays.arrays(kind, arrays.array_shapes(min_dims=0, max_dims=3, min_side=0))))
def test_arrays_come_back_to_the_bit(store: Store, array: np.ndarray) -> None:
    cache: ArrayCache = store.arrays
    cache.put("key", {"it": array, "turned": array.T})
    back = cache.get("key")
    assert back is not None
    for name, sent in (("it", array), ("turned", array.T)):
        got = back[name]
        assert (got.dtype, got.shape, got.tobytes()) == (sent.dtype, sent.shape, sent.tobytes())
        assert not got.flags.writeable


def test_arrays_are_replaced_as_a_whole(store: Store) -> None:
    cache = store.arrays
    assert cache.get("k") is None
    cache.put("k", {"a": np.arange(3), "b": np.arange(2)})
    cache.put("k", {"a": np.arange(4)})
    back = cache.get("k")
    assert back is not None
    assert {name: array.tolist() for name, array in back.items()} == {"a": [0, 1, 2, 3]}
    with pytest.raises(BadInput, match="Python objects"):
        cache.put("k", {"a": np.array([object()])})
    assert cache.get("k") is not None


def test_runs_and_results(store: Store) -> None:
    store.save_run("r1", "recall", {"method": "cuemem", "seed": 1})
    store.save_run("r2", "answers", {})
    one = ResultRecord(key, 1, {"recall": 0.5, "turns": ["D1:0"], "näme": None})
    store.add_results("r1", [one, replace(one, question_index=0)])
    store.add_results("r1", [replace(one, values={"recall": 1.0}), replace(one, question_index=10)])
    store.add_results("r1", [])
    results = store.results("r1")
    assert [(r.question_index, r.values.get("recall")) for r in results] == [(0, 0.5), (1, 1.0), (10, 0.5)]
    assert results[0].values == one.values
    store.save_run("r1", "recall", {"method": "cuemem", "seed": 1, "done": True})
    first, second = store.runs()
    assert (first.run_id, first.kind, first.card["done"], first.results) == ("r1", "recall", True, 3)
    assert (second.run_id, second.results) == ("r2", 0)
    assert store.results("r2") == ()
    for use in (store.results, lambda run: store.add_results(run, [one])):
        with pytest.raises(UnknownName, match="no run 'r3'"):
            use("r3")
    store.remove_run("r1")
    assert [run.run_id for run in store.runs()] == ["r2"]
    assert store.info().rows["results"] == 0
