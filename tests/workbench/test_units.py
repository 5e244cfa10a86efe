"""Memory units from files to a recall: stored, resumed, explained by the command line, and every flaw reported."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from cuemem.adapters.store import Store
from cuemem.adapters.tokens import FixedTokenizer
from cuemem.errors import BadInput, BadSetting, NotBuilt, UnknownName
from cuemem.methods import QGMem
from cuemem.types import Problem, Query, Question
from cuemem.workbench import Workbench
from cuemem.workbench.runs import Contender, Plan, begin, go
from tests.adapters.store_samples import Loaded, load, sha
from tests.fakes import HashEmbedder, talk
from tests.unit_files import unit_line, write_lines, write_units


@pytest.fixture
def bench(tmp_path: Path) -> Any:
    with Store.open(tmp_path / "store.duckdb") as store:
        yield Workbench(store, HashEmbedder(), FixedTokenizer())  # type: ignore[arg-type]


@pytest.fixture
def key(bench: Any) -> str:
    """A loaded conversation of two sessions, five and three utterances, with two questions."""
    name = f"{sha('file')[:16]}/0"
    questions = (Question(0, "Who said word 1?", "Ben", "single-hop", 4), Question(1, "What?", "it", "single-hop", 4))
    load(bench.store, [Loaded(replace(talk(5, 3), conversation_id=name), questions)])
    return name


def test_units_traces_and_parses_come_from_files_and_open_again(bench: Any, key: str, tmp_path: Path) -> None:
    conversation = bench.store.conversation(key)
    write_units(tmp_path, conversation, bench.store.questions(key)[:1])
    write_lines(tmp_path / "test.traces.jsonl", [{"members": ["u2", "u1"], "trajectory": "First, then."}])
    record = bench.build(key, QGMem(), tmp_path)
    assert (record.method, record.cue_source, record.cue_count) == ("qgmem", "imported", 8)
    method = bench.pick(key, "qgmem")
    memory = bench.memory(key, method)
    assert [(it.members, it.trajectory) for it in memory.traces] == [((0, 1), "First, then.")]
    with_parse, without = (memory.recall(it.query, method) for it in bench.store.questions(key))
    by_name = {stage.name: stage for stage in with_parse.trace}
    assert by_name["parse"].items[0].label == conversation.speakers[0]
    assert by_name["attributes"].items
    assert "no event-attribute channel" in next(it for it in without.trace if it.name == "parse").summary
    # Other windows lay the same units out otherwise, and make another memory, which has to be named.
    other = bench.build(key, QGMem(window_turns=3, overlap_turns=1), tmp_path)
    assert other.cue_count == 8
    assert len(bench.store.unit_sets(key)) == 1
    with pytest.raises(UnknownName, match="--window-turns 6"):
        bench.pick(key, "qgmem")
    assert bench.pick(key, "qgmem", built={"window_turns": 3}).overlap_turns == 1
    assert bench.store.info().rows["units"] == 8
    assert bench.store.compact().vectors == 0
    bench.store.remove(key)
    assert not any(bench.store.info().rows[table] for table in ("units", "unit_sets", "trajectories", "query_parses"))


FLAWS: list[tuple[Any, str]] = [
    ("not json", "unit line malformed"),
    ([1], "unit line malformed"),
    (unit_line(3, "D9:9", "Ann left"), "unit turn unknown"),
    ({**unit_line(4, "D1:1", "Ann left"), "start_turn": None}, "unit turn unknown"),
    (unit_line(5, "D1:4", "Ann left", "D2:1"), "unit across sessions"),
    (unit_line(6, "D1:3", "Ann came", "D1:2"), "unit bounds reversed"),
    ({**unit_line(7, "D1:1", "x"), "fact_text": " "}, "unit without fact"),
    ({**unit_line(8, "D1:1", "Ann sang"), "triple": {"subject": "Ann"}}, "unit triple incomplete"),
    (unit_line(9, "D1:1", "Ann ran", entities=["Ann", {}]), "unit attribute malformed"),
    (unit_line(10, "D1:1", "Ann ran", time=[{"start": "2024-02-30", "end": ""}]), "unit interval invalid"),
    (unit_line(11, "D1:1", "Ann ran", time=[{"start": "2024-03", "end": "2024-02"}]), "unit interval invalid"),
    (unit_line(1, "D1:2", "Ann ate"), "unit id repeated"),
]


def test_every_flaw_of_a_file_is_reported_with_its_place(bench: Any, key: str, tmp_path: Path) -> None:
    lines = [unit_line(1, "D1:1", "Ada waved"), *(line for line, _ in FLAWS)]
    file = write_lines(tmp_path / "test.units.jsonl", lines)
    write_lines(tmp_path / "test.queries.jsonl", [{"qa_index": 7}, {"qa_index": 0, "time": {"fact": ["May"]}}, "?"])
    write_lines(tmp_path / "test.traces.jsonl", [{"members": ["u1", "u99"]}])
    found: list[Problem] = []
    record = bench.build(key, QGMem(), file, report=found.extend)
    kinds = [it.kind for it in found]
    assert sorted(kinds) == sorted(
        [kind for _, kind in FLAWS]
        + ["unit id unknown", "trace malformed"]
        + ["parse question unknown", "parse interval invalid", "parse malformed"]
    )
    assert all("line" in it.place for it in found if it.kind != "unit id repeated")
    assert record.cue_count == 7
    memory = bench.memory(key, bench.pick(key, "qgmem"))
    assert [it.unit_id for it in memory.units if it.unit_id.startswith("u1#")] == ["u1#2"]


def test_what_is_missing_is_said_with_the_remedy(bench: Any, key: str, tmp_path: Path) -> None:
    with pytest.raises(BadInput, match=r"test\.units\.jsonl is missing\. Name their folder by --units"):
        bench.build(key, QGMem(), tmp_path)
    with pytest.raises(NotBuilt, match="build test --method qgmem --units DIR"):
        bench.build(key, QGMem())
    with pytest.raises(NotBuilt, match="build test --method qgmem --model NAME"):
        bench.memory(key, QGMem(unit_source="llm"))
    with pytest.raises(BadInput, match="has no usable memory unit for locomo/test"):
        bench.build(key, QGMem(), write_lines(tmp_path / "no.jsonl", ["{}"]))
    write_units(tmp_path, bench.store.conversation(key))
    bench.build(key, QGMem(), tmp_path)
    method = bench.pick(key, "qgmem")
    with pytest.raises(BadSetting, match="'cross-encoder' is not set up: set CUEMEM_RERANKER"):
        bench.memory(key, method).recall(Query("?"), QGMem(reranker="cross-encoder"))


def test_other_parsed_questions_and_another_reranker_make_another_run(
    bench: Any, key: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    write_units(tmp_path, bench.store.conversation(key), bench.store.questions(key))
    bench.build(key, QGMem(), tmp_path)
    plan = Plan([Contender("qgmem")], [key])
    (first,) = begin(bench, plan)
    assert begin(bench, plan) == (first,)
    other = {"qa_index": 0, "entities": ["nobody"], "locations": [], "time": {"fact": [], "utterance": []}}
    bench.build(key, QGMem(), tmp_path, queries=write_lines(tmp_path / "other.jsonl", [other]))
    assert begin(bench, plan) != (first,)
    with pytest.raises(BadInput, match="units of locomo/test have changed"):
        go(bench, [first])
    without = Plan([Contender("qgmem", {"parses": "none"})], [key])
    assert begin(bench, without) == begin(bench, without)
    reranked = Plan([Contender("qgmem", {"reranker": "cross-encoder"})], [key])
    runs = set()
    for name in ("one", "other"):
        monkeypatch.setenv("CUEMEM_RERANKER", name)
        runs |= set(begin(bench, reranked))
    assert len(runs) == 2
