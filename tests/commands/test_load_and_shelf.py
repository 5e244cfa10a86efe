"""load, problems, list, info, remove: what comes into a store, what is seen of it, and out again."""

from __future__ import annotations

import csv
import gzip
import json
from pathlib import Path
from typing import Any

import pytest

from tests.commands.conftest import DATA, Cli
from tests.datasets.samples import asks, chat, locomo, longmemeval, says

HOSTILE = "[bold]not bold[/] [/] \x1b[31mred\x07 \u202eback\u2028next :smile: <script>"


def write(path: Path, *samples: Any) -> Path:
    path.write_text(json.dumps(samples), encoding="utf-8")
    return path


@pytest.fixture
def hostile(tmp_path: Path) -> Path:
    """A sample in which every text is one that a terminal or a markup language would obey."""
    turns = [says("D1:1", HOSTILE, speaker=HOSTILE), says("D1:2", HOSTILE, speaker="Bo", blip_caption=HOSTILE)]
    question = {"question": HOSTILE, "answer": HOSTILE, "category": 4, "evidence": ["D1:1", HOSTILE]}
    return write(tmp_path / "hostile [red].json", locomo(turns, qa=[question], sample_id=f"it{HOSTILE}"))


def test_a_load_reports_questions_problems_and_what_was_new(empty: Cli, tmp_path: Path) -> None:
    sample = locomo([says("D1:1"), says("D1:2", speaker="Bo")], qa=[asks(["D1:1"]), asks(["D9:9"]), asks(["D1:01"])])
    path = write(tmp_path / "talk.json", sample)
    ran = empty("load", path)
    assert "talk.json: 1 conversation (all new)" in ran.out
    assert "4 single-hop" in ran.out
    assert "evidence unresolved" in ran.out
    assert "0 new" in empty("load", path).out
    (report,) = empty("--json", "load", path).document["files"]
    assert report["categories"] == {"4 single-hop": 3}
    assert report["problems"]["evidence unresolved"] == 1
    assert (report["added"], len(report["conversations"])) == (0, 1)


def test_plain_gzipped_and_several_files(empty: Cli, tmp_path: Path) -> None:
    instance = longmemeval(("2023/05/01 (Mon) 10:00", "answer_1", chat("user", "assistant", m1=True)))
    zipped = tmp_path / "lme.json.gz"
    zipped.write_bytes(gzip.compress(json.dumps([instance]).encode()))
    document = empty("load", DATA / "locomo_sample.json", zipped, "--json").document
    assert [file["dataset"] for file in document["files"]] == ["locomo", "longmemeval"]


@pytest.mark.parametrize(
    ("content", "said"),
    [
        ("this is no json", "line 1, character 1"),
        ('[{"qa": [', "item 0"),
        ("[]", "empty list"),
        ('[{"a": 1}]', "item 0"),
        ("", "empty"),
    ],
)
def test_a_bad_file_is_one_sentence_and_leaves_nothing(empty: Cli, tmp_path: Path, content: str, said: str) -> None:
    path = tmp_path / "bad.json"
    path.write_text(content, encoding="utf-8")
    ran = empty("load", DATA / "locomo_sample.json", path, code=1)
    assert said in ran.err
    assert "bad.json" in ran.err
    assert [it["name"] for it in empty("--json", "list").document["conversations"]] == ["lakeside"]
    assert "There is no file" in empty("load", tmp_path / "none.json", code=1).err


def test_problems_by_file_by_conversation_and_as_csv(empty: Cli, tmp_path: Path) -> None:
    first = locomo([says("D1:1")], qa=[asks(["D9:9"])], sample_id="one")
    second = locomo([says("D1:1")], qa=[asks([])], sample_id="two")
    empty("load", write(tmp_path / "talk.json", first, second))
    out = tmp_path / "problems.csv"
    everything = empty("problems", "--csv", out)
    assert "2 problems written" in everything.out
    with out.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    assert {(row["sample_id"], row["kind"], row["informational"]) for row in rows} == {
        ("one", "evidence unresolved", "False"),
        ("two", "no evidence", "True"),
    }
    by_file = empty("problems", "talk.json", "--json").document["problems"]
    assert [row["sample_id"] for row in by_file] == ["one", "two"]
    assert [row["kind"] for row in empty("problems", "two", "--json").document["problems"]] == ["no evidence"]
    assert "talk.json" in empty("problems", "three", code=1).err


def test_list_gives_the_shortest_names_that_are_understood(empty: Cli, tmp_path: Path) -> None:
    talk = [says("D1:1")]
    empty("load", write(tmp_path / "a.json", locomo(talk, sample_id="one"), locomo(talk, sample_id="two")))
    empty("load", write(tmp_path / "b.json", locomo(talk, sample_id="two", note="another file")))
    rows = empty("--json", "list").document["conversations"]
    names = [row["name"] for row in rows]
    assert names[0] == "one"
    assert names[1] != names[2]
    for row in rows:
        asked = empty("trace", row["name"], 99, "--method", "full_history", code=1).err
        assert "has no question 99; its questions are 0 to 0" in asked
    assert "may mean any of 2 conversations" in empty("trace", "two", 0, "--method", "full_history", code=1).err


def test_list_and_info_tell_what_is_built(cli: Cli) -> None:
    shown = cli("list").out
    assert "imported/utterance" in shown
    assert "observations/utterance" in shown
    row = cli("--json", "list").document["conversations"][0]
    assert [memory["cue_source"] for memory in row["memories"]] == ["imported", "observations"]
    assert row["conversation"]["questions"] == 56
    about = cli("info", "--json").document
    assert about["info"]["rows"]["conversations"] == 8
    assert str(cli.store) in "".join(cli("info").out.split())


def test_a_store_that_is_not_there_is_not_made_by_looking(empty: Cli) -> None:
    for words in (["list"], ["info"], ["trace", "x", "0"], ["build", "--all"], ["remove", "x", "--yes"]):
        assert "There is no store at" in empty(*words, code=1).err.replace("\n", " ")
    assert not empty.store.exists()


def test_remove_asks_and_takes_everything_of_a_conversation(cli: Cli) -> None:
    for answer in ("n\n", ""):
        assert "Nothing was removed" in cli("remove", "lakeside", code=1, answer=answer).err
    assert "--yes" in cli("--json", "remove", "lakeside", code=1).document["error"]
    assert "No conversation" in cli("remove", "lakeside", "nowhere", "--yes", code=1).err
    before = cli("info", "--json").document["info"]["rows"]
    assert "Removed lakeside." in cli("remove", "lakeside", code=0, answer="y\n").out
    rows = cli("info", "--json").document["info"]["rows"]
    assert [rows[name] for name in ("cues", "cue_sets", "memories", "observations", "results")] == [0] * 5
    assert [before[name] - rows[name] for name in ("conversations", "questions", "files")] == [1, 56, 1]
    assert rows["vectors"] == before["vectors"]
    cli("load", DATA / "locomo_sample.json")
    freed = cli("remove", "lakeside", "--yes", "--compact", "--json").document["compacted"]
    assert freed["vectors"] > 0
    assert "lakeside" not in cli("list").out


def test_text_of_the_data_is_shown_literally(empty: Cli, hostile: Path, tmp_path: Path) -> None:
    """Neither markup nor control sequences mean anything, wherever the text turns up."""
    outputs = [empty("load", hostile), empty("list"), empty("info"), empty("problems")]
    (row,) = empty("--json", "list").document["conversations"]
    name = row["conversation"]["conversation_id"]
    outputs += [empty("build", name), empty("trace", name, 0, "--items"), empty("explain", name, 0, "D1:2")]
    outputs += [empty("retrieval"), empty("grid", "-w", 0, "-k", 0, "-m", 5)]
    outputs += [empty("trace", f"{HOSTILE}!", 0, code=1), empty("load", tmp_path / f"{HOSTILE}.json", code=1)]
    outputs += [empty("export", "contexts", name, "--out", tmp_path / "out.csv"), empty("remove", name, "--yes")]
    for ran in outputs:
        for text in (ran.out, ran.err):
            assert not set(text) & set("\x1b\x07\u202e\u2028")
    traced = " ".join(outputs[5].out.split())
    assert "[bold]not bold[/] [/] ␛[31mred␇" in traced
    assert ":smile: <script>" in traced
