"""Run cards: everything needed to repeat what was measured or exported, written beside it."""

from __future__ import annotations

import subprocess
from collections.abc import Iterable
from datetime import UTC, datetime
from functools import cache
from importlib.metadata import version
from pathlib import Path
from typing import Any

from cuemem import __version__, knobs
from cuemem.turns import resolve_unit
from cuemem.types import Conversation
from cuemem.workbench.materials import material_of
from cuemem.workbench.workbench import Workbench

_ROOT = Path(__file__).resolve().parents[2]
_PACKAGES = ("duckdb", "numpy", "sentence-transformers", "sentencesplit", "tiktoken", "torch", "transformers")


def run_card(
    workbench: Workbench, kind: str, recalled: Iterable[tuple[Conversation, Any, int | None]], **more: Any
) -> dict[str, Any]:
    """The card of a run over conversations, each with the method and budget it was recalled by.

    No language model takes part in retrieval, so no prompt is named here. ``more`` is added as it is.
    """
    rows = {row.conversation_id: row for row in workbench.store.conversations()}
    files = {file.sha256: file for file in workbench.store.files()}
    entries = list(recalled)
    used = dict.fromkeys(rows[conversation.conversation_id].file_sha256 for conversation, _, _ in entries)
    return {
        "kind": kind,
        "time": datetime.now(UTC).isoformat(timespec="seconds"),
        "code": {"name": "CueMem Lab", "version": __version__, "commit": commit()},
        "packages": packages(),
        "embedding_model": workbench.embedder.name,
        "tokenizer": workbench.tokens.name,
        "files": [
            {"name": files[sha].name, "sha256": sha, "dataset": files[sha].dataset, "known_as": files[sha].known_as}
            for sha in used
        ],
        "conversations": [_entry(workbench, *entry) for entry in entries],
        **more,
    }


def run_id(card: dict[str, Any]) -> str:
    """A run's id: the same for the same card but for the time, so that a repeated run replaces its results."""
    return f"{card['kind']}-{knobs.fingerprint({key: value for key, value in card.items() if key != 'time'})}"


def packages() -> dict[str, str]:
    """The versions of the packages that numbers depend on."""
    return {name: version(name) for name in _PACKAGES}


def settings_line(method: Any, budget: int | None) -> str:
    """The settings as a line: cues, turns, knobs that have a letter or differ from their default, the budget."""
    parts: list[str] = []
    for knob in knobs.knobs_of(method):
        value = getattr(method, knob.name)
        if knob.source or knob.name == "turn_unit":
            parts.append(f"{knob.name.partition('_')[0]}s: {value}")
        elif knob.symbol:
            parts.append(f"{knob.symbol}={value}")
        elif value != knob.default:
            parts.append(f"{knob.name}={str(value).lower()}")
    return " · ".join([*parts, "paper mode" if budget is None else f"budget {budget:,} tokens"])


def _entry(workbench: Workbench, conversation: Conversation, method: Any, budget: int | None) -> dict[str, Any]:
    unit = resolve_unit(conversation, method.turn_unit)
    material = material_of(method)
    made_of = {"cue_set": None} if material is None else material.card(workbench.store, conversation, method)
    return {
        "conversation_id": conversation.conversation_id,
        "title": conversation.title,
        "method": method.name,
        "settings": knobs.settings(method) | {"turn_unit": unit},
        "budget": budget,
        **made_of,
    }


@cache
def commit() -> str | None:
    """The commit of the code where it is run from a git checkout, marked where files differ from it."""
    if not (_ROOT / ".git").exists():
        return None
    command = ["git", "-C", str(_ROOT), "describe", "--always", "--dirty", "--abbrev=12"]
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=10, check=True)
    except (OSError, subprocess.SubprocessError):
        return None
    return done.stdout.strip() or None
