"""The composition root over a real store: build once, open from the store, choose among memories."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

import pytest

from cuemem.adapters.store import Store
from cuemem.adapters.tokens import FixedTokenizer
from cuemem.errors import BadInput, BadSetting, NotBuilt, UnknownName
from cuemem.methods import METHODS, CueMem, FullHistory, NaiveRag, QGMem
from cuemem.types import Query
from cuemem.workbench import Workbench, load_file
from tests.fakes import HashEmbedder
from tests.unit_files import write_units

ROOT = Path(__file__).parent.parent
DATA = ROOT / "data"
CUES = DATA / "cues"
QUERY = Query("Which place would my mother prefer?")


class Counting(HashEmbedder):
    """A quick embedder that counts the texts it is asked for."""

    def __init__(self, name: str = "hashes") -> None:
        super().__init__(dimensions=16, steps=5)
        self.name = name  # type: ignore[misc]
        self.texts = 0

    def encode(self, texts: Any) -> Any:
        self.texts += len(texts)
        return super().encode(texts)


def opened(path: Path, model: Counting | None = None) -> tuple[Workbench, Counting]:
    model = model or Counting()
    return Workbench(Store.open(path), cast("Any", model), FixedTokenizer()), model


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[tuple[Workbench, Counting]]:
    workbench, model = opened(tmp_path / "store.duckdb")
    load_file(workbench.store, DATA / "locomo_sample.json")
    yield workbench, model
    workbench.store.close()


def test_a_build_is_recorded_and_a_second_one_computes_nothing(bench: tuple[Workbench, Counting]) -> None:
    workbench, model = bench
    key = workbench.store.resolve("lakeside")
    method = CueMem(cue_source="imported")
    record = workbench.build(key, method, CUES)
    lines = (CUES / "lakeside.jsonl").read_text(encoding="utf-8").splitlines()
    assert record.cue_count == sum(len(json.loads(line)["cues"]) for line in lines)
    asked = model.texts
    assert workbench.build(key, method, CUES).memory_id == record.memory_id
    assert workbench.build(key, method).cue_count == record.cue_count  # the file is no longer needed
    assert model.texts == asked
    assert len(workbench.store.memories(key)) == 1


def test_another_process_opens_the_same_memory(tmp_path: Path) -> None:
    path = tmp_path / "store.duckdb"
    recalls = []
    for _ in range(2):
        workbench, model = opened(path)
        load_file(workbench.store, DATA / "locomo_sample.json")
        key = workbench.store.resolve("lakeside")
        if not workbench.store.memories(key):
            workbench.build(key, CueMem(cue_source="imported"), CUES)
        asked = model.texts
        memory = workbench.memory(key, CueMem(cue_source="imported"))
        assert model.texts == asked
        recalls.append(memory.recall(QUERY, CueMem(cue_source="imported")))
        workbench.store.close()
    assert recalls[0] == recalls[1]


def test_a_memory_that_is_not_built_is_asked_for_by_the_command_that_builds_it(
    bench: tuple[Workbench, Counting],
) -> None:
    workbench, _ = bench
    key = workbench.store.resolve("lakeside")
    with pytest.raises(NotBuilt, match="python -m cuemem build lakeside --cues sentences"):
        workbench.memory(key, CueMem())
    with pytest.raises(NotBuilt, match="python -m cuemem build lakeside"):
        workbench.pick(key, "cuemem")
    with pytest.raises(NotBuilt, match="imported"):
        workbench.build(key, CueMem(cue_source="imported"))
    with pytest.raises(UnknownName, match="imported, observations, sentences"):
        workbench.build(key, CueMem(cue_source="magic"))


def test_several_memories_are_listed_and_chosen_between(bench: tuple[Workbench, Counting]) -> None:
    workbench, _ = bench
    key = workbench.store.resolve("lakeside")
    workbench.build(key, CueMem(cue_source="imported"), CUES)
    assert workbench.pick(key, "cuemem").cue_source == "imported"
    workbench.build(key, CueMem(cue_source="observations"))
    workbench.build(key, CueMem(cue_source="observations", turn_unit="exchange"))
    with pytest.raises(UnknownName, match=r"3 memories; choose one: --cues imported --turns utterance; --cues obs"):
        workbench.pick(key, "cuemem")
    with pytest.raises(UnknownName, match="2 memories"):
        workbench.pick(key, "cuemem", cues="observations")
    chosen = workbench.pick(key, "cuemem", cues="observations", turns="exchange")
    assert (chosen.turn_unit, chosen.window) == ("exchange", 1)
    assert workbench.pick(key, "cuemem", cues="observations", turns="auto").turn_unit == "utterance"


@pytest.mark.parametrize("method", [NaiveRag(), FullHistory()], ids=lambda method: method.name)
def test_a_method_without_cues_is_built_on_first_use(bench: tuple[Workbench, Counting], method: Any) -> None:
    workbench, model = bench
    key = workbench.store.resolve("lakeside")
    first = workbench.memory(key, method).recall(QUERY, method)
    asked = model.texts
    assert workbench.memory(key, method).recall(QUERY, method) == first
    assert model.texts == asked
    assert workbench.pick(key, method.name) == method


def test_two_embedding_models_are_never_mixed(tmp_path: Path) -> None:
    path = tmp_path / "store.duckdb"
    workbench, _ = opened(path)
    load_file(workbench.store, DATA / "locomo_sample.json")
    key = workbench.store.resolve("lakeside")
    workbench.build(key, CueMem(cue_source="imported"), CUES)
    other, model = opened(path, Counting("another"))
    with pytest.raises(NotBuilt, match="another vectors"):
        other.memory(key, CueMem(cue_source="imported"))
    other.build(key, CueMem(cue_source="imported"))
    assert model.texts > 300
    assert {record.embedding_model for record in workbench.store.memories(key)} == {"hashes", "another"}
    other.store.close()
    workbench.store.close()


def test_a_changed_cue_file_replaces_the_cues_and_a_broken_one_leaves_them(
    bench: tuple[Workbench, Counting], tmp_path: Path
) -> None:
    workbench, _ = bench
    key = workbench.store.resolve("lakeside")
    method = CueMem(cue_source="imported")
    before = workbench.build(key, method, CUES)
    (tmp_path / "lakeside.jsonl").write_text("no cues\n", encoding="utf-8")
    with pytest.raises(BadInput, match=r"lakeside\.jsonl"):
        workbench.build(key, method, tmp_path)
    assert len(workbench.store.cues(key, "imported", "utterance")) == before.cue_count
    line = {"dia_id": "D1:1", "cues": [["Marta", "likes", "quiet"]]}
    (tmp_path / "lakeside.jsonl").write_text(json.dumps(line) + "\n", encoding="utf-8")
    assert workbench.build(key, method, tmp_path).cue_count == 1
    memory = workbench.memory(key, method)
    assert memory.cue_count == 1  # not the one that was open before
    with pytest.raises(BadInput, match="--cue-dir"):
        workbench.build(key, method, tmp_path / "nowhere")


def test_loading_the_store_itself_is_refused(bench: tuple[Workbench, Counting]) -> None:
    workbench, _ = bench
    with pytest.raises(BadInput, match="is the store itself"):
        load_file(workbench.store, workbench.store.path)


def test_a_setting_that_cannot_be_is_refused_before_anything_is_built(bench: tuple[Workbench, Counting]) -> None:
    workbench, model = bench
    with pytest.raises(BadSetting, match="turn_unit='page'"):
        workbench.build(workbench.store.resolve("lakeside"), CueMem(turn_unit=cast("Any", "page")))
    assert model.texts == 0


def test_every_method_runs_over_both_samples_under_both_units(tmp_path: Path) -> None:
    workbench, _ = opened(tmp_path / "store.duckdb")
    for sample, name in (("locomo_sample.json", "lakeside"), ("longmemeval_sample.json", "sample_multi")):
        load_file(workbench.store, DATA / sample)
        key = workbench.store.resolve(name)
        question = workbench.store.questions(key)[0]
        units = write_units(tmp_path, workbench.store.conversation(key), [question])
        for unit in ("utterance", "exchange"):
            workbench.build(key, CueMem(turn_unit=cast("Any", unit)))
            workbench.build(key, QGMem(turn_unit=cast("Any", unit)), units)
            for kind in METHODS:
                method = workbench.pick(key, kind.name, turns=unit)
                recall = workbench.memory(key, method).recall(question.query, method, 1500)
                assert 0 < recall.context.tokens <= 1500
    workbench.store.close()
