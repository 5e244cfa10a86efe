"""The arcs beneath the line of time: vis knows a curve by its roundness, the eye by how deep it hangs."""

from __future__ import annotations

import math

DEEPEST, SHALLOWEST = 96.0, 10.0


def depth_of(distance: float) -> float:
    """How deep an arc hangs: it grows with its distance, but ever more slowly, so that it stays in the picture."""
    return min(DEEPEST, max(SHALLOWEST, 5.2 * math.sqrt(distance)), 0.36 * distance)


def roundness(distance: float, depth: float) -> float:
    """The roundness by which vis makes an arc over this distance hang so deep.

    vis puts the control point of the curve at ``(f + 1) / 2 · distance`` from its start, turned by ``f · 90°``;
    the curve reaches half as deep as its control point. Found by halving, since depth grows with f.
    """
    low, high = 0.0, 0.9
    for _ in range(24):
        middle = (low + high) / 2
        reached = 0.25 * (middle + 1) * distance * math.sin(math.pi * middle / 2)
        low, high = (middle, high) if reached < depth else (low, middle)
    return round((low + high) / 2, 4)
