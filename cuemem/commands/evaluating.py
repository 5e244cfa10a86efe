"""Runs brought to their end from the command line: what it will take, whether to ask, and what came of it."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import typer

from cuemem.commands.desk import Desk
from cuemem.commands.model_options import prompts_of, required, settings_of
from cuemem.commands.run_report import document, parts
from cuemem.errors import BadInput, Stopped
from cuemem.text import counted, duration, money
from cuemem.workbench import Workbench
from cuemem.workbench.models import ModelRole, ModelSettings
from cuemem.workbench.runs import Caps, go, opened, prepare
from cuemem.workbench.runs.estimate import RunEstimate, estimate
from cuemem.workbench.runs.showing import shown


@dataclass(frozen=True)
class Way:
    """How the runs go: what may be spent, whether to ask, and where the models are."""

    caps: Caps
    yes: bool
    retry_failed: bool
    again: bool
    only_estimate: bool
    calls: dict[str, Any]
    prompts: Path | None

    def models(self, role: ModelRole, name: str) -> ModelSettings:
        """Where a model of a run is, by the options and the environment."""
        return required(settings_of(role, model=name, **self.calls))


def run(desk: Desk, workbench: Workbench, ids: Sequence[str], way: Way) -> None:
    """Bring runs to their end, or to the cap, and show them."""
    store = workbench.store
    prompts = prompts_of(way.prompts)
    if way.again:
        for run_id in ids:
            store.clear_results(run_id)
    resume = (
        f"python -m cuemem evaluate --resume {ids[0] if len(ids) == 1 else opened(store, ids[0]).card.groups[-1]}"
    )
    desk.kept = f"Everything that was done is kept. It goes on from there: {resume}"
    with desk.progress("Finding the contexts", long=True) as progress:
        prepare(workbench, ids, prompts, progress)
    told = estimate(store, [opened(store, run_id) for run_id in ids], way.models)
    waits = all(opened(store, run_id).card.waits for run_id in ids)
    if way.only_estimate:
        desk.emit({"runs": list(ids), "estimate": told}, sentence(told))
        return
    stopped = ""
    if told.calls or told.kept or way.retry_failed:
        if not waits:
            _agree(desk, told, way)
        with desk.progress("Asking", long=True) as progress:
            try:
                go(workbench, ids, way.models, prompts, way.caps, progress, retry_failed=way.retry_failed)
            except Stopped as limit:
                stopped = f"{limit} {resume}"
    runs = shown(store, [opened(store, run_id) for run_id in ids])
    said = [stopped] if stopped else []
    desk.emit({"runs": document(runs), "stopped": stopped or None}, *parts(runs), *said)


def _agree(desk: Desk, told: RunEstimate, way: Way) -> None:
    """Tell what it takes, and ask where it may cost something. Raises BadInput for a no."""
    desk.note(sentence(told))
    if told.calls == 0 or told.cost == 0.0 or way.yes:
        return
    if desk.json:
        raise BadInput("Nothing was asked: with --json there is no question, so say --yes.")
    try:
        agreed = typer.confirm("Ask?", err=True)
    except typer.Abort:
        agreed = False
    if not agreed:
        raise BadInput("Nothing was asked. Say --yes to go on without being asked.")


def sentence(told: RunEstimate) -> str:
    """An estimate in words."""
    kept = f" {counted(told.kept, 'reply')} kept already." if told.kept else ""
    if told.calls == 0:
        return f"No call is needed.{kept}"
    time = "time known after the first calls" if told.seconds is None else f"about {duration(told.seconds)}"
    verdicts = f" and at most {counted(told.verdicts, 'verdict')}" if told.verdicts else ""
    marks = f"at most {counted(told.marks, 'mark')} by the reranker, " if told.marks else ""
    return (
        f"{marks}{counted(told.answers, 'answer')}{verdicts}: about {told.tokens_in:,} tokens in and "
        f"{told.tokens_out:,} out, price {money(told.cost)}, {time}.{kept}"
    )
