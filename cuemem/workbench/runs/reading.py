"""Runs as the store holds them."""

from __future__ import annotations

from dataclasses import dataclass
from datetime import datetime
from typing import Literal

from cuemem.adapters.store import ResultRecord, RunRecord, Store
from cuemem.errors import UnknownName
from cuemem.evaluation.run import RUN, ResultRow, RunCard, as_json, from_json
from cuemem.text import counted

State = Literal["done", "open", "waiting"]


@dataclass(frozen=True, slots=True)
class Listed:
    """A run without its rows: the card, and how far it is."""

    run_id: str
    card: RunCard
    begun: datetime
    rows: int
    open_answers: int
    open_verdicts: int

    @property
    def missing(self) -> int:
        """Questions that nothing is known of yet: not recalled, or their conversation was taken out since."""
        return max(0, self.card.questions.count - self.rows)

    @property
    def state(self) -> State:
        """Whether it is at its end, can go on, or waits for replies from batch files."""
        if not (self.missing or self.open_answers or self.open_verdicts):
            return "done"
        return "waiting" if self.card.waits and not self.missing else "open"

    @property
    def state_words(self) -> str:
        """The same in words, with what is still to come."""
        if self.state == "done":
            return "done"
        if self.state == "waiting":
            return f"waiting for {counted(self.open_answers or self.open_verdicts, 'reply')}"
        parts = {"result": self.missing, "answer": self.open_answers, "verdict": self.open_verdicts}
        return ", ".join(counted(count, what) for what, count in parts.items() if count) + " to come"


@dataclass(frozen=True, slots=True)
class Run:
    """A run with its rows, by conversation and question."""

    run_id: str
    card: RunCard
    rows: tuple[ResultRow, ...]


def listed(store: Store) -> tuple[Listed, ...]:
    """All runs, the newest first."""
    return tuple(_listed(record) for record in reversed(store.runs()) if record.kind == RUN)


def one_listed(store: Store, run_id: str) -> Listed:
    """One run without its rows. Raises UnknownName."""
    return _listed(store.run(run_id))


def _listed(record: RunRecord) -> Listed:
    card = from_json(RunCard, record.card, f"The card of {record.run_id}")
    return Listed(record.run_id, card, record.created_at, record.results, record.open_answers, record.open_verdicts)


def opened(store: Store, run_id: str) -> Run:
    """A run with its rows. Raises UnknownName."""
    card = one_listed(store, run_id).card
    rows = store.results(run_id)
    return Run(run_id, card, tuple(from_json(ResultRow, row.values, f"A result of {run_id}") for row in rows))


def record_of(row: ResultRow, card: RunCard) -> ResultRecord:
    """A row as the store keeps it."""
    return ResultRecord(row.conversation_id, row.question.index, as_json(row), row.open(card))


def resolve(store: Store, name: str) -> tuple[str, ...]:
    """The runs that a name means: an unambiguous part of a run's id, or the name of a group, for all of its runs.

    Raises UnknownName.
    """
    found = listed(store)
    group = [run.run_id for run in found if name in run.card.groups]
    if group:
        return tuple(reversed(group))
    ids = [run.run_id for run in found if run.run_id == name] or [run.run_id for run in found if name in run.run_id]
    if len(ids) == 1:
        return (ids[0],)
    if not ids:
        some = ", ".join(run.run_id for run in found[:5])
        raise UnknownName(f"There is no run {name!r}; {f'the newest are {some}' if some else 'there is none yet'}.")
    raise UnknownName(f"{name!r} may mean {', '.join(ids)}. Say more of it.")
