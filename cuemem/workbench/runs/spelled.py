"""Ways of choosing contexts as people write them: ``cuemem:w=2,k=1,m=10``."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any, get_args

from cuemem import knobs
from cuemem.errors import BadSetting
from cuemem.evaluation.run import ORACLE
from cuemem.methods import METHODS, method_named
from cuemem.types import TurnUnitChoice
from cuemem.workbench.materials import source_names
from cuemem.workbench.runs.plan import UNCAPPED, Contender

NAMES = (*(method.name for method in METHODS), ORACLE)
_OWN = ("cues", "turns", "budget")  # what is no knob, and may stand among the settings all the same


def read_pairs(text: str) -> dict[str, str]:
    """``w=2,k=1,budget=2000`` as names and values."""
    pairs: dict[str, str] = {}
    for part in filter(None, (part.strip() for part in text.split(","))):
        name, equals, value = (it.strip() for it in part.partition("="))
        if not equals or not name or not value:
            raise BadSetting(f"{part!r} is not a setting; write NAME=VALUE, as in w=2,k=1,m=10.")
        pairs[name] = value
    return pairs


def contender(text: str, common: Mapping[str, str]) -> Contender:
    """``cuemem`` or ``cuemem:w=2,k=1,m=10``; what is common to all goes to those that have it."""
    name, _, own = text.partition(":")
    name = name.strip()
    if name not in NAMES:
        raise BadSetting(f"{name!r} is not one of {', '.join(NAMES)}.")
    known = _known(name)
    pairs = {key: value for key, value in common.items() if key in known} | read_pairs(own)
    for key in pairs:
        if key not in known:
            raise BadSetting(f"{name} has no setting {key!r}; it has {', '.join(sorted(known))}.")
    made = Contender(name, {key: _typed(name, key, value) for key, value in pairs.items() if key not in _OWN})
    return replace(
        made,
        cues=_one_of(pairs.get("cues"), tuple(source_names())),
        turns=_one_of(pairs.get("turns"), get_args(TurnUnitChoice)),
        budget=None if "budget" not in pairs else _budget(pairs["budget"]),
    )


def check_common(common: Mapping[str, str], texts: Sequence[str]) -> None:
    """Raise BadSetting for a setting that none of the contenders has."""
    known = {key for text in texts for key in _known(text.partition(":")[0].strip())}
    for key in common:
        if key not in known:
            raise BadSetting(f"None of the methods has a setting {key!r}.")


def _known(name: str) -> set[str]:
    if name == ORACLE:
        return {"turns", "budget"}
    if name not in NAMES:
        return set()
    declared = knobs.knobs_of(method_named(name))
    names = {knob.name for knob in declared if knob.when == "recall"}
    names |= {knob.symbol for knob in declared if knob.symbol}
    has_cues = any(knob.source for knob in declared)
    return names | {"turns", "budget"} | ({"cues"} if has_cues else set())


def _typed(name: str, key: str, value: str) -> Any:
    """A setting's value as its knob has it; what cannot be is left to the knob's own check."""
    knob = next(it for it in knobs.knobs_of(method_named(name)) if key in (it.name, it.symbol))
    if isinstance(knob.default, bool):
        return {"on": True, "true": True, "yes": True, "off": False, "false": False, "no": False}.get(
            value.lower(), value
        )
    if isinstance(knob.default, int) and value.lstrip("-").isascii() and value.lstrip("-").isdigit():
        return int(value)
    return value


def _budget(value: str) -> int:
    if value.lower() in ("none", "0"):
        return UNCAPPED
    if not (value.isascii() and value.isdigit() and len(value) < 10):
        raise BadSetting(f"{value!r} is neither a number of tokens above 0 nor 'none'.")
    return int(value)


def _one_of(value: str | None, names: Sequence[str]) -> str | None:
    if value is not None and value not in names:
        raise BadSetting(f"{value!r} is not one of {', '.join(names)}.")
    return value
