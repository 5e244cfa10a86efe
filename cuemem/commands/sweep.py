"""``sweep``: recall and tokens of every setting at once, with the frontier and the control at equal tokens."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from time import perf_counter
from typing import Annotated, Any

import typer

from cuemem.commands.desk import Desk
from cuemem.commands.options import NO_TYPE, PAPER_MODE, CsvFile, Names
from cuemem.commands.recalling import ready
from cuemem.commands.selection import Chosen, Selection, selecting
from cuemem.commands.sweep_chart import page_of
from cuemem.commands.sweep_report import Report, drawn, rows_of
from cuemem.commands.writing import write_csv, write_text
from cuemem.errors import NotBuilt
from cuemem.evaluation.plain_sweep import coarse_axes, of_rows, recalled
from cuemem.evaluation.sweep import scorable
from cuemem.evaluation.swept import Swept, joined
from cuemem.knobs import check, knobs_of, with_settings
from cuemem.text import counted
from cuemem.workbench import Workbench
from cuemem.workbench.cards import run_card
from cuemem.workbench.sweeping import Member, rendered_tokens, swept

Dataset = Annotated[
    str | None,
    typer.Option(
        "--dataset",
        metavar="NAME",
        help="Only conversations of this dataset (locomo, longmemeval) or file.",
        show_default=False,
    ),
]
Within = Annotated[
    int | None,
    typer.Option(
        "--within",
        metavar="TOKENS",
        min=1,
        help="Also choose the best setting of so many tokens on one half of the conversations, "
        "and report it on the other.",
        show_default=False,
    ),
]
Exact = Annotated[
    bool,
    typer.Option("--exact", metavar=NO_TYPE, help="Also count the rendered contexts of every setting shown."),
]
ByCategory = Annotated[
    bool, typer.Option("--by-category", metavar=NO_TYPE, help="Rows for each category too, in the CSV and JSON.")
]
Chart = Annotated[
    Path | None,
    typer.Option(
        "--chart",
        metavar="FILE",
        help="Draw recall against tokens of every setting, as a page (.html) that stands by itself.",
        show_default=False,
    ),
]
BUDGET = "Most tokens of the context. Each setting is then recalled by itself. Default: none, the paper's mode."


@dataclass(frozen=True, slots=True)
class Options:
    """What is asked for beyond the settings."""

    within: int | None
    exact: bool
    by_category: bool


@selecting(axes=True, budget=BUDGET)
def sweep(
    ctx: typer.Context,
    selection: Selection,
    conversations: Names = None,
    dataset: Dataset = None,
    csv: CsvFile = None,
    chart: Chart = None,
    within: Within = None,
    exact: Exact = False,
    by_category: ByCategory = False,
) -> None:
    """Sweep the whole grid of settings."""
    desk: Desk = ctx.obj
    options = Options(within, exact, by_category)
    with desk.workbench() as workbench:
        # Without --budget in the paper's mode, whatever suits the conversation.
        all_of = [replace(it, budget=_budget(selection)) for it in selection.all_of(workbench, conversations)]
        chosen = _of_dataset(workbench, all_of, dataset)
        desk.kept = "Nothing was written."
        names = list(dict.fromkeys(it.conversation.dataset for it in chosen))
        reports = []
        for name in names:
            mine = [it for it in chosen if it.conversation.dataset == name]
            reports.append(_report(desk, workbench, name, mine, selection, options))
        entries = [(it.conversation, it.method, it.budget) for it in chosen]
        card = run_card(workbench, "sweep", entries, axes={it.dataset: it.means.axes for it in reports})
    rows = [row for report in reports for row in rows_of(report)]
    if csv:
        write_csv(csv, rows, list(dict.fromkeys(name for row in rows for name in row)))
        desk.note(f"{counted(len(rows), 'row')} written to {csv}")
    if chart:
        write_text(chart, page_of(reports))
        desk.note(f"The chart is in {chart}")
    document = {"card": card, "sweeps": [report.document for report in reports], "rows": rows}
    desk.emit(document, *(part for report in reports for part in drawn(report)))


def _of_dataset(workbench: Workbench, chosen: Sequence[Chosen], wanted: str | None) -> list[Chosen]:
    """Those of a dataset, or of a file. Raises NotBuilt where there are none."""
    files = {row.conversation_id: row.file for row in workbench.store.conversations()}
    mine = [it for it in chosen if wanted in (None, it.conversation.dataset, files[it.id])]
    if not mine:
        there = sorted({it.conversation.dataset for it in chosen} | {files[it.id] for it in chosen})
        raise NotBuilt(f"Nothing built is of {wanted!r}; there are {', '.join(there)}.")
    return mine


def _budget(selection: Selection) -> int | None:
    return None if selection.budget in (None, PAPER_MODE) else selection.budget


def _report(
    desk: Desk, workbench: Workbench, dataset: str, chosen: Sequence[Chosen], selection: Selection, options: Options
) -> Report:
    """The sweep of one dataset: numbers of different datasets are never averaged."""
    method, budget = chosen[0].method, _budget(selection)
    axes = _asked_axes(method, selection)
    for it in chosen:
        ready(desk, workbench, [question.text for question in workbench.store.questions(it.id) if scorable(question)])
    members = [Member(it.id, it.method) for it in chosen]
    with desk.progress(f"Sweeping {dataset}") as progress:
        for done, member in enumerate(members):  # so that the time below is that of the sweep alone
            progress("opening", done, len(members))
            workbench.memory(member.conversation_id, member.method)
        started = perf_counter()
        found = swept(workbench, members, progress) if budget is None else None
    if found is None or not set(axes) <= set(found.axes):
        found = _plain(desk, workbench, chosen, coarse_axes(method, axes), budget)
    seconds = perf_counter() - started
    report = Report(dataset, chosen[0], len(chosen), found, found.means(), axes, options.by_category, seconds)
    settings = report.shown if options.exact else report.usual
    if budget is None and not found.rendered:
        with desk.progress("Rendering contexts") as progress:
            for done, place in enumerate(settings):
                progress("settings", done, len(settings))
                exact = rendered_tokens(workbench, members, found.setting(place))
                report.rendered[place] = sum(exact) / len(exact)
    report.within = options.within
    return report


def _asked_axes(method: Any, selection: Selection) -> dict[str, tuple[int, ...]]:
    """The values asked for by knob. Raises BadSetting for one outside its range."""
    names = {knob.symbol: knob.name for knob in knobs_of(method) if knob.symbol}
    axes = {}
    for letter, values in selection.axes.items():
        for value in values:
            check(with_settings(method, {letter: value}))
        axes[names.get(letter, letter)] = tuple(values)
    return axes


def _plain(
    desk: Desk, workbench: Workbench, chosen: Sequence[Chosen], axes: dict[str, tuple[int, ...]], budget: int | None
) -> Swept:
    """The general path, setting by setting."""
    parts = []
    for it in chosen:
        questions = [question for question in workbench.store.questions(it.id) if scorable(question)]
        if not questions:
            continue
        memory = workbench.memory(it.id, it.method)
        rows = []
        with desk.progress(f"Recalling in {it.conversation.title}", long=True) as progress:
            for row in recalled(memory, it.method, questions, axes, budget):
                rows.append(row)
                progress("questions", len(rows), len(questions))
        parts.append(of_rows(axes, rows))
    return joined(parts)
