"""The failures of a run put together: what the machine proposes beside what a person decided, and both as a table."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, cast

from cuemem.adapters.store import ReviewRecord, Store, VerdictRecord
from cuemem.adapters.store.verdicts import HUMAN, answer_key
from cuemem.evaluation.compare import has_gold
from cuemem.evaluation.failures import Beside, FailureClass, Measure, Proposal, propose, wrong
from cuemem.evaluation.judge import reference
from cuemem.evaluation.retrieval import category_label
from cuemem.evaluation.run import ResultRow, RunCard
from cuemem.text import as_text
from cuemem.turns import cut_turns
from cuemem.types import ConversationId, Flag, Turn, TurnId
from cuemem.workbench.runs.reading import Run

COLUMNS = (
    "run_id",
    "conversation",
    "question_index",
    "category",
    "question",
    "gold_answer",
    "answer",
    "verdict",
    "verdict_reason",
    "lost",
    "proposed",
    "why",
    "decided",
    "gold_doubted",
    "note",
    "decided_at",
)


@dataclass(frozen=True, slots=True)
class Failure:
    """One failure. ``if_wrong`` is the class that is proposed to who finds the answer wrong indeed.

    ``review`` is what a person made of this very answer; ``stale`` that one was made of another answer, which the
    run no longer has.
    """

    run_id: str
    row: ResultRow
    measure: Measure
    beside: Beside
    proposal: Proposal
    if_wrong: FailureClass
    review: ReviewRecord | None = None
    stale: bool = False

    @property
    def person(self) -> bool | None:
        """What a person said of the answer; None for nothing."""
        return self.beside.person

    @property
    def decided(self) -> FailureClass | None:
        """The person's class."""
        return None if self.review is None else cast("FailureClass | None", self.review.decided)

    @property
    def kind(self) -> FailureClass:
        """The class as it stands: the person's, else the machine's."""
        return self.decided or self.proposal.kind

    @property
    def flag(self) -> bool:
        """Whether the person doubts the gold."""
        return self.review is not None and self.review.flag

    @property
    def note(self) -> str:
        """The person's own words."""
        return "" if self.review is None else self.review.note

    @property
    def category(self) -> str:
        """The question's category with its number and name."""
        return category_label(self.row.question)


def measure_of(card: RunCard) -> Measure:
    """What counts as a failure in a run: without a judge it is gold that was not retrieved."""
    return "verdicts" if card.judging else "evidence"


def answer_of(row: ResultRow) -> str:
    """What a review knows the row's answer by; empty without one."""
    return "" if row.answer is None else answer_key(row.answer.text)


def failures(store: Store, run: Run) -> tuple[Failure, ...]:
    """The failures of a run so far, by conversation and question, with what was made of them."""
    return reviewed(store, proposed(store, run))


def proposed(store: Store, run: Run) -> tuple[Failure, ...]:
    """The same as if nobody had reviewed any yet."""
    measure = measure_of(run.card)
    found: list[Failure] = []
    loaded = {row.conversation_id for row in store.conversations()}
    keys = dict.fromkeys(row.conversation_id for row in run.rows)
    places = {key: _Place.of(store, run.card, key, loaded=key in loaded) for key in keys}
    for row in run.rows:
        place = places[row.conversation_id]
        said = place.verdicts.get((row.question.index, answer_of(row)), ())
        person = next((it.outcome == "correct" for it in said if it.judge == HUMAN), None)
        if not wrong(row, measure, person):
            continue
        beside = Beside(
            doubt=place.doubt(row),
            person=person,
            others={f"{it.judge}, {it.protocol}": it.outcome for it in said if _other(it, row)},
            turns=[place.turns[turn_id] for turn_id in row.gold.turns if turn_id in place.turns],
        )
        found.append(_failure(run.run_id, row, measure, beside))
    return tuple(found)


def _failure(run_id: str, row: ResultRow, measure: Measure, beside: Beside) -> Failure:
    if_wrong = propose(row, measure, replace(beside, person=False)).kind
    return Failure(run_id, row, measure, beside, propose(row, measure, beside), if_wrong)


def reviewed(store: Store, found: Sequence[Failure]) -> tuple[Failure, ...]:
    """Failures with what people made of them; whose gold a reviewer flagged, in whatever run, is proposed anew."""
    every = store.reviews()
    doubts = {(it.conversation_id, it.question_index) for it in every if it.flag}
    reviews = {(it.run_id, it.conversation_id, it.question_index): it for it in every}
    made = []
    for plain in found:
        it = plain
        if it.row.key in doubts and not it.beside.doubt:
            it = _failure(it.run_id, it.row, it.measure, replace(it.beside, doubt="A reviewer flagged it."))
        review = reviews.get((it.run_id, *it.row.key))
        if review is not None:
            stale = review.answer_key != answer_of(it.row)
            it = replace(it, review=None if stale else review, stale=stale)
        made.append(it)
    return tuple(made)


def decide(store: Store, failure: Failure, **said: Any) -> None:
    """Keep what a person says of a failure: ``decided``, ``flag`` or ``note``; the rest of the review stays.

    That is the rest as it is in the store now, which may be newer than the failure that is shown.
    """
    row = failure.row
    fresh = ReviewRecord(
        failure.run_id, row.conversation_id, row.question.index, answer_of(row), failure.proposal.kind
    )
    with store.writing("reviews"):
        held = [it for it in store.reviews(failure.run_id) if (it.conversation_id, it.question_index) == row.key]
        now = next((it for it in held if it.answer_key == fresh.answer_key), fresh)
        store.save_review(replace(now, proposed=failure.proposal.kind, **said))


def table(found: Sequence[Failure]) -> list[dict[str, Any]]:
    """The failures as flat rows with ``COLUMNS``."""
    return [_flat(it) for it in found]


def _flat(failure: Failure) -> dict[str, Any]:
    row, review = failure.row, failure.review
    return {
        "run_id": failure.run_id,
        "conversation": row.conversation,
        "question_index": row.question.index,
        "category": failure.category,
        "question": row.question.text,
        "gold_answer": gold_words(row),
        "answer": row.answer.text if row.answer else None,
        "verdict": row.verdict.outcome if row.verdict else None,
        "verdict_reason": row.verdict.reason if row.verdict else None,
        "lost": ", ".join(f"{turn_id} {stage}" for turn_id, stage in row.lost.items()),
        "proposed": failure.proposal.kind,
        "why": failure.proposal.why,
        "decided": failure.decided,
        "gold_doubted": failure.flag,
        "note": failure.note,
        "decided_at": review.decided_at.isoformat() if review and review.decided_at else None,
    }


def gold_words(row: ResultRow) -> str:
    """The gold answer as the judge sees it."""
    return reference(row.question) if has_gold(row.question) else as_text(row.question.answer)


def _other(verdict: VerdictRecord, row: ResultRow) -> bool:
    """Whether it is of another judge than the run's."""
    own = (row.verdict.model, row.verdict.protocol) if row.verdict else None
    return verdict.judge != HUMAN and (verdict.judge, verdict.protocol) != own


@dataclass(frozen=True, slots=True)
class _Place:
    """What the store knows of a conversation; where it is not loaded, only what was said of its answers."""

    loaded: bool
    flags: dict[int, Flag]
    turns: dict[TurnId, Turn]
    verdicts: dict[tuple[int, str], list[VerdictRecord]]

    @classmethod
    def of(cls, store: Store, card: RunCard, key: ConversationId, *, loaded: bool) -> _Place:
        verdicts: dict[tuple[int, str], list[VerdictRecord]] = {}
        for it in store.verdicts(key):
            verdicts.setdefault((it.question_index, it.answer_key), []).append(it)
        if not loaded:
            return cls(False, {}, {}, verdicts)
        entry = next(it for it in card.conversations if it.conversation_id == key)
        turns = cut_turns(store.conversation(key), entry.settings.get("turn_unit", "auto"))
        return cls(True, store.flagged(key), {turn.turn_id: turn for turn in turns}, verdicts)

    def doubt(self, row: ResultRow) -> str:
        """Who doubts the gold: today's lists where the conversation is here, else those of the time of asking."""
        if not self.loaded:
            return row.flag
        flag = self.flags.get(row.question.index)
        return "" if flag is None else f"{flag.kind}. {flag.reasoning}".strip()
