"""The signs of the picture in words: the legend, and the mark beside a turn in a list."""

from __future__ import annotations

from cuemem.ui.markup import Html, html, join
from cuemem.viz.graph.looks import FILLS, GREY, ORANGE, SHAPES, SKY
from cuemem.viz.graph.picture import Look


def sign(look: Look, label: str = "") -> Html:
    """How a turn is drawn in the picture, with its label beneath."""
    return html(
        '<span class="cmt-sign"><i class="cmt-{shape}" style="background-color:{fill}"></i>'
        "<span>{label}</span></span>",
        shape="hollow" if look == "cut" else SHAPES[look],
        fill="transparent" if look == "cut" else FILLS.get(look, GREY),
        label=label,
    )


def _line(style: str, colour: str) -> Html:
    return html('<i class="cmt-line" style="border-top:{style} {colour}"></i>', style=style, colour=colour)


def legend(noun: str, *, with_graph: bool) -> Html:
    """What the signs of the picture mean, for a method that ranks ``noun``s and has edges between turns or not."""
    edges = [
        (sign("temporal"), "reached by a temporal edge, from a turn close by"),
        (sign("semantic"), f"reached by a semantic edge, from a turn with a similar {noun}"),
        (_line("3px solid", ORANGE), "temporal edge"),
        (_line("2px dashed", SKY), "semantic edge"),
    ]
    entries = [
        (sign("anchor"), f"anchor: a turn that was retrieved by its {noun}; A1 has the best one"),
        *(edges[:2] if with_graph else []),
        (sign("found anchor"), "gold turn that was found, in the colour of how"),
        (sign("missed"), "gold turn that is missing"),
        (sign("cut"), "reached, but cut by the budget"),
        *(edges[2:] if with_graph else []),
        (_line("2px dotted", GREY), "so many turns are left out here"),
        (html('<b class="cmt-rank">#1</b>'), f"{noun}, by its rank for the question; grey: not retrieved"),
    ]
    items = [html("<li>{sign}<span>{words}</span></li>", sign=drawn, words=words) for drawn, words in entries]
    return html('<ul class="cmt-legend">{items}</ul>', items=join(items))
