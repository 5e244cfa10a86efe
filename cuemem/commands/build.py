"""``build`` and ``sample``: cues, vectors and turn graph of conversations."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from time import perf_counter
from typing import Any

import typer

from cuemem.adapters.store import MemoryRecord
from cuemem.commands.build_options import (
    CueDir,
    Cues,
    Everything,
    Method,
    Queries,
    Some,
    Turns,
    Units,
    chosen,
)
from cuemem.commands.desk import Desk
from cuemem.commands.display import Columns, table
from cuemem.commands.extracting import (
    ByModel,
    FromBatch,
    GroupTokens,
    OnlyEstimate,
    RetryFailed,
    by_model,
    estimates,
    failures,
    replayed,
    tell,
)
from cuemem.commands.knob_options import with_knobs
from cuemem.commands.model_options import ApiBase, Concurrency, Model, OwnPrompts, PerMinute, Window
from cuemem.commands.shelf import short_names
from cuemem.cues.estimate import Estimate
from cuemem.errors import Awaited, BadInput, BadSetting, CueMemError
from cuemem.knobs import source_of
from cuemem.text import counted, money
from cuemem.types import ConversationId, Problem
from cuemem.workbench import Workbench
from cuemem.workbench.by_model import Calls
from cuemem.workbench.materials import costs_calls
from cuemem.workbench.samples import load_samples

_SHOWN = 12


@dataclass(frozen=True, slots=True)
class Task:
    """A memory to be built."""

    conversation_id: ConversationId
    name: str
    method: Any
    cue_dir: Path | None = None
    how: ByModel | None = None
    queries: Path | None = None


@dataclass
class Outcome:
    """What became of the tasks. A conversation that cannot be built does not keep the others from it."""

    built: list[tuple[Task, MemoryRecord, float]] = field(default_factory=list)
    failed: list[tuple[Task, CueMemError]] = field(default_factory=list)
    problems: list[tuple[Task, Problem]] = field(default_factory=list)
    failures: list[tuple[Task, str, str]] = field(default_factory=list)


@with_knobs("build", "Knobs of the method")
def build(
    ctx: typer.Context,
    conversations: Some = None,
    everything: Everything = False,
    named: Method = None,
    cues: Cues = None,
    cue_dir: CueDir = None,
    units: Units = None,
    queries: Queries = None,
    turns: Turns = "auto",
    model: Model = None,
    api_base: ApiBase = None,
    window: Window = None,
    concurrency: Concurrency = None,
    per_minute: PerMinute = None,
    own: OwnPrompts = None,
    group_tokens: GroupTokens = 0,
    retry_failed: RetryFailed = False,
    only_estimate: OnlyEstimate = False,
    batch: FromBatch = False,
    **knobs: Any,
) -> None:
    """Build the memories of conversations."""
    desk: Desk = ctx.obj
    if everything == bool(conversations):
        raise typer.BadParameter("Name the conversations to build, or say --all; one of the two.")
    method, files = chosen(named, cues, cue_dir, units, queries, model, turns, knobs)
    calls = {"api_base": api_base, "concurrency": concurrency, "requests_per_minute": per_minute, "window": window}
    with desk.workbench() as workbench:
        names = short_names(workbench.store.conversations())
        ids = names if everything else dict.fromkeys(map(workbench.store.resolve, conversations or ()))
        if not ids:
            raise BadInput(f"{workbench.store.path} holds no conversation. Load a file first.")
        how = None
        if costs_calls(method) or model:
            how = by_model(workbench, method, own, Calls(group_tokens, retry_failed, batch), model=model, **calls)
        told = estimates(workbench, how, ids, method) if how and costs_calls(method) else {}
        if only_estimate:
            report_estimates(desk, {names[it]: estimate for it, estimate in told.items()})
            return
        if how and told and not batch:
            tell(desk, how.source.chat.name, told.values())
        outcome = work_off(desk, workbench, [Task(it, names[it], method, files, how, queries) for it in ids])
    report(desk, outcome)
    # With --all it is no failure that some conversations lack what others have, such as a file of cues.
    if outcome.failed and not (everything and outcome.built):
        raise typer.Exit(BadInput.exit_code)


def work_off(desk: Desk, workbench: Workbench, tasks: Sequence[Task]) -> Outcome:
    """Build one memory after the other; what is stored already is not computed again."""
    outcome = Outcome()
    for place, task in enumerate(tasks, 1):
        desk.kept = _kept(outcome, task)
        started = perf_counter()

        def report_problems(found: Sequence[Problem], task: Task = task) -> None:
            outcome.problems.extend((task, problem) for problem in found)

        with desk.progress(f"Building {task.name} ({place} of {len(tasks)})", long=True) as progress:
            try:
                record = workbench.build(
                    task.conversation_id,
                    task.method,
                    task.cue_dir,
                    progress,
                    report=report_problems,
                    llm=task.how.source if task.how else None,
                    retry_failed=task.how is not None and task.how.calls.retry_failed,
                    queries=task.queries,
                )
            except (BadInput, Awaited) as error:
                outcome.failed.append((task, error))
                continue
        outcome.built.append((task, record, perf_counter() - started))
        if task.how or costs_calls(task.method):
            outcome.failures.extend((task, *it) for it in failures(workbench, record.conversation_id, task.method))
    desk.kept = "All that was asked for is built and kept."
    return outcome


def _kept(outcome: Outcome, task: Task) -> str:
    built = ", ".join(done.name for done, _, _ in outcome.built)
    return (
        f"{f'Built and kept: {built}. ' if built else ''}What was computed for {task.name} is kept too: "
        "the same command goes on from there."
    )


def report(desk: Desk, outcome: Outcome, recorded: Sequence[Task] = ()) -> None:
    """Say what was built, what could not be, and what was wrong with imported cues.

    What is wrong with a recording is a property of it, counted here and listed as JSON and on the Units page.
    """
    document = {
        "built": [{"name": task.name, "seconds": round(took, 3), "memory": rec} for task, rec, took in outcome.built],
        "failed": [{"name": task.name, "error": str(error)} for task, error in outcome.failed],
        "problems": [{"name": task.name, "problem": problem} for task, problem in outcome.problems],
        "failed_turns": [{"name": task.name, "turn_id": it, "failure": why} for task, it, why in outcome.failures],
    }
    parts: list[Any] = []
    if outcome.built:
        rows = (
            (
                task.name,
                rec.method,
                rec.cue_source,
                rec.turn_unit,
                rec.turn_count,
                counted(rec.cue_count, task.method.noun),
                f"{took:.1f}",
            )
            for task, rec, took in outcome.built
        )
        columns = ("conversation!", "method!", "from!", "turn!", "turns>", "holds>", "seconds>")
        parts.append(table(counted(len(outcome.built), "memory") + " built", columns, rows))
    failed = [(task.name, str(error)) for task, error in outcome.failed]
    parts += _first("Not built", ("conversation!", "reason"), failed)
    found = [(task.name, it.kind, it.place, it.detail) for task, it in outcome.problems if task not in recorded]
    parts += _first(
        "Problems and notes in what it was made from", ("conversation!", "kind!", "place", "what was done"), found
    )
    lost = [(task.name, place, why) for task, place, why in outcome.failures if task not in recorded]
    title = "What the model failed at, so that it is missing (again with --retry-failed)"
    parts += _first(title, ("conversation!", "where!", "why"), lost)
    parts += [_about(task, outcome) for task in recorded if any(done is task for done, _, _ in outcome.built)]
    desk.emit(document, *parts)


def _about(task: Task, outcome: Outcome) -> str:
    """What a replayed recording was made by, and how much of it is flawed."""
    assert task.how is not None
    failed = sum(it is task for it, _, _ in outcome.failures)
    unused = sum(it is task for it, _ in outcome.problems)
    return (
        f"{task.name}'s {task.method.noun}s from {source_of(task.method)!r} are those that "
        f"{task.how.source.chat.name} was recorded with. It failed at {failed:,} places and {unused:,} things of it "
        "could not be used: the Units page lists them."
    )


def report_estimates(desk: Desk, told: Mapping[str, Estimate]) -> None:
    """What the extraction of each conversation would take."""
    if not told:
        raise BadSetting(
            "There is nothing to estimate: only what a language model makes has a price. Say --model NAME."
        )
    rows = [
        (
            name,
            it.turns,
            it.calls,
            it.tokens_in,
            it.tokens_out,
            money(it.cost),
            None if it.seconds is None else round(it.seconds),
        )
        for name, it in told.items()
    ]
    columns = ("conversation!", "turns>", "calls>", "tokens in>", "out>", "price>", "seconds>")
    desk.emit({"estimates": told}, table("What it would take", columns, rows))


def _first(title: str, columns: Columns, rows: Sequence[Sequence[object]]) -> list[Any]:
    """A table of these rows, of many only the first; of none, nothing."""
    if not rows:
        return []
    more = len(rows) - _SHOWN
    title = f"{title}: {len(rows):,}" + (f", of which the first {_SHOWN} (all with --json)" if more > 0 else "")
    return [table(title, columns, rows[:_SHOWN])]


def sample(ctx: typer.Context) -> None:
    """Load and build the bundled conversations."""
    desk: Desk = ctx.obj
    with desk.workbench(create=True) as workbench:
        planned = load_samples(workbench)
        names = short_names(workbench.store.conversations())
        tasks = [
            Task(it.conversation_id, names[it.conversation_id], it.method, it.files, replayed(it.model))
            for it in planned
        ]
        outcome = work_off(desk, workbench, tasks)
    report(desk, outcome, [task for task in tasks if task.how])
    if outcome.failed:
        raise typer.Exit(BadInput.exit_code)
