"""Retrieval metrics of one question and of many (needs no language model).

Gold that cannot be resolved is left out of the denominator; a question without gold has no score at all,
neither 0 nor 1. Names and formulas of the ranking metrics are those of trec_eval.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from cuemem.turns import turns_holding
from cuemem.types import EvidenceContext, Question, Recall, Turn, TurnId


@dataclass(frozen=True, slots=True)
class Gold:
    """The gold of a question under a turn unit: turns in chronological order, and sessions."""

    turns: tuple[TurnId, ...]
    sessions: tuple[int, ...]


def gold_of(question: Question, turns: Sequence[Turn]) -> Gold:
    """Gold evidence mapped onto turns, as a set: two gold utterances in one exchange are one gold turn."""
    held = turns_holding(turns, question.gold_utterances)
    sessions = dict.fromkeys([*question.gold_sessions, *(turns[index].session for index in held)])
    return Gold(tuple(turns[index].turn_id for index in held), tuple(sorted(sessions)))


def scored_apart(question: Question) -> bool:
    """Adversarial and abstention questions are never part of the headline."""
    return question.unanswerable


@dataclass(frozen=True, slots=True)
class Score:
    """Found gold of one kind (turns, or sessions). None where the question has no gold of that kind."""

    recall: float | None  # mean share of gold found
    any: float | None  # 1 when any is found
    all: float | None  # 1 when all is found
    precision: float | None  # share of what was chosen that is gold; None when nothing was chosen


def score(gold: Iterable[object], chosen: Iterable[object]) -> Score:
    """Recall, any, all and precision of a chosen set against a gold set."""
    wanted, got = set(gold), set(chosen)
    if not wanted:
        return Score(None, None, None, None)
    found = len(wanted & got)
    return Score(
        found / len(wanted), float(found > 0), float(found == len(wanted)), found / len(got) if got else None
    )


@dataclass(frozen=True, slots=True)
class Retrieval:
    """What one recall retrieved of a question's gold, and what it cost."""

    turn: Score
    session: Score
    anchor_recall: float | None
    recall_at: Mapping[int, float | None]  # R@k over the ranked turns
    ndcg_at: Mapping[int, float | None]
    turns: int
    tokens: int


CUT_OFFS = (5, 10, 20)


def measure(recall: Recall, gold: Gold, turns: Mapping[TurnId, Turn]) -> Retrieval:
    """Score one recall. Methods that rank no turns have no ranking metrics and no anchor recall."""
    anchors = [anchor.turn_id for anchor in recall.anchors]
    return measure_context(recall.context, gold, turns, recall.ranking, anchors)


def measure_context(
    context: EvidenceContext,
    gold: Gold,
    turns: Mapping[TurnId, Turn],
    ranked: Sequence[TurnId] | None = None,
    anchors: Sequence[TurnId] = (),
) -> Retrieval:
    """Score a context, however it came about; ``ranked`` is None where nothing ranks turns."""
    chosen = context.turn_ids
    return Retrieval(
        turn=score(gold.turns, chosen),
        session=score(gold.sessions, {turns[turn_id].session for turn_id in chosen}),
        anchor_recall=score(gold.turns, anchors).recall if ranked is not None else None,
        recall_at={k: recall_at(ranked, gold.turns, k) for k in CUT_OFFS},
        ndcg_at={k: ndcg_at(ranked, gold.turns, k) for k in CUT_OFFS},
        turns=len(chosen),
        tokens=context.tokens,
    )


def recall_at(ranked: Sequence[TurnId] | None, gold: Sequence[TurnId], k: int) -> float | None:
    """R@k: the share of the gold among the first k of the ranking; 0 where the ranking is empty, None without one."""
    if not gold or ranked is None:
        return None
    return len(set(gold) & set(ranked[:k])) / len(set(gold))


def ndcg_at(ranked: Sequence[TurnId] | None, gold: Sequence[TurnId], k: int) -> float | None:
    """nDCG@k with binary gains, gain / log2(rank + 1); the ideal ranks all gold first, also the never retrieved."""
    if not gold or ranked is None:
        return None
    wanted = set(gold)
    gained = sum(1 / math.log2(rank + 1) for rank, turn_id in enumerate(ranked[:k], 1) if turn_id in wanted)
    ideal = sum(1 / math.log2(rank + 1) for rank in range(1, min(k, len(wanted)) + 1))
    return gained / ideal


@dataclass(frozen=True, slots=True)
class Summary:
    """Means over questions. ``n`` is how many have turn gold, ``n_session`` how many have session gold."""

    name: str
    questions: int
    n: int
    n_session: int
    recall: float | None
    any: float | None
    all: float | None
    precision: float | None
    anchor_recall: float | None
    session_recall: float | None
    session_all: float | None
    recall_at: Mapping[int, float | None]
    ndcg_at: Mapping[int, float | None]
    turns: float | None
    tokens: float | None
    tokens_p95: float | None


def summarise(name: str, rows: Sequence[Retrieval]) -> Summary:
    """Means over the questions that have the gold in question; tokens over all of them."""
    tokens = [row.tokens for row in rows]
    return Summary(
        name=name,
        questions=len(rows),
        n=sum(row.turn.recall is not None for row in rows),
        n_session=sum(row.session.recall is not None for row in rows),
        recall=mean(row.turn.recall for row in rows),
        any=mean(row.turn.any for row in rows),
        all=mean(row.turn.all for row in rows),
        precision=mean(row.turn.precision for row in rows),
        anchor_recall=mean(row.anchor_recall for row in rows),
        session_recall=mean(row.session.recall for row in rows),
        session_all=mean(row.session.all for row in rows),
        recall_at={k: mean(row.recall_at[k] for row in rows) for k in CUT_OFFS},
        ndcg_at={k: mean(row.ndcg_at[k] for row in rows) for k in CUT_OFFS},
        turns=mean(float(row.turns) for row in rows),
        tokens=mean(float(count) for count in tokens),
        tokens_p95=float(np.percentile(tokens, 95)) if tokens else None,
    )


def mean(values: Iterable[float | None]) -> float | None:
    """The mean of what is there; None when nothing is."""
    there = [value for value in values if value is not None]
    return sum(there) / len(there) if there else None
