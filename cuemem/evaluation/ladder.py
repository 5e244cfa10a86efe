"""One question at every value of one knob: what each step more brings in, and what it costs."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from cuemem.evaluation.metrics import gold_of, scored_apart
from cuemem.knobs import Knob, with_settings
from cuemem.ports import Memory
from cuemem.types import EvidenceContext, Query, Question, TurnId


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a context holds and costs. ``found`` is the gold in it, in chronological order."""

    turns: int
    tokens: int
    found: tuple[TurnId, ...]


def outcome_of(context: EvidenceContext, gold: Collection[TurnId]) -> Outcome:
    """A context against the gold turns of its question."""
    return Outcome(
        len(context.items), context.tokens, tuple(turn_id for turn_id in context.turn_ids if turn_id in gold)
    )


@dataclass(frozen=True, slots=True)
class Rung:
    """One value of the knob (of the budget; None: no budget) and what comes of it, all else as it is."""

    value: int | None
    outcome: Outcome


_FEW = 12  # a range of at most so many values is shown whole
_CHOSEN = (1, 2, 3, 5, 8, 10, 15, 20, 30, 40, 60)


def rungs_of(knob: Knob, *also: int) -> tuple[int, ...]:
    """The values of a knob to look at: all of a short range; of a long one a choice, and the values asked for."""
    low, high = knob.low or 0, knob.high or 0
    if high - low < _FEW:
        return tuple(range(low, high + 1))
    return tuple(sorted({low, high, *also, *(value for value in _CHOSEN if low <= value <= high)}))


def ladder(
    memory: Memory,
    method: Any,
    query: Query,
    gold: Collection[TurnId],
    knob: str,
    values: Iterable[int],
    budget: int | None,
) -> tuple[Rung, ...]:
    """The context of a query at these values of a knob, the other knobs and the budget as they are."""
    return tuple(
        Rung(
            value,
            outcome_of(memory.recall(query, with_settings(method, {knob: value}), budget).context, gold),
        )
        for value in values
    )


def budget_ladder(
    memory: Memory, method: Any, query: Query, gold: Collection[TurnId], budgets: Iterable[int | None]
) -> tuple[Rung, ...]:
    """The context of a query under these budgets (None: none)."""
    return tuple(Rung(budget, outcome_of(memory.recall(query, method, budget).context, gold)) for budget in budgets)


@dataclass(frozen=True, slots=True)
class Least:
    """The least value of a knob at which a gold turn is in the context; None where no value alone brings it in."""

    turn_id: TurnId
    value: int | None


def least_values(
    memory: Memory, method: Any, query: Query, gold: Sequence[TurnId], knob: str, budget: int | None
) -> tuple[Least, ...]:
    """For each gold turn the least value of one knob (or of ``budget``), all else as it is."""
    found = []
    for turn_id in gold:
        changes = memory.explain(query, method, turn_id, budget).changes
        found.append(Least(turn_id, next((change.value for change in changes if change.knob == knob), None)))
    return tuple(found)


def hinges_on(
    memory: Memory, method: Any, questions: Iterable[Question], knob: Knob, budget: int | None
) -> Question | None:
    """The first answerable question that would lose a gold turn if the knob were at its least."""
    low = knob.low or 0
    for question in questions:
        if scored_apart(question):
            continue
        gold = gold_of(question, memory.turns).turns
        for least in least_values(memory, method, question.query, gold, knob.name, budget):
            if least.value is not None and low < least.value <= getattr(method, knob.name):
                return question
    return None
