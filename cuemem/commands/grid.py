"""``grid``: evidence recall over a grid of settings, a row for each conversation and setting."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import typer

from cuemem import knobs
from cuemem.commands.desk import Desk
from cuemem.commands.display import literal, table
from cuemem.commands.options import CsvFile, Names
from cuemem.commands.recalling import open_memory, ready
from cuemem.commands.selection import Chosen, Selection, selecting
from cuemem.commands.shelf import short_names
from cuemem.commands.writing import write_csv
from cuemem.evaluation.retrieval import GridRow
from cuemem.evaluation.retrieval import grid as grid_rows
from cuemem.ports import Progress
from cuemem.text import counted
from cuemem.types import Question
from cuemem.workbench import Workbench
from cuemem.workbench.cards import run_card

MEASURES = ("questions", "anchor_recall", "context_recall", "all_recall", "mean_turns")


@selecting(axes=True)
def grid(ctx: typer.Context, selection: Selection, conversations: Names = None, csv: CsvFile = None) -> None:
    """Measure recall at every combination of w, k and m, in paper mode."""
    desk: Desk = ctx.obj
    with desk.workbench() as workbench:
        chosen = selection.all_of(workbench, conversations)
        axes = _axes(selection, chosen)
        names = _sample_names(workbench, chosen)
        rows: list[dict[str, Any]] = []
        for it in chosen:
            desk.kept = "Nothing was written."
            rows += [_row(names[it.id], row) for row in _measured(desk, workbench, it, axes)]
        card = run_card(workbench, "grid", [(it.conversation, it.method, None) for it in chosen], axes=axes)
    columns = ["sample_id", *axes, *MEASURES]
    if csv:
        write_csv(csv, ({name: _fixed(row[name]) for name in columns} for row in rows), columns)
        desk.note(f"{counted(len(rows), 'row')} written to {csv}")
    desk.emit({"card": card, "rows": rows}, *_drawn(chosen, axes, rows))


def _axes(selection: Selection, chosen: Sequence[Chosen]) -> dict[str, list[int]]:
    """The values of each knob that has a letter; each is checked against the knob's range before the work begins."""
    method = chosen[0].method
    axes = {knob.symbol: list(knob.tries) for knob in knobs.knobs_of(method) if knob.symbol and knob.tries}
    axes |= {name: list(values) for name, values in selection.axes.items()}
    for name, values in axes.items():
        for value in values:
            knobs.check(knobs.with_settings(method, {name: value}))
    return axes


def _sample_names(workbench: Workbench, chosen: Sequence[Chosen]) -> Mapping[str, str]:
    """The sample's id, or where two of the chosen share one, the name that tells them apart."""
    shortest = short_names(workbench.store.conversations())
    samples = [it.conversation.sample_id for it in chosen]
    return {
        it.id: sample if samples.count(sample) == 1 else shortest[it.id]
        for it, sample in zip(chosen, samples, strict=True)
    }


def _measured(
    desk: Desk, workbench: Workbench, chosen: Chosen, axes: Mapping[str, Sequence[int]]
) -> Sequence[GridRow]:
    memory = open_memory(desk, workbench, chosen)
    questions = workbench.store.questions(chosen.id)
    ready(desk, workbench, [question.text for question in questions])
    with desk.progress(f"Measuring {chosen.conversation.title}") as progress:
        return list(grid_rows(memory, chosen.method, _counted_off(questions, progress), axes))


def _counted_off(questions: Sequence[Question], progress: Progress) -> Iterator[Question]:
    for place, question in enumerate(questions, 1):
        progress("questions", place, len(questions))
        yield question


def _row(name: str, row: GridRow) -> dict[str, Any]:
    measures = {measure: getattr(row, measure) for measure in MEASURES}
    there = {k: None if isinstance(value, float) and math.isnan(value) else value for k, value in measures.items()}
    return {"sample_id": name, **row.setting, **there}


def _fixed(value: Any) -> Any:
    return f"{value:.4f}" if isinstance(value, float) else value


def _drawn(chosen: Sequence[Chosen], axes: Mapping[str, Sequence[int]], rows: Sequence[dict[str, Any]]) -> list[Any]:
    """Each setting over all conversations, every question of the same weight."""
    settings: dict[tuple[int, ...], list[dict[str, Any]]] = {}
    for row in rows:
        if row["questions"]:
            settings.setdefault(tuple(row[name] for name in axes), []).append(row)
    lines = (
        (*map(str, setting), sum(row["questions"] for row in group), *(_pooled(group, name) for name in MEASURES[1:]))
        for setting, group in settings.items()
    )
    title = f"{counted(len(chosen), 'conversation')}, {chosen[0].method.title} in paper mode"
    columns = (*(f"{name}>" for name in axes), "questions>", "anchor recall>", "recall>", "all found>", "mean turns>")
    unscored = sum(not row["questions"] for row in rows) // max(1, math.prod(map(len, axes.values())))
    parts: list[Any] = [table(title, columns, lines)]
    if unscored:
        parts.append(literal(f"{counted(unscored, 'conversation')} without a question to score are left out."))
    return parts


def _pooled(group: Sequence[Mapping[str, Any]], name: str) -> float:
    weight: int = sum(row["questions"] for row in group)
    total: float = sum(row[name] * row["questions"] for row in group)
    return total / weight
