"""What the charts of a sweep share: colours that survive grey with shapes beside them, and the two axes."""

from __future__ import annotations

import math
from typing import Any

BLUE, ORANGE, GREEN, PURPLE, SKY, RED, GREY = (
    "#0072B2",
    "#E69F00",
    "#009E73",
    "#CC79A7",
    "#56B4E9",
    "#D55E00",
    "#8A8F98",
)
_TICKS = [step * 10**power for power in range(1, 7) for step in (1, 2, 5)]


def token_axis(low: float, high: float) -> dict[str, Any]:
    """Tokens on a logarithmic axis with round numbers, since a step counts by what it multiplies."""
    low, high = max(low, 1.0), max(high, 2.0)
    inside = [tick for tick in _TICKS if low / 1.2 <= tick <= high * 1.2]
    return {
        "title": "Tokens of the context, mean",
        "type": "log",
        "range": [math.log10(low / 1.25), math.log10(high * 1.25)],
        "tickvals": inside,
        "ticktext": [_short(tick) for tick in inside],
    }


def _short(tick: int) -> str:
    return f"{tick:,}" if tick < 1000 else f"{tick // 1000:,}k"


def share_axis(title: str, low: float) -> dict[str, Any]:
    """A share as per cent, from a round number beneath the lowest value."""
    return {"title": title, "range": [math.floor(10 * low) / 10 - 0.02, 1.02], "tickformat": ".0%"}


def layout(height: int, **more: Any) -> dict[str, Any]:
    """The frame of a chart: the legend above it, hover for single points."""
    return {
        "height": height,
        "margin": {"l": 10, "r": 10, "t": 10, "b": 10},
        "legend": {"orientation": "h", "yanchor": "bottom", "y": 1.01, "x": 0, "itemsizing": "constant"},
        "hovermode": "closest",
        "clickmode": "event+select",
    } | more
