"""A method's hyper-parameters, declared once: range, default, symbol, source in the paper, when they act.

The sliders, the command line's options, the sweep's grid and the property tests are drawn from the
declarations, so a new knob appears everywhere by being declared.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from dataclasses import dataclass, field, fields, replace
from functools import cache
from typing import Any, Literal, TypeVar

import numpy as np
import numpy.typing as npt

from cuemem.errors import BadSetting

When = Literal["build", "recall"]
Method = TypeVar("Method")


@dataclass(frozen=True, slots=True)
class Knob:
    """One hyper-parameter. ``symbol`` is the paper's letter, where it has one; bounds are inclusive.

    ``source``: it names where that comes from which the memory is built of; a method has one such knob, or nothing
    to be built from. ``tries`` are the values that a grid takes where none are said.
    """

    name: str
    default: Any
    about: str
    when: When
    symbol: str | None = None
    low: int | None = None
    high: int | None = None
    choices: tuple[str, ...] = ()
    source: bool = False
    tries: tuple[int, ...] = ()

    def problem(self, value: Any) -> str | None:
        """Why ``value`` cannot be this knob's, as a sentence, or None."""
        shown = f"{self.name}={value!r}"
        if isinstance(self.default, bool):
            return None if isinstance(value, bool) else f"{shown} must be true or false."
        if isinstance(self.default, int):
            if not isinstance(value, int) or isinstance(value, bool):
                return f"{shown} must be a whole number."
            low, high = self.low, self.high
            if (low is not None and value < low) or (high is not None and value > high):
                return f"{shown} is outside its range {low} to {high}."
            return None
        if self.choices and value not in self.choices:
            return f"{shown} is not one of {', '.join(self.choices)}."
        return None


def knob(
    default: Any,
    about: str,
    *,
    symbol: str | None = None,
    low: int | None = None,
    high: int | None = None,
    choices: tuple[str, ...] = (),
    when: When = "recall",
    source: bool = False,
    tries: tuple[int, ...] = (),
) -> Any:
    """Declare a dataclass field as a knob: ``window: int = knob(2, "section 4.2: …", symbol="w", low=0, high=6)``."""
    about_it = Knob("", default, about, when, symbol, low, high, choices, source, tries)
    return field(default=default, metadata={"knob": about_it})


def knobs_of(method: Any) -> tuple[Knob, ...]:
    """The knobs of a method (value or class), in the order declared."""
    return _declared(method if isinstance(method, type) else type(method))


@cache
def _declared(kind: Any) -> tuple[Knob, ...]:
    return tuple(
        replace(entry.metadata["knob"], name=entry.name) for entry in fields(kind) if "knob" in entry.metadata
    )


def source_knob(method: Any) -> Knob | None:
    """The knob that names what the memory is built of (cues, units, …); None for a method that needs no build."""
    return next((declared for declared in knobs_of(method) if declared.source), None)


def source_of(method: Any) -> str | None:
    """The source that a method builds from, None for a method without one."""
    declared = source_knob(method)
    return None if declared is None else str(getattr(method, declared.name))


def check(method: Any) -> None:
    """Raise :class:`BadSetting` for the first knob whose value is outside what it declares."""
    for declared in knobs_of(method):
        if problem := declared.problem(getattr(method, declared.name)):
            raise BadSetting(f"{method.name}: {problem}")


def settings(method: Any, when: When | None = None) -> dict[str, Any]:
    """The knobs and their values, all of them or only those that act at build or at recall."""
    return {k.name: getattr(method, k.name) for k in knobs_of(method) if when is None or k.when == when}


def with_settings(method: Method, values: Mapping[str, Any]) -> Method:
    """The method with some knobs changed, named by field or by the paper's symbol; None leaves one as it is."""
    names = {k.name: k.name for k in knobs_of(method)} | {k.symbol: k.name for k in knobs_of(method) if k.symbol}
    changes: dict[str, Any] = {}
    for name, value in values.items():
        if value is None:
            continue
        if name not in names:
            known = ", ".join(k.name if k.symbol is None else f"{k.name} ({k.symbol})" for k in knobs_of(method))
            raise BadSetting(f"{getattr(method, 'name', method)} has no knob {name!r}; it has {known or 'none'}.")
        changes[names[name]] = value
    changed: Method = replace(method, **changes)  # type: ignore[type-var]
    return changed


def fingerprint(*parts: Any) -> str:
    """A short stable hash of settings and names: the key of built memories and cached results."""
    body = json.dumps(parts, sort_keys=True, ensure_ascii=True, default=str)
    return hashlib.sha256(body.encode()).hexdigest()[:16]


def array_key(purpose: str, *arrays: npt.NDArray[Any]) -> str:
    """The content key of what is derived from these arrays."""
    digest = hashlib.sha256(purpose.encode())
    for array in arrays:
        digest.update(f"{array.dtype}{array.shape}".encode())
        digest.update(np.ascontiguousarray(array).tobytes())
    return digest.hexdigest()
