"""The Conversation page, put together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import streamlit as st

from cuemem.text import as_text
from cuemem.turns import cut_turns
from cuemem.types import Turn, TurnId
from cuemem.ui import cache, empty, markup, state, turn_panel
from cuemem.ui.chat import marks as margin
from cuemem.ui.chat.component import draw_chat
from cuemem.ui.chat.filters import draw_filters
from cuemem.ui.chat.text import chat_text, day
from cuemem.ui.markup import Html, html, show
from cuemem.ui.scene import Scene
from cuemem.viz.graph.marks import Mark, clipped, sentence_of


def draw(scene: Scene) -> None:
    """The conversation of a scene; marks where there is a memory and a question."""
    if scene.memory and scene.question:
        empty.await_model(scene.question)
    turns = scene.memory.turns if scene.memory else cut_turns(scene.conversation)
    by_id = {turn.turn_id: turn for turn in turns}
    recall = scene.recall if scene.memory and scene.question else None
    gold = margin.gold_turns(scene.question, turns)
    marks = margin.marked(by_id, gold, recall)
    cues = _cue_counts(scene)
    wanted = margin.Wanted.of(scene.view)
    asked = _question(scene, marks)
    show(html('{head}<div class="cm-narrow">{asked}</div>', head=_heading(scene, turns), asked=asked))
    draw_filters(turns, wanted, margin.offered(marks, cues, recall is not None, wanted.role, scene.method.noun))
    chat, aside = st.columns([5, 2], gap="medium")
    with chat:
        laid = margin.laid_over(marks, cues, wanted, recall is not None)
        laid |= {"selected": _place(by_id, scene.turn), "question": scene.view.question}
        revision = f"{scene.summary.conversation_id} {scene.view.turns} {len(turns)}"
        draw_chat(_text(turns, revision), laid, lambda turn: state.change(turn=turn or None))
    with aside:
        show(html('<div class="cm-wide">{asked}</div>', asked=asked))
        if scene.turn is not None:
            turn_panel.turn_panel(scene, by_id[scene.turn])
        else:
            _hint(scene)


def _place(turns: Mapping[TurnId, Turn], turn_id: TurnId | None) -> int | None:
    return None if turn_id is None else turns[turn_id].index


@st.cache_resource(show_spinner=False, max_entries=8)
def _text(_turns: Sequence[Turn], revision: str) -> dict[str, Any]:
    return chat_text(_turns, revision)


def _cue_counts(scene: Scene) -> dict[TurnId, int] | None:
    """How many cues, or memory units, each turn has; None for a memory without any."""
    if scene.memory is not None and (units := scene.memory.catalogue) is not None:
        return {scene.memory.turns[turn].turn_id: len(held) for turn, held in units.units_of.items()}
    if scene.choice is None or scene.choice.cues is None:
        return None
    counts: dict[TurnId, int] = {}
    held = cache.workbench().store.cues(scene.summary.conversation_id, scene.choice.cues, scene.choice.turns)
    for cue in held:
        counts[cue.turn_id] = counts.get(cue.turn_id, 0) + 1
    return counts


def _heading(scene: Scene, turns: Sequence[Turn]) -> Html:
    first, last = (turns[0].time, turns[-1].time) if turns else (None, None)
    when = day(first) if day(first) == day(last) else f"{day(first)} to {day(last)}"
    sessions = len(scene.conversation.sessions)
    return html(
        '<div class="cm-page"><h1><bdi>{title}</bdi></h1><p class="cm-quiet">{counts}, {when} · {who}</p></div>',
        title=scene.summary.title,
        counts=f"{len(turns):,} turns in {sessions:,} session{'' if sessions == 1 else 's'}",
        when=when,
        who=_who(scene.conversation.speakers),
    )


def _who(speakers: Sequence[str]) -> str:
    """Two or three people by name, more by their number."""
    if len(speakers) > 3:
        return f"{len(speakers):,} speakers"
    return " and ".join(clipped(name, 40) for name in speakers)


def _question(scene: Scene, marks: Sequence[Mark]) -> Html:
    question = scene.question
    if question is None:
        return html(
            '<p class="cm-quiet">{text}</p>', text="This conversation comes without questions: no turn is gold."
        )
    answer = as_text(question.answer)
    result = sentence_of(marks, scene.recall) if scene.memory else ""
    return html(
        '<div class="cm-asked"><p class="cm-label">Question {index}</p><p class="cm-question" dir="auto">{text}</p>'
        "{answer}{result}</div>",
        index=question.index,
        text=question.text,
        answer=html('<p dir="auto">Gold answer: <b>{answer}</b></p>', answer=answer) if answer else Html(""),
        result=html('<p class="cm-quiet">{result}</p>', result=result) if result else Html(""),
    )


def _hint(scene: Scene) -> None:
    if scene.memory is not None:
        markup.notice("Select a turn to see why it is, or is not, in the context. It stays selected on other pages.")
    else:
        markup.notice("There is no memory of this conversation yet, so nothing is recalled.")
        empty.build_link(scene)
