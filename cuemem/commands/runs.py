"""``runs``: what was run, shown, exported, imported and removed."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any, get_args

import typer
from typer.core import TyperGroup

from cuemem.commands.application import Page, PlainHelp
from cuemem.commands.desk import Desk
from cuemem.commands.display import table
from cuemem.commands.options import NO_TYPE
from cuemem.commands.run_report import document, parts
from cuemem.commands.writing import write_bytes
from cuemem.errors import BadInput
from cuemem.evaluation.tables import labels
from cuemem.text import counted
from cuemem.workbench.runs import Run, listed, opened
from cuemem.workbench.runs.files import (
    RowFormat,
    TableFormat,
    cards_file,
    import_runs,
    rows_file,
    tables_file,
)
from cuemem.workbench.runs.reading import resolve
from cuemem.workbench.runs.showing import shown, tables

RUNS = """Runs: what `evaluate` and `retrieval` measured, kept in the store.

A run is called by its id or an unambiguous part of it; a group of runs, begun
by one command, by the group's name.
"""

LIST = """List the runs, the newest first."""

SHOW = """Show runs side by side: accuracy, token F1 and evidence with intervals.

Accuracy has a Wilson interval over the questions, evidence one that resamples
whole conversations. Category 5 and abstention are kept apart, and so are, in
a table of their own, the numbers without questions whose gold a list doubts.
Unparsed verdicts, failed calls and empty answers count as not correct.

  python -m cuemem runs show cuemem-3f2a
"""

EXPORT = """Write runs to a file, with their cards.

  .jsonl         every result whole, a line each, the card first: such a file
                 can be imported on another machine
  .csv .parquet  the results as flat rows; the cards beside them, or inside
  .md .tex       the tables that `runs show` prints

No key is ever part of an export.

  python -m cuemem runs export cuemem-3f2a full_hi results.jsonl
"""

IMPORT = """Take in runs that were exported as .jsonl, to show and compare them here.

The conversations need not be here; only tracing a question needs them.

  python -m cuemem runs import results.jsonl
"""

REMOVE = """Take runs out of the store. The replies that were paid for stay."""

Names = Annotated[list[str], typer.Argument(metavar="RUN", help="A run, a part of its id, or a group.")]
Target = Annotated[Path, typer.Argument(metavar="FILE", help="Ends in .jsonl, .csv, .parquet, .md or .tex.")]
Files = Annotated[list[Path], typer.Argument(metavar="FILE", help="A .jsonl file that `runs export` wrote.")]
Yes = Annotated[bool, typer.Option("--yes", "-y", metavar=NO_TYPE, help="Do not ask.")]


class Runs(PlainHelp, TyperGroup):
    """The subcommands."""


app = typer.Typer(cls=Runs, no_args_is_help=True, rich_markup_mode="rich")


@app.command("list", help=LIST, cls=Page)
def list_runs(ctx: typer.Context) -> None:
    """List the runs."""
    desk: Desk = ctx.obj
    with desk.workbench() as workbench:
        found = listed(workbench.store)
    names = labels([run.card for run in found])
    rows = [
        (run.run_id, name, run.card.questions.count, run.card.dataset, run.state_words, ", ".join(run.card.groups))
        for run, name in zip(found, names, strict=True)
    ]
    columns = ("run!", "what", "questions>", "dataset!", "state", "group!")
    none = "There is no run yet. Measure something: python -m cuemem evaluate"
    desk.emit(
        {
            "runs": [
                {"run_id": run.run_id, "state": run.state, "what": name}
                for run, name in zip(found, names, strict=True)
            ]
        },
        table(counted(len(rows), "run"), columns, rows) if rows else none,
    )


@app.command("show", help=SHOW, cls=Page)
def show(ctx: typer.Context, names: Names) -> None:
    """Show runs side by side."""
    desk: Desk = ctx.obj
    with desk.workbench() as workbench:
        runs = shown(workbench.store, _opened(workbench.store, names))
    desk.emit({"runs": document(runs)}, *parts(runs))


@app.command("export", help=EXPORT, cls=Page)
def export(ctx: typer.Context, names: Names, out: Target) -> None:
    """Write runs to a file."""
    desk: Desk = ctx.obj
    form: Any = out.suffix.removeprefix(".")
    desk.kept = "Nothing was written."
    known = (*get_args(RowFormat), *get_args(TableFormat))
    if form not in known:
        raise typer.BadParameter(f"{out.name} ends in none of {', '.join(f'.{name}' for name in known)}.")
    with desk.workbench() as workbench:
        found = _opened(workbench.store, names)
        if form in get_args(TableFormat):
            write_bytes(out, tables_file(tables(shown(workbench.store, found)), found, form))
        else:
            write_bytes(out, rows_file(found, form))
    beside = None
    if form == "csv":
        beside = out.with_name(f"{out.name}.card.json")
        write_bytes(beside, cards_file(found))
    rows = sum(len(run.rows) for run in found)
    also = f", the run cards to {beside}" if beside else ""
    desk.emit(
        {"out": out, "runs": [run.run_id for run in found], "rows": rows, "card_file": beside},
        f"{counted(len(found), 'run')} with {counted(rows, 'result')} written to {out}{also}.",
    )


@app.command("import", help=IMPORT, cls=Page)
def import_(ctx: typer.Context, files: Files) -> None:
    """Take in exported runs."""
    desk: Desk = ctx.obj
    desk.kept = "Files that were read whole are kept."
    with desk.workbench(create=True) as workbench:
        done = [run for file in files for run in import_runs(workbench.store, file)]
    rows = [(run.run_id, run.title, run.rows, "here already" if run.known else "new") for run in done]
    desk.emit({"runs": done}, table(counted(len(done), "run"), ("run!", "what", "results>", ""), rows))


@app.command("remove", help=REMOVE, cls=Page)
def remove(ctx: typer.Context, names: Names, yes: Yes = False) -> None:
    """Take runs out."""
    desk: Desk = ctx.obj
    with desk.workbench() as workbench:
        ids = _ids(workbench.store, names)
        if not yes and (desk.json or not typer.confirm(f"Remove {', '.join(ids)}?", err=True)):
            raise BadInput("Nothing was removed. Say --yes to remove without being asked.")
        for run_id in ids:
            workbench.store.remove_run(run_id)
    desk.emit({"removed": ids}, f"Removed {', '.join(ids)}.")


def _ids(store: Any, names: list[str]) -> list[str]:
    return list(dict.fromkeys(run_id for name in names for run_id in resolve(store, name)))


def _opened(store: Any, names: list[str]) -> list[Run]:
    return [opened(store, run_id) for run_id in _ids(store, names)]
