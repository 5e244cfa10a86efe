"""Estimated widths, wrapped text, and arcs as deep as asked for."""

from __future__ import annotations

import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cuemem.viz.graph.arcs import DEEPEST, depth_of, roundness
from cuemem.viz.graph.measure import ELLIPSIS, text_width, wrap


@given(text=st.text(max_size=200), width=st.floats(20, 400), most=st.integers(1, 5))
def test_lines_fit_and_keep_the_beginning_of_the_text(text: str, width: float, most: int) -> None:
    lines = wrap(text, width, 12, most)
    assert 1 <= len(lines) <= most
    assert all(text_width(line, 12) <= width for line in lines)
    words = "".join(text.split())
    said = "".join("".join(lines).split())
    assert said == words or (said.endswith(ELLIPSIS) and words.startswith(said[:-1]))


def test_text_is_broken_at_spaces_and_a_long_word_anywhere() -> None:
    assert wrap("to be or not", text_width("or not", 12), 12, 3) == ["to be", "or not"]
    assert len(wrap("x" * 50, 60, 12, 2)) == 2
    assert wrap("y" * 100_000, 60, 12, 1)[0].endswith(ELLIPSIS)
    assert wrap("", 60, 12, 2) == [""]


def test_wide_scripts_take_more_room_and_marks_none() -> None:
    assert text_width("漢字", 12) > 2 * text_width("ab", 12) * 0.9
    assert text_width("e\u0301", 12) == text_width("e", 12)


@pytest.mark.parametrize("distance", [15.0, 60.0, 200.0, 480.0, 1400.0])
def test_an_arc_hangs_as_deep_as_asked_for(distance: float) -> None:
    """By vis's own formula for curvedCW, sampled along the quadratic curve."""
    wanted = depth_of(distance)
    f = roundness(distance, wanted)
    reach = (f + 1) / 2 * distance
    control = reach * math.sin(math.pi * f / 2)
    deepest = max(2 * t * (1 - t) * control for t in (i / 400 for i in range(401)))
    assert deepest == pytest.approx(wanted, abs=0.5)


def test_arcs_grow_with_distance_but_stay_in_the_picture() -> None:
    depths = [depth_of(distance) for distance in range(10, 1500, 10)]
    assert depths == sorted(depths)
    assert depths[-1] == DEEPEST
