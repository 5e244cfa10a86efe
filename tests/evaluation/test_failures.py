"""Classes of failures by hand-worked rows: each class, and who goes first where several hold."""

from __future__ import annotations

from datetime import datetime
from typing import Any, get_args

import pytest

from cuemem.evaluation.failures import Beside, propose, wrong
from cuemem.evaluation.metrics import Gold, Retrieval, Score
from cuemem.evaluation.run import ResultRow
from cuemem.types import Answer, Evidence, Failure, LossStage, PromptVersion, Question, Turn, Utterance, Verdict

PROMPT = PromptVersion("answer_short", "abc")
WHOLE, NONE = Score(1.0, 1.0, 1.0, 0.1), Score(None, None, None, None)


def row(
    said: str = "In the spring",
    outcome: Any = "incorrect",
    lost: Any = None,
    gold: str = "7 May 2023",
    asks: str = "When?",
    **more: Any,
) -> ResultRow:
    asked = {"category": "temporal", "category_number": 2, "evidence": (Evidence("D1:1", "D1:1", 1),)} | more
    failure = Failure("refused", "It will not say.", retryable=False) if said == "FAILED" else None
    answer = Answer("" if failure else said, "short", PROMPT, True, "m", failure=failure)
    turns = () if more.get("evidence") == (Evidence("D9:9"),) else ("D1:1", "D1:2")
    return ResultRow(
        conversation_id="c/0",
        conversation="locomo/test",
        question=Question(0, asks, gold, **asked),
        gold=Gold(turns, (1,) if turns else ()),
        retrieval=Retrieval(WHOLE, WHOLE, 1.0, {}, {}, 5, 100),
        lost=lost or {},
        answer=answer,
        verdict=Verdict("no answer" if failure else outcome, "so", "strict", "judge"),
        official_f1=1.0 if said == gold else 0.0,
    )


def turns(text: str, caption: str | None = None, time: datetime | None = None) -> tuple[Turn, ...]:
    return (Turn("D1:1", 0, (Utterance("D1:1", 1, "Ada", text, time, caption=caption),)),)


LATE = {"D1:1": "cut by budget", "D1:2": "below m"}
SEEN = {"category": "single-hop", "category_number": 4, "asks": "What did Ada show?"}
COUNTED = SEEN | {"asks": "How many kites has Ada?"}
ASIDE = {"category": "adversarial", "category_number": 5}


@pytest.mark.parametrize(
    ("made", "beside", "kind"),
    [
        (row("FAILED"), Beside(doubt="a list"), "model failure"),
        (row(" "), Beside(), "model failure"),
        (row(outcome="unparsed"), Beside(), "model failure"),
        (row(outcome="unparsed"), Beside(person=False), "in context but wrong"),
        (row(outcome="failed"), Beside(person=True), "right but judged wrong"),
        (row("7 May 2023", lost=LATE), Beside(doubt="a list"), "gold wrong or disputed"),
        (row(evidence=(Evidence("D9:9"),)), Beside(), "gold wrong or disputed"),
        (row("7 May 2023", lost=LATE), Beside(), "right but judged wrong"),
        (row("7 May 2023", lost=LATE), Beside(person=False), "not retrieved"),
        (row(), Beside(others={"j, generous": "correct", "k, strict": "unparsed"}), "right but judged wrong"),
        (row(), Beside(others={"j, generous": "correct", "k, strict": "incorrect"}), "in context but wrong"),
        (row(), Beside(others={"k, strict": "failed"}), "in context but wrong"),
        (row("It was blue", lost=LATE, **ASIDE), Beside(), "abstention error"),
        (row("That was not mentioned.", **ASIDE), Beside(), "right but judged wrong"),
        (row(lost=LATE, gold="a red kite", **SEEN), Beside(turns=turns("Look!", "a toy")), "image needed"),
        (row(lost=LATE, gold="a red kite", **SEEN), Beside(turns=turns("Look!", "kites on sand")), "not retrieved"),
        (row(lost=LATE, gold="a red kite", **SEEN), Beside(turns=turns("Look!")), "not retrieved"),
        (row(lost=LATE, gold="two", **COUNTED), Beside(turns=turns("Look!", "a toy")), "not retrieved"),
        (row(lost=LATE, gold="last May"), Beside(turns=turns("Look!", "a toy")), "not retrieved"),
        (row(gold="Yes", **SEEN), Beside(turns=turns("Look!", "a toy")), "in context but wrong"),
        (row(**SEEN), Beside(turns=turns("Look!", "a toy", datetime(2023, 5, 7))), "in context but wrong"),
        (row(lost={**LATE, "D1:2": "no cue"}), Beside(), "no cue"),
        (row(lost={"D1:1": "cut by budget"}), Beside(), "cut by budget"),
        (row("I don't know.", lost={"D1:1": "not ranked"}), Beside(), "not retrieved"),
        (row("I don't know."), Beside(), "abstention error"),
        (row(), Beside(), "in context but wrong"),
    ],
)
def test_the_first_that_holds_is_proposed(made: ResultRow, beside: Beside, kind: str) -> None:
    proposal = propose(made, "verdicts", beside)
    assert proposal.kind == kind
    assert proposal.why


def test_without_verdicts_only_the_stage_and_doubtful_gold_count() -> None:
    missed = row("7 May 2023", lost=LATE)
    assert propose(missed, "evidence", Beside(person=True)).kind == "not retrieved"
    assert propose(missed, "evidence").why.startswith("D1:2: ")
    assert propose(missed, "evidence", Beside(doubt="a list")).kind == "gold wrong or disputed"


def test_what_a_failure_is() -> None:
    assert wrong(row(), "verdicts")
    assert wrong(row(outcome="unparsed"), "verdicts")
    assert not wrong(row(outcome="correct", lost=LATE), "verdicts")
    assert wrong(row(outcome="correct"), "verdicts", person=False)
    assert not wrong(row(), "evidence")
    assert wrong(row(outcome="correct", lost=LATE), "evidence")
    assert not wrong(row(lost=LATE, **ASIDE), "evidence")


@pytest.mark.parametrize("stage", [it for it in get_args(LossStage) if it != "in context"])
def test_no_turn_that_was_lost_counts_as_in_the_context(stage: Any) -> None:
    for measure in ("verdicts", "evidence"):
        proposal = propose(row(lost={"D1:1": stage}), measure)  # type: ignore[arg-type]
        assert proposal.kind in ("no cue", "not retrieved", "cut by budget")
        assert "D1:1" in proposal.why
