"""``batch``: prompts out to files of the OpenAI batch form, and replies back from them."""

from __future__ import annotations

from collections import Counter
from pathlib import Path
from typing import Annotated, Any

import typer
from typer.core import TyperGroup

from cuemem.commands.application import Page, PlainHelp
from cuemem.commands.desk import Desk
from cuemem.commands.display import table
from cuemem.commands.extracting import GroupTokens, RetryFailed
from cuemem.commands.model_options import ApiBase, Model, OwnPrompts, Window, prompts_of, required, settings_of
from cuemem.commands.options import TURN_UNITS, listed, one_of
from cuemem.commands.writing import write_bytes
from cuemem.errors import BadInput
from cuemem.text import counted, file_size
from cuemem.workbench import Workbench
from cuemem.workbench.extracting import llm_cues
from cuemem.workbench.runs.batches import (
    PARTS,
    Arrived,
    Batch,
    extraction_batch,
    import_batch,
    run_batch,
    waiting_cues,
)
from cuemem.workbench.runs.reading import resolve

BATCH = """Batch files: half the price, or a model that cannot be reached from here.

The prompts of a run go out as OpenAI batch lines, and the replies come back
from such a file, in any order:

  python -m cuemem evaluate conv-26 --model gpt-4o-mini --batch --yes
  python -m cuemem batch export cuemem-3f2a answers.jsonl --part answers
  python -m cuemem batch import answers_output.jsonl
  python -m cuemem batch export cuemem-3f2a verdicts.jsonl --part judging

An import brings the runs that wait as far as they go; nothing is asked.
Extraction belongs to a build:

  python -m cuemem batch export conv-26 cues.jsonl --part extraction
  python -m cuemem build conv-26 --cues llm --batch
"""

EXPORT = """Write the prompts that have no reply yet as OpenAI batch JSONL.

WHAT is a run for the parts answers and judging, and a conversation for
extraction, whose model is the one that --model or the environment names.
More than 50,000 lines or 200 MB go into several files.
"""

IMPORT = """Take in the replies of a batch file.

Each line is matched by its custom_id. Lines that failed, that are unknown or
cannot be read are listed with their place, and what is still missing is
counted. What failed can be asked again: evaluate --resume RUN --retry-failed.
"""

What = Annotated[str, typer.Argument(metavar="WHAT", help="A run; for extraction a conversation.")]
Out = Annotated[Path, typer.Argument(metavar="FILE", help="The .jsonl file to write.")]
PartName = Annotated[str, typer.Option("--part", help=f"{listed(PARTS)}.", **one_of(PARTS))]
Files = Annotated[list[Path], typer.Argument(metavar="FILE", help="A file of batch replies.")]
Turns = Annotated[str, typer.Option("--turns", help=f"For extraction: {listed(TURN_UNITS)}.", **one_of(TURN_UNITS))]
_SHOWN = 12


class Batches(PlainHelp, TyperGroup):
    """The subcommands."""


app = typer.Typer(cls=Batches, no_args_is_help=True, rich_markup_mode="rich")


@app.command("export", help=EXPORT, cls=Page)
def export(
    ctx: typer.Context,
    what: What,
    out: Out,
    part: PartName = "answers",
    model: Model = None,
    api_base: ApiBase = None,
    window: Window = None,
    turns: Turns = "auto",
    group_tokens: GroupTokens = 0,
    retry_failed: RetryFailed = False,
    own: OwnPrompts = None,
) -> None:
    """Write prompts as batch lines."""
    desk: Desk = ctx.obj
    desk.kept = "Nothing was written."
    prompts = prompts_of(own)
    with desk.workbench() as workbench:
        if part == "extraction":
            settings = required(settings_of("extractor", model=model, api_base=api_base, window=window))
            source = waiting_cues(
                workbench.store, llm_cues(workbench.store, settings, prompts, workbench.tokens, group_tokens)
            )
            key = workbench.store.resolve(what)
            made = extraction_batch(workbench, key, source, turns, retry_failed)  # type: ignore[arg-type]
        else:
            with desk.progress("Finding the prompts") as progress:
                made = run_batch(workbench, _one(workbench, what), part, prompts, progress)  # type: ignore[arg-type]
    written = _write(out, made)
    desk.emit(
        {"part": part, "lines": made.lines, "files": written},
        f"{counted(made.lines, 'prompt')} written to {', '.join(map(str, written))} "
        f"({file_size(sum(map(len, made.files)))}). Bring the replies back: python -m cuemem batch import FILE",
    )


@app.command("import", help=IMPORT, cls=Page)
def import_(ctx: typer.Context, files: Files, own: OwnPrompts = None) -> None:
    """Take in replies."""
    desk: Desk = ctx.obj
    desk.kept = "The replies that were read are kept; the same command takes in the others."
    prompts = prompts_of(own)
    arrived: list[tuple[Path, Arrived]] = []
    with desk.workbench() as workbench:
        for file in files:
            with desk.progress(f"Reading {file.name}") as progress:
                arrived.append((file, import_batch(workbench, file, prompts, progress=progress)))
    document = {"files": [{"file": str(file), "arrived": it} for file, it in arrived]}
    desk.emit(document, *(piece for file, it in arrived for piece in _said(file, it)))


def _said(file: Path, it: Arrived) -> list[Any]:
    counts = (
        f"{counted(it.replies, 'reply')} taken in, {it.known:,} known already, {it.failed:,} failed, "
        f"{it.unknown:,} unknown; {it.missing:,} still missing."
    )
    resumed = f" Went on: {', '.join(it.resumed)}." if it.resumed else ""
    pieces: list[Any] = [f"{file}: {counts}{resumed}"]
    if it.problems:
        kinds = Counter(problem.kind for problem in it.problems)
        title = ", ".join(f"{kind} {count:,}" for kind, count in kinds.items())
        more = f", the first {_SHOWN} of {len(it.problems):,}" if len(it.problems) > _SHOWN else ""
        rows = [(problem.kind, problem.place, problem.detail) for problem in it.problems[:_SHOWN]]
        pieces.append(table(f"{title}{more}", ("kind", "place!", "what"), rows))
    return pieces


def _one(workbench: Workbench, name: str) -> str:
    ids = resolve(workbench.store, name)
    if len(ids) > 1:
        raise BadInput(f"{name!r} is a group of {len(ids)} runs; each has a batch of its own: {', '.join(ids)}.")
    return ids[0]


def _write(out: Path, made: Batch) -> list[Path]:
    written = []
    for number, content in enumerate(made.files, 1):
        path = out if number == 1 else out.with_name(f"{out.stem}.{number}{out.suffix}")
        write_bytes(path, content)
        written.append(path)
    return written
