"""The sidebar that the inspecting pages share: conversation, memory, question, and the method's knobs."""

from __future__ import annotations

from typing import Any

import streamlit as st

from cuemem.evaluation.retrieval import category_label
from cuemem.knobs import Knob
from cuemem.methods import METHODS
from cuemem.types import Question
from cuemem.ui import cache, empty, markup, state
from cuemem.ui.scene import Choice, Scene, build_scene
from cuemem.ui.view import BUDGET_STEP, LEAST_BUDGET, MOST_BUDGET, Budget, recall_knobs

EVERY = "All questions"


def inspected() -> Scene:
    """Draw the sidebar and give the page what it is to show; without conversations the page ends here.

    A page that needs a memory or a question ends itself by :func:`cuemem.ui.empty.require`.
    """
    with st.spinner("Opening the memory …"):
        scene, problems = build_scene(state.current())
    for sentence in (*state.complaints(), *problems):
        markup.notice(sentence, "warning")
    if scene is None:
        empty.no_conversation()
        st.stop()
    state.settle(scene.view)
    with st.sidebar:
        _conversation(scene)
        _question(scene)
        _knobs(scene)
        _foot(scene)
    return scene


def put(key: str, value: Any) -> str:
    """Show this value in the widget of this key; the view decides, whatever the widget showed before."""
    st.session_state[key] = value
    return key


def _conversation(scene: Scene) -> None:
    titles = {
        summary.conversation_id: summary.title + ("" if summary.memories else " (no memory)")
        for summary in sorted(scene.summaries, key=lambda summary: not summary.memories)
    }
    key = put("control.conversation", scene.summary.conversation_id)
    st.selectbox(
        "Conversation",
        list(titles),
        format_func=lambda name: titles.get(name, name),
        key=key,
        on_change=_to_conversation,
        args=(key, _deviating(scene), _deviating_budget(scene)),
    )
    names = {method.name: method.title for method in METHODS}
    key = put("control.method", scene.view.method)
    st.selectbox(
        "Method", list(names), format_func=lambda name: names[name], key=key, on_change=_to_method, args=(key,)
    )
    if scene.choice is not None and len(scene.choices) > 1:
        key = put("control.memory", scene.choices.index(scene.choice))
        st.selectbox(
            "Memory",
            range(len(scene.choices)),
            format_func=lambda place: scene.choices[place].label,
            key=key,
            on_change=_to_memory,
            args=(key, scene.choices),
        )


def _deviating(scene: Scene) -> tuple[tuple[str, Any], ...]:
    """The settings that were chosen, so that they are kept in another conversation, where defaults may differ."""
    return tuple((name, value) for name, value in scene.view.settings if getattr(scene.suited, name) != value)


def _deviating_budget(scene: Scene) -> Budget:
    return None if scene.budget == scene.suited_budget else scene.view.budget


def _to_conversation(key: str, settings: tuple[tuple[str, Any], ...], budget: Budget) -> None:
    state.change(
        conversation=st.session_state[key],
        question=None,
        cues=None,
        turns=None,
        turn=None,
        settings=settings,
        budget=budget,
    )


def _to_method(key: str) -> None:
    state.change(method=st.session_state[key], cues=None, turns=None, turn=None, settings=(), budget=None)


def _to_memory(key: str, choices: tuple[Choice, ...]) -> None:
    choice = choices[st.session_state[key]]
    state.change(cues=choice.cues, turns=choice.turns, turn=None)


def _question(scene: Scene) -> None:
    if scene.question is None:
        return
    shown = _filtered(scene)
    labels = {question.index: f"{question.index} · {question.text}" for question in scene.questions}
    places = [question.index for question in shown]
    key = put("control.question", scene.question.index)
    st.selectbox(
        "Question",
        places,
        format_func=lambda index: labels.get(index, str(index)),
        key=key,
        on_change=_to_question,
        args=(key,),
    )
    at = places.index(scene.question.index)
    back, forward = st.columns(2, gap="small")
    for column, label, step, shortcut in ((back, "Previous", at - 1, "P"), (forward, "Next", at + 1, "N")):
        column.button(
            label,
            key=f"control.{label}",
            shortcut=shortcut,
            disabled=not 0 <= step < len(places),
            on_click=go_to_question,
            args=(places[step] if 0 <= step < len(places) else None,),
            width="stretch",
        )


def _filtered(scene: Scene) -> tuple[Question, ...]:
    """The questions of the chosen category; the one that is shown is always among them."""
    counts: dict[str, int] = {}
    for question in sorted(scene.questions, key=lambda question: question.category_number or 0):
        counts[category_label(question)] = counts.get(category_label(question), 0) + 1
    if len(counts) < 2:
        return scene.questions
    options = {EVERY: f"{EVERY} ({len(scene.questions)})"} | {
        name: f"{name} ({count})" for name, count in counts.items()
    }
    key = "control.category"
    if st.session_state.get(key) not in options:
        st.session_state[key] = EVERY
    wanted = st.selectbox(
        "Category",
        list(options),
        format_func=lambda name: options.get(name, name),
        key=key,
        on_change=_to_category,
        args=(key, scene.questions),
        persist_state="session",
    )
    return tuple(
        question
        for question in scene.questions
        if wanted in (EVERY, category_label(question)) or question == scene.question
    )


def _to_category(key: str, questions: tuple[Question, ...]) -> None:
    wanted = st.session_state[key]
    here = {question.index for question in questions if wanted in (EVERY, category_label(question))}
    if state.current().question not in here:
        go_to_question(min(here))
    state.touch()


def _to_question(key: str) -> None:
    go_to_question(st.session_state[key])


def go_to_question(index: int | None) -> None:
    """In a callback: look at another question of the conversation."""
    if index is not None:
        state.change(question=index, turn=None)


def _knobs(scene: Scene) -> None:
    declared = recall_knobs(scene.method)
    for knob in (knob for knob in declared if knob.symbol):
        _knob(scene, knob)
    _budget(scene)
    options = [knob for knob in declared if not knob.symbol]
    changed = dict(_deviating(scene)) or _deviating_budget(scene) is not None
    if options:
        with st.expander("Options"):
            for knob in options:
                _knob(scene, knob)
    st.button(
        "Reset to defaults",
        key="control.reset",
        disabled=not changed,
        on_click=state.change,
        kwargs={"settings": (), "budget": None},
        width="stretch",
    )


def _knob(scene: Scene, knob: Knob) -> None:
    """One control, drawn from what the knob declares."""
    words = knob.name.replace("_", " ")
    label = f"{knob.symbol} · {words}" if knob.symbol else words.capitalize()
    key = put(f"control.knob.{knob.name}", getattr(scene.method, knob.name))
    about = f"{knob.about}. Default {getattr(scene.suited, knob.name)}."
    event: dict[str, Any] = {"key": key, "help": about, "on_change": _to_setting, "args": (knob.name, key)}
    if isinstance(knob.default, bool):
        st.toggle(label, **event)
    elif isinstance(knob.default, int):
        st.slider(label, knob.low, knob.high, **event)
    else:
        st.selectbox(label, knob.choices, **event)


def _to_setting(name: str, key: str) -> None:
    set_knob(name, st.session_state[key])


def set_knob(name: str, value: Any) -> None:
    """In a callback: set a recall-time knob, or the budget, by its name."""
    if name == "budget":
        state.change(budget=value)
    else:
        state.change(settings=state.current().with_setting(name, value).settings)


def _budget(scene: Scene) -> None:
    key = put("control.budgeted", scene.budget is not None)
    about = "Turns enter in order of importance until the next one does not fit. Off: the paper's mode, uncapped."
    st.toggle("Token budget", key=key, help=about, on_change=_to_budgeted, args=(key, scene.suited_budget))
    if scene.budget is not None:
        key = put("control.budget", scene.budget)
        st.slider(
            "Budget in tokens",
            LEAST_BUDGET,
            MOST_BUDGET,
            step=BUDGET_STEP,
            key=key,
            label_visibility="collapsed",
            format="%d tokens",
            on_change=_to_budget,
            args=(key,),
        )


def _to_budgeted(key: str, suited: int | None) -> None:
    state.change(budget=(suited or 2000) if st.session_state[key] else "off")


def _to_budget(key: str) -> None:
    state.change(budget=st.session_state[key])


def _foot(scene: Scene) -> None:
    with st.popover("Link to this view", width="stretch"):
        st.code(state.link(scene.view), language=None, wrap_lines=True)
    if not cache.model_ready():
        st.caption("The embedding model is loading; a question asked for the first time waits for it.")
