"""Checks that every built memory makes: the turn exists, and the memory was built as the method says."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from cuemem.errors import BadSetting, UnknownName
from cuemem.knobs import settings
from cuemem.turns import resolve_unit
from cuemem.types import Conversation, Turn, TurnId


def find_turn(turns: Sequence[Turn], turn_id: TurnId) -> int:
    """The index of a turn by its id, or by the id of an utterance in it."""
    for turn in turns:
        if turn.turn_id == turn_id or any(utterance.utterance_id == turn_id for utterance in turn.utterances):
            return turn.index
    first, last = (turns[0].turn_id, turns[-1].turn_id) if turns else ("none", "none")
    raise UnknownName(f"No turn {turn_id!r} in this conversation; its {len(turns)} turns run from {first} to {last}.")


def same_build(built: Any, asked: Any, conversation: Conversation) -> None:
    """Raise :class:`BadSetting` where a build-time knob differs from the built memory's."""
    if built is asked:
        return
    for name, value in settings(built, "build").items():
        wanted = getattr(asked, name)
        if name == "turn_unit":
            value, wanted = resolve_unit(conversation, value), resolve_unit(conversation, wanted)
        if wanted != value:
            raise BadSetting(
                f"This memory of {conversation.title} was built with {name}={value!r}, not {wanted!r}; "
                "build one with that setting first."
            )
