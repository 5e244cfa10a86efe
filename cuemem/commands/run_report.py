"""How runs look in a terminal and as a document for machines."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from rich.console import Group

from cuemem.commands.display import NUMERIC, literal, table
from cuemem.evaluation.run import as_json
from cuemem.evaluation.tables import Shown, Table, letter
from cuemem.text import counted
from cuemem.workbench.runs.showing import tables


def drawn(made: Table) -> Group:
    """A result table, its notes below."""
    columns = [name if place < made.left else f"{name}{NUMERIC}" for place, name in enumerate(made.columns)]
    return Group(table(made.title, columns, made.rows), *(literal(note) for note in made.notes))


def heads(runs: Sequence[Shown]) -> Group:
    """What each run is: its letter, id, settings, questions, model, judge and state."""
    lines: list[str] = []
    for dataset in dict.fromkeys(run.card.dataset for run in runs):
        for place, run in enumerate(run for run in runs if run.card.dataset == dataset):
            lines += [f"{letter(place)}  {run.run_id}: {run.label}", f"   {about(run)}"]
    return Group(*map(literal, lines))


def about(run: Shown) -> str:
    """A run in one line."""
    card = run.card
    parts = [card.settings_line, f"{counted(card.questions.count, 'question')} of {card.dataset}"]
    if card.answering:
        priority = "" if card.answering.priority else ", no priority instruction"
        parts.append(f"{card.answering.model}, {card.answering.style}{priority}")
    if card.judging:
        parts.append(f"judge {card.judging.model}, {card.judging.protocol}")
    parts.append(run.state)
    return " · ".join(filter(None, parts))


def document(runs: Sequence[Shown]) -> list[dict[str, Any]]:
    """The runs for machines."""
    return [
        {
            "run_id": run.run_id,
            "label": run.label,
            "state": run.state,
            "card": as_json(run.card),
            "summary": run.summary,
        }
        for run in runs
    ]


def parts(runs: Sequence[Shown]) -> list[Any]:
    """Everything about runs, for people."""
    return [heads(runs), *map(drawn, tables(runs, lettered=True))]
