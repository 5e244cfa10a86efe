"""A run as it goes: contexts, then answers, then verdicts, each committed question by question.

What a chat model is asked to rerank is paid from the same purse as answers and verdicts.

Whatever stops it, what was done is kept, and it goes on from there. The questions of one conversation follow each
other, and all answers of a run come before its verdicts, so that a server's prefix cache serves them.
"""

from __future__ import annotations

from collections.abc import Sequence

from cuemem.errors import BadSetting
from cuemem.ports import Progress, no_progress
from cuemem.prompts import Prompts
from cuemem.workbench.models import ModelRole, ModelSettings
from cuemem.workbench.runs.purse import Caps, Purse, Unasked, collected
from cuemem.workbench.runs.runner import Going, ModelsByName, Runner
from cuemem.workbench.workbench import Workbench


def no_models(role: ModelRole, name: str) -> ModelSettings:
    """For runs of retrieval alone: there is no model."""
    raise BadSetting(f"The run needs the model {name} to {role}. Say where it is.")


def go(
    workbench: Workbench,
    run_ids: Sequence[str],
    models: ModelsByName = no_models,
    prompts: Prompts = Prompts(),  # noqa: B008 - frozen values
    caps: Caps = Caps(),  # noqa: B008
    progress: Progress = no_progress,
    *,
    ask: bool = True,
    retry_failed: bool = False,
) -> Going:
    """Take runs up where they are and bring them to their end, one after the other.

    With ``ask`` false no model is asked, nor has to be at hand: what has no reply in the store stays open, and
    Unasked is raised where a chat model would have to rerank. With ``retry_failed`` what had failed is asked again.
    Raises Stopped at a cap, Cancelled as ``progress`` does, ChatFailure where no further call can succeed, and
    BadInput where a run's cues, questions or prompts are not those it began with.
    """
    going = Going(Purse(caps))
    _UNDER_WAY.update(dict.fromkeys(run_ids, going.purse))
    runners = [Runner(workbench, run_id, models, prompts, going, progress, ask=ask) for run_id in run_ids]
    for runner in runners:
        runner.begin(retry_failed=retry_failed)
        runner.recall()
    for runner in runners:
        runner.answer()
        runner.judge()
    return going


def prepare(
    workbench: Workbench,
    run_ids: Sequence[str],
    prompts: Prompts = Prompts(),  # noqa: B008 - a frozen value
    progress: Progress = no_progress,
) -> None:
    """Only the contexts of the runs: what there is to measure without a model, and to estimate what it will take.

    Where a chat model reranks, and what it marked before does not suffice, questions are left for :func:`go`, which
    asks; of a run that never asks Unasked is raised, after all else is done.
    """
    refused: list[Unasked] = []
    for run_id in run_ids:
        runner = Runner(workbench, run_id, no_models, prompts, Going(Purse(Caps())), progress, ask=False)
        with collected(refused):
            runner.recall(leave=True)
    if refused:
        raise refused[0]


def spent_now(run_ids: Sequence[str]) -> Purse | None:
    """What the last go of these runs has spent in this process so far; None where there was none."""
    return next((_UNDER_WAY[run_id] for run_id in run_ids if run_id in _UNDER_WAY), None)


_UNDER_WAY: dict[str, Purse] = {}
