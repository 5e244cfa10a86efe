"""The same question by every method that has a memory here: what is drawn of it is computed in this file."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

import streamlit as st

from cuemem.adapters.store import default_store_path
from cuemem.evaluation.ladder import Outcome, outcome_of
from cuemem.evaluation.metrics import gold_of, scored_apart
from cuemem.knobs import settings
from cuemem.methods import METHODS
from cuemem.types import Explanation, Question, Recall, TurnId
from cuemem.ui import cache
from cuemem.ui.learn.lecture import Lecture
from cuemem.ui.scene import Scene, build_scene
from cuemem.ui.view import recall_knobs
from cuemem.workbench.materials import material_of


@dataclass(frozen=True)
class Rival:
    """A method with its memory of the conversation, at its own defaults; the lecture's at the sidebar's settings."""

    scene: Scene
    recall: Recall
    outcome: Outcome

    @property
    def title(self) -> str:
        """The method's name for people."""
        return str(self.scene.method.title)

    @property
    def told(self) -> str:
        """Its settings, as far as they have a letter in its paper."""
        method = self.scene.method
        parts = [f"{it.symbol} = {getattr(method, it.name)}" for it in recall_knobs(method) if it.symbol]
        budget = [] if self.scene.budget is None else [f"budget {self.scene.budget:,}"]
        return ", ".join([*parts, *budget])

    @property
    def way(self) -> str:
        """The stages of its recall, in order."""
        return " → ".join(stage.title for stage in self.recall.trace)

    def explained(self, turn_id: TurnId) -> Explanation:
        """Why a turn is in its context, or not."""
        assert self.scene.memory is not None
        return self.scene.memory.explain(self.recall.query, self.scene.method, turn_id, self.scene.budget)


def rivals(told: Lecture) -> tuple[tuple[Rival, ...], tuple[str, ...]]:
    """The methods that are built of something, the lecture's first; and the names of those without a memory here."""
    found, lacking = [], []
    for method in METHODS:
        if material_of(method) is None:
            continue
        seen = _seen_by(method.name, told.scene)
        if seen is None or seen.memory is None or seen.summary != told.scene.summary:
            lacking.append(str(method.title))
            continue
        recall = seen.memory.recall(told.question.query, seen.method, seen.budget)
        found.append(Rival(seen, recall, outcome_of(recall.context, told.gold)))
    return tuple(found), tuple(lacking)


def _seen_by(name: str, scene: Scene) -> Scene | None:
    """The scene as another method has it, with turns of the same unit where it can."""
    if name == scene.method.name:
        return scene
    view = replace(scene.view, method=name, cues=None, memory=None, settings=(), budget=None, turn=None)
    return build_scene(view)[0]


@dataclass(frozen=True, slots=True)
class Overall:
    """A method over all answerable questions: means, and what it found of each question's gold."""

    recall: float
    all_found: float
    turns: float
    tokens: float
    found: dict[int, int]


def overall(told: Lecture, among: Sequence[Rival]) -> tuple[list[Question], tuple[Overall, ...]]:
    """The answerable questions with gold turns, and each method over them."""
    questions = [it for it in told.scene.questions if not scored_apart(it) and it.gold_utterances]
    if not questions:
        return [], ()
    cache.workbench().embedder.hold([it.text for it in questions])
    return questions, tuple(_overall(_key(it, questions), it, questions) for it in among)


def _key(rival: Rival, questions: Sequence[Question]) -> tuple[Any, ...]:
    scene = rival.scene
    built = scene.choice.record.built_at if scene.choice and scene.choice.record else None
    asked = hash(tuple((it.text, it.gold_utterances) for it in questions))
    values = tuple(settings(scene.method).items())
    return str(default_store_path()), scene.summary.conversation_id, built, scene.method.name, values, asked


@st.cache_data(show_spinner=False, max_entries=32)
def _overall(key: tuple[Any, ...], _rival: Rival, _questions: Sequence[Question]) -> Overall:
    scene, shares, whole, turns, tokens = _rival.scene, 0.0, 0, 0, 0
    memory, found = scene.memory, {}
    assert memory is not None
    for question in _questions:
        gold = gold_of(question, memory.turns).turns
        outcome = outcome_of(memory.recall(question.query, scene.method, scene.budget).context, gold)
        found[question.index] = len(outcome.found)
        shares += len(outcome.found) / max(1, len(gold))
        whole += len(outcome.found) == len(gold)
        turns += outcome.turns
        tokens += outcome.tokens
    count = len(_questions)
    return Overall(shares / count, whole / count, turns / count, tokens / count, found)
