"""The scoreboard of a question's gold turns: which are in the context and as what, which are lost and where."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from cuemem.evaluation.metrics import gold_of
from cuemem.ports import Memory
from cuemem.types import Explanation, Question, TurnId

MISSED = "missed"


@dataclass(frozen=True, slots=True)
class GoldTurn:
    """One gold turn. ``role`` is what it is in the context for, or ``missed``."""

    turn_id: TurnId
    role: str
    explanation: Explanation

    @property
    def found(self) -> bool:
        """Whether the turn is in the context."""
        return self.role != MISSED


def scoreboard(memory: Memory, method: Any, question: Question, budget: int | None) -> tuple[GoldTurn, ...]:
    """The gold turns of a question in chronological order, each with its explanation under these settings."""
    rows = []
    for turn_id in gold_of(question, memory.turns).turns:
        explanation = memory.explain(question.query, method, turn_id, budget)
        inside = explanation.stage == "in context"
        rows.append(GoldTurn(turn_id, str(explanation.role) if inside else MISSED, explanation))
    return tuple(rows)


def evidence_recall(rows: Sequence[GoldTurn]) -> float | None:
    """The share of the gold turns that are in the context; None without any."""
    return sum(row.found for row in rows) / len(rows) if rows else None
