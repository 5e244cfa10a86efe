"""The contexts that are compared: each chosen method's, the same without its graph, and the oracle's."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import Any

from cuemem.evaluation.compare import Contestant
from cuemem.evaluation.metrics import gold_of
from cuemem.types import Question, TurnId
from cuemem.ui import cache
from cuemem.ui.answers.choices import ORACLE_ID, TITLES, Choices
from cuemem.ui.scene import Scene, build_scene
from cuemem.ui.view import recall_knobs
from cuemem.workbench.answering import oracle


@dataclass(frozen=True, slots=True)
class Entrant:
    """One context to answer from, or why there is none. ``told`` says how it was made."""

    name: str
    title: str
    told: str
    contestant: Contestant | None
    gold: frozenset[TurnId] = frozenset()


def entrants(scene: Scene, question: Question, chosen: Choices) -> tuple[Entrant, ...]:
    """The contexts of the chosen methods, each at the settings of the sidebar or, of another method, at its own."""
    return tuple(it for name in chosen.cards for it in _of(name, scene, question, chosen))


def _of(name: str, scene: Scene, question: Question, chosen: Choices) -> Iterator[Entrant]:
    if name == ORACLE_ID:
        if chosen.own is None:
            yield _oracle(scene, question)
        return
    own = _seen_by(name, scene)
    if own is None or own.memory is None:
        yield Entrant(name, TITLES[name], f"{scene.summary.title} has no {TITLES[name]} memory yet.", None)
        return
    yield _recalled(name, own, own.method, question)
    alone = own.method.without_graph() if chosen.without_graph else None
    if alone is not None:
        yield _recalled(f"{name}-graphless", own, alone, question)


def _seen_by(name: str, scene: Scene) -> Scene | None:
    """The scene as another method has it, with turns of the same unit where it can."""
    if name == scene.method.name:
        return scene
    return build_scene(replace(scene.view, method=name, cues=None, settings=(), budget=None, turn=None))[0]


def _recalled(name: str, scene: Scene, method: Any, question: Question) -> Entrant:
    assert scene.memory is not None
    recall = scene.memory.recall(question.query, method, scene.budget)
    title = method.title if method == scene.method else f"{method.title}, anchors only"
    contestant = Contestant(title, recall.context, scene.memory.turns, recall)
    gold = frozenset(gold_of(question, scene.memory.turns).turns)
    return Entrant(name, title, _told(scene, method), contestant, gold)


def _told(scene: Scene, method: Any) -> str:
    parts = [f"{knob.symbol} = {getattr(method, knob.name)}" for knob in recall_knobs(method) if knob.symbol]
    if scene.choice is not None and scene.choice.cues is not None:
        parts.append(f"{scene.choice.cues} {method.noun}s")
    if scene.budget is not None:
        parts.append(f"budget {scene.budget:,}")
    return " · ".join(parts) or "everything that was said"


def _oracle(scene: Scene, question: Question) -> Entrant:
    unit = scene.choice.turns if scene.choice else "auto"
    made = oracle(cache.workbench(), scene.summary.conversation_id, question, unit)
    gold = frozenset(gold_of(question, made.turns).turns)
    return Entrant(ORACLE_ID, made.name, "the gold turns alone", made, gold)
