"""The sidebar that the inspecting pages share: conversation, memory, question, and the method's knobs."""

from __future__ import annotations

from typing import Any

import streamlit as st

from cuemem.knobs import Knob
from cuemem.methods import METHODS
from cuemem.ui import cache, empty, markup, state
from cuemem.ui.picker import go_to_question as go_to_question
from cuemem.ui.picker import question_picker
from cuemem.ui.scene import Choice, Scene, build_scene
from cuemem.ui.state import put as put  # pages draw their own widgets by it
from cuemem.ui.view import BUDGET_STEP, LEAST_BUDGET, MOST_BUDGET, Budget, recall_knobs


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
        question_picker(scene)
        _knobs(scene)
        _foot(scene)
    return scene


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
        memory=None,
        turn=None,
        settings=settings,
        budget=budget,
    )


def _to_method(key: str) -> None:
    state.change(
        method=st.session_state[key], cues=None, turns=None, memory=None, turn=None, settings=(), budget=None
    )


def _to_memory(key: str, choices: tuple[Choice, ...]) -> None:
    choice = choices[st.session_state[key]]
    state.change(cues=choice.cues, turns=choice.turns, memory=choice.key, turn=None)


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
    if st.session_state["control.budgeted"]:  # a slider that is gone is reported until the browser has drawn the page
        state.change(budget=st.session_state[key])


def _foot(scene: Scene) -> None:
    with st.popover("Link to this view", width="stretch"):
        st.code(state.link(scene.view), language=None, wrap_lines=True)
    if not cache.model_ready():
        _await_model()


@st.fragment(run_every=2.0)
def _await_model() -> None:
    """Say that the embedding model is on its way, until it has arrived."""
    if cache.model_ready():
        state.redraw()
    st.caption(
        "The embedding model could not be loaded."
        if cache.model_failure()
        else "The embedding model is loading; a question asked for the first time waits for it."
    )
