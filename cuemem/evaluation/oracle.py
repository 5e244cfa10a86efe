"""The oracle context: exactly the gold turns. It lives here, since a method never sees gold."""

from __future__ import annotations

from collections.abc import Sequence

from cuemem.context import Candidate, assemble
from cuemem.evaluation.metrics import gold_of
from cuemem.ports import TokenCounter
from cuemem.types import EvidenceContext, Question, Turn


def oracle_context(
    question: Question, turns: Sequence[Turn], tokens: TokenCounter, budget: int | None = None
) -> EvidenceContext:
    """The context an ideal retrieval would give: the gold turns in chronological order."""
    gold = set(gold_of(question, turns).turns)
    return assemble([Candidate(turn, "gold") for turn in turns if turn.turn_id in gold], tokens, budget)
