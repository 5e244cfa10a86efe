"""The cues of the memory that is looked at, with what a question makes of them."""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property
from typing import Any

from cuemem.adapters.store import Correction, CueSet
from cuemem.ports import Memory
from cuemem.types import ConversationId, Cue, CueHit, Triple, Turn, TurnId
from cuemem.ui import cache
from cuemem.ui.scene import Scene
from cuemem.workbench import Workbench


@dataclass(frozen=True)
class Book:
    """A scene whose memory has cues. Each part is computed once in a run."""

    scene: Scene
    memory: Memory
    desk: Workbench
    held: CueSet
    cues: tuple[Cue, ...]

    @classmethod
    def of(cls, scene: Scene, memory: Memory) -> Book:
        """Raises BadSetting for a method without cues, NotBuilt where they are gone."""
        desk = cache.workbench()
        held = desk.cue_set(scene.summary.conversation_id, scene.method)
        return cls(scene, memory, desk, held, desk.store.cues(held.conversation_id, held.source, held.turn_unit))

    @property
    def key(self) -> tuple[ConversationId, Any]:
        """The memory as the workbench knows it."""
        return self.scene.summary.conversation_id, self.scene.method

    @cached_property
    def of_turn(self) -> dict[TurnId, tuple[Cue, ...]]:
        """The cues of each turn that has some."""
        held: dict[TurnId, list[Cue]] = {}
        for cue in self.cues:
            held.setdefault(cue.turn_id, []).append(cue)
        return {turn_id: tuple(cues) for turn_id, cues in held.items()}

    @cached_property
    def hits(self) -> dict[int, CueHit]:
        """Rank and cosine of every cue for the question, by cue index; empty without a question."""
        if self.scene.question is None:
            return {}
        return {hit.cue.index: hit for hit in self.desk.ranked_cues(*self.key, self.scene.question.query)}

    @cached_property
    def retrieved(self) -> frozenset[int]:
        """The cues that the question retrieved at these settings, by index."""
        if self.scene.question is None:
            return frozenset()
        return frozenset(hit.cue.index for anchor in self.scene.recall.anchors for hit in anchor.hits)

    @cached_property
    def bare(self) -> tuple[Turn, ...]:
        """The turns without a cue."""
        return tuple(turn for turn in self.memory.turns if turn.turn_id not in self.of_turn)

    @cached_property
    def corrections(self) -> tuple[Correction, ...]:
        """All corrections of these cues in the order made."""
        return self.desk.corrections(*self.key)

    @cached_property
    def gold_of(self) -> dict[TurnId, tuple[int, ...]]:
        """The questions, by number, that a turn is gold for."""
        turn_of = {u.utterance_id: turn.turn_id for turn in self.memory.turns for u in turn.utterances}
        found: dict[TurnId, dict[int, None]] = {}
        for question in self.scene.questions:
            for utterance_id in question.gold_utterances:
                if utterance_id in turn_of:
                    found.setdefault(turn_of[utterance_id], {})[question.index] = None
        return {turn_id: tuple(numbers) for turn_id, numbers in found.items()}

    @property
    def turn(self) -> Turn | None:
        """The selected turn."""
        return None if self.scene.turn is None else self.scene.turns[self.scene.turn]

    @cached_property
    def cue(self) -> Cue | None:
        """The selected cue, by the page's note the n-th of the selected turn, else its first."""
        cues = self.of_turn.get(self.scene.turn or "", ())
        note = self.scene.view.extra("cue")
        place = int(note) if note.isascii() and note.isdigit() and len(note) < 6 else 0
        return cues[min(place, len(cues) - 1)] if cues else None

    @cached_property
    def triples(self) -> bool:
        """Whether there are triples among the cues."""
        return any(isinstance(cue.content, Triple) for cue in self.cues)

    @cached_property
    def statements(self) -> bool:
        """Whether there are statements among the cues."""
        return any(isinstance(cue.content, str) for cue in self.cues)
