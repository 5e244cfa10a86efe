"""A picture as a value: what stands where. Lengths are pixels at zoom 1, the origin is the upper left corner."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from cuemem.types import EdgeKind, TurnId

LinkKind = EdgeKind | Literal["query", "points"]
Look = Literal[
    "query",
    "cue",
    "cue first",
    "cue small",
    "cue lost",
    "anchor",
    "temporal",
    "semantic",
    "history",
    "missed",
    "found anchor",
    "found temporal",
    "found semantic",
    "found history",
    "cut",
    "other",
]


@dataclass(frozen=True, slots=True)
class Box:
    """The space that a thing and its label take, around its centre."""

    x: float
    y: float
    width: float
    height: float

    def meets(self, other: Box, gap: float = 0.0) -> bool:
        """Whether the two share space, or come closer than ``gap``."""
        return (
            abs(self.x - other.x) * 2 < self.width + other.width + 2 * gap
            and abs(self.y - other.y) * 2 < self.height + other.height + 2 * gap
        )


@dataclass(frozen=True, slots=True)
class Node:
    """A turn, a cue or the query. ``x`` and ``y`` are its own centre; ``box`` includes the label beneath it."""

    node_id: str
    look: Look
    x: float
    y: float
    box: Box
    label: str = ""
    title: str = ""
    turn_id: TurnId | None = None
    emphasis: float = 0.0  # from 0 to 1: how much a cue or its line stands out by its rank


@dataclass(frozen=True, slots=True)
class Link:
    """A line between two nodes. ``bow`` is vis's roundness of an arc that hangs below; None is a straight line."""

    source: str
    target: str
    kind: LinkKind
    title: str = ""
    label: str = ""
    bow: float | None = None
    upright: bool = False  # leaves and arrives vertically
    emphasis: float = 0.0
    lost: bool = False


@dataclass(frozen=True, slots=True)
class Scenery:
    """What stands behind the graph and is no part of it: bands, the line of time, its gaps, session labels."""

    kind: Literal["band", "line", "gap", "text", "small"]
    x1: float
    y1: float
    x2: float
    y2: float
    text: str = ""


@dataclass(frozen=True, slots=True)
class Picture:
    """A whole picture, and what it says in one sentence."""

    width: float
    height: float
    nodes: tuple[Node, ...]
    links: tuple[Link, ...]
    scenery: tuple[Scenery, ...]
    sentence: str
