"""``prompts`` and ``extraction-quality``: what language models are told, and how well one extracts."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Group

from cuemem.commands.desk import Desk
from cuemem.commands.display import facts, literal, table
from cuemem.commands.model_options import (
    ApiBase,
    Concurrency,
    Model,
    OwnPrompts,
    PerMinute,
    Window,
    prompts_of,
    required,
    settings_of,
    spent_line,
)
from cuemem.errors import ChatFailure
from cuemem.evaluation.extraction_quality import Quality, TurnQuality
from cuemem.prompts import Prompt
from cuemem.workbench.extracting import GOLD, extraction_quality, llm_cues

Which = Annotated[
    str | None,
    typer.Argument(metavar="NAME", help="Only this prompt, as a file of your own begins.", show_default=False),
]
GroupTokens = Annotated[
    int,
    typer.Option(
        "--group-tokens",
        metavar="TOKENS",
        min=0,
        help="Turns share a call up to so many tokens. Default: 0, one call a turn.",
        rich_help_panel="Language model",
        show_default=False,
    ),
]
GoldFile = Annotated[
    Path,
    typer.Option(
        "--gold", metavar="FILE", help="Another gold set, of the bundled conversations.", show_default=False
    ),
]


def prompts(ctx: typer.Context, name: Which = None, own: OwnPrompts = None) -> None:
    """Print the prompts with their source and hash."""
    desk: Desk = ctx.obj
    known = prompts_of(own)
    found = [known[name]] if name else known.all()
    document = [
        {"name": it.name, "hash": it.version.hash, "own": it.version.own, "about": it.about, "text": it.text}
        for it in found
    ]
    if name:
        # As it stands in its file, so that it can be copied into a file of one's own.
        desk.emit({"prompts": document}, f"# {found[0].about}\n{found[0].text}")
        return
    desk.emit({"prompts": document}, *map(_drawn, found))


def _drawn(prompt: Prompt) -> Any:
    title = f"{prompt.name} · {prompt.version.hash}{' · your own' if prompt.version.own else ''}"
    return Group(literal(title, "bold"), literal(prompt.about, "dim"), literal(prompt.text))


def quality(
    ctx: typer.Context,
    model: Model = None,
    api_base: ApiBase = None,
    window: Window = None,
    concurrency: Concurrency = None,
    per_minute: PerMinute = None,
    own: OwnPrompts = None,
    group_tokens: GroupTokens = 0,
    gold: GoldFile = GOLD,
) -> None:
    """Measure how well a model extracts the facts of a gold set."""
    desk: Desk = ctx.obj
    calls = {"api_base": api_base, "concurrency": concurrency, "requests_per_minute": per_minute}
    settings = required(settings_of("extractor", model=model, window=window, **calls))
    with desk.workbench(create=True) as workbench:
        source = llm_cues(workbench.store, settings, prompts_of(own), workbench.tokens, group_tokens)
        desk.kept = "Every reply that came is kept; the same command asks only for the others."
        with desk.progress(f"Extracting by {settings.name}", long=True) as progress:
            found = extraction_quality(workbench, source, gold, progress)
        # The turns of the bundled conversations, whether these are in the store or not.
        spent = workbench.store.spent(settings.name, "extraction")
    head = {
        "model": settings.line,
        "prompt": f"{source.provenance['prompt']} {source.provenance['prompt_hash']}",
        "spent on extraction so far": spent_line(spent),
    }
    desk.emit(_document(settings.name, dict(source.provenance), found), facts(head), *_tables(found))
    if found.failed == len(found.rows):
        raise typer.Exit(ChatFailure.exit_code)


def _tables(found: Quality) -> list[Any]:
    kept, quiet = found.quiet
    rows = [
        ("facts found", f"{found.found} of {found.facts}", found.recall),
        ("triples that match a fact", f"{found.right} of {found.triples}", found.precision),
        ("turns of small talk left empty", f"{kept} of {quiet}", kept / quiet if quiet else None),
        ("turns that failed", f"{found.failed} of {len(found.rows)}", None),
    ]
    drawn: list[Any] = [table("Extraction quality", ("what", "count>", "share>"), rows)]
    failed = [(row.gold.turn_id, row.failure) for row in found.rows if row.failure]
    if failed:
        drawn.append(table("Failed turns", ("turn!", "why"), failed))
    missed = [row for row in found.rows if not all(row.found)]
    if missed:
        drawn.append(table("Facts missed", ("turn!", "fact", "extracted instead"), map(_missed, missed[:12])))
    return drawn


def _missed(row: TurnQuality) -> tuple[object, ...]:
    lost = [str(fact) for fact, found in zip(row.gold.facts, row.found, strict=True) if not found]
    made = [str(content) for content, right in zip(row.contents, row.right, strict=True) if not right]
    return row.gold.turn_id, "; ".join(lost), "; ".join(made) or None


def _document(model: str, provenance: dict[str, str], found: Quality) -> dict[str, Any]:
    kept, quiet = found.quiet
    return {
        "model": model,
        "provenance": provenance,
        "facts": found.facts,
        "found": found.found,
        "recall": found.recall,
        "triples": found.triples,
        "right": found.right,
        "precision": found.precision,
        "quiet_turns": quiet,
        "quiet_left_empty": kept,
        "failed": found.failed,
        "turns": found.rows,
    }
