"""The view in the address: what is written is read back, and nothing that stands there can break it."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from cuemem.methods import METHODS, CueMem
from cuemem.ui.view import LEAST_BUDGET, MOST_BUDGET, View, ordered, parse, recall_knobs, written

TEXTS = st.text(st.characters(exclude_categories=["Cs"]), min_size=1, max_size=40)


@st.composite
def views(draw: st.DrawFn) -> View:
    """A view with everything said, as it is once the app has filled it in."""
    method = draw(st.sampled_from(METHODS))
    values: dict[str, Any] = {}
    for knob in recall_knobs(method):
        if isinstance(knob.default, bool):
            values[knob.name] = draw(st.booleans())
        elif knob.choices:
            values[knob.name] = draw(st.sampled_from(knob.choices))
        else:
            values[knob.name] = draw(st.integers(knob.low, knob.high))
    budgets = st.one_of(st.just("off"), st.integers(LEAST_BUDGET, MOST_BUDGET))
    return View(
        page=draw(st.sampled_from(["trace", "cues"])),
        conversation=draw(TEXTS),
        question=draw(st.integers(0, 5000)),
        method=method.name,
        cues=draw(st.one_of(st.none(), TEXTS)),
        turns=draw(st.sampled_from(["utterance", "exchange"])),
        memory=draw(st.one_of(st.none(), TEXTS)),
        settings=ordered(method.name, values),
        budget=draw(budgets),  # type: ignore[arg-type]
        turn=draw(st.one_of(st.none(), TEXTS)),
        extras=tuple(sorted(draw(st.dictionaries(TEXTS, TEXTS, max_size=3)).items())),
    )


@given(view=views())
def test_what_is_written_is_read_back(view: View) -> None:
    has_symbol = any(knob.symbol for knob in recall_knobs(next(it for it in METHODS if it.name == view.method)))
    read, complaints = parse(written(view), view.page)
    assert complaints == ()
    assert read == view or not has_symbol


@given(params=st.dictionaries(st.one_of(TEXTS, st.sampled_from(["w", "k", "m", "budget", "turns", "method"])), TEXTS))
def test_no_address_breaks_it(params: dict[str, str]) -> None:
    view, complaints = parse(params)
    assert all(sentence.endswith(".") for sentence in complaints)
    assert parse(written(view))[1] == ()


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("w", "7"),
        ("w", "-1"),
        ("k", "1.5"),
        ("m", "0"),
        ("m", "1_0"),
        ("m", "٣"),
        ("question", "first"),
        ("budget", "100"),
        ("budget", "9000"),
        ("budget", "none"),
        ("turns", "auto"),
        ("method", "magic"),
        ("symmetric", "yes"),
    ],
)
def test_what_cannot_be_meant_is_said_and_left_at_its_default(name: str, text: str) -> None:
    view, complaints = parse({name: text})
    assert len(complaints) == 1
    assert text in complaints[0]
    assert replace(view, settings=()) == View()
    assert {"w": "window", "k": "neighbours", "m": "top_cues"}.get(name) not in dict(view.settings)


def test_settings_are_named_by_the_papers_letters() -> None:
    view = View(settings=ordered("cuemem", {"window": 2, "neighbours": 1, "top_cues": 10, "symmetric": False}))
    assert written(view) == {"method": "cuemem", "w": "2", "k": "1", "m": "10"}
    assert written(view.with_setting("symmetric", True))["symmetric"] == "on"
    assert parse({"w": "2", "symmetric": "on"})[0].settings[-2:] == (("symmetric", True), ("turn_cap", 400))


def test_a_page_notes_what_is_its_own() -> None:
    view = View().with_extra("step", "3").with_extra("find", "lake")
    assert (view.extra("step"), view.extra("none", "1")) == ("3", "1")
    assert written(view)["page.step"] == "3"
    assert view.with_extra("step", "").extras == (("find", "lake"),)


def test_a_setting_keeps_the_order_of_declaration() -> None:
    view = View().with_setting("top_cues", 5).with_setting("window", 1)
    assert view.settings == (("window", 1), ("top_cues", 5))
    assert set(dict(view.settings)) <= {knob.name for knob in recall_knobs(CueMem)}
