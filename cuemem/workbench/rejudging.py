"""Asking a judge for more verdicts on answers: by another protocol, or once more; estimated, capped, resumable."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

from cuemem.adapters.store import Store
from cuemem.adapters.store.replies import as_failure
from cuemem.errors import BadInput, BadSetting, ChatFailure, Stopped
from cuemem.evaluation.judge import Judge
from cuemem.evaluation.judges import sample
from cuemem.evaluation.run import JudgeSetup
from cuemem.parallel import in_order
from cuemem.patience import Patience
from cuemem.ports import Progress
from cuemem.prompts import Prompts
from cuemem.types import ChatRequest, FailureKind, JudgeProtocol
from cuemem.workbench import answering
from cuemem.workbench.extracting import keep_prompt
from cuemem.workbench.judging import Item, pool, said
from cuemem.workbench.models import ModelSettings, lend, lent, open_chat
from cuemem.workbench.runs.purse import Caps, Metered, Purse
from cuemem.workbench.runs.reading import Run, one_listed, opened
from cuemem.workbench.workbench import Workbench


@dataclass(frozen=True, slots=True)
class Asking:
    """What is to be judged: a sample of the answers of some runs, by a protocol.

    ``rounds`` 0 is one verdict beside the run's own; above it the run's own judge is asked so many times again.
    """

    run_ids: tuple[str, ...]
    protocol: JudgeProtocol
    size: int
    seed: int
    rounds: int = 0


@dataclass(frozen=True, slots=True)
class JudgingEstimate:
    """What it takes. ``kept`` replies cost nothing; ``cost`` and ``seconds`` are None where not known.

    ``failed`` counts, by the kind of failure, the calls among them that were made before and gave no verdict.
    """

    calls: int
    kept: int
    failed: Mapping[FailureKind, int]
    tokens_in: int
    tokens_out: int
    cost: float | None
    seconds: float | None


@dataclass(frozen=True, slots=True)
class Rejudged:
    """How many verdicts came, and how many calls failed."""

    verdicts: int
    failed: int


Step = tuple[Item, int]  # an answer, and which repetition
_SAMPLED = 40  # prompts whose tokens are counted for an estimate
_OUT = 45  # tokens of a verdict where nothing is known of the model


def todo(store: Store, asking: Asking, settings: ModelSettings, prompts: Prompts) -> list[Step]:
    """What is not judged yet, a whole round before the next; then what was asked for and has failed.

    A verdict that could not be read has failed, too, unless the reply is kept: asking again would give the same one.
    """
    runs = [opened(store, run_id) for run_id in asking.run_ids]
    _check(runs, asking, settings, prompts)
    items = sample(pool(runs), asking.size, asking.seed)
    found = said(store, items)
    judge = _judge(store, asking, settings, prompts)
    kinds = _failed(store, items)
    steps: list[Step] = []
    again: list[Step] = []
    for number in range(1, asking.rounds + 1) if asking.rounds else (0,):
        for item in items:
            hash_ = prompts[judge.template(item.row.question)].version.hash
            if number:
                held = found.repeated.get((settings.name, asking.protocol, hash_), {}).get(item.name, [])
                one = next((it for it in held if it.repeat == number), None)
            else:
                one = found.judges.get((settings.name, asking.protocol), {}).get(item.name)
            step = (item, number)
            if one is None or one.prompt_hash != hash_:
                steps.append(step)
            elif one.outcome == "failed" or (
                one.outcome == "unparsed" and _request(judge, step).key(settings.name) in kinds
            ):
                again.append(step)
    return [*steps, *again]


def _failed(store: Store, items: Sequence[Item]) -> dict[str, FailureKind]:
    """The requests about these conversations that failed when they were made last, by their keys."""
    conversations = dict.fromkeys(item.row.conversation_id for item in items)
    return {it.request_key: it.kind for key in conversations for it in store.chat_failures(key)}


def estimate(
    store: Store, asking: Asking, settings: ModelSettings, prompts: Prompts, count: Callable[[str], int]
) -> JudgingEstimate:
    """What the verdicts that are lacking take. ``count`` counts tokens."""
    steps = todo(store, asking, settings, prompts)
    judge = _judge(store, asking, settings, prompts)
    keys = {_request(judge, step).key(settings.name): step for step in steps}
    kept = store.replied(list(keys))
    failed = _failed(store, [item for item, _ in steps])
    rest = [step for key, step in keys.items() if key not in kept]
    tried = [sum(count(it.text) for it in _request(judge, step).messages) for step in rest[:_SAMPLED]]
    tokens_in = round(sum(tried) / len(tried) * len(rest)) if tried else 0
    names = {judge.template(item.row.question) for item, _ in rest}
    like = [it for it in (store.spent(settings.name, name) for name in names) if it.calls]
    calls = sum(it.calls for it in like)
    out = round((sum(it.tokens_out for it in like) / calls if calls else _OUT) * len(rest))
    timed = [it for it in (store.spent(settings.name, name, timed=True) for name in names) if it.calls]
    timed = timed or [it for it in [store.spent(settings.name, timed=True)] if it.calls]
    pace = sum(it.seconds for it in timed) / sum(it.calls for it in timed) if timed else None
    at_once = min(settings.limits.concurrency, max(1, len(rest)))
    return JudgingEstimate(
        calls=len(rest),
        kept=len(kept),
        failed=Counter(failed[key] for key in keys if key in failed),
        tokens_in=tokens_in,
        tokens_out=out,
        cost=open_chat(store, settings).cost(tokens_in, out),
        seconds=None if pace is None else pace * len(rest) / at_once,
    )


def judging_details(asking: Asking, settings: ModelSettings, prompts: Prompts, caps: Caps) -> dict[str, Any]:
    """Judge these answers, as a background job; no key is in the details."""
    return {
        "runs": list(asking.run_ids),
        "protocol": asking.protocol,
        "size": asking.size,
        "seed": asking.seed,
        "rounds": asking.rounds,
        "judge": lend(settings),
        "prompts": str(prompts.own) if prompts.own else None,
        "max_cost": caps.cost,
        "max_calls": caps.calls,
    }


def rejudge(workbench: Workbench, details: Mapping[str, Any], progress: Progress) -> Rejudged:
    """Do what :func:`judging_details` says; every verdict is kept as it comes.

    Raises Stopped at a cap, ChatFailure where no further call can succeed, and BadInput where the judge to be
    repeated is not the run's own.
    """
    asking = Asking(tuple(details["runs"]), details["protocol"], details["size"], details["seed"], details["rounds"])
    settings = lent(details["judge"], "judge")
    prompts = Prompts(Path(details["prompts"]) if details["prompts"] else None)
    return _Round(workbench, asking, settings, prompts, Caps(details["max_cost"], details["max_calls"])).go(progress)


class _Round:
    """One go at the verdicts that are lacking."""

    def __init__(
        self, workbench: Workbench, asking: Asking, settings: ModelSettings, prompts: Prompts, caps: Caps
    ) -> None:
        self.store = workbench.store
        self.steps = todo(self.store, asking, settings, prompts)
        self.at_once = settings.limits.concurrency
        self.patience = Patience()
        self.halt: Exception | None = None
        judge = _judge(self.store, asking, settings, prompts)
        cached = open_chat(self.store, settings)
        assert cached.chat is not None
        if caps.cost is not None and cached.cost(1, 1) is None:
            raise BadSetting(
                f"The price of {settings.name} is not known, so a cap in money cannot be held. Cap the calls instead."
            )
        purse = Purse(caps)
        _UNDER_WAY.update(dict.fromkeys(asking.run_ids, purse))
        chat = replace(cached, chat=Metered(cached.chat, purse, workbench.tokens))
        self.judge = replace(judge, chat=chat)
        for name in {judge.template(item.row.question) for item, _ in self.steps}:
            keep_prompt(self.store, prompts, name)

    def go(self, progress: Progress) -> Rejudged:
        progress("verdicts", 0, len(self.steps))
        failed = 0
        for done, outcome in enumerate(in_order(self._one, self.steps, self.at_once), 1):
            failed += outcome == "failed"
            progress("verdicts", done, len(self.steps))
        if self.halt is not None:
            raise self.halt
        return Rejudged(len(self.steps) - failed, failed)

    def _one(self, step: Step) -> str:
        """One verdict. At a stop the calls under way come to their end first, so that none is paid in vain."""
        if self.halt is not None:
            return ""
        item, number = step
        key, index, _ = item.name
        judge = replace(self.judge, repeat=number)
        try:
            verdict = judge.judge(item.row.question, item.answer, key)
            if verdict.outcome == "failed":
                self._give_up(judge, item)
        except (Stopped, ChatFailure, BadInput, BadSetting) as end:
            self.halt = end
            return ""
        if number:
            self.store.save_repeated(key, index, item.answer.text, verdict, number)
        else:
            self.store.save_verdict(key, index, item.answer.text, verdict)
        if verdict.outcome != "failed":
            self.patience.ends(None)
        return verdict.outcome

    def _give_up(self, judge: Judge, item: Item) -> None:
        """Raise ChatFailure where the failure means that all further calls would fail as well."""
        request = judge.request(item.row.question, item.answer.text, item.row.conversation_id)
        held = self.store.chat_failure(request.key(judge.chat.name))
        failure = as_failure(held) if held else None
        if failure is not None and self.patience.ends(failure):
            raise ChatFailure(failure.kind, failure.sentence)


def spent_judging(run_ids: Sequence[str]) -> Purse | None:
    """What the last go at these runs' answers has spent in this process; None where there was none."""
    return next((_UNDER_WAY[run_id] for run_id in run_ids if run_id in _UNDER_WAY), None)


_UNDER_WAY: dict[str, Purse] = {}


def _request(judge: Judge, step: Step) -> ChatRequest:
    item, number = step
    return replace(judge, repeat=number).request(item.row.question, item.answer.text, item.row.conversation_id)


def _judge(store: Store, asking: Asking, settings: ModelSettings, prompts: Prompts) -> Judge:
    """The judge that is asked; its verdicts may be as long as those of the runs' own."""
    setups = [setup for run_id in asking.run_ids if (setup := one_listed(store, run_id).card.judging)]
    longest = max((setup.max_tokens for setup in setups), default=Judge.max_tokens)
    return replace(answering.judge(store, settings, prompts, asking.protocol), max_tokens=longest)


def _check(runs: Sequence[Run], asking: Asking, settings: ModelSettings, prompts: Prompts) -> None:
    """A judge is steady or not by itself: repeating takes the run's own model, protocol and prompt."""
    if not asking.rounds:
        return
    for run in runs:
        setup: JudgeSetup | None = run.card.judging
        if setup is None:
            raise BadInput(f"{run.card.title} was not judged, so there is no verdict to repeat.")
        if (setup.model, setup.protocol) != (settings.name, asking.protocol):
            raise BadInput(
                f"The verdicts are of {setup.model}, {setup.protocol}. To repeat them set that model as the judge "
                f"under Models; {settings.name} is set now."
            )
        for version in setup.prompts:
            if str(version) != str(prompts[version.name].version):
                raise BadInput(
                    f"The prompt of the judge has changed since the run: {version} became "
                    f"{prompts[version.name].version}. Put it back to repeat the verdicts."
                )
