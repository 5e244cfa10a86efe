"""The numbers of a lecture, remembered so that a control step computes only what it changes."""

from __future__ import annotations

from typing import Any

import streamlit as st

from cuemem import knobs
from cuemem.adapters.store import default_store_path
from cuemem.evaluation.ladder import (
    Least,
    Outcome,
    Rung,
    budget_ladder,
    ladder,
    least_values,
    outcome_of,
    rungs_of,
)
from cuemem.knobs import Knob
from cuemem.methods.cuemem.inspect import turns_without_cues
from cuemem.types import Explanation, TurnId
from cuemem.ui.learn.lecture import Lecture

BUDGETS: tuple[int | None, ...] = (250, 500, 1000, 1500, 2000, 3000, 4000, 8000, None)


def knob(lecture: Lecture, symbol: str) -> Knob:
    """A knob of the method by its letter in the paper."""
    return next(it for it in knobs.knobs_of(lecture.scene.method) if it.symbol == symbol)


def here(lecture: Lecture) -> Outcome:
    """What the present settings give."""
    return outcome_of(lecture.scene.recall.context, lecture.gold)


def rungs(lecture: Lecture, of: Knob) -> tuple[Rung, ...]:
    """The question at the values of a knob, the others as they are."""
    scene = lecture.scene
    values = rungs_of(of, getattr(scene.method, of.name), getattr(scene.suited, of.name))
    return _rungs(key(lecture, without=of.name), of.name, values, lecture)


@st.cache_data(show_spinner=False, max_entries=128)
def _rungs(key: tuple[Any, ...], name: str, values: tuple[int, ...], _lecture: Lecture) -> tuple[Rung, ...]:
    scene = _lecture.scene
    query = _lecture.question.query
    return ladder(_lecture.memory, scene.method, query, _lecture.gold, name, values, scene.budget)


def budget_rungs(lecture: Lecture) -> tuple[Rung, ...]:
    """The question under several token budgets, the settings as they are."""
    budget = lecture.scene.budget
    limits = sorted({it for it in (*BUDGETS, budget) if it is not None})
    return _budget_rungs(key(lecture, without="budget"), (*limits, None), lecture)


@st.cache_data(show_spinner=False, max_entries=128)
def _budget_rungs(key: tuple[Any, ...], budgets: tuple[int | None, ...], _lecture: Lecture) -> tuple[Rung, ...]:
    scene = _lecture.scene
    return budget_ladder(_lecture.memory, scene.method, _lecture.question.query, _lecture.gold, budgets)


def least(lecture: Lecture, name: str) -> tuple[Least, ...]:
    """For each gold turn the least value of a knob, or of the budget, that brings it in."""
    return _least(key(lecture, without=name), name, lecture)


@st.cache_data(show_spinner=False, max_entries=128)
def _least(key: tuple[Any, ...], name: str, _lecture: Lecture) -> tuple[Least, ...]:
    scene = _lecture.scene
    # The budget is found where there is one; any will do, since the least one does not depend on it.
    budget = (scene.budget or 8000) if name == "budget" else scene.budget
    return least_values(_lecture.memory, scene.method, _lecture.question.query, _lecture.gold, name, budget)


def explained(lecture: Lecture, turn_id: TurnId, **changed: int) -> Explanation:
    """Why a turn is in the context or not, at the present settings or with some changed."""
    return _explained(key(lecture), turn_id, tuple(changed.items()), lecture)


@st.cache_data(show_spinner=False, max_entries=256)
def _explained(
    key: tuple[Any, ...], turn_id: TurnId, changed: tuple[tuple[str, int], ...], _lecture: Lecture
) -> Explanation:
    scene = _lecture.scene
    method = knobs.with_settings(scene.method, dict(changed))
    return _lecture.memory.explain(_lecture.question.query, method, turn_id, scene.budget)


def gold_without_cue(lecture: Lecture) -> tuple[TurnId, ...]:
    """The gold turns of all questions that no cue points to, in chronological order."""
    gold = {it for question in lecture.scene.questions for it in question.gold_utterances}
    return tuple(
        turn.turn_id
        for turn in turns_without_cues(lecture.memory)
        if any(it.utterance_id in gold for it in turn.utterances)
    )


def memory_key(lecture: Lecture) -> tuple[Any, ...]:
    """What names a built memory, anew when it is built anew."""
    view, choice = lecture.scene.view, lecture.scene.choice
    built = choice.record.built_at if choice and choice.record else None
    return (str(default_store_path()), view.conversation, view.cues, view.turns, built)


def key(lecture: Lecture, without: str = "") -> tuple[Any, ...]:
    """All that decides a recall and its score, but for one knob."""
    view = lecture.scene.view
    return (
        *memory_key(lecture),
        lecture.question.text,
        lecture.gold,
        tuple(pair for pair in view.settings if pair[0] != without),
        None if without == "budget" else view.budget,
    )
