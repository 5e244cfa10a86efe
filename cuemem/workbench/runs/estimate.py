"""What is still to be paid for: the calls, tokens, money and time of runs whose contexts are known."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from cuemem.adapters.store import Spent, Store
from cuemem.evaluation.compare import has_gold
from cuemem.evaluation.run import AnswerSetup, JudgeSetup, ResultRow
from cuemem.workbench.models import ModelRole, open_chat
from cuemem.workbench.runs.reading import Run
from cuemem.workbench.runs.runner import ModelsByName

# Tokens that a reply takes where nothing is known of the model yet; the judge's prompt has question, gold and reply.
_ANSWER_OUT = {"short": 15, "reasoned": 180, "cited": 120}
_JUDGE_IN, _JUDGE_OUT = 450, 45


@dataclass(frozen=True, slots=True)
class RunEstimate:
    """What the runs still take. ``kept`` replies are in the store already and cost nothing.

    ``cost`` in US dollars and ``seconds`` are None where not known. Verdicts are counted as if none were kept.
    """

    answers: int
    verdicts: int
    kept: int
    tokens_in: int
    tokens_out: int
    cost: float | None
    seconds: float | None

    @property
    def calls(self) -> int:
        """Answers and verdicts."""
        return self.answers + self.verdicts


@dataclass(frozen=True, slots=True)
class _Load:
    """Calls to one model."""

    role: ModelRole
    model: str
    calls: int
    tokens_in: int
    tokens_out: int


def estimate(store: Store, runs: Sequence[Run], models: ModelsByName) -> RunEstimate:
    """What it takes to bring these runs to their end. Two runs that ask the same thing are asked once."""
    prompts: dict[tuple[str, str], tuple[AnswerSetup, int]] = {}
    verdicts: dict[str, tuple[JudgeSetup, int]] = {}
    for run in runs:
        answering, judging = run.card.answering, run.card.judging
        if answering is None:
            continue
        for row in run.rows:
            left = row.open(run.card)
            if left == "answer":
                prompts[answering.model, row.request_key] = (answering, row.prompt_tokens or 0)
        if judging is not None:
            verdicts[run.run_id] = (judging, sum(_to_judge(row) for row in run.rows))
    kept = store.replied([key for _, key in prompts])
    loads = _answers([it for (_, key), it in prompts.items() if key not in kept], store)
    loads += _verdicts(verdicts.values(), store)
    answers = sum(load.calls for load in loads if load.role == "answer")
    costs = [open_chat(store, models(it.role, it.model)).cost(it.tokens_in, it.tokens_out) for it in loads]
    seconds = [_seconds(store, load, models) for load in loads]
    return RunEstimate(
        answers=answers,
        verdicts=sum(load.calls for load in loads) - answers,
        kept=len(kept),
        tokens_in=sum(load.tokens_in for load in loads),
        tokens_out=sum(load.tokens_out for load in loads),
        cost=None if None in costs else float(sum(filter(None, costs))),
        seconds=None if None in seconds else float(sum(filter(None, seconds))),
    )


def _to_judge(row: ResultRow) -> bool:
    return row.verdict is None and has_gold(row.question)


def _answers(wanted: Sequence[tuple[AnswerSetup, int]], store: Store) -> list[_Load]:
    loads = []
    for setup in dict.fromkeys(setup for setup, _ in wanted):
        counts = [count for asked, count in wanted if asked == setup]
        spent = store.spent(setup.model, setup.prompt.name)
        out = _mean_out(spent) or _ANSWER_OUT[setup.style]
        loads.append(_Load("answer", setup.model, len(counts), sum(counts), round(out * len(counts))))
    return loads


def _verdicts(wanted: Iterable[tuple[JudgeSetup, int]], store: Store) -> list[_Load]:
    loads = []
    for setup, count in wanted:
        if count:
            spent = [store.spent(setup.model, version.name) for version in setup.prompts]
            calls = sum(it.calls for it in spent)
            tokens_in = sum(it.tokens_in for it in spent) / calls if calls else _JUDGE_IN
            out = sum(it.tokens_out for it in spent) / calls if calls else _JUDGE_OUT
            loads.append(_Load("judge", setup.model, count, round(tokens_in * count), round(out * count)))
    return loads


def _mean_out(spent: Spent) -> float:
    return spent.tokens_out / spent.calls if spent.calls else 0.0


def _seconds(store: Store, load: _Load, models: ModelsByName) -> float | None:
    """By the pace of the model so far: a token read takes about a third of one written."""
    spent = store.spent(load.model)
    work = spent.tokens_in / 3 + spent.tokens_out
    if not work:
        return None
    at_once = min(models(load.role, load.model).limits.concurrency, max(1, load.calls))
    return spent.seconds * (load.tokens_in / 3 + load.tokens_out) / work / at_once
