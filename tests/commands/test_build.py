"""build and sample."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from tests.commands.conftest import CUES, DATA, Cli
from tests.datasets.samples import chat, locomo, longmemeval, says


@pytest.fixture
def small(empty: Cli, tmp_path: Path) -> Cli:
    """Three little conversations of two datasets."""
    talk = [says("D1:1", "I have a cat."), says("D1:2", "I have a dog.", speaker="Bo")]
    file = tmp_path / "talk.json"
    file.write_text(json.dumps([locomo(talk, sample_id="one"), locomo(talk, sample_id="two")]))
    instance = longmemeval(("2023/05/01 (Mon) 10:00", "answer_1", chat("user", "assistant", m1=True)))
    other = tmp_path / "lme.json"
    other.write_text(json.dumps([instance]))
    empty("load", file, other)
    return empty


def test_what_was_built_is_told(small: Cli) -> None:
    document = small("--json", "build", "one", "two", "--cues", "sentences").document
    assert [(it["name"], it["memory"]["cue_count"]) for it in document["built"]] == [("one", 2), ("two", 2)]
    assert document["failed"] == []
    shown = small("build", "one", "--turns", "exchange").out
    assert "1 memory built" in shown
    assert "exchange" in shown


def test_all_leaves_out_what_lacks_cues_and_says_so(small: Cli, tmp_path: Path) -> None:
    cues = tmp_path / "cues"
    cues.mkdir()
    lines = [{"turn_id": "D1:1", "cues": [["Ann", "has", "a cat"]]}, {"turn_id": "D7:7", "cues": [["a", "b", "c"]]}]
    (cues / "two.jsonl").write_text("\n".join([*map(json.dumps, lines), "no json"]))
    document = small("--json", "build", "--all", "--cues", "imported", "--cue-dir", cues).document
    assert [it["name"] for it in document["built"]] == ["two"]
    assert [it["name"] for it in document["failed"]] == ["one", "ours_q"]
    assert {it["problem"]["kind"] for it in document["problems"]} == {"cue turn unknown", "cue line malformed"}
    shown = small("build", "--all", "--cue-dir", cues).out
    assert "Not built: 2" in shown
    assert "line 2" in shown
    assert "one.jsonl" in small("build", "one", "two", "--cue-dir", cues, code=1).out
    assert "missing" in small("build", "ours_q", "--cues", "imported", "--cue-dir", cues, code=1).out


def test_names_and_sources_that_are_not_there(small: Cli) -> None:
    assert "No conversation is called" in small("build", "three", code=1).err
    assert "came without observations" in small("build", "ours_q", "--cues", "observations", code=1).out.replace(
        "\n", ""
    )
    assert "trace" not in small("build", "one", "--cues", "imported", code=1).err


def test_a_second_build_computes_nothing(cli: Cli, monkeypatch: pytest.MonkeyPatch) -> None:
    def fail(*_: object) -> None:
        raise AssertionError("the model was asked")

    monkeypatch.setattr("cuemem.adapters.embed.SentenceEmbedder.encode", fail)
    before = cli("info", "--json").document["info"]["rows"]
    cli("build", "lakeside", "--cue-dir", CUES)
    cli("build", "lakeside", "--cues", "observations")
    assert cli("info", "--json").document["info"]["rows"] == before


def test_sample_builds_the_bundled_conversations_once(
    empty: Cli, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Over shortened copies of both files, which take long to embed."""
    (sample,) = json.loads((DATA / "locomo_sample.json").read_text(encoding="utf-8"))
    talk = sample["conversation"]
    first_session = {name: talk[name] for name in ("speaker_a", "speaker_b", "session_1", "session_1_date_time")}
    first = tmp_path / "locomo_sample.json"
    first.write_text(json.dumps([sample | {"conversation": first_session}]), encoding="utf-8")
    instances = json.loads((DATA / "longmemeval_sample.json").read_text(encoding="utf-8"))[:2]
    for instance in instances:
        for key in ("haystack_dates", "haystack_session_ids", "haystack_sessions"):
            instance[key] = instance[key][:1]
    second = tmp_path / "longmemeval_sample.json"
    second.write_text(json.dumps(instances), encoding="utf-8")
    monkeypatch.setattr("cuemem.workbench.samples._WITH_CUES", first)
    monkeypatch.setattr("cuemem.workbench.samples._OTHERS", (second,))
    built = empty("sample", "--json").document["built"]
    assert [(it["name"], it["memory"]["method"], it["memory"]["cue_source"]) for it in built] == [
        ("lakeside", "cuemem", "imported"),
        ("lakeside", "qgmem", "imported"),
        ("lakeside", "cuemem", "sentences"),
        ("sample_user", "cuemem", "sentences"),
        ("sample_assistant", "cuemem", "sentences"),
    ]
    rows = empty("info", "--json").document["info"]["rows"]
    empty("sample")
    assert empty("info", "--json").document["info"]["rows"] == rows
