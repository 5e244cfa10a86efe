"""Retrieval evaluated over questions: for one setting in full, or for a grid of settings by recall alone."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import product
from typing import Any, Protocol

import numpy as np

from cuemem.evaluation.metrics import Gold, Retrieval, Summary, gold_of, measure, scored_apart, summarise
from cuemem.knobs import with_settings
from cuemem.ports import Memory
from cuemem.types import ConversationId, Question


@dataclass(frozen=True, slots=True)
class Scored:
    """One question's retrieval, scored."""

    conversation_id: ConversationId
    question: Question
    gold: Gold
    retrieval: Retrieval


def evaluate(memory: Memory, method: Any, questions: Iterable[Question], budget: int | None) -> Iterator[Scored]:
    """Recall every question and score it against its gold; those without gold keep None for a score."""
    turns = {turn.turn_id: turn for turn in memory.turns}
    for question in questions:
        gold = gold_of(question, memory.turns)
        recall = memory.recall(question.query, method, budget)
        yield Scored(memory.conversation.conversation_id, question, gold, measure(recall, gold, turns))


def summaries(scored: Sequence[Scored]) -> tuple[Summary, ...]:
    """The headline over answerable questions, then each category, then what is scored apart."""
    headline = [row for row in scored if not scored_apart(row.question)]
    apart = [row for row in scored if scored_apart(row.question)]
    groups = [("all answerable", headline), *_by_category(headline)]
    groups += [(f"apart: {name}", rows) for name, rows in _by_category(apart)]
    return tuple(summarise(name, [row.retrieval for row in rows]) for name, rows in groups if rows)


def _by_category(scored: Sequence[Scored]) -> list[tuple[str, list[Scored]]]:
    groups: dict[tuple[int, str], list[Scored]] = {}
    for row in scored:
        groups.setdefault((row.question.category_number or 0, category_label(row.question)), []).append(row)
    return [(label, groups[number, label]) for number, label in sorted(groups)]


class Categorised(Protocol):
    """A question, or a count of questions of one category."""

    @property
    def category(self) -> str: ...

    @property
    def category_number(self) -> int | None: ...

    @property
    def abstention(self) -> bool: ...


def category_label(question: Categorised) -> str:
    """Number and name, since many projects mix LoCoMo's numbers up; abstention is said beside the type."""
    number = "" if question.category_number is None else f"{question.category_number} "
    return f"{number}{question.category}{' (abstention)' if question.abstention else ''}"


@dataclass(frozen=True, slots=True)
class GridRow:
    """One conversation at one setting, over its answerable questions with gold; paper mode."""

    sample_id: str
    setting: Mapping[str, int]
    questions: int
    anchor_recall: float
    context_recall: float
    all_recall: float
    mean_turns: float


def grid(
    memory: Memory, method: Any, questions: Iterable[Question], axes: Mapping[str, Sequence[int]]
) -> Iterator[GridRow]:
    """Evidence recall at every combination of the axes, which are knobs by name or symbol.

    Only the turns reached are computed, no text is rendered. The questions are in the outer loop, so each is
    encoded and searched once.
    """
    place = {turn.turn_id: turn.index for turn in memory.turns}
    combinations = [dict(zip(axes, values, strict=True)) for values in product(*axes.values())]
    methods = [with_settings(method, setting) for setting in combinations]
    sums = np.zeros((len(methods), 4))
    counted = 0
    for question in questions:
        gold = [place[turn_id] for turn_id in gold_of(question, memory.turns).turns]
        if not gold or scored_apart(question):
            continue
        counted += 1
        for line, variant in enumerate(methods):
            anchors, context = memory.reached(question.query, variant)
            found = np.isin(gold, context)
            sums[line] += np.isin(gold, anchors).mean(), found.mean(), found.all(), len(context)
    means = sums / counted if counted else np.full_like(sums, np.nan)
    for setting, row in zip(combinations, means.tolist(), strict=True):
        yield GridRow(memory.conversation.sample_id, setting, counted, *row)
