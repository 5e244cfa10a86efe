"""``build`` and ``sample``: cues, vectors and turn graph of conversations."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field
from pathlib import Path
from time import perf_counter
from typing import Annotated, Any

import typer

from cuemem.adapters.store import MemoryRecord
from cuemem.commands.desk import Desk
from cuemem.commands.display import Columns, counted, table
from cuemem.commands.options import NO_TYPE, TURN_UNITS, listed, one_of
from cuemem.commands.shelf import short_names
from cuemem.errors import BadInput, CueMemError
from cuemem.knobs import with_settings
from cuemem.methods import method_named
from cuemem.types import ConversationId, Problem
from cuemem.workbench import Workbench
from cuemem.workbench.samples import load_samples
from cuemem.workbench.sources import ABOUT, PER_CALL

SOURCES = [name for name in ABOUT if name not in PER_CALL]  # those that need no language model
_SHOWN = 12

Some = Annotated[
    list[str] | None,
    typer.Argument(metavar="CONVERSATION", help="Any unambiguous end of a name that `list` shows."),
]
Everything = Annotated[bool, typer.Option("--all", metavar=NO_TYPE, help="Every conversation in the store.")]
Cues = Annotated[
    str | None,
    typer.Option(
        "--cues",
        help=f"Where cues come from: {listed(SOURCES)}. Default: sentences, or imported with --cue-dir.",
        **one_of(SOURCES),
    ),
]
CueDir = Annotated[
    Path | None,
    typer.Option("--cue-dir", metavar="DIR", help="Folder of the imported cues, a file <sample>.jsonl each."),
]
Turns = Annotated[str, typer.Option("--turns", help=f"What a turn is: {listed(TURN_UNITS)}.", **one_of(TURN_UNITS))]


@dataclass(frozen=True, slots=True)
class Task:
    """A memory to be built."""

    conversation_id: ConversationId
    name: str
    method: Any
    cue_dir: Path | None = None


@dataclass
class Outcome:
    """What became of the tasks. A conversation that cannot be built does not keep the others from it."""

    built: list[tuple[Task, MemoryRecord, float]] = field(default_factory=list)
    failed: list[tuple[Task, CueMemError]] = field(default_factory=list)
    problems: list[tuple[Task, Problem]] = field(default_factory=list)


def build(
    ctx: typer.Context,
    conversations: Some = None,
    everything: Everything = False,
    cues: Cues = None,
    cue_dir: CueDir = None,
    turns: Turns = "auto",
) -> None:
    """Build the memories of conversations."""
    desk: Desk = ctx.obj
    if everything == bool(conversations):
        raise typer.BadParameter("Name the conversations to build, or say --all; one of the two.")
    if cue_dir is not None and not cue_dir.exists():
        raise typer.BadParameter(f"There is no folder or file {str(cue_dir)!r}.", param_hint="--cue-dir")
    source = cues or ("imported" if cue_dir else "sentences")
    method = with_settings(method_named("cuemem"), {"cue_source": source, "turn_unit": turns})
    with desk.workbench() as workbench:
        names = short_names(workbench.store.conversations())
        ids = names if everything else dict.fromkeys(map(workbench.store.resolve, conversations or ()))
        if not ids:
            raise BadInput(f"{workbench.store.path} holds no conversation. Load a file first.")
        outcome = work_off(desk, workbench, [Task(it, names[it], method, cue_dir) for it in ids])
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
                    task.conversation_id, task.method, task.cue_dir, progress, report=report_problems
                )
            except BadInput as error:
                outcome.failed.append((task, error))
                continue
        outcome.built.append((task, record, perf_counter() - started))
    desk.kept = "All that was asked for is built and kept."
    return outcome


def _kept(outcome: Outcome, task: Task) -> str:
    built = ", ".join(done.name for done, _, _ in outcome.built)
    return (
        f"{f'Built and kept: {built}. ' if built else ''}What was computed for {task.name} is kept too: "
        "the same command goes on from there."
    )


def report(desk: Desk, outcome: Outcome) -> None:
    """Say what was built, what could not be, and what was wrong with imported cues."""
    document = {
        "built": [{"name": task.name, "seconds": round(took, 3), "memory": rec} for task, rec, took in outcome.built],
        "failed": [{"name": task.name, "error": str(error)} for task, error in outcome.failed],
        "problems": [{"name": task.name, "problem": problem} for task, problem in outcome.problems],
    }
    parts: list[Any] = []
    if outcome.built:
        rows = (
            (task.name, rec.cue_source, rec.turn_unit, rec.turn_count, rec.cue_count, f"{took:.1f}")
            for task, rec, took in outcome.built
        )
        columns = ("conversation!", "cues from!", "turn!", "turns>", "cues>", "seconds>")
        parts.append(table(counted(len(outcome.built), "memory") + " built", columns, rows))
    failed = [(task.name, str(error)) for task, error in outcome.failed]
    parts += _first("Not built", ("conversation!", "reason"), failed)
    found = [(task.name, it.kind, it.place, it.detail) for task, it in outcome.problems]
    parts += _first(
        "Problems and notes in the imported cues", ("conversation!", "kind!", "place", "what was done"), found
    )
    desk.emit(document, *parts)


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
        tasks = [Task(it.conversation_id, names[it.conversation_id], it.method, it.cues) for it in planned]
        outcome = work_off(desk, workbench, tasks)
    report(desk, outcome)
    if outcome.failed:
        raise typer.Exit(BadInput.exit_code)
