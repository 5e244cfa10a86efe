"""A list of known wrong gold over a loaded file: onto the file that it fits, idempotent, removable."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from cuemem.adapters.store import Store
from cuemem.errors import BadInput
from cuemem.evaluation.overlay import corrected_questions
from cuemem.workbench.loading import load_file
from cuemem.workbench.overlays import load_overlay
from tests.datasets.samples import asks, locomo, says
from tests.shared_data import shared

SAMPLE = Path(__file__).parents[2] / "data" / "locomo_sample.json"


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    """A store with our own LoCoMo sample, and with another file in the same format."""
    other = locomo([says("D1:1"), says("D1:2")], qa=[asks("D1:1")])
    with Store.open(tmp_path / "store.duckdb") as opened:
        load_file(opened, SAMPLE)
        load_file(opened, written(tmp_path, [other], "other.json"))
        yield opened


def written(folder: Path, value: Any, name: str = "audit.json") -> Path:
    path = folder / name
    path.write_text(json.dumps(value), encoding="utf-8")
    return path


def test_a_list_lies_over_the_file_that_it_fits(store: Store, tmp_path: Path) -> None:
    ours, other = (row.conversation_id for row in store.conversations())
    texts = [question.text for question in store.questions(ours)]
    entries = [
        {"question_id": "locomo_0_qa2", "question": texts[2], "error_type": "WRONG_CITATION", "correct_evidence": []},
        {"question_id": "locomo_0_qa3", "question": texts[3], "error_type": "AMBIGUOUS", "correct_answer": 9},
        {"question_id": "locomo_0_qa4", "question": "Something else?"},
        {"question_id": "locomo_7_qa0"},
        {},
    ]
    path = written(tmp_path, entries)
    before = store.info().rows
    report = load_overlay(store, path)
    assert (report.name, report.files, report.entries, report.flags) == ("audit.json", ("locomo_sample.json",), 5, 2)
    assert report.kinds == {"AMBIGUOUS": 1, "WRONG_CITATION": 1}
    assert [problem.kind for problem in report.problems] == [
        "flag malformed",
        "flag question differs",
        "flag question unknown",
    ]
    assert {index: flag.kind for index, flag in store.flagged(ours).items()} == {2: "WRONG_CITATION", 3: "AMBIGUOUS"}
    assert store.flagged(other) == {}
    assert corrected_questions(store.questions(ours), store.flagged(ours))[3].answer == 9
    assert store.questions(ours)[3].answer != 9  # the gold itself stays
    rows = store.info().rows
    assert load_overlay(store, path) == report
    assert store.info().rows == rows
    assert [(record.name, record.flags) for record in store.overlays()] == [("audit.json", 2)]
    store.remove_overlay(report.sha256)
    assert store.info().rows == before


def test_what_is_no_list_or_fits_nothing(store: Store, tmp_path: Path) -> None:
    for value, words in (
        ([{"question_id": "locomo_0_qa0", "question": "Not ours?"}], "fits no loaded question: none has the place"),
        ([{"question": "x"}], "is no list of faults of gold. There is neither"),
        ({"a": 1}, "is no list of faults of gold"),
    ):
        with pytest.raises(BadInput, match=words):
            load_overlay(store, written(tmp_path, value))
    assert store.overlays() == ()


def test_the_public_audit_of_locomo(tmp_path: Path) -> None:
    locomo_file, audit = shared("data/locomo/locomo10.json"), shared("data/locomo/locomo_audit.json")
    with Store.open(tmp_path / "store.duckdb") as store:
        load_file(store, SAMPLE)
        load_file(store, locomo_file)
        report = load_overlay(store, audit)
        assert (report.files, report.entries, report.flags, report.problems) == (("locomo10.json",), 156, 156, ())
        assert report.kinds == {
            "AMBIGUOUS": 13,
            "ATTRIBUTION_ERROR": 24,
            "HALLUCINATION": 33,
            "INCOMPLETE": 3,
            "TEMPORAL_ERROR": 26,
            "WRONG_CITATION": 57,
        }
        wrong_answers = changed_evidence = unanswered = 0
        for row in store.conversations():
            flags = store.flagged(row.conversation_id)
            questions = store.questions(row.conversation_id)
            wrong_answers += sum(flag.answer_is_wrong for flag in flags.values())
            for old, new in zip(questions, corrected_questions(questions, flags), strict=True):
                assert (old == new) or old.index in flags
                if old.index in flags and not flags[old.index].answer_is_wrong:
                    assert new.answer == old.answer
                changed_evidence += new.gold_utterances != old.gold_utterances
                unanswered += old.evidence != () and new.evidence == ()
        assert wrong_answers == 99
        assert unanswered == 1  # conv-47, question 11: nothing in the conversation answers it
        assert changed_evidence == 94  # three more mend a citation that was malformed or named no turn
