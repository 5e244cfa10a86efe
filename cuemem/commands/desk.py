"""What every command shares: the global options, the open workbench, and where output and progress go.

Results go to standard output, as text or as one JSON document; progress and errors go to standard error.
"""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

from rich.console import Console, RenderableType
from rich.progress import BarColumn, MofNCompleteColumn, SpinnerColumn, TextColumn, TimeElapsedColumn
from rich.progress import Progress as Bars

from cuemem.adapters.store import default_store_path
from cuemem.commands.display import as_json, clean, literal
from cuemem.errors import UnknownName
from cuemem.ports import Progress
from cuemem.workbench import Workbench

UNTOUCHED = "Nothing was changed."


def console(*, stderr: bool = False) -> Console:
    """A console in which no text is markup; made anew for each use, since streams may be redirected."""
    return Console(stderr=stderr, markup=False, highlight=False, emoji=False)


def complain(sentence: str, *, json: bool) -> None:
    """An error: one sentence on standard error, and for machines also a JSON object on standard output."""
    if json:
        sys.stdout.write(as_json({"error": sentence}) + "\n")
    console(stderr=True).print(literal(sentence, "red"), soft_wrap=True)


@dataclass
class Desk:
    """The global options of one run. ``kept`` says, while a command works, what an interruption leaves."""

    store: Path | None
    embedding_model: str
    json: bool
    kept: str = field(default=UNTOUCHED)

    @contextmanager
    def workbench(self, *, create: bool = False) -> Iterator[Workbench]:
        """The workbench over the store, closed at the end. Only commands that fill a store make a new one."""
        path = (self.store or default_store_path()).expanduser()
        if not create and not path.exists():
            raise UnknownName(
                f"There is no store at {path} yet. Load a file into it (python -m cuemem load FILE), "
                "or the bundled conversations (python -m cuemem sample)."
            )
        workbench = Workbench.open(path, self.embedding_model)
        with workbench.store:
            yield workbench

    def emit(self, document: object, *parts: RenderableType) -> None:
        """The result: the document for machines, or its parts for people, a blank line between two."""
        if self.json:
            sys.stdout.write(as_json(document) + "\n")
            sys.stdout.flush()  # a reader that has gone is noticed here, not at the very end
            return
        out = console()
        for place, part in enumerate(parts):
            if place:
                out.print()
            # Text that is read as it stands wraps where the terminal does, so that it can be copied whole.
            out.print(literal(part) if isinstance(part, str) else part)

    def note(self, sentence: str) -> None:
        """A remark on standard error."""
        console(stderr=True).print(literal(sentence, "dim"), soft_wrap=True)

    @contextmanager
    def progress(self, title: str, *, long: bool = False) -> Iterator[Progress]:
        """A bar on standard error while work goes on; without a terminal a line, if it takes long."""
        err = console(stderr=True)
        if not err.is_terminal:
            if long:
                self.note(f"{title} …")
            yield lambda _what, _done, _total: None
            return
        columns = (
            SpinnerColumn(),
            TextColumn("{task.description}", markup=False),
            BarColumn(bar_width=24),
            MofNCompleteColumn(),
            TimeElapsedColumn(),
        )
        with Bars(*columns, console=err, transient=True) as bars:
            task = bars.add_task(clean(f"{title} …"), total=None)

            def step(what: str, done: int, total: int) -> None:
                bars.update(task, description=clean(f"{title}: {what}"), completed=done, total=total or None)

            yield step
