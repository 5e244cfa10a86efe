"""Which memories a command is about: method, cues, turns, budget and knobs, read from options.

The options for the knobs are drawn from the methods' own declarations, so a new knob is an option by being
declared. Typer reads a command's signature, so that is where they are added.
"""

from __future__ import annotations

import functools
import inspect
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import typer

from cuemem import knobs
from cuemem.adapters.store import MemoryRecord
from cuemem.commands.knob_options import Command, knob_option, merged_knobs, parameter
from cuemem.commands.options import PAPER_MODE, TURN_UNITS, listed, one_of, read_budget
from cuemem.errors import BadSetting, NotBuilt
from cuemem.knobs import source_knob
from cuemem.methods import METHODS, method_named
from cuemem.types import Conversation, ConversationId
from cuemem.workbench import Workbench
from cuemem.workbench.cards import settings_line
from cuemem.workbench.materials import material_of, source_names

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
    """What the options say. ``budget`` None is what suits the conversation; ``built`` are build-time knobs."""

    method: str
    cues: str | None
    turns: str | None
    budget: int | None = None
    settings: Mapping[str, Any] = field(default_factory=dict)
    axes: Mapping[str, Sequence[int]] = field(default_factory=dict)
    built: Mapping[str, Any] = field(default_factory=dict)

    def of(self, workbench: Workbench, conversation_id: ConversationId) -> Chosen:
        """The memory that is meant in this conversation, with the knobs as asked, the others as suits it."""
        conversation = workbench.store.conversation(conversation_id)
        method = workbench.pick(conversation_id, self.method, self.cues, self.turns, self.built)
        budget = method.suited_to(conversation)[1] if self.budget is None else self.budget
        method = knobs.with_settings(method, self.settings)
        knobs.check(method)
        return Chosen(conversation, method, None if budget == PAPER_MODE else budget)

    def all_of(self, workbench: Workbench, names: Sequence[str] | None) -> list[Chosen]:
        """The conversations named, each once, or all that are built as the options say."""
        if self.cues and source_knob(method_named(self.method)) is None:
            raise BadSetting(f"{self.method} is built from no source; leave --cues {self.cues} out.")
        ids = map(workbench.store.resolve, names) if names else self._built(workbench)
        return [self.of(workbench, conversation_id) for conversation_id in dict.fromkeys(ids)]

    def _built(self, workbench: Workbench) -> list[ConversationId]:
        built = {record.conversation_id for record in workbench.store.memories() if self._means(record, workbench)}
        if not built:
            method = method_named(self.method)
            source = f" from {self.cues} {method.noun}s" if self.cues else ""
            material = material_of(method) or material_of(METHODS[0])
            command = material.build_all_line(self.cues) if material else ""
            raise NotBuilt(
                f"No conversation in {workbench.store.path} is built{source} yet; build some first: {command}"
            )
        return [row.conversation_id for row in workbench.store.conversations() if row.conversation_id in built]

    def _means(self, record: MemoryRecord, workbench: Workbench) -> bool:
        """Whether a built memory makes its conversation one that is meant. A method without a source takes any."""
        if record.embedding_model != workbench.embedder.name or self.cues not in (None, record.cue_source):
            return False
        return source_knob(method_named(self.method)) is None or record.method == self.method


def selecting(*, axes: bool = False, budget: str = "") -> Callable[[Command], Command]:
    """Give a command the options that make a :class:`Selection`, which it receives as ``selection``.

    With ``axes`` a knob that has a letter takes a range of values, and the budget is left out: a grid. ``budget``
    is what the help says of a budget all the same.
    """

    def decorate(command: Command) -> Command:
        fixed = _fixed(budget or ("" if axes else _BUDGET))
        merged = merged_knobs("recall")
        building = merged_knobs("build")
        options = fixed + [knob_option(key, found, _WHICH) for key, found in building.items()]
        options += [
            knob_option(key, found, _KNOBS, ranged=axes and bool(found[0].symbol or found[0].tries))
            for key, found in merged.items()
        ]

        @functools.wraps(command)
        def with_selection(**given: Any) -> None:
            chosen = {option.name: given.pop(option.name) for option in options}
            knob_values = {key: chosen.pop(key) for key in merged}
            asked = {key: value for key, value in knob_values.items() if value is not None}
            ranges = {key: value for key, value in asked.items() if isinstance(value, list)}
            settings = {key: value for key, value in asked.items() if key not in ranges}
            built = {key: value for key in building if (value := chosen.pop(key)) is not None}
            command(selection=Selection(**chosen, settings=settings, axes=ranges, built=built), **given)

        signature = inspect.signature(command, eval_str=True)
        kept = [parameter for name, parameter in signature.parameters.items() if name != "selection"]
        with_selection.__signature__ = signature.replace(parameters=[*kept, *options])  # type: ignore[attr-defined]
        return with_selection

    return decorate


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
        "--source",
        help=f"Where a conversation has memories from several sources: {listed(source_names())}.",
        **one_of(source_names()),
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
        parameter("method", str, method, METHODS[0].name),
        parameter("cues", str | None, cues),
        parameter("turns", str | None, turns),
    ]
    return [*parameters, parameter("budget", int | None, limit)] if budget else parameters
