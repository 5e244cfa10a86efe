"""FactConsolidation: numbered facts as turns in order of their serial times, every flaw reported, and its metric."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from cuemem.adapters.store import Store
from cuemem.datasets import dataset_of
from cuemem.datasets.fact_consolidation import read
from cuemem.errors import BadInput
from cuemem.evaluation.f1 import substring_match
from cuemem.evaluation.judge import reference
from cuemem.types import Question
from cuemem.workbench import load_file
from tests.shared_data import shared

HEAD = "Here is a list of facts:\n"


def item(context: str = HEAD + "0. Ann is married to Bo.\n1. Ann is married to Cy.\n", **more: Any) -> dict[str, Any]:
    about = {"metadata": {"source": "factconsolidation_sh_6k"}}
    return {"context": context, "questions": ["Who is Ann's spouse?"], "answers": [["Cy"]], **about, **more}


def kinds(**more: Any) -> list[str]:
    return [problem.kind for problem in read(item(**more), "x/0", "file").problems]


def test_a_fact_is_a_turn_with_its_number_as_time() -> None:
    assert dataset_of(item()).name == "factconsolidation"
    loaded = read(item(), "x/0", "file")
    assert loaded.conversation.sample_id == "factconsolidation_sh_6k"
    assert [(it.utterance_id, it.serial, it.time) for it in loaded.conversation.utterances] == [
        ("F0", 0, None),
        ("F1", 1, None),
    ]
    assert loaded.conversation.utterances[1].text == "1. Ann is married to Cy."
    assert [(it.text, it.answer, it.category) for it in loaded.questions] == [
        ("Who is Ann's spouse?", ["Cy"], "single-hop")
    ]
    assert [problem.kind for problem in loaded.problems] == ["no evidence"]
    assert (
        read(item(metadata={"source": "factconsolidation_mh_262k"}), "x/0", "f").questions[0].category == "multi-hop"
    )


def test_every_flaw_is_reported() -> None:
    assert kinds(context=HEAD + "1. b\n0. a\nand more\n1. c") == [
        "fact malformed",
        "messages reordered",
        "turn id repeated",
        "no evidence",
    ]
    assert kinds(answers=[]) == ["lists differ in length", "answer missing", "no evidence"]
    assert kinds(questions=[], answers=[]) == ["no questions"]
    assert kinds(metadata={"source": "mine"}) == ["category unknown", "no evidence"]
    assert kinds(metadata=None)[0] == "sample id missing"
    with pytest.raises(BadInput, match="no numbered fact"):
        read(item(context="Nothing."), "x/0", "file")
    with pytest.raises(BadInput, match="questions is an object where a list belongs"):
        read(item(questions={}), "x/0", "file")


def test_an_answer_matches_where_an_accepted_one_stands_in_it() -> None:
    question = Question(0, "?", ["The Fairly OddParents", "Cy"], "single-hop")
    assert substring_match(question, "It is the FAIRLY  Oddparents!") == 1
    assert substring_match(question, "cy.") == 1
    assert substring_match(question, "The Fairly Odd Parents") == 0
    assert substring_match(question, "") == 0
    assert substring_match(Question(0, "?", "Cy", "single-hop"), "Cy") is None
    assert reference(question) == "The Fairly OddParents or Cy"


def test_the_published_file_loads_and_keeps_its_serial_numbers(tmp_path: Path) -> None:
    file = shared("data/other/Conflict_Resolution.json")
    with Store.open(tmp_path / "store.duckdb") as store:
        report = load_file(store, file)
        assert (report.dataset, dict(report.categories)) == (
            "factconsolidation",
            {"single-hop": 400, "multi-hop": 400},
        )
        assert dict(report.problems) == {"no evidence": 8}
        sizes = {row.sample_id: row.utterances for row in store.conversations()}
        assert len(sizes) == 8
        assert (sizes["factconsolidation_sh_6k"], sizes["factconsolidation_mh_262k"]) == (455, 18_332)
        held = store.conversation(store.resolve("factconsolidation_sh_6k"))
        assert [it.serial for it in held.utterances] == list(range(455))
