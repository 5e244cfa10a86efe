"""Addresses of other pages, as the parameters of a page link."""

from __future__ import annotations

from dataclasses import replace

from cuemem.evaluation.run import ORACLE, RunCard
from cuemem.knobs import source_of, with_settings
from cuemem.methods import method_named
from cuemem.types import ConversationId, TurnUnit
from cuemem.ui.view import LEAST_BUDGET, MOST_BUDGET, Budget, View, ordered, recall_knobs, written


def conversation(
    conversation_id: ConversationId,
    cues: str | None = None,
    turns: TurnUnit | None = None,
    question: int | None = None,
    method: str | None = None,
) -> dict[str, str]:
    """A conversation, and perhaps which of its memories, on an inspecting page; all else at its defaults."""
    view = View(conversation=conversation_id, question=question, cues=cues, turns=turns)
    return written(view if method is None else replace(view, method=method))


def asked_in(card: RunCard, conversation_id: ConversationId, question: int) -> dict[str, str]:
    """A question of a run on an inspecting page, at the run's settings; the oracle's at the defaults."""
    entry = next((it for it in card.conversations if it.conversation_id == conversation_id), None)
    view = View(conversation=conversation_id, question=question)
    if entry is None or card.method == ORACLE:
        return written(view)
    settings = dict(entry.settings)
    method = with_settings(method_named(card.method), settings)
    shown = method.without_graph() if card.graph == "off" else method
    values = {knob.name: getattr(shown, knob.name) for knob in recall_knobs(shown)}
    budget: Budget = entry.budget if entry.budget and LEAST_BUDGET <= entry.budget <= MOST_BUDGET else "off"
    return written(
        replace(
            view,
            method=card.method,
            cues=source_of(method),
            turns=settings["turn_unit"],
            settings=ordered(card.method, values),
            budget=budget,
        )
    )


def data(part: str, conversation_id: ConversationId | None = None, method: str | None = None) -> dict[str, str]:
    """A part of the Data page, perhaps for a conversation and a method to build."""
    view = View(conversation=conversation_id, method=method or View().method)
    return written(view.with_extra("part", part))


def trace(view: View) -> dict[str, str]:
    """The same view on the Trace page."""
    return written(replace(view, extras=()))
