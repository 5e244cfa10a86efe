"""What kind of failure a wrong answer is, as the machine proposes it; a person decides.

The classes follow the pipeline from the gold to the judge. The first that holds is proposed, so that a question has
one class whatever else went wrong with it: see :func:`propose`.
"""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Literal, get_args

from cuemem.evaluation.f1 import stems
from cuemem.evaluation.judge import reference
from cuemem.evaluation.run import ResultRow
from cuemem.types import LossStage, Turn, TurnId, Utterance, VerdictOutcome

FailureClass = Literal[
    "gold wrong or disputed",
    "image needed",
    "no cue",
    "not retrieved",
    "cut by budget",
    "in context but wrong",
    "right but judged wrong",
    "abstention error",
    "model failure",
]
CLASSES: tuple[FailureClass, ...] = get_args(FailureClass)
ABOUT: Mapping[FailureClass, str] = {
    "gold wrong or disputed": "the gold answer or its evidence is doubted, or nothing that it cites can be found",
    "image needed": "the gold answer stands on a picture, and in no word of the gold turns or their captions",
    "no cue": "a gold turn has no cue or memory unit, so no question can reach it by its own",
    "not retrieved": "a gold turn, or its cues or units, ranks too low, and no edge reaches it",
    "cut by budget": "a gold turn was retrieved and did not fit the budget, or the model's window",
    "in context but wrong": "all gold turns were in the context, and the answer is wrong all the same",
    "right but judged wrong": "the answer is right by a person, by its words, or by every other judge",
    "abstention error": "an answer where there is none to give, or none where all gold turns were in the context",
    "model failure": "the model gave no answer, or the judge no verdict",
}
Measure = Literal["verdicts", "evidence"]

LOSSES: Mapping[LossStage, FailureClass] = {
    "no cue": "no cue",
    "no unit": "no cue",
    "below m": "not retrieved",
    "below n": "not retrieved",
    "below k": "not retrieved",
    "not ranked": "not retrieved",
    "cut by budget": "cut by budget",
    "cut by window": "cut by budget",
}
_ABSTAINS = re.compile(
    r"no information available|not (?:be )?(?:mentioned|specified|stated|provided)"
    r"|(?:don['’]t|do not|does(?:n['’]t| not)) (?:know|mention|say|have (?:any |enough )?information)"
    r"|(?:cannot|can['’]t|could not) be (?:determined|answered)|\bunknown\b",
    re.IGNORECASE,
)
_FILLERS = frozenset(stems("yes no likely not of to in on at is are was were be it they her his their with for or"))

# A time, a number, a country or an opinion is worked out from what was said: no turn need have the word for it.
_WORKED_OUT = frozenset({"temporal", "open-domain"})
_WORKING_OUT = re.compile(r"\W*(?:when|how (?:many|much|often|long|old)|which countr(?:y|ies))\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class Beside:
    """What is known of an answer beside its run's row.

    ``doubt`` says who doubts the gold, empty for nobody. ``person`` is what a person said of the answer, None for
    nothing; ``others`` what the other judges said, with their names. ``turns`` are the gold turns, empty where the
    conversation is not at hand.
    """

    doubt: str = ""
    person: bool | None = None
    others: Mapping[str, VerdictOutcome] = field(default_factory=dict)
    turns: Sequence[Turn] = ()


@dataclass(frozen=True, slots=True)
class Proposal:
    """The class that the machine proposes, and why in one sentence."""

    kind: FailureClass
    why: str


def wrong(row: ResultRow, measure: Measure, person: bool | None = None) -> bool:
    """Whether a row is a failure.

    By ``verdicts``: it was judged, and not correct; or a person says that it is wrong. What was not judged yet is no
    failure yet, but an answer that never came is one. By ``evidence``: a gold turn of an answerable question is not
    in the context.
    """
    if measure == "evidence":
        return bool(row.lost) and not row.question.unanswerable
    if row.verdict is None:
        return row.answer is not None and row.answer.failure is not None
    return not row.verdict.correct or person is False


def propose(row: ResultRow, measure: Measure, beside: Beside = Beside()) -> Proposal:
    """The class of a failure: the first of these that holds.

    1. model failure: no answer, an empty one, or no verdict that can be read, unless a person gave one;
    2. gold wrong or disputed: a list or a person doubts the gold, or nothing that it cites can be found;
    3. right but judged wrong: a person says that it is right; or, where no person says that it is wrong, its words
       are the gold's, it rightly says that it was not mentioned, or there are other judges and each says that it is
       right (of a question without an answer only the second counts);
    4. abstention error: an answer to a question that has none;
    5. image needed: a gold turn shows an image, and no word of the gold answer is in the gold turns, though the
       question asks for something that could stand there;
    6. where a gold turn is lost, the stage at which the first was lost, in the order of the pipeline: no cue, not
       retrieved, cut by budget;
    7. abstention error: no answer given though nothing was lost;
    8. in context but wrong.

    By ``evidence`` only 2 and 6 can hold, since nothing was answered.
    """
    steps = (_gold, _lost) if measure == "evidence" else (_model, _gold, _right, _answered, _image, _lost, _abstained)
    for step in steps:
        if (found := step(row, beside)) is not None:
            return found
    return Proposal("in context but wrong", "All gold turns were in the context.")


def _model(row: ResultRow, beside: Beside) -> Proposal | None:
    answer, verdict = row.answer, row.verdict
    if answer is not None and answer.failure is not None:
        return Proposal("model failure", f"The model gave no answer: {answer.failure}")
    if answer is not None and not answer.text.strip():
        return Proposal("model failure", "The answer is empty.")
    if verdict is not None and verdict.outcome in ("failed", "unparsed") and beside.person is None:
        return Proposal("model failure", f"The judge gave no verdict that can be read. {verdict.reason}".strip())
    return None


def _gold(row: ResultRow, beside: Beside) -> Proposal | None:
    if beside.doubt:
        return Proposal("gold wrong or disputed", f"The gold is doubted. {beside.doubt}")
    cites = bool(row.question.evidence)
    if cites and not row.gold.turns and not row.gold.sessions and not row.question.unanswerable:
        return Proposal("gold wrong or disputed", "Nothing that the gold cites can be found in the conversation.")
    return None


def _right(row: ResultRow, beside: Beside) -> Proposal | None:
    if beside.person is not None:
        return Proposal("right but judged wrong", "A person says that it is right.") if beside.person else None
    if row.question.unanswerable:
        says = row.answer is not None and _ABSTAINS.search(row.answer.text)
        return (
            Proposal("right but judged wrong", "It says that it was not mentioned, which is right.") if says else None
        )
    if row.official_f1 == 1.0:
        return Proposal("right but judged wrong", "By LoCoMo's own score the words of the answer are the gold's.")
    said = {name: outcome for name, outcome in beside.others.items() if outcome in ("correct", "incorrect")}
    if said and all(outcome == "correct" for outcome in said.values()):
        return Proposal("right but judged wrong", f"Judged right by {', '.join(sorted(said))}.")
    return None


def _answered(row: ResultRow, _beside: Beside) -> Proposal | None:
    if not row.question.unanswerable:
        return None
    return Proposal("abstention error", "The conversation does not say it, and the answer does not say so.")


def _image(row: ResultRow, beside: Beside) -> Proposal | None:
    shown = [turn.turn_id for turn in beside.turns if any(each.caption for each in turn.utterances)]
    asked = row.question
    worked_out = asked.category in _WORKED_OUT or _WORKING_OUT.match(asked.text)
    if not shown or worked_out or _worded(row, beside.turns):
        return None
    return Proposal(
        "image needed", f"{', '.join(shown)} shows an image, and the gold turns have no word of the gold answer."
    )


def _worded(row: ResultRow, turns: Sequence[Turn]) -> bool:
    """Whether the gold turns have any word of the gold answer, with who speaks and when; fillers do not count."""
    wanted = set(stems(reference(row.question))) - _FILLERS
    said = {word for turn in turns for each in turn.utterances for word in stems(_said(each))}
    return not wanted or bool(wanted & said)


def _said(utterance: Utterance) -> str:
    when = f"{utterance.time:%d %B %b %m %Y %A} {utterance.time.day}" if utterance.time else ""
    return f"{utterance.speaker} {utterance.text} {utterance.caption or ''} {when}"


def _lost(row: ResultRow, _beside: Beside) -> Proposal | None:
    by_class: dict[FailureClass, list[TurnId]] = {}
    for turn_id, stage in row.lost.items():
        by_class.setdefault(LOSSES[stage], []).append(turn_id)
    for kind in ("no cue", "not retrieved", "cut by budget"):
        if kind in by_class:
            return Proposal(kind, f"{', '.join(by_class[kind])}: {ABOUT[kind].partition(', so')[0]}.")
    if not row.gold.turns and row.retrieval.session.all == 0.0:
        return Proposal("not retrieved", "Not all gold sessions are in the context.")
    return None


def _abstained(row: ResultRow, _beside: Beside) -> Proposal | None:
    if row.answer is None or not _ABSTAINS.search(row.answer.text):
        return None
    return Proposal(
        "abstention error", "The reply says that it was not mentioned; all gold turns were in the context."
    )


def counts(kinds: Iterable[FailureClass]) -> dict[FailureClass, int]:
    """How many there are of each class, those that there are none of left out; in the order of ``CLASSES``."""
    found = Counter(kinds)
    return {kind: found[kind] for kind in CLASSES if found[kind]}
