"""Recall against tokens for several ways of choosing turns: colour and shape by what is searched, dash by graph."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from cuemem.viz.sweep.frame import BLUE, GREEN, GREY, ORANGE, PURPLE, RED, SKY, layout, share_axis, token_axis

if TYPE_CHECKING:
    from plotly.graph_objects import Figure

_LOOKS = (
    (BLUE, "square"),
    (ORANGE, "circle"),
    (GREEN, "diamond"),
    (PURPLE, "triangle-up"),
    (SKY, "cross"),
    (RED, "x"),
    (GREY, "star"),
)


@dataclass(frozen=True, slots=True)
class Way:
    """A line. Those of one ``family`` share colour and shape; ``points`` are (tokens, share, its name)."""

    name: str
    family: str
    graph: bool
    points: Sequence[tuple[float, float, str]]


def lines(ways: Sequence[Way], title: str) -> Figure:
    """The chart. Names are ours, never data."""
    from plotly.graph_objects import Figure

    figure = Figure()
    families = list(dict.fromkeys(way.family for way in ways))
    for way in ways:
        colour, symbol = _LOOKS[families.index(way.family) % len(_LOOKS)]
        figure.add_scatter(
            x=[point[0] for point in way.points],
            y=[point[1] for point in way.points],
            text=[point[2] for point in way.points],
            name=way.name,
            mode="lines+markers",
            line={"color": colour, "width": 2, "dash": "dash" if way.graph else "solid"},
            marker={"color": colour, "size": 8, "symbol": f"{symbol}-open" if way.graph else symbol},
            hovertemplate="%{text}<br>%{x:,.0f} tokens, %{y:.1%}<extra></extra>",
        )
    tokens = [point[0] for way in ways for point in way.points] or [1.0]
    shares = [point[1] for way in ways for point in way.points] or [0.0]
    figure.update_layout(
        layout(460, xaxis=token_axis(min(tokens), max(tokens)), yaxis=share_axis(title, min(shares)))
    )
    return figure
