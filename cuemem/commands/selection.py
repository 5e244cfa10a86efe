"""Which memories a command is about: method, cues, turns, budget and knobs, read from options.

The options for the knobs are drawn from the methods' own declarations, so a new knob is an option by being
declared. Typer reads a command's signature, so that is where they are added.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Annotated, Any

import typer

from cuemem import knobs
from cuemem.adapters.store import MemoryRecord
from cuemem.commands.options import NO_TYPE, PAPER_MODE, TURN_UNITS, listed, one_of, read_budget, read_range
from cuemem.errors import BadSetting, NotBuilt
from cuemem.knobs import Knob
from cuemem.methods import METHODS, method_named
from cuemem.types import Conversation, ConversationId
from cuemem.workbench import Workbench
from cuemem.workbench.cards import settings_line
from cuemem.workbench.sources import ABOUT

Command = Callable[..., None]

_WHICH = "Which memory"
_KNOBS = "Knobs of the method"


@dataclass(frozen=True, slots=True)
class Chosen:
    """A conversation with the method, knobs and all, to recall by, and the budget (None: paper mode)."""

    conversation: Conversation
    method: Any
    budget: int | None

    @property
    def id(self) -> ConversationId:
        """The conversation's id."""
        return self.conversation.conversation_id

    @property
    def line(self) -> str:
        """The settings as a line: method, cues, turns, knobs that have a letter or differ from their default."""
        return f"{self.method.title} · {settings_line(self.method, self.budget)}"


@dataclass(frozen=True, slots=True)
class Selection:
    """What the options say. ``budget`` None is the one that suits the conversation."""

    method: str
    cues: str | None
    turns: str | None
    budget: int | None = None
    settings: Mapping[str, Any] = field(default_factory=dict)
    axes: Mapping[str, Sequence[int]] = field(default_factory=dict)

    def of(self, workbench: Workbench, conversation_id: ConversationId) -> Chosen:
        """The memory that is meant in this conversation, with the knobs as asked, the others as suits it."""
        conversation = workbench.store.conversation(conversation_id)
        method = workbench.pick(conversation_id, self.method, self.cues, self.turns)
        budget = method.suited_to(conversation)[1] if self.budget is None else self.budget
        method = knobs.with_settings(method, self.settings)
        knobs.check(method)
        return Chosen(conversation, method, None if budget == PAPER_MODE else budget)

    def all_of(self, workbench: Workbench, names: Sequence[str] | None) -> list[Chosen]:
        """The conversations named, each once, or all that are built as the options say."""
        if self.cues and not hasattr(method_named(self.method), "cue_source"):
            raise BadSetting(f"{self.method} has no cues; leave --cues {self.cues} out.")
        ids = map(workbench.store.resolve, names) if names else self._built(workbench)
        return [self.of(workbench, conversation_id) for conversation_id in dict.fromkeys(ids)]

    def _built(self, workbench: Workbench) -> list[ConversationId]:
        built = {record.conversation_id for record in workbench.store.memories() if self._means(record, workbench)}
        if not built:
            cues = f" with {self.cues} cues" if self.cues else ""
            raise NotBuilt(
                f"No conversation in {workbench.store.path} is built{cues} yet; build some first: "
                f"python -m cuemem build --all --cues {self.cues or 'sentences'}"
            )
        return [row.conversation_id for row in workbench.store.conversations() if row.conversation_id in built]

    def _means(self, record: MemoryRecord, workbench: Workbench) -> bool:
        return record.embedding_model == workbench.embedder.name and self.cues in (None, record.cue_source)


def selecting(*, axes: bool = False, budget: str = "") -> Callable[[Command], Command]:
    """Give a command the options that make a :class:`Selection`, which it receives as ``selection``.

    With ``axes`` a knob that has a letter takes a range of values, and the budget is left out: a grid. ``budget``
    is what the help says of a budget all the same.
    """

    def decorate(command: Command) -> Command:
        fixed = _fixed(budget or ("" if axes else _BUDGET))
        merged = _merged_knobs()
        options = fixed + [
            _option(key, found, ranged=axes and bool(found[0].symbol)) for key, found in merged.items()
        ]

        @functools.wraps(command)
        def with_selection(**given: Any) -> None:
            chosen = {option.name: given.pop(option.name) for option in options}
            knob_values = {key: chosen.pop(key) for key in merged}
            asked = {key: value for key, value in knob_values.items() if value is not None}
            ranges = {key: value for key, value in asked.items() if not isinstance(value, int)}
            settings = {key: value for key, value in asked.items() if key not in ranges}
            command(selection=Selection(**chosen, settings=settings, axes=ranges), **given)

        signature = inspect.signature(command, eval_str=True)
        kept = [parameter for name, parameter in signature.parameters.items() if name != "selection"]
        with_selection.__signature__ = signature.replace(parameters=[*kept, *options])  # type: ignore[attr-defined]
        return with_selection

    return decorate


def _parameter(name: str, kind: Any, option: Any, default: Any = None) -> inspect.Parameter:
    return inspect.Parameter(
        name, inspect.Parameter.KEYWORD_ONLY, default=default, annotation=Annotated[kind, option]
    )


_BUDGET = (
    "Most tokens of the context, or 'none' for the paper's uncapped mode. Useful: 250 to 8000. "
    "Default: none for utterances, 3000 for exchanges."
)


def _fixed(budget: str) -> list[inspect.Parameter]:
    """The options that choose among methods and built memories; the budget's, where its help is given."""
    panel: dict[str, Any] = {"rich_help_panel": _WHICH, "show_default": False}
    names = [method.name for method in METHODS]
    method = typer.Option("--method", help=f"{listed(names)}. Default: {names[0]}.", **one_of(names), **panel)
    cues = typer.Option(
        "--cues",
        help=f"Where a conversation has memories from several cue sources: {listed(ABOUT)}.",
        **one_of(ABOUT),
        **panel,
    )
    turns = typer.Option(
        "--turns",
        help=f"Where a conversation has memories with several turn units: {listed(TURN_UNITS)}.",
        **one_of(TURN_UNITS),
        **panel,
    )
    limit = typer.Option(
        "--budget",
        metavar="TOKENS",
        parser=read_budget,
        help=budget,
        **panel,
    )
    parameters = [
        _parameter("method", str, method, METHODS[0].name),
        _parameter("cues", str | None, cues),
        _parameter("turns", str | None, turns),
    ]
    return [*parameters, _parameter("budget", int | None, limit)] if budget else parameters


def _merged_knobs() -> dict[str, list[Knob]]:
    """The recall-time knobs of all methods by letter, else by name: those that share one share an option."""
    merged: dict[str, list[Knob]] = {}
    for method in METHODS:
        for knob in knobs.knobs_of(method):
            if knob.when == "recall":
                merged.setdefault(knob.symbol or knob.name, []).append(knob)
    return merged


def _option(key: str, found: Sequence[Knob], *, ranged: bool) -> inspect.Parameter:
    """The option for the knobs under one key, called as the first of them is."""
    abouts: list[str] = []
    for knob in found:
        if not any(knob.about in about for about in abouts):
            abouts.append(knob.about)
    about = "; or ".join(abouts)
    first = found[0]
    panel: dict[str, Any] = {"rich_help_panel": _KNOBS, "show_default": False}
    name = f"--{first.name.replace('_', '-')}"
    if isinstance(first.default, bool):
        flag = f"{name}/--no-{name[2:]}" if first.default else name
        return _parameter(key, bool | None, typer.Option(flag, metavar=NO_TYPE, help=f"{about}.", **panel))
    names = [f"-{first.symbol}", name] if first.symbol else [name]
    about += f" ({first.low} to {first.high}, by default {first.default})."
    if ranged:
        option = typer.Option(*names, metavar="RANGE", parser=read_range, help=about, **panel)
        return _parameter(key, list | None, option)
    return _parameter(key, int | None, typer.Option(*names, metavar="N", help=about, **panel))
