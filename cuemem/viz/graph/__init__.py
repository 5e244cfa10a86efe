"""The turn graph as a picture (pyvis): an arc diagram on a timeline, or the whole conversation.

:func:`draw` lays it out, :func:`payload` makes of it what a browser shows, :mod:`cuemem.viz.graph.export` files.
Positions are computed and physics is off: the same question always gives the same picture.
"""

from __future__ import annotations

from collections.abc import Collection, Mapping

from cuemem.types import Explanation, Recall, Turn, TurnId
from cuemem.viz.graph.marks import marks_of
from cuemem.viz.graph.network import drawing_code, network, payload, vis_library
from cuemem.viz.graph.picture import Picture
from cuemem.viz.graph.timeline import timeline
from cuemem.viz.graph.whole import whole

__all__ = ["Picture", "draw", "drawing_code", "network", "payload", "vis_library"]


def draw(
    recall: Recall,
    gold: Collection[TurnId],
    turns: Mapping[TurnId, Turn],
    explanations: Mapping[TurnId, Explanation],
    *,
    width: float = 1000.0,
    everything: bool = False,
    cosines: bool = False,
) -> Picture:
    """The picture of a recall: its own turns on a timeline, or with ``everything`` all of the conversation's.

    ``turns`` are all turns in chronological order, ``explanations`` those of the gold turns, from which a missed
    one gets its best cue.
    """
    marks = marks_of(recall, gold, turns, explanations, everything)
    return whole(marks, recall, width) if everything else timeline(marks, recall, width, cosines)
