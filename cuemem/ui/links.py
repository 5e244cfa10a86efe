"""Addresses of other pages, as the parameters of a page link."""

from __future__ import annotations

from cuemem.types import ConversationId
from cuemem.ui.view import View, written


def conversation(conversation_id: ConversationId) -> dict[str, str]:
    """A conversation on an inspecting page, all else at its defaults."""
    return written(View(conversation=conversation_id))


def data(part: str, conversation_id: ConversationId | None = None, **notes: str) -> dict[str, str]:
    """A part of the Data page."""
    view = View(conversation=conversation_id).with_extra("part", part)
    for name, value in notes.items():
        view = view.with_extra(name, value)
    return written(view)
