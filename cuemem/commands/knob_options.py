"""Options drawn from the methods' own declarations: a new knob is an option by being declared.

Typer reads a command's signature, so that is where they are added.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Sequence
from typing import Annotated, Any

import typer

from cuemem import knobs
from cuemem.commands.options import NO_TYPE, listed, one_of, read_range
from cuemem.knobs import Knob, When
from cuemem.methods import METHODS

Command = Callable[..., None]


def with_knobs(when: When, panel: str) -> Callable[[Command], Command]:
    """Give a command an option for each knob that acts then; it receives them as keywords, None where not said."""

    def decorate(command: Command) -> Command:
        options = [knob_option(key, found, panel) for key, found in merged_knobs(when).items()]
        signature = inspect.signature(command, eval_str=True)
        kept = [it for it in signature.parameters.values() if it.kind != inspect.Parameter.VAR_KEYWORD]

        @functools.wraps(command)
        def with_options(**given: Any) -> None:
            command(**given)

        with_options.__signature__ = signature.replace(parameters=[*kept, *options])  # type: ignore[attr-defined]
        return with_options

    return decorate


def parameter(name: str, kind: Any, option: Any, default: Any = None) -> inspect.Parameter:
    """A keyword of a command, with its option."""
    return inspect.Parameter(
        name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=Annotated[kind, option]
    )


def merged_knobs(when: When) -> dict[str, list[Knob]]:
    """The knobs of all methods by letter, else by name: those that share one share an option.

    Of those that act at build, the source and the turn unit have options of their own.
    """
    merged: dict[str, list[Knob]] = {}
    for method in METHODS:
        for knob in knobs.knobs_of(method):
            if knob.when == when and not knob.source and knob.name != "turn_unit":
                merged.setdefault(knob.symbol or knob.name, []).append(knob)
    return merged


def _reach(found: Sequence[Knob]) -> str:
    """Ranges or choices, and defaults; of knobs that differ in it, one after the other."""
    said = dict.fromkeys(
        f"{f'{listed(knob.choices)}, ' if knob.choices else f'{knob.low} to {knob.high}, '}by default {knob.default}"
        for knob in found
        if not isinstance(knob.default, bool)
    )
    return f" ({'; or '.join(said)})." if said else "."


def knob_option(key: str, found: Sequence[Knob], panel: str, *, ranged: bool = False) -> inspect.Parameter:
    """The option for the knobs under one key, called as the first of them is."""
    abouts: list[str] = []
    for knob in found:
        if not any(knob.about in about for about in abouts):
            abouts.append(knob.about)
    about = "; or ".join(abouts)
    first = found[0]
    about += _reach(found)
    more: dict[str, Any] = {"rich_help_panel": panel, "show_default": False}
    name = f"--{first.name.replace('_', '-')}"
    if isinstance(first.default, bool):
        flag = f"{name}/--no-{name[2:]}" if first.default else name
        return parameter(key, bool | None, typer.Option(flag, metavar=NO_TYPE, help=about, **more))
    names = [f"-{first.symbol}", name] if first.symbol else [name]
    if first.choices:
        return parameter(key, str | None, typer.Option(name, help=about, **one_of(first.choices) | more))
    if ranged:
        option = typer.Option(*names, metavar="RANGE", parser=read_range, help=about, **more)
        return parameter(key, list | None, option)
    return parameter(key, int | None, typer.Option(*names, metavar="N", help=about, **more))
