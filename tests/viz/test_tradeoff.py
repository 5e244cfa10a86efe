"""The chart of recall against tokens: every line, told apart by more than colour, and the marked setting."""

from __future__ import annotations

from cuemem.viz.tradeoff import Line, tradeoff

LINES = [Line("graph", [(10.0, 0.2, "m = 1"), (30.0, 0.6, "m = 2")]), Line("anchors", [(5.0, 0.1, "m = 1")])]


def test_lines_differ_in_colour_shape_and_dash() -> None:
    figure = tradeoff(LINES, None, 40.0)
    graph, anchors = figure.data
    assert (list(graph.x), list(graph.y), list(graph.text)) == ([10.0, 30.0], [0.2, 0.6], ["m = 1", "m = 2"])
    assert graph.line.color != anchors.line.color
    assert graph.marker.symbol != anchors.marker.symbol
    assert graph.line.dash != anchors.line.dash
    assert list(figure.layout.xaxis.range) == [0, 40.0]


def test_one_setting_is_marked() -> None:
    figure = tradeoff(LINES, (30.0, 0.6, "these settings"), 40.0)
    assert [trace.name for trace in figure.data] == ["graph", "anchors", "these settings"]
    assert figure.data[-1].marker.symbol == "circle-open"
