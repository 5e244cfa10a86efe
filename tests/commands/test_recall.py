"""trace, explain, retrieval, grid, export: what they say is what the library says."""

from __future__ import annotations

import csv
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from cuemem.evaluation.metrics import gold_of
from cuemem.evaluation.retrieval import evaluate
from cuemem.knobs import with_settings
from cuemem.workbench import Workbench
from cuemem.workbench.runs import opened
from tests.commands.conftest import Cli

IMPORTED = ("--cues", "imported")


@pytest.fixture
def workbench(cli: Cli) -> Iterator[Workbench]:
    workbench = Workbench.open(cli.store)
    yield workbench
    workbench.store.close()


def test_trace_shows_the_question_of_the_papers_introduction(cli: Cli) -> None:
    shown = cli("trace", "lakeside", 0, *IMPORTED).out
    words = " ".join(shown.split())
    assert "Which place mentioned earlier would Marta's mother prefer?" in words
    assert "w=2 · k=1 · m=10 · paper mode" in words
    assert "Graph expansion 24 turns by temporal edges" in words
    assert "D4:4 semantic Lakeside Town" in words
    assert "2 of 2 in the context, evidence recall 1.000" in shown
    assert "[Session 4 · Sunday, 7 April 2024, 12:20]" in shown
    assert "[Session" not in cli("trace", "lakeside", 0, *IMPORTED, "--no-context").out


def test_trace_as_json_is_the_recall(cli: Cli) -> None:
    document = cli("--json", "trace", "lakeside", 6, *IMPORTED, "-w", 1, "-k", 0, "-m", 20).document
    workbench = Workbench.open(cli.store)
    with workbench.store:
        key = workbench.store.resolve("lakeside")
        method = with_settings(workbench.pick(key, "cuemem", "imported"), {"w": 1, "k": 0, "m": 20})
        memory = workbench.memory(key, method)
        question = workbench.store.questions(key)[6]
        recall = memory.recall(question.query, method)
        gold = gold_of(question, memory.turns)
    assert document["recall"]["context"]["text"] == recall.context.text
    assert [it["turn_id"] for it in document["recall"]["context"]["items"]] == list(recall.context.turn_ids)
    assert [it["turn_id"] for it in document["scoreboard"]] == list(gold.turns)
    found = [row["role"] != "missed" for row in document["scoreboard"]]
    assert document["evidence_recall"] == sum(found) / len(found)
    assert document["method"]["settings"]["top_cues"] == 20
    assert [stage["name"] for stage in document["recall"]["trace"]] == [
        "query",
        "cues",
        "anchors",
        "expansion",
        "context",
    ]


def test_a_lost_gold_turn_comes_back_by_each_change_that_is_named(cli: Cli) -> None:
    lost = [
        (index, row)
        for index in (6, 44)
        for row in cli("--json", "trace", "lakeside", index, *IMPORTED).document["scoreboard"]
        if row["role"] == "missed"
    ]
    assert len(lost) >= 2
    for index, row in lost:
        for change in row["recovered_by"]:
            for value, inside in ((change["value"], True), (change["value"] - 1, False)):
                words = ("explain", "lakeside", index, row["turn_id"], *IMPORTED, f"-{change['symbol']}", value)
                stage = cli("--json", *words).document["explanation"]["stage"]
                assert (stage == "in context") == inside


def test_the_budget_is_kept_and_what_it_cut_is_told(cli: Cli) -> None:
    document = cli("--json", "trace", "lakeside", 0, *IMPORTED, "--budget", 300).document
    context = document["recall"]["context"]
    assert context["tokens"] <= 300 == context["budget"]
    assert context["cut"]
    (lost,) = [row for row in document["scoreboard"] if row["role"] == "missed"]
    assert lost["stage"] == "cut by budget"
    needed = next(change["value"] for change in lost["recovered_by"] if change["knob"] == "budget")
    words = ("--json", "explain", "lakeside", 0, "D4:4", *IMPORTED, "--budget")
    assert cli(*words, needed).document["explanation"]["stage"] == "in context"
    assert cli(*words, needed - 1).document["explanation"]["stage"] == "cut by budget"
    for paper in ("none", 0):
        assert cli(*words, paper).document["method"]["budget"] is None


def test_explain_names_stage_ranks_and_remedies(cli: Cli) -> None:
    shown = cli("explain", "lakeside", 0, "D4:4", *IMPORTED, "-k", 0).out
    assert shown.startswith("D4:4 was lost at retrieval: its best cue has rank 168")
    assert "Its 3 cues, ranked among all 340" in shown
    assert "Would bring it in, each alone" in shown
    assert "Reached by" in cli("explain", "lakeside", 0, "D4:4", *IMPORTED).out
    assert "No turn 'D77:1'" in cli("explain", "lakeside", 0, "D77:1", *IMPORTED, code=1).err


def test_other_methods_by_the_same_commands(cli: Cli) -> None:
    rag = cli("--json", "trace", "lakeside", 0, "--method", "naive_rag", "-m", 5).document
    assert len(rag["recall"]["context"]["items"]) == 5
    full = cli("--json", "trace", "lakeside", 0, "--method", "full_history").document
    assert len(full["recall"]["context"]["items"]) == 226
    assert "Its rank among the turns" in cli("explain", "lakeside", 0, "D4:4", "--method", "naive_rag").out
    assert "by this method" in cli("explain", "lakeside", 0, "D4:4", "--method", "full_history").out


def test_an_ambiguity_is_an_error_that_lists_the_memories(cli: Cli) -> None:
    for words in (["trace", "lakeside", 0], ["explain", "lakeside", 0, "D4:4"], ["retrieval"], ["grid"]):
        said = cli(*words, code=1).err.replace("\n", " ")
        assert "--cues imported --turns utterance" in said
        assert "--cues observations --turns utterance" in said
    assert "python -m cuemem build lakeside" in cli("trace", "lakeside", 0, "--cues", "sentences", code=1).err


@pytest.mark.parametrize("question", [56, 999])
def test_a_question_that_is_not_there(cli: Cli, question: int) -> None:
    said = cli("trace", "lakeside", question, *IMPORTED, code=1).err
    assert said == f"locomo/lakeside has no question {question}; its questions are 0 to 55.\n"


def test_retrieval_measures_what_evaluate_measures_and_keeps_it(cli: Cli) -> None:
    document = cli("--json", "retrieval", *IMPORTED).document
    workbench = Workbench.open(cli.store)
    with workbench.store as store:
        key = store.resolve("lakeside")
        method = workbench.pick(key, "cuemem", "imported")
        rows = list(evaluate(workbench.memory(key, method), method, store.questions(key), None))
        (record,) = store.runs()
        run = opened(store, record.run_id)
    assert [(row.gold, row.retrieval) for row in run.rows] == [(row.gold, row.retrieval) for row in rows]
    assert run.run_id == document["datasets"][0]["run_id"]
    assert run.card.conversations[0].settings["window"] == 2
    assert len(run.card.files[0].sha256) == 64
    groups = {group["name"]: group for group in document["datasets"][0]["groups"]}
    # data/README.md has these two figures, measured independently of this command.
    assert (round(groups["all answerable"]["recall"], 3), groups["all answerable"]["all"]) == (0.913, 0.88)
    assert (groups["all answerable"]["n"], groups["apart: 5 adversarial"]["questions"]) == (50, 6)
    again = cli("retrieval", *IMPORTED).out
    assert "50 of 50 answerable questions can be scored on turns." in again
    workbench = Workbench.open(cli.store)
    with workbench.store as store:
        assert len(store.runs()) == 1


def test_every_method_can_be_measured_at_equal_tokens(cli: Cli) -> None:
    for words in (IMPORTED, ("--method", "naive_rag"), ("--method", "full_history")):
        (dataset,) = cli("--json", "retrieval", "lakeside", *words, "--budget", 500).document["datasets"]
        assert dataset["groups"][0]["tokens"] <= 500
        assert dataset["groups"][0]["tokens_p95"] <= 500


def test_grid_rows_are_what_retrieval_measures(cli: Cli, tmp_path: Path) -> None:
    out = tmp_path / "grid.csv"
    shown = cli("grid", *IMPORTED, "-w", "0-1,2", "-k", "0,1", "-m", "5-15:5", "--csv", out).out
    assert "1 conversation, CueMem in paper mode" in shown
    with out.open(encoding="utf-8", newline="") as file:
        rows = list(csv.DictReader(file))
    header = "sample_id,w,k,m,questions,anchor_recall,context_recall,all_recall,mean_turns"
    assert ",".join(rows[0]) == header
    settings = [(row["w"], row["k"], row["m"]) for row in rows]
    assert settings == [(w, k, m) for w in "012" for k in "01" for m in ("5", "10", "15")]
    row = rows[settings.index(("1", "0", "10"))]
    (dataset,) = cli("--json", "retrieval", *IMPORTED, "-w", 1, "-k", 0, "-m", 10).document["datasets"]
    group = dataset["groups"][0]
    assert float(row["context_recall"]) == pytest.approx(group["recall"], abs=1e-4)
    assert float(row["anchor_recall"]) == pytest.approx(group["anchor_recall"], abs=1e-4)
    assert float(row["all_recall"]) == pytest.approx(group["all"], abs=1e-4)
    assert float(row["mean_turns"]) == pytest.approx(group["turns"], abs=1e-4)
    assert row["questions"] == "50"
    assert len(cli("--json", "grid", "--method", "naive_rag", "-m", "5,10").document["rows"]) == 2


def test_sweep_rows_are_what_grid_and_retrieval_measure(cli: Cli, tmp_path: Path) -> None:
    out, page = tmp_path / "sweep.csv", tmp_path / "sweep.html"
    ran = cli(
        "sweep", *IMPORTED, "-w", "0-2", "-k", "0,1", "-m", "5-15:5", "--csv", out, "--within", 500, "--chart", page
    )
    assert "anchors only" in page.read_text(encoding="utf-8")
    assert "18 settings × 50 questions" in " ".join(ran.out.split())
    assert "no two conversations to choose on one" in " ".join(ran.out.split())
    with out.open(encoding="utf-8", newline="") as file:
        rows = {(row["w"], row["k"], row["m"]): row for row in csv.DictReader(file)}
    header = "dataset,category,w,k,m,questions,recall,any,all,tokens,tokens_p95,turns,frontier"
    assert ",".join(next(iter(rows.values()))) == header
    document = cli("--json", "grid", *IMPORTED, "-w", "0-2", "-k", "0,1", "-m", "5-15:5").document
    for row in document["rows"]:
        mine = rows[str(row["w"]), str(row["k"]), str(row["m"])]
        assert float(mine["recall"]) == pytest.approx(row["context_recall"], abs=1e-4)
        assert float(mine["all"]) == pytest.approx(row["all_recall"], abs=1e-4)
        assert float(mine["turns"]) == pytest.approx(row["mean_turns"], abs=1e-4)
    usual = cli("--json", "sweep", *IMPORTED, "--by-category").document
    (exact,) = usual["sweeps"][0]["rendered"]
    (dataset,) = cli("--json", "retrieval", *IMPORTED).document["datasets"]
    assert exact["rendered"] == pytest.approx(dataset["groups"][0]["tokens"])
    assert 0 <= exact["rendered"] - exact["additive"] < 40
    assert len(usual["rows"]) == 4620 * (1 + len({row["category"] for row in usual["rows"]} - {"all"}))


def test_a_sweep_under_a_budget_recalls_each_setting(cli: Cli) -> None:
    words = ("--budget", 300, "-w", "0,2", "-k", 1, "-m", 10, *IMPORTED)
    document = cli("--json", "sweep", *words, "--dataset", "locomo").document
    assert [row["tokens"] <= 300 for row in document["rows"]] == [True, True]
    (dataset,) = cli("--json", "retrieval", "--budget", 300, "-w", 2, "-k", 1, "-m", 10, *IMPORTED).document[
        "datasets"
    ]
    assert document["rows"][1]["recall"] == pytest.approx(dataset["groups"][0]["recall"])
    assert document["rows"][1]["tokens"] == pytest.approx(dataset["groups"][0]["tokens"])
    assert len(cli("--json", "sweep", "--method", "full_history").document["rows"]) == 1
    assert "there are" in cli("sweep", *IMPORTED, "--dataset", "other", code=1).err


def test_exported_cues_can_be_imported_again(cli: Cli, tmp_path: Path) -> None:
    out = tmp_path / "lakeside.jsonl"
    cli("export", "cues", "lakeside", *IMPORTED, "--out", out)
    card = json.loads((tmp_path / "lakeside.jsonl.card.json").read_text(encoding="utf-8"))
    assert card["kind"] == "export cues"
    assert card["embedding_model"] == "all-MiniLM-L6-v2"
    before = card["conversations"][0]["cue_set"]
    cli("build", "lakeside", "--cue-dir", tmp_path)
    cli("export", "cues", "lakeside", *IMPORTED, "--out", out)
    after = json.loads((tmp_path / "lakeside.jsonl.card.json").read_text(encoding="utf-8"))["conversations"][0][
        "cue_set"
    ]
    assert after["content_hash"] == before["content_hash"]
    assert after["provenance"] != before["provenance"]


def test_exports_in_both_forms(cli: Cli, tmp_path: Path) -> None:
    def rows(what: str, ending: str) -> list[dict[str, Any]]:
        out = tmp_path / f"{what}.{ending}"
        said = cli("--json", "export", what, "lakeside", *IMPORTED, "--budget", 800, "--out", out).document
        if ending == "csv":
            with out.open(encoding="utf-8", newline="") as file:
                read = list(csv.DictReader(file))
        else:
            read = [json.loads(line) for line in out.read_text(encoding="utf-8").splitlines()]
        assert said["rows"] == len(read)
        return read

    assert len(rows("cues", "csv")) == 340
    contexts, flat = rows("contexts", "jsonl"), rows("contexts", "csv")
    assert len(contexts) == len(flat) == 56
    assert [row["context"] for row in contexts] == [row["context"] for row in flat]
    assert all(row["tokens"] <= 800 for row in contexts)
    metrics = rows("metrics", "jsonl")
    assert [row["tokens"] for row in metrics] == [row["tokens"] for row in contexts]
    assert [row["question_index"] for row in rows("metrics", "csv")] == [str(index) for index in range(56)]
    assert "has no cues" in cli("export", "cues", "lakeside", "--method", "naive_rag", "--out", "x.csv", code=2).err
    nowhere = tmp_path / "no" / "folder.csv"
    assert "cannot be written" in cli("export", "cues", "lakeside", *IMPORTED, "--out", nowhere, code=1).err
