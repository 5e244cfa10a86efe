"""``compare``: two runs question by question."""

from __future__ import annotations

from typing import Annotated, Any

import typer
from rich.console import Group

from cuemem.commands.desk import Desk
from cuemem.commands.display import facts, literal, table
from cuemem.commands.options import CsvFile, listed, one_of
from cuemem.commands.run_report import drawn
from cuemem.commands.writing import write_csv
from cuemem.errors import BadInput
from cuemem.evaluation.contrast import KINDS, Contrast, Pair, contrast
from cuemem.evaluation.contrast_tables import difference_table, flip_table
from cuemem.evaluation.tables import labels
from cuemem.text import counted
from cuemem.workbench.runs import Run, opened
from cuemem.workbench.runs.reading import resolve

_SHOWN = 20
_NAMES = tuple(kind.replace(" ", "-") for kind in KINDS)

RunA = Annotated[str, typer.Argument(metavar="RUN_A", help="A run, or an unambiguous part of its id: before.")]
RunB = Annotated[str, typer.Argument(metavar="RUN_B", help="Another one: after.")]
OfKind = Annotated[
    str | None, typer.Option("--show", help=f"List these questions: {listed(_NAMES)}.", **one_of(_NAMES))
]
Category = Annotated[str | None, typer.Option("--category", metavar="NAME", help="List only this category's.")]
Stage = Annotated[
    str | None, typer.Option("--stage", metavar="NAME", help="List only where gold was lost so: 'below m', ….")
]


def compare(
    ctx: typer.Context,
    run_a: RunA,
    run_b: RunB,
    of_kind: OfKind = None,
    category: Category = None,
    stage: Stage = None,
    csv_file: CsvFile = None,
) -> None:
    """Compare two runs question by question."""
    desk: Desk = ctx.obj
    with desk.workbench() as workbench:
        before, after = (_one(workbench.store, name) for name in (run_a, run_b))
    found = contrast((before.card, before.rows), (after.card, after.rows))
    if not found.pairs:
        raise BadInput(
            f"{before.run_id} and {after.run_id} have no question in common that both have a result of. "
            "Compare runs over the same conversations, at their end."
        )
    names = labels([before.card, after.card])
    wanted = None if of_kind is None else of_kind.replace("-", " ")
    pairs = [pair for pair in found.pairs if _fits(pair, wanted, category, stage)]
    rows = [_row(pair) for pair in pairs]
    if csv_file is not None:
        write_csv(csv_file, rows, list(_row(found.pairs[0])))
    document = {
        "a": before.run_id,
        "b": after.run_id,
        "measure": found.measure,
        "unlike": found.unlike,
        "varied": found.varied,
        "table": found.table,
        "p": {line.name: line.flips.p for line in found.table},
        "recall_difference": found.recall,
        "only_a": found.only_before,
        "only_b": found.only_after,
        "questions": rows,
    }
    listed_ = [_questions(pairs)] if wanted or category or stage else []
    desk.emit(document, *_parts(found, before, after, names), *listed_)


def _one(store: Any, name: str) -> Run:
    ids = resolve(store, name)
    if len(ids) > 1:
        raise BadInput(f"{name!r} is a group of {len(ids)} runs: {', '.join(ids)}. Name one of them.")
    return opened(store, ids[0])


def _fits(pair: Pair, kind: str | None, category: str | None, stage: str | None) -> bool:
    number = pair.before.question.category_number
    of_category = category is None or category.casefold() in (
        str(number),
        pair.category.casefold(),
        pair.before.question.category.casefold(),
    )
    return kind in (None, pair.kind) and of_category and (stage is None or stage in pair.stages)


def _parts(found: Contrast, before: Run, after: Run, names: list[str]) -> list[Any]:
    head = facts({"A": f"{before.run_id}: {names[0]}", "B": f"{after.run_id}: {names[1]}"})
    said = [*found.unlike, *found.varied]
    apart = found.only_before + found.only_after
    if apart:
        said.append(f"{counted(apart, 'question')} that only one of them has a result of left out.")
    return [
        Group(head, *(literal(sentence) for sentence in said)),
        drawn(flip_table(found, "A", "B")),
        drawn(difference_table(found)),
    ]


def _row(pair: Pair) -> dict[str, Any]:
    before, after = pair.before, pair.after
    return {
        "became": pair.kind,
        "conversation": before.conversation,
        "question_index": before.question.index,
        "category": pair.category,
        "question": before.question.text,
        "gold": before.question.answer,
        "answer_a": before.answer.text if before.answer else None,
        "answer_b": after.answer.text if after.answer else None,
        "verdict_a": before.verdict.outcome if before.verdict else None,
        "verdict_b": after.verdict.outcome if after.verdict else None,
        "recall_a": before.retrieval.turn.recall,
        "recall_b": after.retrieval.turn.recall,
        "lost_a": {turn_id: str(stage) for turn_id, stage in before.lost.items()},
        "lost_b": {turn_id: str(stage) for turn_id, stage in after.lost.items()},
        "tokens_a": before.retrieval.tokens,
        "tokens_b": after.retrieval.tokens,
    }


def _questions(pairs: list[Pair]) -> Any:
    rows = [
        (
            pair.kind,
            f"{pair.before.conversation} {pair.before.question.index}",
            pair.before.question.text,
            ", ".join(pair.stages) or None,
        )
        for pair in pairs[:_SHOWN]
    ]
    more = f", of which the first {_SHOWN} (all with --csv or --json)" if len(pairs) > _SHOWN else ""
    title = f"{counted(len(pairs), 'question')}{more}; trace one: python -m cuemem trace CONVERSATION QUESTION"
    return table(title, ("became!", "question!", "asked", "gold lost"), rows)
