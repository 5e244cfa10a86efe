"""What else could have chosen the turns: the whole history, anchors only, whole turns; remembered like all facts."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import streamlit as st

from cuemem import knobs
from cuemem.adapters.store import default_store_path
from cuemem.evaluation.control import at_equal_tokens
from cuemem.evaluation.curves import Point, curve
from cuemem.evaluation.ladder import Outcome, outcome_of
from cuemem.evaluation.sweep import sweep
from cuemem.evaluation.swept import Means
from cuemem.methods import FullHistory, NaiveRag
from cuemem.ports import Memory
from cuemem.ui import cache
from cuemem.ui.learn import facts
from cuemem.ui.learn.lecture import Lecture
from cuemem.ui.scene import memory_choices


def history_tokens(lecture: Lecture) -> int:
    """What the whole history costs, rendered as a context."""
    key = (str(default_store_path()), lecture.scene.summary.conversation_id, lecture.scene.view.turns)
    return _history_tokens(key, lecture)


@st.cache_data(show_spinner=False, max_entries=64)
def _history_tokens(key: tuple[Any, ...], _lecture: Lecture) -> int:
    method = FullHistory()
    history = _beside(_lecture, method)
    return history.recall(_lecture.question.query, _like(_lecture, method)).context.tokens


@dataclass(frozen=True, slots=True)
class Rival:
    """Another way of choosing turns for the question, within the same tokens. ``value`` is its m."""

    name: str
    value: int
    outcome: Outcome


def rivals(lecture: Lecture) -> tuple[Rival, ...]:
    """Anchors without edges, and whole turns without cues, each with as many tokens as the present context has."""
    return _rivals(facts.key(lecture), lecture)


@st.cache_data(show_spinner=False, max_entries=64)
def _rivals(key: tuple[Any, ...], _lecture: Lecture) -> tuple[Rival, ...]:
    scene, query, gold = _lecture.scene, _lecture.question.query, _lecture.gold
    tokens = scene.recall.context.tokens
    rows = []
    control = at_equal_tokens(_lecture.memory, scene.method, query, gold, tokens, scene.budget)
    if control is not None:
        anchors = _lecture.memory.recall(query, control.method, scene.budget)
        rows.append(Rival("Anchors only, more cues", control.value, outcome_of(anchors.context, gold)))
    # Under a budget the method takes whole turns by rank until one does not fit; without one no turn is shortened.
    cap = scene.method.turn_cap if scene.budget is not None else _longest_cap(scene.method)
    rag = knobs.with_settings(_like(_lecture, NaiveRag()), {"turn_cap": cap})
    nearest = _beside(_lecture, NaiveRag()).recall(query, rag, tokens)
    rows.append(Rival("Whole turns, no cues", len(nearest.context.items), outcome_of(nearest.context, gold)))
    return tuple(rows)


def _longest_cap(method: Any) -> int | None:
    """The largest cap on a turn's own tokens."""
    return next(it.high for it in knobs.knobs_of(method) if it.name == "turn_cap")


@dataclass(frozen=True, slots=True)
class Curves:
    """Over all answerable questions: with the graph at the present w and k, anchors only, and whole turns."""

    questions: int
    graph: tuple[Point, ...]
    anchors: tuple[Point, ...]
    turns: tuple[Point, ...]


def curves(lecture: Lecture) -> Curves | None:
    """Mean recall against mean tokens along m; None where no question of the conversation has gold."""
    swept, whole = _swept(_questions_key(lecture), lecture)
    if swept is None or whole is None:
        return None
    method = lecture.scene.method
    return Curves(
        swept.questions,
        curve(swept, _graph_knobs(swept, method)),
        curve(swept, _graph_knobs(swept, method.without_graph())),
        curve(whole, {}),
    )


def _graph_knobs(swept: Means, method: Any) -> dict[str, int]:
    """The values of the swept knobs but for the last, which is m."""
    return {name: getattr(method, name) for name in list(swept.axes)[:-1]}


@st.cache_resource(show_spinner=False, max_entries=8)
def _swept(key: tuple[Any, ...], _lecture: Lecture) -> tuple[Means | None, Means | None]:
    scene, bench = _lecture.scene, cache.workbench()
    bench.embedder.hold([question.text for question in scene.questions])
    found = (
        sweep(_lecture.memory, scene.method, scene.questions, bench.tokens),
        sweep(_beside(_lecture, NaiveRag()), _like(_lecture, NaiveRag()), scene.questions, bench.tokens),
    )
    means = [None if swept is None else swept.means() for swept in found]
    return means[0], means[1]


def _like(lecture: Lecture, method: Any) -> Any:
    """Another method on the same turns."""
    return knobs.with_settings(method, {"turn_unit": lecture.scene.view.turns})


def _beside(lecture: Lecture, method: Any) -> Memory:
    """The memory of a method without cues on the same conversation and turns; built where it is not there yet."""
    choices = memory_choices(lecture.scene.conversation, method.name)
    record = next((it.record for it in choices if it.turns == lecture.scene.view.turns), None)
    return cache.memory(lecture.scene.conversation.conversation_id, _like(lecture, method), record)


def _questions_key(lecture: Lecture) -> tuple[Any, ...]:
    """All that decides a sweep: the memory, the options, and the questions with their gold."""
    swept = {"window", "neighbours", "top_cues"}
    asked: Iterable[Any] = ((it.text, it.gold_utterances, it.unanswerable) for it in lecture.scene.questions)
    return (
        *facts.memory_key(lecture),
        tuple(pair for pair in lecture.scene.view.settings if pair[0] not in swept),
        hash(tuple(asked)),
    )
