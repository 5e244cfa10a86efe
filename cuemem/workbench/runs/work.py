"""Runs as background work of the app: what a job's details say, and what comes of it. No key is in any details."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from cuemem.errors import BadSetting
from cuemem.ports import Progress
from cuemem.prompts import Prompts
from cuemem.workbench import incoming
from cuemem.workbench.models import ModelRole, ModelSettings, lend, lent
from cuemem.workbench.runs.batches import Arrived, import_batch
from cuemem.workbench.runs.going import go, prepare
from cuemem.workbench.runs.purse import Caps
from cuemem.workbench.workbench import Workbench


@dataclass(frozen=True, slots=True)
class LentModels:
    """The models of a session, as a job may use them: named, their keys kept back."""

    answer: Mapping[str, Any] | None
    judge: Mapping[str, Any] | None

    @classmethod
    def of(cls, answering: ModelSettings | None, judging: ModelSettings | None) -> LentModels:
        """Lend what is set."""
        return cls(lend(answering) if answering else None, lend(judging) if judging else None)

    def __call__(self, role: ModelRole, name: str) -> ModelSettings:
        """The model of a role, which has to be the one that a run was begun with. Raises BadSetting."""
        details = self.judge if role == "judge" else self.answer
        if details is None or details["name"] != name:
            now = f"{details['name']} is" if details else "none is"
            raise BadSetting(
                f"The run was begun with {name} to {role}, and {now} set now. Set it on the Models page, or begin a "
                "new run."
            )
        return lent(details, role)


def evaluate_details(
    run_ids: Sequence[str],
    models: LentModels,
    prompts: Prompts,
    caps: Caps = Caps(),  # noqa: B008 - a frozen value
    *,
    ask: bool,
    retry_failed: bool = False,
) -> dict[str, Any]:
    """Find the contexts of these runs, and with ``ask`` the answers and verdicts as well."""
    return {
        "runs": list(run_ids),
        "answer": models.answer,
        "judge": models.judge,
        "prompts": str(prompts.own) if prompts.own else None,
        "max_cost": caps.cost,
        "max_calls": caps.calls,
        "ask": ask,
        "retry_failed": retry_failed,
    }


def replies_details(path: Path, prompts: Prompts) -> dict[str, Any]:
    """Take in the replies of this batch file."""
    return {"path": str(path), "prompts": str(prompts.own) if prompts.own else None}


def evaluate(workbench: Workbench, details: Mapping[str, Any], progress: Progress) -> tuple[str, ...]:
    """Do what :func:`evaluate_details` says; the runs that were worked at."""
    run_ids = tuple(details["runs"])
    prompts = _prompts(details)
    if not details["ask"]:
        prepare(workbench, run_ids, prompts, progress)
        return run_ids
    caps = Caps(details["max_cost"], details["max_calls"])
    models = LentModels(details["answer"], details["judge"])
    go(workbench, run_ids, models, prompts, caps, progress, retry_failed=details["retry_failed"])
    return run_ids


def replies(workbench: Workbench, details: Mapping[str, Any], progress: Progress) -> Arrived:
    """Do what :func:`replies_details` says."""
    path = Path(details["path"])
    with incoming.used_up(workbench.store, path):
        return import_batch(workbench, path, _prompts(details), progress=progress)


def _prompts(details: Mapping[str, Any]) -> Prompts:
    return Prompts(Path(details["prompts"]) if details["prompts"] else None)
