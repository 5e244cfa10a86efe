"""The charts of ``sweep`` as one page that needs no network."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

from cuemem.commands.sweep_report import Report
from cuemem.evaluation.frontier import by_edges, without_graph
from cuemem.viz.sweep import Kind, Marked, cloud, with_edges


def page_of(reports: Sequence[Report]) -> str:
    """A chart for each dataset under its heading, the library with the first."""
    parts = [_part(report, first=report is reports[0]) for report in reports]
    head = '<!doctype html><html lang="en"><head><meta charset="utf-8"><title>Recall against tokens</title></head>'
    return f'{head}<body style="font-family: sans-serif">{"".join(parts)}</body></html>\n'


def _part(report: Report, *, first: bool) -> str:
    means, method = report.means, report.chosen.method
    names = [
        ", ".join(f"{report.letters[name]} = {value}" for name, value in means.setting(place).items()) or method.title
        for place in range(means.size)
    ]
    kinds = [
        Kind(with_edges([report.letters[name] for name in edges], len(edges) == 1 and several), places)
        for edges, places, several in by_edges(means, method)
    ]
    control = without_graph(means, method)
    figure = cloud(
        means.tokens,
        means.recall,
        names,
        kinds,
        report.best,
        None if control is None else Kind("anchors only", control),
        Marked(f"usual: {names[report.usual[0]]}", report.usual[0]) if report.usual else None,
        "Gold turns found, mean",
    )
    title = f"{report.dataset}: {report.conversations:,} conversations, {means.questions:,} questions"
    drawn = figure.to_html(full_html=False, include_plotlyjs=first)
    return f"<h1>{escape(title)}</h1><p>{escape(report.chosen.line)}</p>{drawn}"
