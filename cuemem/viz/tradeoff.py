"""Recall against tokens: what a setting finds for what it costs, several ways of choosing beside each other."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from plotly.graph_objects import Figure

# Colour, shape and dash, so that lines are told apart in grey as well.
_LOOKS = (("#0072B2", "square", "solid"), ("#E69F00", "circle", "dash"), ("#8A8F98", "diamond", "dot"))


@dataclass(frozen=True, slots=True)
class Line:
    """One way of choosing turns. A point is (tokens, share found, what it is called when pointed at)."""

    name: str
    points: Sequence[tuple[float, float, str]]


def tradeoff(lines: Sequence[Line], marked: tuple[float, float, str] | None, most_tokens: float) -> Figure:
    """The lines, and one setting marked by a ring and its name. Names are ours, never data."""
    from plotly.graph_objects import Figure, Scatter

    figure = Figure()
    for line, (colour, symbol, dash) in zip(lines, _LOOKS, strict=False):
        figure.add_trace(
            Scatter(
                x=[point[0] for point in line.points],
                y=[point[1] for point in line.points],
                text=[point[2] for point in line.points],
                name=line.name,
                mode="lines+markers",
                line={"color": colour, "dash": dash, "width": 2},
                marker={"color": colour, "symbol": symbol, "size": 8},
                hovertemplate="%{text}<br>%{x:,.0f} tokens, %{y:.1%} found<extra></extra>",
            )
        )
    if marked is not None:
        figure.add_trace(
            Scatter(
                x=[marked[0]],
                y=[marked[1]],
                mode="markers",
                marker={"symbol": "circle-open", "size": 20, "color": _LOOKS[0][0], "line": {"width": 3}},
                name=marked[2],
                hoverinfo="skip",
            )
        )
    figure.update_layout(
        height=380,
        margin={"l": 10, "r": 10, "t": 10, "b": 10},
        legend={"orientation": "h", "yanchor": "bottom", "y": 1.02, "x": 0},
        xaxis={"title": "Tokens of the context, mean", "range": [0, most_tokens], "rangemode": "tozero"},
        yaxis={"title": "Gold turns found, mean", "range": [0, 1.02], "tickformat": ".0%"},
    )
    return figure
