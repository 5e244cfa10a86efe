"""Correcting cues over a real store: the memory follows, the record tells, and nothing is lost unseen."""

from __future__ import annotations

import json
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any, cast

import numpy as np
import pytest

from cuemem.adapters.store import Store
from cuemem.adapters.tokens import FixedTokenizer
from cuemem.errors import BadInput, BadSetting, NotBuilt, UnknownName
from cuemem.methods import CueMem, FullHistory
from cuemem.methods.cuemem.method import CueMemory
from cuemem.types import Cue, Matrix, Problem, Query, Triple
from cuemem.workbench import Workbench, load_file
from tests.fakes import HashEmbedder

DATA = Path(__file__).parents[2] / "data"
METHOD = CueMem(cue_source="imported")
QUERY = Query("Which place would my mother prefer?")
NEW = (Triple("Kofi", "drives", "trams"), "Kofi tells of his work.")


class Model(HashEmbedder):
    """A quick embedder that notes what it is asked for, and fails when told to."""

    def __init__(self) -> None:
        super().__init__(dimensions=16, steps=5)
        self.asked: list[str] = []
        self.fault: Exception | None = None

    def encode(self, texts: Sequence[str]) -> Matrix:
        if self.fault is not None:
            raise self.fault
        self.asked += texts
        return super().encode(texts)


@pytest.fixture
def model() -> Model:
    return Model()


def opened(path: Path, model: Model) -> Workbench:
    workbench = Workbench(Store.open(path), cast("Any", model), FixedTokenizer())
    load_file(workbench.store, DATA / "locomo_sample.json")
    return workbench


@pytest.fixture
def bench(tmp_path: Path, model: Model) -> Iterator[Workbench]:
    """Our own sample with a memory from its imported cues."""
    workbench = opened(tmp_path / "store.duckdb", model)
    workbench.build(workbench.store.resolve("lakeside"), METHOD, DATA / "cues")
    yield workbench
    workbench.store.close()


@pytest.fixture
def key(bench: Workbench) -> str:
    return bench.store.resolve("lakeside")


def opened_memory(bench: Workbench, key: str) -> CueMemory:
    memory = bench.memory(key, METHOD)
    assert isinstance(memory, CueMemory)
    return memory


def of_turn(bench: Workbench, key: str, turn_id: str) -> tuple[Triple | str, ...]:
    return tuple(cue.content for cue in opened_memory(bench, key).cue_graph.cues if cue.turn_id == turn_id)


def same(left: CueMemory, right: CueMemory) -> None:
    assert left.cue_graph.cues == right.cue_graph.cues
    assert np.array_equal(left.vectors, right.vectors)
    assert left.graph(METHOD) == right.graph(METHOD)
    assert left.recall(QUERY, METHOD) == right.recall(QUERY, METHOD)


def cue_file(folder: Path, changes: dict[str, Sequence[Any]]) -> Path:
    """The sample's cue file with the cues of some turns replaced."""
    lines = []
    for line in (DATA / "cues" / "lakeside.jsonl").read_text(encoding="utf-8").splitlines():
        record = json.loads(line)
        turn_id = record["dia_id"]
        lines.append(json.dumps(record | {"cues": changes.get(turn_id, record["cues"])}))
    folder.mkdir(exist_ok=True)
    path = folder / "lakeside.jsonl"
    path.write_text("\n".join(lines), encoding="utf-8")
    return path


def test_a_corrected_memory_is_the_one_that_such_a_file_would_have_given(
    bench: Workbench, key: str, model: Model, tmp_path: Path
) -> None:
    before = opened_memory(bench, key)
    before.recall(QUERY, METHOD)
    model.asked.clear()
    record = bench.correct_cues(key, METHOD, "D1:1", NEW)
    after = opened_memory(bench, key)
    assert model.asked == ["Kofi drives trams", "Kofi tells of his work."]
    assert after is not before
    assert record.cue_count == after.cue_count == bench.store.memories(key)[0].cue_count
    assert record.array_key is not None
    other = opened(tmp_path / "other.duckdb", Model())
    changed = cue_file(tmp_path / "changed", {"D1:1": [["Kofi", "drives", "trams"], "Kofi tells of his work."]})
    other.build(key, METHOD, changed)
    same(after, opened_memory(other, key))
    assert bench.cue_set(key, METHOD).content_hash == other.cue_set(key, METHOD).content_hash
    assert (bench.cue_set(key, METHOD).corrections, other.cue_set(key, METHOD).corrections) == (1, 0)
    other.store.close()


def test_adding_editing_deleting_and_undoing(bench: Workbench, key: str) -> None:
    before, as_made = opened_memory(bench, key), bench.cue_set(key, METHOD)
    cues = of_turn(bench, key, "D2:6")
    assert cues
    bench.correct_cues(key, METHOD, "D2:6", [*cues, "one more"])
    assert of_turn(bench, key, "D2:6") == (*cues, "one more")
    bench.correct_cues(key, METHOD, "D2:6", cues[1:])
    bench.correct_cues(key, METHOD, "D1:1", [])
    assert (of_turn(bench, key, "D2:6"), of_turn(bench, key, "D1:1")) == (cues[1:], ())
    assert [(it.number, it.turn_id, it.state) for it in bench.corrections(key, METHOD)] == [
        (1, "D2:6", "applied"),
        (2, "D2:6", "applied"),
        (3, "D1:1", "applied"),
    ]
    with pytest.raises(BadInput, match="Undo that one first"):
        bench.undo_correction(key, METHOD, 1)
    bench.undo_correction(key, METHOD, 2)
    assert of_turn(bench, key, "D2:6") == (*cues, "one more")
    bench.undo_correction(key, METHOD)  # the last that holds: the third
    record = bench.undo_correction(key, METHOD)
    same(opened_memory(bench, key), before)
    assert record.cue_count == before.cue_count
    assert bench.cue_set(key, METHOD) == as_made
    assert [it.state for it in bench.corrections(key, METHOD)] == ["undone"] * 3
    with pytest.raises(BadInput, match="no correction that could be undone"):
        bench.undo_correction(key, METHOD)


def test_corrections_outlive_a_restart_and_an_import_of_the_same_file(
    bench: Workbench, key: str, tmp_path: Path
) -> None:
    bench.correct_cues(key, METHOD, "D1:1", NEW)
    bench.store.close()
    again = opened(tmp_path / "store.duckdb", Model())
    told: list[Problem] = []
    again.build(key, METHOD, DATA / "cues", report=told.extend)
    assert of_turn(again, key, "D1:1") == NEW
    assert told == []
    assert (again.cue_set(key, METHOD).corrections, again.cue_set(key, METHOD).dropped) == (1, 0)
    again.store.close()


def test_another_file_drops_corrections_and_says_so(bench: Workbench, key: str, tmp_path: Path) -> None:
    bench.correct_cues(key, METHOD, "D1:1", NEW)
    bench.correct_cues(key, METHOD, "D2:6", [])
    bench.undo_correction(key, METHOD)
    changed = cue_file(tmp_path / "changed", {"D1:1": [["Marta", "writes to", "Kofi"]]})
    told: list[Problem] = []
    bench.build(key, METHOD, changed, report=told.extend)
    assert of_turn(bench, key, "D1:1") == (Triple("Marta", "writes to", "Kofi"),)
    assert [(it.kind, it.place, it.sample_id) for it in told] == [("corrections dropped", "cues", "lakeside")]
    assert told[0].detail == "1 no longer hold, since the cues were made anew (D1:1). They stay on record."
    assert (bench.cue_set(key, METHOD).corrections, bench.cue_set(key, METHOD).dropped) == (0, 1)
    assert [it.state for it in bench.corrections(key, METHOD)] == ["dropped", "undone"]
    told.clear()
    bench.build(key, METHOD, changed, report=told.extend)
    assert told == []


def test_corrections_belong_to_one_cue_set(bench: Workbench, key: str) -> None:
    sentences = CueMem(cue_source="sentences")
    exchanges = CueMem(cue_source="imported", turn_unit="exchange")
    for method in (sentences, exchanges):
        bench.build(key, method, DATA / "cues")
    others = [bench.cue_set(key, method) for method in (sentences, exchanges)]
    bench.correct_cues(key, METHOD, "D1:1", NEW)
    assert [bench.cue_set(key, method) for method in (sentences, exchanges)] == others
    assert (bench.corrections(key, sentences), len(bench.corrections(key, METHOD))) == ((), 1)
    bench.correct_cues(key, sentences, "D1:2", ["Only this."])
    told: list[Problem] = []
    bench.build(key, sentences, report=told.extend)
    assert (bench.cue_set(key, sentences).corrections, told) == (1, [])


def test_what_is_there_already_is_no_correction(bench: Workbench, key: str) -> None:
    memory = opened_memory(bench, key)
    bench.correct_cues(key, METHOD, "D2:6", of_turn(bench, key, "D2:6"))
    assert bench.corrections(key, METHOD) == ()
    same(opened_memory(bench, key), memory)


def test_a_model_that_fails_changes_nothing(bench: Workbench, key: str, model: Model) -> None:
    before = bench.cue_set(key, METHOD)
    model.fault = BadSetting("The model could not be loaded.")
    with pytest.raises(BadSetting):
        bench.correct_cues(key, METHOD, "D1:1", NEW)
    assert (bench.cue_set(key, METHOD), bench.corrections(key, METHOD)) == (before, ())


def test_what_cannot_be_corrected(bench: Workbench, key: str) -> None:
    for contents in (["a", " "], [Triple("a", "", "c")]):
        with pytest.raises(BadInput, match=r"Cue \d of the turn has an empty part"):
            bench.correct_cues(key, METHOD, "D1:1", contents)
    bench.correct_cues(key, METHOD, "D1:1", ["  half a pair \ud800 "])
    assert of_turn(bench, key, "D1:1") == ("half a pair \ufffd",)
    with pytest.raises(UnknownName, match="D99:1"):
        bench.correct_cues(key, METHOD, "D99:1", ["a"])
    with pytest.raises(NotBuilt, match="extract them first"):
        bench.correct_cues(key, CueMem(cue_source="observations"), "D1:1", ["a"])
    for use in (bench.corrections, bench.turns_without_cues, bench.exact_duplicates, bench.cue_set):
        with pytest.raises(BadSetting, match="full_history works without cues"):
            use(key, FullHistory())
    with pytest.raises(NotBuilt, match="has no cues from 'observations'"):
        bench.cue_set(key, CueMem(cue_source="observations"))


def test_looking_into_the_memory(bench: Workbench, key: str) -> None:
    without = [turn.turn_id for turn in bench.turns_without_cues(key, METHOD)]
    assert len(without) == 86  # data/README.md
    bench.correct_cues(key, METHOD, without[0], ["It is quiet.", "It is quiet.", "It is loud."])
    memory = opened_memory(bench, key)
    first = next(cue for cue in memory.cue_graph.cues if cue.turn_id == without[0])
    (hit, *_) = bench.nearest_cues(key, METHOD, first.index, 3)
    assert (hit.rank, hit.cosine, hit.cue) == (1, 1.0, Cue(first.index + 1, without[0], "It is quiet."))
    groups = bench.exact_duplicates(key, METHOD)
    assert [cue.index for cue in next(g for g in groups if g[0].text == "It is quiet.")] == [
        first.index,
        first.index + 1,
    ]
    near = bench.near_duplicates(key, METHOD, 0.5, most=7)
    assert len(near.pairs) == 7 < near.total
    assert without[0] not in [turn.turn_id for turn in bench.turns_without_cues(key, METHOD)]


def test_all_cues_of_a_memory_can_go(tmp_path: Path, model: Model) -> None:
    workbench = opened(tmp_path / "store.duckdb", model)
    key = workbench.store.resolve("lakeside")
    (tmp_path / "lakeside.jsonl").write_text('{"dia_id": "D1:1", "cues": ["the only one"]}', encoding="utf-8")
    workbench.build(key, METHOD, tmp_path)
    assert workbench.correct_cues(key, METHOD, "D1:1", []).cue_count == 0
    assert workbench.memory(key, METHOD).recall(QUERY, METHOD).context.items == ()
    assert workbench.undo_correction(key, METHOD).cue_count == 1
    workbench.store.close()
