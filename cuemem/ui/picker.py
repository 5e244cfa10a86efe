"""Which question: a choice with filters, and the way to the previous and the next one, also by key."""

from __future__ import annotations

import streamlit as st

from cuemem.adapters.store import default_store_path
from cuemem.evaluation.metrics import gold_of
from cuemem.evaluation.retrieval import category_label
from cuemem.knobs import fingerprint, settings
from cuemem.ui import cache, state
from cuemem.ui.scene import Scene
from cuemem.ui.state import put

EVERY, LOST, FLAGGED = "every question", "gold turns missing", "gold flagged as wrong"


def question_picker(scene: Scene) -> None:
    """Draw the filter, the choice, and the steps."""
    if scene.question is None:
        return
    shown = _filtered(scene)
    labels = {question.index: f"{question.index} · {question.text}" for question in scene.questions}
    key = put("control.question", scene.question.index)
    st.selectbox(
        "Question",
        shown,
        format_func=lambda index: labels.get(index, str(index)),
        key=key,
        on_change=_to_chosen,
        args=(key,),
    )
    at = shown.index(scene.question.index)
    back, forward = st.columns(2, gap="small")
    for column, label, step, shortcut in ((back, "Previous", at - 1, "P"), (forward, "Next", at + 1, "N")):
        column.button(
            label,
            key=f"control.{label}",
            shortcut=shortcut,
            disabled=not 0 <= step < len(shown),
            on_click=go_to_question,
            args=(shown[step] if 0 <= step < len(shown) else None,),
            width="stretch",
        )


def go_to_question(index: int | None) -> None:
    """In a callback: look at another question of the conversation."""
    if index is not None:
        state.change(question=index, turn=None)


def _to_chosen(key: str) -> None:
    go_to_question(st.session_state[key])


def _filtered(scene: Scene) -> list[int]:
    """The questions that the filter lets through; the one that is shown is always among them."""
    options = _options(scene)
    if len(options) < 2:
        return [question.index for question in scene.questions]
    key = "control.filter"
    if st.session_state.get(key) not in options:
        st.session_state[key] = EVERY
    wanted = st.selectbox(
        "Filter",
        list(options),
        format_func=lambda name: options.get(name, name),
        key=key,
        on_change=_to_filter,
        args=(key, scene),
        persist_state="session",
    )
    through = _through(scene, wanted)
    if wanted != EVERY and not through:
        st.caption("No question passes this filter.")
    here = scene.question.index if scene.question else None
    return [question.index for question in scene.questions if question.index in through or question.index == here]


def _options(scene: Scene) -> dict[str, str]:
    """The filters with their words: everything, what was lost, what is flagged, and each category with its count."""
    counts: dict[str, int] = {}
    for question in sorted(scene.questions, key=lambda question: question.category_number or 0):
        counts[category_label(question)] = counts.get(category_label(question), 0) + 1
    options = {EVERY: f"All {len(scene.questions):,} questions"}
    if scene.memory is not None and len(scene.questions) > 1:
        options[LOST] = "Gold turns missing, at these settings"
    if flagged := cache.flagged(scene.summary.conversation_id):
        options[FLAGGED] = f"Gold flagged as wrong ({len(flagged):,})"
    if len(counts) > 1:
        options |= {name: f"{name} ({count:,})" for name, count in counts.items()}
    return options


def _to_filter(key: str, scene: Scene) -> None:
    """Stay with the question if it passes, else go to the first that does."""
    state.touch()
    through = _through(scene, st.session_state[key])
    if through and state.current().question not in through:
        go_to_question(min(through))


def _through(scene: Scene, wanted: str) -> frozenset[int]:
    if wanted == EVERY:
        return frozenset(question.index for question in scene.questions)
    if wanted == LOST:
        return lost_questions(scene)
    if wanted == FLAGGED:
        return frozenset(cache.flagged(scene.summary.conversation_id))
    return frozenset(question.index for question in scene.questions if category_label(question) == wanted)


def lost_questions(scene: Scene) -> frozenset[int]:
    """The questions with gold turns that are not all in the context, at the settings of the scene."""
    built = scene.choice.record.built_at if scene.choice and scene.choice.record else None
    place = (str(default_store_path()), scene.summary.conversation_id, built)
    return _lost(fingerprint(*place, scene.method.name, settings(scene.method), scene.budget), scene)


@st.cache_data(show_spinner="Recalling every question …", max_entries=64)
def _lost(key: str, _scene: Scene) -> frozenset[int]:
    """By recalling every question, once for each ``key``: memory, settings and budget."""
    memory, lost = _scene.memory, []
    assert memory is not None
    for question in _scene.questions:
        gold = gold_of(question, memory.turns).turns
        found = memory.recall(question.query, _scene.method, _scene.budget).context.turn_ids if gold else ()
        if not set(gold) <= set(found):
            lost.append(question.index)
    return frozenset(lost)
