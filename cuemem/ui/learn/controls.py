"""The controls of the steps, and what a change does, in numbers."""

from __future__ import annotations

from typing import Any

import streamlit as st

from cuemem.evaluation.ladder import Rung, hinges_on
from cuemem.knobs import Knob, fingerprint
from cuemem.types import Turn, TurnId
from cuemem.ui import state
from cuemem.ui.controls import set_knob
from cuemem.ui.learn import exercises, facts, words
from cuemem.ui.learn.exercises import Exercise
from cuemem.ui.learn.lecture import Lecture
from cuemem.ui.learn.pieces import STAR, ladder_table, paragraph
from cuemem.ui.markup import html, notice, show
from cuemem.ui.picker import go_to_question
from cuemem.ui.state import put

_LONGEST = 70
_NONE_FOUND = "learn.none"
_BARE = {
    "w": "w, turns on either side",
    "k": "k, nearest cues of each cue",
    "m": "m, cues kept for the question",
}


def turn_slider(lecture: Lecture) -> None:
    """Walk along the line of turns."""
    turns = lecture.memory.turns
    if len(turns) < 2:
        return
    key = put("learn.place", lecture.focus.index + 1)
    st.slider("Turn i", 1, len(turns), key=key, on_change=_to_place, args=(key, turns, lecture.focus.turn_id))


def _to_place(key: str, turns: tuple[Turn, ...], shown: TurnId) -> None:
    _look_at(turns[st.session_state[key] - 1].turn_id, shown)


def turn_select(lecture: Lecture) -> None:
    """Look at another turn; gold turns have a star."""
    turns = {turn.turn_id: turn for turn in lecture.memory.turns}
    key = put("learn.turn", lecture.focus.turn_id)
    st.selectbox(
        "Turn",
        list(turns),
        format_func=lambda turn_id: turn_label(turns[turn_id], turn_id in lecture.gold),
        key=key,
        on_change=_to_turn,
        args=(key, lecture.focus.turn_id),
    )


def turn_label(turn: Turn, gold: bool) -> str:
    """A turn in a list: a star for gold, its id, and its beginning."""
    return f"{f'{STAR} ' if gold else ''}{turn.turn_id} · {words.short(turn.text, _LONGEST)}"


def _to_turn(key: str, shown: TurnId) -> None:
    _look_at(st.session_state[key], shown)


def _look_at(turn_id: TurnId, shown: TurnId) -> None:
    # A widget that was drawn in a run that was cut short calls back without having been moved.
    if turn_id == shown:
        state.touch()
    else:
        state.change(turn=turn_id, extras=state.current().with_extra("cue", "").extras)


def cue_select(lecture: Lecture) -> None:
    """Look at another cue of the turn."""
    cues = lecture.cues_of(lecture.focus)
    if not cues or lecture.focus_cue is None:
        return
    shown = lecture.focus_cue.index - cues[0].index
    key = put("learn.cue", shown)
    st.selectbox(
        "Cue of this turn",
        range(len(cues)),
        format_func=lambda place: words.short(cues[place].text) if place < len(cues) else str(place),
        key=key,
        on_change=note,
        args=(key, "cue", str(shown)),
    )


def note(key: str, name: str, shown: str) -> None:
    """In a callback: keep the value of a widget as a note of the page, unless it is what was shown."""
    value = str(st.session_state[key])
    if value == shown:
        state.touch()
    else:
        state.change(extras=state.current().with_extra(name, value).extras)


def knob_panel(lecture: Lecture, symbol: str) -> None:
    """The slider of one knob, what its present value does, and what every other would."""
    knob = facts.knob(lecture, symbol)
    value = getattr(lecture.scene.method, knob.name)
    key = put(f"learn.{symbol}", value)
    st.slider(_BARE[symbol], knob.low, knob.high, key=key, on_change=_to_knob, args=(knob.name, key))
    rungs = facts.rungs(lecture, knob)
    say_change(symbol, rungs, value, getattr(lecture.scene.suited, knob.name))
    show(ladder_table(symbol, "This question, the other settings as they are:", rungs, value, len(lecture.gold)))
    least = facts.least(lecture, knob.name)
    target = exercises.target_of(least, knob.low or 0)
    how = None
    if target is not None and target.value is not None:
        how = facts.explained(lecture, target.turn_id, **{knob.name: target.value})
    exercise(exercises.least_value(symbol, least, rungs, how), symbol)
    if target is None:
        _other_question(lecture, knob)


def _other_question(lecture: Lecture, knob: Knob) -> None:
    """The way to a question in which the knob matters, where in this one it does not."""
    st.button(
        f"Find a question that needs {knob.symbol}",
        key=f"learn.find.{knob.symbol}",
        icon=":material/search:",
        on_click=_to_question_that_needs,
        args=(lecture, knob),
    )
    if st.session_state.pop(_NONE_FOUND, False):
        notice(f"No question of this conversation needs {knob.symbol} at these settings.")


def _to_question_that_needs(lecture: Lecture, knob: Knob) -> None:
    scene, here = lecture.scene, lecture.question.index
    after = [it for it in scene.questions if it.index > here]
    before = [it for it in scene.questions if it.index < here]
    question = hinges_on(lecture.memory, scene.method, (*after, *before), knob, scene.budget)
    if question is None:
        state.touch()
        st.session_state[_NONE_FOUND] = True
    else:
        go_to_question(question.index)


def say_change(symbol: str, rungs: tuple[Rung, ...], value: int | None, usual: int | None) -> None:
    """What the present value does, compared with the usual one or with the value before it."""
    before = words.compared_with(rungs, value, usual)
    if before is not None:
        after = next(rung for rung in rungs if rung.value == value)
        show(paragraph(words.changed(symbol, before, after)))


def _to_knob(name: str, key: str) -> None:
    set_knob(name, st.session_state[key])


def budget_slider(lecture: Lecture) -> tuple[Rung, ...]:
    """The token budget as one slider that ends in none; gives its rungs."""
    rungs = facts.budget_rungs(lecture)
    values: list[Any] = [rung.value or "off" for rung in rungs]
    key = put("learn.budget", lecture.scene.budget or "off")
    st.select_slider(
        "Budget in tokens",
        values,
        format_func=lambda value: "none" if value == "off" else f"{value:,}",
        key=key,
        on_change=_to_knob,
        args=("budget", key),
    )
    return rungs


def exercise(given: Exercise, key: str) -> None:
    """A task, and its answer behind a click; another task begins with its answer hidden."""
    with st.container(border=True, key=f"cml-exercise-{key}"):
        show(
            html(
                '<p class="cml-quiet">Try it</p><p class="cml-task">{task}</p>',
                task=given.task,
            )
        )
        with st.expander("Show the answer", key=f"learn.answer.{fingerprint(given.task)}"):
            show(paragraph(given.answer))
