"""Colours, shapes and sizes: Okabe–Ito colours, and never colour alone, each role has its shape or its word."""

from __future__ import annotations

from typing import Any

from cuemem.viz.graph.picture import LinkKind, Look

BLUE, ORANGE, SKY, VERMILLION, GREY = "#0072B2", "#E69F00", "#56B4E9", "#D55E00", "#8A8F98"

LINK_COLOURS: dict[LinkKind, str] = {"query": GREY, "points": BLUE, "temporal": ORANGE, "semantic": SKY}

# What differs between the themes: ink, paper, quiet ink, the two tints of bands, the tint and border of a cue.
THEMES: dict[str, dict[str, str]] = {
    "light": {
        "ink": "#1F2933",
        "paper": "#FFFFFF",
        "quiet": "#5B6670",
        "line": "#A9B2BB",
        "band": "#F1F4F7",
        "other band": "#E5EAEF",
        "cue": "#E8F2F9",
        "first cue": "#C9E2F2",
        "lost cue": "#ECEEF0",
        "rank": BLUE,
        "other": "#B4BBC3",
    },
    "dark": {
        "ink": "#E4E8EC",
        "paper": "#14181D",
        "quiet": "#A3ADB8",
        "line": "#5C6873",
        "band": "#1A2027",
        "other band": "#222A33",
        "cue": "#17303F",
        "first cue": "#1C465F",
        "lost cue": "#262C33",
        "rank": SKY,
        "other": "#59646F",
    },
}

_SIZES: dict[Look, float] = {
    "temporal": 5.5,
    "semantic": 7,
    "history": 5,
    "cut": 5,
    "other": 4,
    "missed": 10,
    "found anchor": 14,
    "found temporal": 12,
    "found semantic": 12,
    "found history": 12,
}
SHAPES: dict[Look, str] = {
    "query": "box",
    "cue": "box",
    "cue first": "box",
    "cue small": "box",
    "cue lost": "box",
    "anchor": "box",
    "temporal": "dot",
    "semantic": "diamond",
    "history": "dot",
    "missed": "triangle",
    "found anchor": "star",
    "found temporal": "star",
    "found semantic": "star",
    "found history": "star",
    "cut": "dot",
    "other": "dot",
}
FILLS: dict[Look, str] = {
    "anchor": BLUE,
    "temporal": ORANGE,
    "semantic": SKY,
    "history": GREY,
    "missed": VERMILLION,
    "found anchor": BLUE,
    "found temporal": ORANGE,
    "found semantic": SKY,
    "found history": GREY,
}


def groups(theme: str) -> dict[str, Any]:
    """vis's groups: how each look is drawn in a theme."""
    ink = THEMES[theme]
    return {look: _group(look, ink) for look in SHAPES}


def _group(look: Look, ink: dict[str, str]) -> dict[str, Any]:
    if SHAPES[look] == "box":
        return _boxes(ink)[look]
    fill = FILLS.get(look, ink["other"])
    border = _darker(fill)
    if look == "cut":
        fill, border = ink["paper"], GREY
    style: dict[str, Any] = {
        "size": _SIZES[look],
        "color": _colour(fill, border),
        "borderWidth": 1.5 if look == "cut" else 1,
        "font": {"size": 12, "color": ink["ink"], "strokeWidth": 3, "strokeColor": ink["paper"], "vadjust": -4},
    }
    if look == "cut":
        style["shapeProperties"] = {"borderDashes": [2, 2]}
    return style


def _boxes(ink: dict[str, str]) -> dict[str, dict[str, Any]]:
    def box(fill: str, border: str, text: str, size: int, width: float, dashes: bool = False) -> dict[str, Any]:
        return {
            "color": _colour(fill, border),
            "borderWidth": width,
            "font": {"size": size, "color": text},
            "shapeProperties": {"borderRadius": 4, "borderDashes": [4, 3] if dashes else False},
        }

    return {
        "query": box(ink["ink"], ink["ink"], ink["paper"], 14, 0),
        "cue": box(ink["cue"], BLUE, ink["ink"], 12, 1),
        "cue first": box(ink["first cue"], BLUE, ink["ink"], 12, 2),
        "cue small": box(ink["cue"], BLUE, ink["ink"], 12, 0.5),
        "cue lost": box(ink["lost cue"], ink["line"], ink["quiet"], 12, 1, dashes=True),
        "anchor": box(BLUE, _darker(BLUE), "#FFFFFF", 12, 1),
    }


def _colour(fill: str, border: str) -> dict[str, Any]:
    same = {"background": fill, "border": border}
    return same | {"highlight": same, "hover": same}


def _darker(colour: str) -> str:
    """The same hue with three quarters of its light."""
    return "#" + "".join(f"{int(colour[at : at + 2], 16) * 3 // 4:02x}" for at in (1, 3, 5))
