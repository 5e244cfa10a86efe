"""What `build` needs for the cue source ``llm``: the model, what it will take, and what became of the turns."""

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
from cuemem.cues.llm import NAME, LlmCues
from cuemem.text import counted, money
from cuemem.types import ConversationId, TurnId
from cuemem.workbench import Workbench
from cuemem.workbench.extracting import estimate_build, llm_cues, total
from cuemem.workbench.runs.batches import waiting_cues

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
    typer.Option("--retry-failed", metavar=NO_TYPE, help="Ask again about the turns that had failed.", **_PANEL),
]
OnlyEstimate = Annotated[
    bool, typer.Option("--estimate", metavar=NO_TYPE, help="Only tell what it would take.", **_PANEL)
]


@dataclass(frozen=True, slots=True)
class ByModel:
    """How the cues of the source ``llm`` are made."""

    source: LlmCues
    retry_failed: bool = False


def by_model(
    workbench: Workbench,
    own: Path | None,
    group_tokens: int,
    retry_failed: bool,
    waits: bool = False,
    **given: object,
) -> ByModel | None:
    """The source with the model that the options or the environment name; None where none is named.

    Then only cues that are in the store already can be used. With ``waits`` the model is not asked: replies come
    from batch files.
    """
    settings = settings_of("extractor", **given)
    if settings is None:
        return None
    source = llm_cues(workbench.store, settings, prompts_of(own), workbench.tokens, group_tokens)
    return ByModel(waiting_cues(workbench.store, source) if waits else source, retry_failed)


def estimates(
    workbench: Workbench, how: ByModel, ids: Iterable[ConversationId], turns: Any
) -> dict[ConversationId, Estimate]:
    """What the extraction of each conversation will take, of the turns still to be done."""
    return {it: estimate_build(workbench, it, how.source, turns, how.retry_failed) for it in ids}


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


def failed_turns(workbench: Workbench, conversation_id: ConversationId, unit: Any) -> list[tuple[TurnId, str]]:
    """The turns of a conversation that the model gave nothing usable for, with the reason."""
    made = workbench.store.extractions(conversation_id, NAME, unit)
    return [(it.turn_id, it.failure) for it in made if it.failure]
