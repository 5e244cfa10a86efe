"""Lists of known faults: what they name, what fits nothing, corrected gold, and scores with and without."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from cuemem.evaluation.overlay import (
    FLAGGED,
    Matched,
    corrected,
    corrected_questions,
    match,
    read_entries,
    with_and_without,
    without_flagged,
)
from cuemem.evaluation.retrieval import evaluate
from cuemem.methods import NaiveRag
from cuemem.problems import MEANINGS
from cuemem.types import Conversation, Evidence, Flag, Question
from tests.fakes import models, talk

FIRST = replace(talk(3, 2), conversation_id="abc/0", sample_id="conv-26")
SECOND = replace(talk(2), conversation_id="abc/1", sample_id="conv-30")
QUESTIONS = (
    Question(0, "When did Ada leave?", "May", "temporal", 2, evidence=(Evidence("D1:1", "D1:1", 1),)),
    Question(1, "Why?", 7, "multi-hop", 1, evidence=(Evidence("D2:1", "D2:1", 2),)),
)
LOADED: list[tuple[Conversation, tuple[Question, ...]]] = [(FIRST, QUESTIONS), (SECOND, QUESTIONS[:1])]


def entry(question_id: str = "locomo_0_qa0", **more: Any) -> dict[str, Any]:
    return {
        "question_id": question_id,
        "question": "When did Ada leave?",
        "error_type": "TEMPORAL_ERROR",
        "correct_evidence": ["D1:2", "D2:1"],
        "reasoning": "It was June.",
        "correct_answer": "June",
    } | more


def laid(*items: Any) -> Matched:
    entries, malformed = read_entries(items, "audit.json")
    matched = match(entries, LOADED)
    assert all(problem.kind in MEANINGS for problem in malformed + matched.problems)
    return Matched(matched.flags, malformed + matched.problems)


def told(matched: Matched) -> list[tuple[str, str, str, int | None]]:
    return [(problem.kind, problem.place, problem.sample_id, problem.question_index) for problem in matched.problems]


def test_an_entry_flags_its_question() -> None:
    matched = laid(entry(), entry("locomo_1_qa0", correct_answer=None, correct_evidence=None))
    evidence = (Evidence("D1:2", "D1:2", 1), Evidence("D2:1", "D2:1", 2))
    assert matched == Matched(
        {
            ("abc/0", 0): Flag("TEMPORAL_ERROR", "It was June.", "June", evidence, "audit.json"),
            ("abc/1", 0): Flag("TEMPORAL_ERROR", "It was June.", None, None, "audit.json"),
        },
        (),
    )


def test_an_entry_may_name_sample_and_index_and_little_else() -> None:
    matched = laid({"sample_id": "conv-26", "question_index": 1, "correct_evidence": "D1:1"})
    assert matched.flags == {
        ("abc/0", 1): Flag(FLAGGED, "", None, (Evidence("D1:1", "D1:1", 1),), "audit.json"),
    }


def test_a_question_of_another_text_is_not_flagged() -> None:
    matched = laid(entry(question="When did  Ada\nLEAVE?"), entry("locomo_0_qa1"))
    assert set(matched.flags) == {("abc/0", 0)}
    assert told(matched) == [("flag question differs", "entry 2", "conv-26", 1)]
    assert "'When did Ada leave?', the file 'Why?'" in matched.problems[0].detail


@pytest.mark.parametrize(
    ("item", "problem"),
    [
        (entry("locomo_9_qa0"), ("flag question unknown", "entry 2", "", 0)),
        (entry("locomo_1_qa1"), ("flag question unknown", "entry 2", "conv-30", 1)),
        (entry("longmemeval_0_qa0"), ("flag question unknown", "entry 2", "", 0)),
        ({"sample_id": "conv-99", "question_index": 0}, ("flag question unknown", "entry 2", "conv-99", 0)),
        (entry(), ("flag repeated", "entry 2", "conv-26", 0)),
        (entry("locomo_0"), ("flag malformed", "entry 2", "", None)),
        (entry(None), ("flag malformed", "entry 2", "", None)),
        ({"sample_id": "conv-26", "question_index": True}, ("flag malformed", "entry 2", "", None)),
        ({"sample_id": "conv-26", "question_index": -1}, ("flag malformed", "entry 2", "", None)),
        ("locomo_0_qa0", ("flag malformed", "entry 2", "", None)),
    ],
)
def test_what_fits_nothing_is_reported(item: Any, problem: tuple[str, str, str, int | None]) -> None:
    matched = laid(entry(), item)
    assert set(matched.flags) == {("abc/0", 0)}
    assert told(matched) == [problem] or told(matched) == [problem][::-1]


def test_a_sample_id_that_two_conversations_have_is_no_name() -> None:
    twice = [(FIRST, QUESTIONS), (replace(SECOND, sample_id="conv-26"), QUESTIONS)]
    entries, _ = read_entries([{"sample_id": "conv-26", "question_index": 0}], "x")
    matched = match(entries, twice)
    assert (matched.flags, "2 conversations are called so" in matched.problems[0].detail) == ({}, True)


def test_evidence_that_names_no_turn_stays_unresolved() -> None:
    matched = laid(entry(correct_evidence=["D1:1", "D9:9"]))
    assert matched.flags["abc/0", 0].correct_evidence == (Evidence("D1:1", "D1:1", 1), Evidence("D9:9"))
    assert told(matched) == [("flag evidence unresolved", "entry 1", "conv-26", 0)]


def test_corrected_gold() -> None:
    evidence = (Evidence("D1:2", "D1:2", 1),)
    wrong = Flag("HALLUCINATION", "", "June", evidence)
    assert corrected(QUESTIONS[0], wrong) == replace(QUESTIONS[0], answer="June", evidence=evidence)
    cited = Flag("WRONG_CITATION", "", "May (answer is correct, citation is wrong)", evidence)
    assert corrected(QUESTIONS[0], cited) == replace(QUESTIONS[0], evidence=evidence)
    assert (wrong.answer_is_wrong, cited.answer_is_wrong) == (True, False)
    silent = Flag("AMBIGUOUS", "")
    assert corrected(QUESTIONS[0], silent) == QUESTIONS[0]
    assert corrected(QUESTIONS[0], Flag("TEMPORAL_ERROR", "", None, ())).evidence == ()  # nothing answers it
    assert corrected_questions(QUESTIONS, {1: wrong}) == (QUESTIONS[0], corrected(QUESTIONS[1], wrong))


def test_scores_with_and_without_the_flagged_questions() -> None:
    memory = NaiveRag(top_turns=1).build(FIRST, models({}))
    scored = list(evaluate(memory, NaiveRag(top_turns=1), QUESTIONS, None))
    both = with_and_without(scored, {("abc/0", 0): Flag("X"), ("abc/1", 1): Flag("X")})
    assert both.flagged == 1
    assert [(summary.name, summary.questions) for summary in both.everything] == [
        ("all answerable", 2),
        ("1 multi-hop", 1),
        ("2 temporal", 1),
    ]
    assert [(summary.name, summary.questions) for summary in both.unflagged] == [
        ("all answerable", 1),
        ("1 multi-hop", 1),
    ]
    assert [row.question.index for row in without_flagged(scored, {("abc/0", 0)})] == [1]
