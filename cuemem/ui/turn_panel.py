"""A selected turn in short: why it is, or is not, in the context, and which cues it has."""

from __future__ import annotations

from collections.abc import Mapping

import streamlit as st

from cuemem.context import said
from cuemem.types import Explanation, LossStage, Turn
from cuemem.ui import state
from cuemem.ui.markup import Html, html, join, show
from cuemem.ui.scene import Scene
from cuemem.ui.trace.evidence import remedies
from cuemem.ui.trace.reading import Reading
from cuemem.ui.trace.why import cue_list

STAGES: Mapping[LossStage, tuple[str, str]] = {
    "in context": ("In the context", "cm-good"),
    "cut by budget": ("Cut by the budget", "cm-busy"),
    "cut by window": ("Cut by the model's window", "cm-busy"),
    "below m": ("Not retrieved", "cm-bad"),
    "below n": ("Not retrieved", "cm-bad"),
    "below k": ("Not activated", "cm-bad"),
    "no cue": ("No cue", "cm-bad"),
    "no unit": ("No unit", "cm-bad"),
    "not ranked": ("Not ranked", "cm-none"),
}


def turn_panel(scene: Scene, turn: Turn) -> None:
    """Why this turn is, or is not, recalled for the question; the way to Trace and Cues, and out of the selection."""
    explained = _explained(scene, turn)
    with st.container(border=True, key="turn-panel", gap="small"):
        if explained is None or scene.memory is None or scene.question is None:
            show(_head(turn))
        else:
            reason = why(explained, gold=turn.turn_id in scene.gold.turns)
            cues = html('<div class="cmt-columns">{cues}</div>', cues=cue_list(explained, scene.method.noun))
            show(html('<div class="cm-turn">{parts}</div>', parts=join([_head(turn), reason, cues])))
            if explained.stage != "in context":
                remedies(Reading(scene, scene.memory, scene.question), explained.changes, "turn")
    st.button("Clear the selection", key="turn.clear", on_click=state.change, kwargs={"turn": None}, width="stretch")


def said_card(scene: Scene, turn: Turn) -> None:
    """What was said in a turn, and why it is, or is not, recalled for the question."""
    explained = _explained(scene, turn)
    reason = why(explained, gold=turn.turn_id in scene.gold.turns) if explained else Html("")
    text = html('<p class="cm-said" dir="auto">{text}</p>', text=turn.text)
    with st.container(border=True):
        show(html('<div class="cm-turn">{head}{text}{reason}</div>', head=_head(turn), text=text, reason=reason))


def _explained(scene: Scene, turn: Turn) -> Explanation | None:
    if scene.memory is None or scene.question is None:
        return None
    return scene.memory.explain(scene.question.query, scene.method, turn.turn_id, scene.budget)


def _head(turn: Turn) -> Html:
    return html(
        '<div class="cm-turn-head"><bdi>{turn}</bdi><span>session {session} · {date}</span></div>',
        turn=turn.turn_id,
        session=turn.session,
        date=said(turn.time),
    )


def why(explained: Explanation, *, gold: bool) -> Html:
    """The stage that a turn reached or was lost at, and the sentence with the least change."""
    label, tone = STAGES[explained.stage]
    star = Html('<span class="cm-state cm-gold">★ gold</span>') if gold else Html("")
    return html(
        '<p class="cm-why"><span class="cm-state {tone}">{label}</span>{star}</p><p class="cm-why">{sentence}</p>',
        tone=tone,
        label=label,
        star=star,
        sentence=explained.sentence,
    )
