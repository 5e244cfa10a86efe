"""The charts of a sweep: every point tells its setting, and nothing is told by colour alone."""

from __future__ import annotations

import numpy as np

from cuemem.viz.sweep import Heat, Kind, Marked, Way, cloud, heat, lines

TOKENS, FOUND = np.array([100.0, 200.0, 400.0, 800.0]), np.array([0.4, 0.5, 0.7, 0.6])
NAMES = [f"m = {place}" for place in range(4)]


def test_a_point_of_the_cloud_tells_its_place() -> None:
    kinds = [Kind("both", np.array([2, 3])), Kind("only w", np.array([1]))]
    figure = cloud(TOKENS, FOUND, NAMES, kinds, [0, 1, 2], Kind("alone", np.array([0])), Marked("here", 3), "found")
    both, only, alone, frontier, here = figure.data
    assert list(both.customdata) == [2, 3]
    assert list(both.x) == [400.0, 800.0]
    assert list(here.customdata) == [3]
    assert (frontier.name, list(frontier.x)) == ("frontier", [100.0, 200.0, 400.0])
    assert len({both.marker.symbol, only.marker.symbol, alone.marker.symbol, here.marker.symbol}) == 4
    assert both.unselected.marker.opacity == both.marker.opacity
    assert list(figure.layout.xaxis.ticktext) == ["100", "200", "500"]


def test_a_cell_tells_its_place_and_its_number_can_be_read() -> None:
    values = np.array([[0.1, 0.9], [np.nan, 0.5]])
    cells = Heat(("w", (0, 1)), ("k", (0, 1)), values, np.array([[0, 1], [2, 3]]), "share")
    figure = heat(cells, 1, NAMES)
    assert list(figure.data[1].customdata) == [0, 1, 2, 3]
    assert [note.text for note in figure.layout.annotations] == ["10.0", "90.0", "–", "50.0"]
    assert [note.font.color for note in figure.layout.annotations][:2] == ["#FFFFFF", "#000000"]
    (box,) = figure.layout.shapes
    assert (box.x0, box.x1, box.y0, box.y1) == (0.5, 1.5, -0.5, 0.5)
    difference = heat(Heat(("w", (0, 1)), ("k", (0, 1)), values - 0.5, cells.places, "difference"), None, NAMES)
    assert difference.data[0].zmin == -difference.data[0].zmax
    assert [note.text for note in difference.layout.annotations] == ["−40.0", "+40.0", "–", "+0.0"]


def test_ways_of_one_family_share_a_colour_and_differ_in_dash() -> None:
    bare = Way("cues", "a", False, [(10.0, 0.2, "m = 1"), (30.0, 0.6, "m = 2")])
    figure = lines([bare, Way("graph", "a", True, bare.points), Way("turns", "b", False, bare.points)], "found")
    first, graph, turns = figure.data
    assert first.line.color == graph.line.color != turns.line.color
    assert (first.line.dash, graph.line.dash) == ("solid", "dash")
    assert len({first.marker.symbol, graph.marker.symbol, turns.marker.symbol}) == 3
