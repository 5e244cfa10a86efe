"""Addresses of other pages, as the parameters of a page link."""

from __future__ import annotations

from dataclasses import replace

from cuemem.types import ConversationId, TurnUnit
from cuemem.ui.view import View, written


def conversation(
    conversation_id: ConversationId,
    cues: str | None = None,
    turns: TurnUnit | None = None,
    question: int | None = None,
) -> dict[str, str]:
    """A conversation, and perhaps which of its memories, on an inspecting page; all else at its defaults."""
    return written(View(conversation=conversation_id, question=question, cues=cues, turns=turns))


def data(part: str, conversation_id: ConversationId | None = None) -> dict[str, str]:
    """A part of the Data page."""
    return written(View(conversation=conversation_id).with_extra("part", part))


def trace(view: View) -> dict[str, str]:
    """The same view on the Trace page."""
    return written(replace(view, extras=()))
