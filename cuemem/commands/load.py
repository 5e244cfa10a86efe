"""``load`` and ``problems``: what comes out of a file, and what is wrong with it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

from cuemem.commands.desk import UNTOUCHED, Desk
from cuemem.commands.display import table
from cuemem.commands.options import CsvFile
from cuemem.commands.writing import write_csv
from cuemem.errors import UnknownName
from cuemem.problems import INFORMATIONAL, MEANINGS
from cuemem.text import counted
from cuemem.types import Problem
from cuemem.workbench import LoadReport, Workbench, load_file

Files = Annotated[list[Path], typer.Argument(metavar="FILE", help="LoCoMo, LongMemEval or a chat, plain or gzipped.")]
What = Annotated[
    str | None,
    typer.Argument(metavar="NAME", help="A loaded file by its name or sha256, or a conversation."),
]


def load(ctx: typer.Context, files: Files) -> None:
    """Load each file as one transaction."""
    desk: Desk = ctx.obj
    reports: list[LoadReport] = []
    with desk.workbench(create=True) as workbench:
        try:
            for file in files:
                with desk.progress(f"Loading {file.name}", long=True) as progress:
                    reports.append(load_file(workbench.store, file, progress=progress))
        finally:  # asked of the store, since an interruption may come just after the last word of a load
            desk.kept = _kept(workbench, files)
    desk.emit({"files": reports}, *(part for report in reports for part in _drawn(report)))


def _kept(workbench: Workbench, files: Sequence[Path]) -> str:
    """What the store has of these files: each is there as a whole or not at all."""
    there = {file.name for file in workbench.store.files()}
    kept = ", ".join(file.name for file in files if file.name in there)
    lost = ", ".join(file.name for file in files if file.name not in there)
    return " ".join(
        [f"Loaded and kept: {kept}."] * bool(kept) + [f"Nothing was kept of {lost}; load again."] * bool(lost)
    )


def _drawn(report: LoadReport) -> list[Any]:
    known = f", recognised as {report.known_as}" if report.known_as else ""
    new = "all new" if report.added == len(report.conversations) else f"{report.added} new"
    head = f"{report.name}: {counted(len(report.conversations), 'conversation')} ({new}){known}"
    parts: list[Any] = [f"{head}\nsha256 {report.sha256}"]
    parts.append(table("Questions", ("category", "questions>"), report.categories.items()))
    if report.problems:
        parts.append(_by_kind("Problems", Counter(dict(report.problems))))
        parts.append(f"Each with its place: python -m cuemem problems {report.name}")
    return parts


def problems(ctx: typer.Context, what: What = None, csv: CsvFile = None) -> None:
    """List what was wrong in the loaded files, all of them or one."""
    desk: Desk = ctx.obj
    with desk.workbench() as workbench:
        found = _found(workbench, what)
    rows = [
        {
            "file": file,
            "sample_id": problem.sample_id,
            "question": problem.question_index,
            "kind": problem.kind,
            "informational": problem.kind in INFORMATIONAL,
            "place": problem.place,
            "detail": problem.detail,
        }
        for file, problem in found
    ]
    parts: list[Any] = ["No problems were found."]
    if rows:
        places = ((row["kind"], _place(row), row["detail"]) for row in rows)
        parts = [
            _by_kind("Problems by kind", Counter(problem.kind for _, problem in found)),
            table("Where", ("kind", "place", "what it is, and what was done"), places),
        ]
    if csv:
        write_csv(csv, rows, list(rows[0]) if rows else ["file"])
        parts = [*parts[:1], f"{counted(len(rows), 'problem')} written to {csv}"]
    desk.kept = UNTOUCHED
    desk.emit({"problems": rows}, *parts)


def _found(workbench: Workbench, what: str | None) -> list[tuple[str, Problem]]:
    """The problems with the name of their file: of all files, of those called ``what``, or of a conversation."""
    store = workbench.store
    files = [
        f for f in store.files() if what is None or what == f.name or (len(what) > 7 and f.sha256.startswith(what))
    ]
    if files or what is None:
        return [(file.name, problem) for file in files for problem in store.file_problems(file.sha256)]
    names = {row.conversation_id: row.file for row in store.conversations()}
    try:
        conversation_id = store.resolve(Path(what).name if what.endswith((".json", ".gz")) else what)
    except UnknownName as error:
        listed = ", ".join(file.name for file in store.files())
        raise UnknownName(f"{error} Or name one of the files: {listed or 'none is loaded'}.") from error
    return [(names[conversation_id], problem) for problem in store.problems(conversation_id)]


def _place(row: dict[str, Any]) -> str:
    sample = "" if str(row["sample_id"]) in str(row["place"]) else f"{row['sample_id']}, "
    return f"{sample}{row['place']}"


_MEANINGS = {str(kind): meaning for kind, meaning in MEANINGS.items()}


def _by_kind(title: str, counts: Counter[str]) -> Any:
    """How many problems of each kind, and what the kind means; what changed nothing is called a note."""
    rows = (
        (kind, count, "note" if kind in INFORMATIONAL else "problem", _MEANINGS.get(kind))
        for kind, count in sorted(counts.items())
    )
    return table(title, ("kind!", "count>", "weight!", "meaning"), rows)
