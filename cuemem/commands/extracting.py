"""What `build` needs for a source that asks a language model: the model, what it will take, what it failed at."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from pathlib import Path
from typing import Annotated, Any

import typer

from cuemem.commands.desk import Desk
from cuemem.commands.model_options import prompts_of, settings_of
from cuemem.commands.options import NO_TYPE
from cuemem.cues.estimate import Estimate
from cuemem.text import counted, money
from cuemem.types import ConversationId
from cuemem.workbench import Workbench
from cuemem.workbench.by_model import Calls, estimated, model_source
from cuemem.workbench.extracting import total
from cuemem.workbench.materials import material_of

_PANEL: dict[str, Any] = {"rich_help_panel": "Language model", "show_default": False}

GroupTokens = Annotated[
    int,
    typer.Option(
        "--group-tokens",
        metavar="TOKENS",
        min=0,
        help="Turns share a call up to so many tokens. Default: none.",
        **_PANEL,
    ),
]
FromBatch = Annotated[
    bool,
    typer.Option("--batch", metavar=NO_TYPE, help="Ask nothing: replies come from batch files.", **_PANEL),
]
RetryFailed = Annotated[
    bool,
    typer.Option("--retry-failed", metavar=NO_TYPE, help="Ask again about what the model had failed at.", **_PANEL),
]
OnlyEstimate = Annotated[
    bool, typer.Option("--estimate", metavar=NO_TYPE, help="Only tell what it would take.", **_PANEL)
]


@dataclass(frozen=True, slots=True)
class ByModel:
    """How cues or units are made by a model."""

    source: Any
    calls: Calls


def by_model(workbench: Workbench, method: Any, own: Path | None, calls: Calls, **given: object) -> ByModel | None:
    """The source with the model that the options or the environment name; None where none is named.

    Then only what is in the store already can be used. Calls that wait for batch files ask nothing.
    """
    settings = settings_of("extractor", **given)
    if settings is None:
        return None
    return ByModel(model_source(method, workbench.store, settings, prompts_of(own), workbench.tokens, calls), calls)


def replayed(source: Any) -> ByModel | None:
    """The source that repeats what was recorded of a model, where there is one."""
    return None if source is None else ByModel(source, Calls())


def estimates(
    workbench: Workbench, how: ByModel, ids: Iterable[ConversationId], method: Any
) -> dict[ConversationId, Estimate]:
    """What the extraction of each conversation will take, of what is still to be done."""
    return {it: estimated(workbench, it, method, how.source, how.calls) for it in ids}


def tell(desk: Desk, model: str, told: Iterable[Estimate]) -> None:
    """Say on standard error what is to come."""
    desk.note(f"{model}: {line(total(told))}")


def line(told: Estimate) -> str:
    """An estimate as a sentence."""
    if told.calls == 0:
        return "every turn is done; no call is needed."
    tokens = f"about {told.tokens_in:,} tokens in and {told.tokens_out:,} out"
    minutes = None if told.seconds is None else max(1, round(told.seconds / 60))
    time = "time known after the first calls" if minutes is None else f"about {counted(minutes, 'minute')}"
    calls = f"{counted(told.calls, 'call')} for {counted(told.turns, 'turn')}"
    return f"{calls}, {tokens}, price {money(told.cost)}, {time}."


def failures(workbench: Workbench, conversation_id: ConversationId, method: Any) -> list[tuple[str, str]]:
    """The places of a conversation that a model gave nothing usable for, with the reason."""
    material = material_of(method)
    if material is None:
        return []
    return list(material.failures(workbench.store, workbench.store.conversation(conversation_id), method))
