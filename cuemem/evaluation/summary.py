"""What a run's rows come to: accuracy, F1 and evidence by category with intervals, and what a question costs."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import dataclass

import numpy as np

from cuemem.evaluation.f1 import substring_match
from cuemem.evaluation.metrics import mean, scored_apart
from cuemem.evaluation.overlay import QuestionKey
from cuemem.evaluation.retrieval import category_label
from cuemem.evaluation.run import ResultRow
from cuemem.evaluation.statistics import Interval, bootstrap_mean, wilson
from cuemem.types import Usage

ALL = "all answerable"
APART = "apart: "
_SEED = 20609


@dataclass(frozen=True, slots=True)
class Mean:
    """A mean over questions, and an interval by resampling conversations; without one where there is but one."""

    value: float
    low: float | None = None
    high: float | None = None


@dataclass(frozen=True, slots=True)
class Line:
    """The questions of one category, or all. None stands where there is nothing to take a mean of.

    Every question that was to be answered and judged counts in ``judged``, which the accuracy is a share of:
    ``unparsed`` verdicts, judgements that ``failed``, and answers that never came (``no_answer``) or were ``empty``
    are not correct.
    """

    name: str
    questions: int
    judged: int
    correct: int
    accuracy: Interval | None
    unparsed: int
    failed: int
    no_answer: int
    empty: int
    official_f1: float | None
    set_token_f1: float | None
    substring_match: float | None
    with_gold: int
    recall: Mean | None
    any: Mean | None
    all: Mean | None
    ndcg_at_10: float | None
    tokens: float | None
    tokens_p95: float | None

    @property
    def apart(self) -> bool:
        """Whether these questions are kept out of the headline."""
        return self.name.startswith(APART)


@dataclass(frozen=True, slots=True)
class Costs:
    """What a question costs on average (Table 3), and the whole run in US dollars.

    ``tokens_in`` and ``tokens_out`` are as the model's server counted them, ``context`` by the fixed tokenizer.
    Seconds are over the ``timed`` answers that have them: those from batch files have none. A cost is None
    where the price of one of the replies is not known.
    """

    answers: int
    context: float | None
    context_p95: float | None
    tokens_in: float | None
    tokens_out: float | None
    reconstruction_seconds: float | None
    inference_seconds: float | None
    timed: int
    answer_cost: float | None
    judge_cost: float | None
    cached: int


@dataclass(frozen=True, slots=True)
class RunSummary:
    """A run in figures: over all its questions, and over those whose gold no list calls faulty."""

    everything: tuple[Line, ...]
    unflagged: tuple[Line, ...]
    flagged: int
    costs: Costs
    losses: Mapping[str, int]

    @property
    def headline(self) -> Line | None:
        """All answerable questions; None where there are only others."""
        return next((line for line in self.everything if line.name == ALL), None)


def summarise_run(rows: Sequence[ResultRow], flagged: Collection[QuestionKey] | None = None) -> RunSummary:
    """The figures of a run. ``flagged`` are the questions whose gold is doubted; None: as when they were asked."""
    doubted = {row.key for row in rows if row.flag} if flagged is None else set(flagged)
    rest = [row for row in rows if row.key not in doubted]
    return RunSummary(lines(rows), lines(rest), len(rows) - len(rest), costs(rows), losses(rows))


def lines(rows: Sequence[ResultRow]) -> tuple[Line, ...]:
    """The headline over answerable questions, then each category, then what is kept apart."""
    headline = [row for row in rows if not scored_apart(row.question)]
    apart = [row for row in rows if scored_apart(row.question)]
    groups = [(ALL, headline), *_by_category(headline)]
    groups += [(f"{APART}{name}", found) for name, found in _by_category(apart)]
    return tuple(_line(name, found) for name, found in groups if found)


def _by_category(rows: Sequence[ResultRow]) -> list[tuple[str, list[ResultRow]]]:
    groups: dict[tuple[int, str], list[ResultRow]] = {}
    for row in rows:
        groups.setdefault((row.question.category_number or 0, category_label(row.question)), []).append(row)
    return [(label, groups[number, label]) for number, label in sorted(groups)]


def _line(name: str, rows: Sequence[ResultRow]) -> Line:
    verdicts = [row.verdict for row in rows if row.verdict]
    correct = sum(verdict.correct for verdict in verdicts)
    outcomes = Counter(verdict.outcome for verdict in verdicts)
    answers = [row.answer for row in rows if row.answer]
    answered = [row for row in rows if row.answer]
    return Line(
        name=name,
        questions=len(rows),
        judged=len(verdicts),
        correct=correct,
        accuracy=wilson(correct, len(verdicts)),
        unparsed=outcomes["unparsed"],
        failed=outcomes["failed"],
        no_answer=sum(answer.failure is not None for answer in answers),
        empty=sum(answer.failure is None and not answer.text.strip() for answer in answers),
        official_f1=mean(row.official_f1 for row in answered),
        set_token_f1=mean(row.set_token_f1 for row in answered),
        substring_match=mean(
            substring_match(row.question, row.answer.text) for row in answered if row.answer is not None
        ),
        with_gold=sum(row.retrieval.turn.recall is not None for row in rows),
        recall=over_conversations(rows, lambda row: row.retrieval.turn.recall),
        any=over_conversations(rows, lambda row: row.retrieval.turn.any),
        all=over_conversations(rows, lambda row: row.retrieval.turn.all),
        ndcg_at_10=mean(row.retrieval.ndcg_at.get(10) for row in rows),
        tokens=mean(float(row.retrieval.tokens) for row in rows),
        tokens_p95=_p95(rows),
    )


def _p95(rows: Sequence[ResultRow]) -> float | None:
    contexts = [row.retrieval.tokens for row in rows]
    return float(np.percentile(contexts, 95)) if contexts else None


def over_conversations(rows: Sequence[ResultRow], value: Callable[[ResultRow], float | None]) -> Mean | None:
    """The mean of what is there, with an interval by resampling conversations where there are two or more."""
    groups: dict[str, list[float]] = {}
    for row in rows:
        found = value(row)
        if found is not None:
            groups.setdefault(row.conversation_id, []).append(found)
    if not groups:
        return None
    if len(groups) == 1:
        (values,) = groups.values()
        return Mean(sum(values) / len(values))
    interval = bootstrap_mean(list(groups.values()), seed=_SEED)
    assert interval is not None
    return Mean(interval.estimate, interval.low, interval.high)


def costs(rows: Sequence[ResultRow]) -> Costs:
    """What the answers and verdicts of these rows took, those kept from before as they did the first time."""
    answers = [row.answer for row in rows if row.answer]
    used = [answer.usage for answer in answers if answer.usage]
    judged = [row.verdict.usage for row in rows if row.verdict and row.verdict.usage]
    timed = [usage.seconds for usage in used if usage.seconds > 0]
    contexts = [row.retrieval.tokens for row in rows]
    return Costs(
        answers=len(answers),
        context=mean(map(float, contexts)),
        context_p95=_p95(rows),
        tokens_in=mean(float(usage.tokens_in) for usage in used),
        tokens_out=mean(float(usage.tokens_out) for usage in used),
        reconstruction_seconds=mean(row.reconstruction_seconds for row in rows if row.answer),
        inference_seconds=mean(timed),
        timed=len(timed),
        answer_cost=_sum(used),
        judge_cost=_sum(judged),
        cached=sum(answer.cached for answer in answers),
    )


def _sum(used: Sequence[Usage]) -> float | None:
    costs = [usage.cost for usage in used]
    return None if None in costs else float(sum(filter(None, costs)))


def losses(rows: Sequence[ResultRow]) -> dict[str, int]:
    """Where the gold turns of the answerable questions went, by stage of loss; the most frequent first."""
    counts: Counter[str] = Counter()
    for row in rows:
        if not scored_apart(row.question):
            counts["in context"] += len(row.gold.turns) - len(row.lost)
            counts.update(row.lost.values())
    return dict(counts.most_common())
