"""What can be held against each other on the same conversations: methods, each from one source of cues."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from cuemem import knobs
from cuemem.adapters.store import MemoryRecord
from cuemem.methods import METHODS, method_named
from cuemem.types import ConversationId
from cuemem.ui.scene import Scene
from cuemem.ui.sweep.group import Group, built, group_of


@dataclass(frozen=True)
class Family:
    """A method with its cue source, and its memory in each conversation that has one."""

    method: str
    cues: str | None
    memories: Mapping[ConversationId, MemoryRecord | ConversationId]

    @property
    def name(self) -> str:
        """How the address names it."""
        return f"{self.method}.{self.cues}" if self.cues else self.method

    @property
    def title(self) -> str:
        """How people name it."""
        method = method_named(self.method)
        return f"{method.title}, {self.cues} {method.noun}s" if self.cues else str(method.title)

    def group(self, ids: Sequence[ConversationId], scene: Scene) -> tuple[Group, Any]:
        """Its memories of these conversations, and the method at the recall-time knobs to compare at.

        Those of the page where it is the method that is looked at, else what suits the conversation.
        """
        usual = method_named(self.method).suited_to(scene.conversation)[0]
        method = scene.method if self.method == scene.method.name else usual
        first = self.memories[ids[0]]
        unit = scene.choice.turns if scene.choice else "auto"
        build = first.settings if isinstance(first, MemoryRecord) else {"turn_unit": unit}
        method = knobs.with_settings(method, build)
        return group_of([self.memories[name] for name in ids], method), method


def families(scene: Scene, group: Group) -> list[Family]:
    """Those with a memory in one of the conversations at least; what is looked at comes first.

    A method without cues needs no build: on a single conversation it is there anyway.
    """
    found: dict[tuple[str, str | None], dict[ConversationId, MemoryRecord | ConversationId]] = {}
    for record in built(scene):
        if record.conversation_id in group.ids:
            found.setdefault((record.method, record.cue_source), {})[record.conversation_id] = record
    for name in cueless():
        if len(group.ids) == 1:
            found.setdefault((name, None), {group.ids[0]: group.ids[0]})
    order = [method.name for method in METHODS]
    here = (scene.method.name, scene.choice.cues if scene.choice else None)
    ranked = sorted(found, key=lambda key: (key != here, order.index(key[0]), key[1] or ""))
    return [Family(*key, found[key]) for key in ranked]


def cueless() -> list[str]:
    """The methods that work without cues."""
    return [method.name for method in METHODS if knobs.source_knob(method) is None]


def lacking(scene: Scene, group: Group) -> list[tuple[str, ConversationId]]:
    """Methods without cues and conversations in which they have no memory yet, where several are compared."""
    if len(group.ids) == 1:
        return []
    there = {(record.method, record.conversation_id) for record in built(scene)}
    return [(name, key) for name in cueless() for key in group.ids if (name, key) not in there]
