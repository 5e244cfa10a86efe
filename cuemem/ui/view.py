"""The whole view as one value, and its form in the address bar.

Everything that decides what a page shows stands in a :class:`View`: a copied link gives it back in another
browser. This module is pure; what a view names may be gone by now, which :mod:`cuemem.ui.scene` finds out.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal, get_args

from cuemem.errors import UnknownName
from cuemem.knobs import Knob, knobs_of
from cuemem.methods import METHODS, method_named
from cuemem.types import ConversationId, TurnId, TurnUnit

Budget = int | Literal["off"] | None  # None: not said, so the default of the method for the conversation

LEAST_BUDGET, MOST_BUDGET, BUDGET_STEP = 250, 8000, 250
LONGEST_VALUE = 300
_UNITS: tuple[str, ...] = get_args(TurnUnit)


@dataclass(frozen=True, slots=True)
class View:
    """What is looked at, and how. None and absent settings mean: not said, take the default.

    ``cues`` and ``turns`` name the built memory, ``settings`` are recall-time knobs by field name in the order
    declared, ``extras`` are what one page adds for itself (a step, a filter); they end with the page.
    """

    page: str = ""
    conversation: ConversationId | None = None
    question: int | None = None
    method: str = METHODS[0].name
    cues: str | None = None
    turns: TurnUnit | None = None
    settings: tuple[tuple[str, Any], ...] = ()
    budget: Budget = None
    turn: TurnId | None = None
    extras: tuple[tuple[str, str], ...] = ()

    def extra(self, name: str, default: str = "") -> str:
        """What a page has noted under this name."""
        return dict(self.extras).get(name, default)

    def with_extra(self, name: str, value: str) -> View:
        """The view with a page's own note; an empty one is removed."""
        noted = dict(self.extras) | {name: value}
        return replace(self, extras=tuple(sorted((key, text) for key, text in noted.items() if text)))

    def with_setting(self, name: str, value: Any) -> View:
        """The view with one recall-time knob set."""
        return replace(self, settings=ordered(self.method, dict(self.settings) | {name: value}))


def recall_knobs(method: Any) -> tuple[Knob, ...]:
    """The knobs that act at recall: what a view carries and what the sliders are drawn from."""
    return tuple(knob for knob in knobs_of(method) if knob.when == "recall")


def ordered(method: str, values: Mapping[str, Any]) -> tuple[tuple[str, Any], ...]:
    """Recall-time settings in the order in which the method declares its knobs; others are left out."""
    return tuple((knob.name, values[knob.name]) for knob in recall_knobs(method_named(method)) if knob.name in values)


def written(view: View) -> dict[str, str]:
    """The view as the parameters of an address; the page is its path.

    A knob goes by its symbol (w, k, m). One without a symbol is named only where it differs from its default.
    """
    said: dict[str, str | None] = {
        "conversation": view.conversation,
        "question": None if view.question is None else str(view.question),
        "method": view.method,
        "cues": view.cues,
        "turns": view.turns,
    }
    values = dict(view.settings)
    for knob in recall_knobs(method_named(view.method)):
        if knob.name in values and (knob.symbol or values[knob.name] != knob.default):
            said[knob.symbol or knob.name] = _as_text(values[knob.name])
    said["budget"] = None if view.budget is None else str(view.budget)
    said["turn"] = view.turn
    said |= {f"{_EXTRA}{name}": value for name, value in view.extras}
    return {name: value for name, value in said.items() if value is not None}


def parse(params: Mapping[str, str], page: str = "") -> tuple[View, tuple[str, ...]]:
    """The view that an address names, and a sentence for each part of it that cannot be meant.

    Such a part is left at its default. Whether what is named exists is not known here.
    """
    complaints: list[str] = []
    method, problem = _method(params.get("method"))
    complaints += problem
    settings = {}
    declared = recall_knobs(method_named(method))
    whole = any(knob.symbol in params for knob in declared)  # what a full link does not name is at its default
    for knob in declared:
        name = knob.symbol or knob.name
        if name in params:
            value = _typed(knob, params[name])
            if value is None or knob.problem(value):
                range_ = f" It lies between {knob.low} and {knob.high}." if knob.high is not None else ""
                complaints.append(f"The link says {name} = {_short(params[name])}, which cannot be.{range_}")
            else:
                settings[knob.name] = value
        elif whole and not knob.symbol:
            settings[knob.name] = knob.default
    question, problem = _whole("question", params)
    complaints += problem
    budget, problem = _budget(params.get("budget"))
    complaints += problem
    turns = params.get("turns")
    if turns is not None and turns not in _UNITS:
        complaints.append(f"The link says turns = {_short(turns)}; there are {' and '.join(_UNITS)}.")
        turns = None
    view = View(
        page=page,
        conversation=params.get("conversation") or None,
        question=question,
        method=method,
        cues=params.get("cues") or None,
        turns=turns,  # type: ignore[arg-type]
        settings=ordered(method, settings),
        budget=budget,
        turn=params.get("turn") or None,
        extras=tuple(
            sorted(
                (name.removeprefix(_EXTRA), value[:LONGEST_VALUE])
                for name, value in params.items()
                if name.startswith(_EXTRA) and len(name) > len(_EXTRA) and value
            )
        ),
    )
    return view, tuple(complaints)


_EXTRA = "page."


def _as_text(value: Any) -> str:
    return ("on" if value else "off") if isinstance(value, bool) else str(value)


def _typed(knob: Knob, text: str) -> Any:
    """The text as a value of the knob's type, None where it is not one."""
    if isinstance(knob.default, bool):
        return {"on": True, "off": False}.get(text)
    if isinstance(knob.default, int):
        return _number(text)
    return text


def _number(text: str) -> int | None:
    """A plain whole number; int() alone would also take "1_000", signs and digits of other scripts."""
    return int(text) if text.isascii() and text.isdigit() and len(text) < 10 else None


def _whole(name: str, params: Mapping[str, str]) -> tuple[int | None, list[str]]:
    if name not in params:
        return None, []
    number = _number(params[name])
    return number, [] if number is not None else [f"The link says {name} = {_short(params[name])}, no number."]


def _method(name: str | None) -> tuple[str, list[str]]:
    if name is None:
        return METHODS[0].name, []
    try:
        return str(method_named(name).name), []
    except UnknownName:
        known = ", ".join(method.name for method in METHODS)
        return METHODS[0].name, [f"The link names a method {_short(name)}; there are {known}."]


def _budget(text: str | None) -> tuple[Budget, list[str]]:
    if text is None:
        return None, []
    if text == "off":
        return "off", []
    number = _number(text)
    if number is None or not LEAST_BUDGET <= number <= MOST_BUDGET:
        return None, [
            f"The link says budget = {_short(text)}; it is off, or {LEAST_BUDGET} to {MOST_BUDGET:,} tokens."
        ]
    return number, []


def _short(text: str) -> str:
    """A foreign text quoted in a sentence."""
    return f"“{text[:40]}{'…' if len(text) > 40 else ''}”"
