"""Curves cut from a sweep: the same numbers as the sweep's own, along one knob."""

from __future__ import annotations

import pytest

from cuemem.errors import BadSetting
from cuemem.evaluation.curves import Point, curve, within
from cuemem.evaluation.sweep import sweep
from cuemem.methods import CueMem
from tests.evaluation.test_ladder import CUES, METHOD, asked
from tests.fakes import AngleEmbedder, WordTokens, models, talk


def test_a_curve_is_the_sweep_along_one_knob() -> None:
    memory = METHOD.build(talk(5, 4), models(CUES, AngleEmbedder()))
    swept = sweep(memory, METHOD, (asked(0, "D1:2", "D2:3"), asked(1, "D1:5")), WordTokens())
    assert swept is not None
    points = curve(swept.means(), {"window": 0, "neighbours": 1})
    assert [point.value for point in points] == list(range(1, 61))
    # m = 1 finds D1:2 and over the edge D2:3, not D1:5; m = 3 has all three cues.
    assert [round(point.recall, 6) for point in points[:3]] == [0.5, 0.5, 1.0]
    assert points[0].all == 0.5
    assert points[0].tokens == swept.at({"window": 0, "neighbours": 1, "top_cues": 1}).means().tokens[0]


def test_one_knob_must_be_free() -> None:
    memory = METHOD.build(talk(5, 4), models(CUES, AngleEmbedder()))
    swept = sweep(memory, CueMem(cue_source="given", turn_unit="utterance"), (asked(0, "D1:2"),), WordTokens())
    assert swept is not None
    with pytest.raises(BadSetting, match="one knob free"):
        curve(swept.means(), {"window": 0})


def test_the_last_point_within_the_tokens() -> None:
    points = (Point(1, 10.0, 0.1, 0.0), Point(2, 20.0, 0.2, 0.0), Point(3, 30.0, 0.3, 0.0))
    assert within(points, 20.0) == points[1]
    assert within(points, 29.9) == points[1]
    assert within(points, 9.9) is None
