"""The whole view as one value, and its form in the address bar.

Everything that decides what a page shows stands in a :class:`View`: a copied link gives it back in another
browser. This module is pure; what a view names may be gone by now, which :mod:`cuemem.ui.scene` finds out.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal, get_args

from cuemem.knobs import Knob, knobs_of
from cuemem.methods import METHODS, method_named
from cuemem.types import ConversationId, TurnId, TurnUnit

Budget = int | Literal["off"] | None  # None: not said, so the default of the method for the conversation

LEAST_BUDGET, MOST_BUDGET, BUDGET_STEP = 250, 8000, 250
LONGEST_VALUE = 300


@dataclass(frozen=True, slots=True)
class View:
    """What is looked at, and how. None and absent settings mean: not said, take the default.

    ``cues`` (the source) and ``turns`` name the built memory, ``memory`` one of several that share them;
    ``settings`` are recall-time knobs by field name in the order declared, ``extras`` are what one page adds for
    itself (a step, a filter); they end with the page.
    """

    page: str = ""
    conversation: ConversationId | None = None
    question: int | None = None
    method: str = METHODS[0].name
    cues: str | None = None
    turns: TurnUnit | None = None
    memory: str | None = None
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
        "memory": view.memory,
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
    reader = _Reader(params)
    method = reader.method()
    view = View(
        page=page,
        conversation=params.get("conversation") or None,
        question=reader.question(),
        method=method,
        cues=params.get("cues") or None,
        turns=reader.turns(),
        memory=params.get("memory") or None,
        settings=ordered(method, reader.settings(method)),
        budget=reader.budget(),
        turn=params.get("turn") or None,
        extras=reader.extras(),
    )
    return view, tuple(reader.complaints)


_EXTRA = "page."


class _Reader:
    """Reads the parameters of an address; what cannot be meant becomes a complaint."""

    def __init__(self, params: Mapping[str, str]) -> None:
        self.params = params
        self.complaints: list[str] = []

    def method(self) -> str:
        name = self.params.get("method")
        known = [str(method.name) for method in METHODS]
        if name is not None and name not in known:
            self.complaints.append(f"The link names a method {_short(name)}; there are {', '.join(known)}.")
        return name if name in known else known[0]

    def question(self) -> int | None:
        if "question" not in self.params:
            return None
        number = _number(self.params["question"])
        if number is None:
            self.complaints.append(f"The link says question = {_short(self.params['question'])}, no number.")
        return number

    def turns(self) -> TurnUnit | None:
        for unit in get_args(TurnUnit):
            if self.params.get("turns") == unit:
                found: TurnUnit = unit
                return found
        if "turns" in self.params:
            units = " and ".join(get_args(TurnUnit))
            self.complaints.append(f"The link says turns = {_short(self.params['turns'])}; there are {units}.")
        return None

    def settings(self, method: str) -> dict[str, Any]:
        values = {}
        declared = recall_knobs(method_named(method))
        whole = any(
            knob.symbol in self.params for knob in declared
        )  # what a full link does not name is at its default
        for knob in declared:
            name = knob.symbol or knob.name
            if name in self.params:
                value = _typed(knob, self.params[name])
                if value is not None and not knob.problem(value):
                    values[knob.name] = value
                    continue
                reach = f" It lies between {knob.low} and {knob.high}." if knob.high is not None else ""
                self.complaints.append(f"The link says {name} = {_short(self.params[name])}, which cannot be.{reach}")
            elif whole and not knob.symbol:
                values[knob.name] = knob.default
        return values

    def budget(self) -> Budget:
        text = self.params.get("budget")
        if text is None or text == "off":
            return "off" if text else None
        number = _number(text)
        if number is not None and LEAST_BUDGET <= number <= MOST_BUDGET:
            return number
        reach = f"{LEAST_BUDGET} to {MOST_BUDGET:,} tokens"
        self.complaints.append(f"The link says budget = {_short(text)}; it is off, or {reach}.")
        return None

    def extras(self) -> tuple[tuple[str, str], ...]:
        own = {name.removeprefix(_EXTRA): value for name, value in self.params.items() if name.startswith(_EXTRA)}
        return tuple(sorted((name, value[:LONGEST_VALUE]) for name, value in own.items() if name and value))


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


def _short(text: str) -> str:
    """A foreign text quoted in a sentence."""
    return f"“{text[:40]}{'…' if len(text) > 40 else ''}”"
