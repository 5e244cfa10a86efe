"""Result tables on the page."""

from __future__ import annotations

from collections.abc import Sequence

from cuemem.evaluation.tables import Shown, Table
from cuemem.ui.markup import Html, html, join, show


def table(made: Table) -> None:
    """A result table under its title, its notes below; a wide one scrolls by itself."""
    show(
        html(
            '<figure class="cmr-figure"><figcaption class="cmr-title">{title}</figcaption><div class="cmr-wide" '
            'tabindex="0"><table class="cm-table cmr-table"><thead><tr>{head}</tr></thead><tbody>{body}</tbody>'
            "</table></div>{notes}</figure>",
            title=made.title,
            head=join([_cell("th", name, number=place >= made.left) for place, name in enumerate(made.columns)]),
            body=join([_row(row, made.left) for row in made.rows]),
            notes=join([html('<p class="cm-quiet">{note}</p>', note=note) for note in made.notes]),
        )
    )


def _row(row: tuple[str, ...], left: int) -> Html:
    first = html('<th scope="row" dir="auto">{text}</th>', text=row[0])
    rest = [_cell("td", text, number=place >= left) for place, text in enumerate(row[1:], 1)]
    return html("<tr>{first}{rest}</tr>", first=first, rest=join(rest))


def _cell(tag: str, text: str, *, number: bool) -> Html:
    kind = Html(' class="cm-number"' if number else "")
    scope = Html(' scope="col"' if tag == "th" else "")
    return html("<{tag}{scope}{kind}>{text}</{tag}>", tag=Html(tag), scope=scope, kind=kind, text=text)


def ranges(runs: Sequence[Shown], *, unflagged: bool) -> None:
    """The accuracy of each run as a point on a line from 0 to 100 %, with its interval."""
    rows = []
    for run in runs:
        lines = run.summary.unflagged if unflagged else run.summary.everything
        line = next((it for it in lines if not it.apart), None)
        if line is None or line.accuracy is None:
            continue
        it = line.accuracy
        rows.append(
            html(
                '<span class="cmr-name" dir="auto">{name}</span><span class="cmr-range" role="img" '
                'style="--low:{low:.4f};--high:{high:.4f};--at:{at:.4f}" '
                'aria-label="{percent:.1f} %, interval {from_:.1f} to {to:.1f} %"><i></i><b></b></span>'
                '<span class="cmr-percent">{percent:.1f} %</span>',
                name=run.label,
                low=it.low,
                high=it.high,
                at=it.estimate,
                percent=100 * it.estimate,
                from_=100 * it.low,
                to=100 * it.high,
            )
        )
    if rows:
        show(
            html(
                '<div class="cmr-title">Accuracy with its 95 % interval</div><div class="cmr-ranges">{rows}</div>',
                rows=join(rows),
            )
        )
