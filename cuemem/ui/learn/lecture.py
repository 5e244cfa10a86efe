"""Which question a lecture is about, and the objects that its steps look at."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

from cuemem.methods import CueMem
from cuemem.methods.cuemem.graph import CueGraph
from cuemem.methods.cuemem.method import CueMemory
from cuemem.types import ConversationId, Cue, Question, Turn, TurnId
from cuemem.ui import cache, empty, state
from cuemem.ui.scene import Scene
from cuemem.workbench.samples import sample_to_open

STORY_QUESTION = 0  # the question of the paper's introduction, in the bundled conversation


def story() -> ConversationId | None:
    """The bundled conversation that tells the paper's story; None until its first memory is built."""
    return sample_to_open(cache.workbench())


def enter() -> str:
    """Before the sidebar is drawn: a tab that has seen nothing yet gets the story, and this page its method.

    Gives a sentence where another method was looked at.
    """
    view = state.current()
    if view.conversation is None and (key := story()) is not None:
        state.adopt(replace(view, conversation=key, question=view.question or STORY_QUESTION))
    view = state.current()
    if view.method == CueMem.name:
        return ""
    state.adopt(replace(view, method=CueMem.name, cues=None, turns=None, settings=(), budget=None))
    return f"This page explains {CueMem.title}, so that is the method it shows."


def to_story(key: ConversationId) -> None:
    """In a callback: the paper's story at its defaults, on the same step."""
    state.change(
        conversation=key, question=STORY_QUESTION, cues=None, turns=None, turn=None, settings=(), budget=None
    )


@dataclass(frozen=True)
class Lecture:
    """A scene with what only this method has: its cues and the neighbours of each."""

    scene: Scene
    memory: CueMemory
    question: Question

    @property
    def graph(self) -> CueGraph:
        """The turns, the cues and each cue's nearest cues."""
        return self.memory.cue_graph

    @property
    def gold(self) -> tuple[TurnId, ...]:
        """The gold turns of the question, in chronological order."""
        return self.scene.gold.turns

    @cached_property
    def focus(self) -> Turn:
        """The turn that is looked at: the selected one, else the first gold turn, else the first anchor's."""
        anchors = [anchor.turn_id for anchor in self.scene.recall.anchors]
        first = next(iter([*self.gold, *anchors]), self.memory.turns[0].turn_id)
        return self.scene.turns[self.scene.turn or first]

    def cues_of(self, turn: Turn) -> tuple[Cue, ...]:
        """The cues that point to a turn."""
        return tuple(self.graph.cues[index] for index in self.graph.cues_of(turn.index))

    @cached_property
    def focus_cue(self) -> Cue | None:
        """The cue that is looked at: by the page's note, else the first whose nearest cues lead to a gold turn."""
        cues = self.cues_of(self.focus)
        note = self.scene.view.extra("cue")
        if note.isascii() and note.isdigit() and int(note) < len(cues):
            return cues[int(note)]
        near = self.graph.neighbours(self.scene.method).rows
        wanted = {self.scene.turns[turn_id].index for turn_id in self.gold} - {self.focus.index}
        for cue in cues:
            first = [int(self.graph.cue_turn[other]) for other in near[cue.index, :3] if other >= 0]
            if wanted.intersection(first):
                return cue
        return next(iter(cues), None)


def given(scene: Scene) -> Lecture:
    """The lecture of a scene; without a memory or a question the page ends with a sentence."""
    memory, question = empty.require(scene)
    if not isinstance(memory, CueMemory):
        raise TypeError(f"a lecture on {CueMem.title} needs its memory, not {type(memory).__name__}")
    return Lecture(scene, memory, question)
