"""What is still to be paid for: the calls, tokens, money and time of runs whose contexts are known."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Literal

from cuemem.adapters.store import Spent, Store
from cuemem.evaluation.compare import has_gold
from cuemem.evaluation.run import AnswerSetup, JudgeSetup, ResultRow
from cuemem.workbench.models import ModelSettings, model_settings, open_chat
from cuemem.workbench.runs.reading import Run
from cuemem.workbench.runs.reranking import MARK, asks_to_recall, most_marks
from cuemem.workbench.runs.runner import ModelsByName

# Tokens that a reply takes where nothing is known of the model yet; the judge's prompt has question, gold and reply,
# the reranker's a question and one memory. And those of a context that is still to be found.
_ANSWER_OUT = {"short": 15, "reasoned": 180, "cited": 120}
_JUDGE_IN, _JUDGE_OUT = 450, 45
_MARK_IN, _MARK_OUT = 400, 8
_CONTEXT = 1500


@dataclass(frozen=True, slots=True)
class RunEstimate:
    """What the runs still take. ``kept`` replies are in the store already and cost nothing.

    ``cost`` in US dollars and ``seconds`` are None where not known. Verdicts are counted as if none were kept, and so
    are ``marks``, which a chat model gives as the reranker of questions whose context is still to be found.
    """

    answers: int
    verdicts: int
    kept: int
    tokens_in: int
    tokens_out: int
    cost: float | None
    seconds: float | None
    marks: int = 0

    @property
    def calls(self) -> int:
        """Answers, verdicts and marks."""
        return self.answers + self.verdicts + self.marks


@dataclass(frozen=True, slots=True)
class _Load:
    """Calls to one model."""

    what: Literal["answer", "verdict", "mark"]
    model: ModelSettings
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
        unknown = _without_context(run)
        size = _typical(run)
        prompts |= {(answering.model, f"{run.run_id} {at}"): (answering, size) for at in range(unknown)}
        if judging is not None:
            verdicts[run.run_id] = (judging, sum(_to_judge(row) for row in run.rows) + unknown)
    kept = store.replied([key for _, key in prompts])
    loads = _answers([it for (_, key), it in prompts.items() if key not in kept], store, models)
    loads += _verdicts(verdicts.values(), store, models)
    loads += _marks(runs, store)
    calls = {what: sum(load.calls for load in loads if load.what == what) for what in ("answer", "verdict", "mark")}
    costs = [open_chat(store, it.model).cost(it.tokens_in, it.tokens_out) for it in loads]
    seconds = [_seconds(store, load) for load in loads]
    return RunEstimate(
        answers=calls["answer"],
        verdicts=calls["verdict"],
        kept=len(kept),
        tokens_in=sum(load.tokens_in for load in loads),
        tokens_out=sum(load.tokens_out for load in loads),
        cost=None if None in costs else float(sum(filter(None, costs))),
        seconds=None if None in seconds else float(sum(filter(None, seconds))),
        marks=calls["mark"],
    )


def _to_judge(row: ResultRow) -> bool:
    return row.verdict is None and has_gold(row.question)


def _without_context(run: Run) -> int:
    """The questions whose context is found only as the run asks."""
    return max(0, run.card.questions.count - len(run.rows)) if asks_to_recall(run.card) else 0


def _typical(run: Run) -> int:
    """The tokens of a prompt with a context that is not known yet: as of the others, or by the budget."""
    known = [row.prompt_tokens for row in run.rows if row.prompt_tokens]
    return round(sum(known) / len(known)) if known else run.card.conversations[0].budget or _CONTEXT


def _answers(wanted: Sequence[tuple[AnswerSetup, int]], store: Store, models: ModelsByName) -> list[_Load]:
    loads = []
    for setup in dict.fromkeys(setup for setup, _ in wanted):
        counts = [count for asked, count in wanted if asked == setup]
        spent = store.spent(setup.model, setup.prompt.name)
        out = _mean_out(spent) or _ANSWER_OUT[setup.style]
        settings = models("answer", setup.model)
        loads.append(_Load("answer", settings, len(counts), sum(counts), round(out * len(counts))))
    return loads


def _verdicts(wanted: Iterable[tuple[JudgeSetup, int]], store: Store, models: ModelsByName) -> list[_Load]:
    loads = []
    for setup, count in wanted:
        if count:
            spent = [store.spent(setup.model, version.name) for version in setup.prompts]
            calls = sum(it.calls for it in spent)
            tokens_in = sum(it.tokens_in for it in spent) / calls if calls else _JUDGE_IN
            out = sum(it.tokens_out for it in spent) / calls if calls else _JUDGE_OUT
            settings = models("judge", setup.model)
            loads.append(_Load("verdict", settings, count, round(tokens_in * count), round(out * count)))
    return loads


def _marks(runs: Sequence[Run], store: Store) -> list[_Load]:
    """At most n of each question that is still to be recalled, by the model that the environment names to judge."""
    count = sum(_without_context(run) * most_marks(run.card) for run in runs)
    settings = model_settings("judge") if count else None
    if settings is None:
        return []
    spent = store.spent(settings.name, MARK)
    tokens_in = spent.tokens_in / spent.calls if spent.calls else _MARK_IN
    return [_Load("mark", settings, count, round(tokens_in * count), round((_mean_out(spent) or _MARK_OUT) * count))]


def _mean_out(spent: Spent) -> float:
    return spent.tokens_out / spent.calls if spent.calls else 0.0


def _seconds(store: Store, load: _Load) -> float | None:
    """By the pace of the model so far: a token read takes about a third of one written."""
    spent = store.spent(load.model.name, timed=True)
    work = spent.tokens_in / 3 + spent.tokens_out
    if not work:
        return None
    at_once = min(load.model.limits.concurrency, max(1, load.calls))
    return spent.seconds * (load.tokens_in / 3 + load.tokens_out) / work / at_once
