"""Options that name language models, and how they stand to the environment: what is said here goes first.

There is no option for a key: a command line is kept in the shell's history. Keys come from the environment.
"""

from __future__ import annotations

import os
from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import typer

from cuemem.adapters.store import Spent
from cuemem.errors import BadSetting
from cuemem.prompts import Prompts
from cuemem.text import money
from cuemem.workbench.models import ModelRole, ModelSettings, model_settings, own_prompts

_PANEL: dict[str, Any] = {"rich_help_panel": "Language model", "show_default": False}

Model = Annotated[
    str | None,
    typer.Option(
        "--model",
        metavar="NAME",
        help="As LiteLLM names it: openai/NAME, gpt-4o, local. Default: $CUEMEM_MODEL.",
        **_PANEL,
    ),
]
ApiBase = Annotated[
    str | None,
    typer.Option("--api-base", metavar="URL", help="The server's address. Default: $CUEMEM_API_BASE.", **_PANEL),
]
Window = Annotated[
    int | None,
    typer.Option(
        "--window", metavar="TOKENS", min=1, help="The model's window, where LiteLLM does not know it.", **_PANEL
    ),
]
Concurrency = Annotated[
    int | None,
    typer.Option(
        "--concurrency",
        metavar="N",
        min=1,
        help="Calls at once. Default: 4, of a server on this machine 1.",
        **_PANEL,
    ),
]
PerMinute = Annotated[
    int | None, typer.Option("--per-minute", metavar="N", min=1, help="Most requests a minute.", **_PANEL)
]
OwnPrompts = Annotated[
    Path | None,
    typer.Option(
        "--prompts",
        metavar="DIR",
        help="Folder of your own prompts, NAME.txt each. Default: $CUEMEM_PROMPTS.",
        **_PANEL,
    ),
]


def settings_of(role: ModelRole, **given: object) -> ModelSettings | None:
    """The model of a role: by options, named as the settings are (``model=…, api_base=…``), else by the environment.

    Raises BadSetting.
    """
    said = {name: value for name, value in given.items() if value is not None}
    values: Mapping[str, str] = os.environ | {f"CUEMEM_{role.upper()}_{n.upper()}": str(v) for n, v in said.items()}
    return model_settings(role, values)


def required(settings: ModelSettings | None) -> ModelSettings:
    """The model, or BadSetting with the ways to get one."""
    if settings is None:
        raise BadSetting(
            "No language model is named. Say --model NAME or set CUEMEM_MODEL, with its key in the environment; "
            "or get one that needs no key: python -m cuemem model pull, then --model local."
        )
    return settings


def prompts_of(folder: Path | None) -> Prompts:
    """The prompts, the user's own first. Raises BadSetting for a folder there is not."""
    return own_prompts(os.environ | ({"CUEMEM_PROMPTS": str(folder)} if folder else {}))


def spent_line(spent: Spent) -> str:
    """What was used, as a line."""
    cost = money(None if spent.unpriced else spent.cost)
    tokens = f"{spent.tokens_in:,} tokens in, {spent.tokens_out:,} out"
    return f"{spent.calls:,} calls, {tokens}, price {cost}, {spent.seconds:,.0f} s"
