"""Knobs are declared once and drawn from everywhere."""

from __future__ import annotations

import pytest

from cuemem.errors import BadSetting
from cuemem.knobs import check, fingerprint, knobs_of, settings, with_settings
from cuemem.methods import METHODS, CueMem, method_named


@pytest.mark.parametrize("method", METHODS, ids=lambda method: method.name)
def test_every_field_of_a_method_is_a_knob_with_a_range_or_choices(method: type) -> None:
    from dataclasses import fields

    assert [knob.name for knob in knobs_of(method)] == [entry.name for entry in fields(method)]
    for knob in knobs_of(method):
        assert knob.about
        if isinstance(knob.default, int) and not isinstance(knob.default, bool):
            assert knob.low is not None
            assert knob.high is not None
            assert knob.low <= knob.default <= knob.high


def test_a_knob_is_set_by_name_or_by_the_papers_symbol() -> None:
    assert with_settings(CueMem(), {"w": 3, "neighbours": 2, "m": None}) == CueMem(window=3, neighbours=2)
    with pytest.raises(BadSetting, match=r"no knob 'q'; it has .*window \(w\)"):
        with_settings(CueMem(), {"q": 1})


@pytest.mark.parametrize(
    "values",
    [
        {"window": -1},
        {"window": 7},
        {"top_cues": 0},
        {"top_cues": 61},
        {"window": True},
        {"window": 1.5},
        {"session_break": 1},
        {"turn_unit": "page"},
    ],
)
def test_a_value_outside_the_declaration_is_refused(values: dict[str, object]) -> None:
    with pytest.raises(BadSetting, match=next(iter(values))):
        check(with_settings(CueMem(), values))


def test_build_and_recall_knobs_are_apart() -> None:
    assert set(settings(CueMem(), "build")) == {"cue_source", "turn_unit"}
    assert {"window", "neighbours", "top_cues"} <= set(settings(CueMem(), "recall"))
    assert fingerprint(settings(CueMem())) != fingerprint(settings(CueMem(window=3)))


def test_an_unknown_method_is_named() -> None:
    from cuemem.errors import UnknownName

    with pytest.raises(UnknownName, match="cuemem, qgmem, naive_rag, full_history"):
        method_named("magic")
