"""Which conversations are swept: the one that is looked at, or all of its file or dataset that are built alike."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import streamlit as st

from cuemem import knobs
from cuemem.adapters.store import MemoryRecord, default_store_path
from cuemem.evaluation.sweep import scorable
from cuemem.text import counted
from cuemem.types import ConversationId
from cuemem.ui import cache, state
from cuemem.ui.scene import Scene
from cuemem.workbench.sweeping import Member

ONE, FILE, DATASET = "conversation", "file", "dataset"


@dataclass(frozen=True)
class Group:
    """Conversations with a memory each, and ``key``, which names these memories, anew when one is built anew."""

    members: tuple[Member, ...]
    key: tuple[Any, ...]

    @property
    def ids(self) -> tuple[ConversationId, ...]:
        """The conversations, in the order of their files."""
        return tuple(member.conversation_id for member in self.members)


def choose(scene: Scene) -> Group:
    """Draw the choice of scope where there is one, and give its conversations."""
    options = _scopes(scene)
    wanted = state.current().extra("scope")
    chosen = wanted if wanted in options else ONE
    if len(options) > 1:
        st.segmented_control(
            "Questions of",
            list(options),
            format_func=lambda name: options[name][0],
            key=state.put("sweep.scope", chosen),
            required=True,
            on_change=_to_scope,
            wrap=True,
        )
    return group_of(options[chosen][1], scene.method)


def _to_scope() -> None:
    state.note("scope", st.session_state["sweep.scope"])


def _scopes(scene: Scene) -> dict[str, tuple[str, list[MemoryRecord | ConversationId]]]:
    """The scopes with their words and their memories; a wider one only where it holds more."""
    here: MemoryRecord | ConversationId = (scene.choice.record if scene.choice else None) or (
        scene.summary.conversation_id
    )
    options = {ONE: ("this conversation", [here])}  # words of ours only: labels are Markdown
    alike = records_like(scene)
    files = {summary.conversation_id: summary.file for summary in scene.summaries}
    own = [record for record in alike if files[record.conversation_id] == scene.summary.file]
    if len(own) > 1 and len(own) < len(alike):
        options[FILE] = (f"its file, {len(own):,} built", list(own))
    if len(alike) > 1:
        options[DATASET] = (f"its dataset, {len(alike):,} built", list(alike))
    return options


def records_like(scene: Scene) -> list[MemoryRecord]:
    """The memories of the dataset that were built as this one was, in the order of the conversations."""
    if scene.choice is None or scene.choice.record is None:
        return []
    here = scene.choice.record
    return [record for record in built(scene) if _kind(record) == _kind(here)]


def built(scene: Scene) -> list[MemoryRecord]:
    """Every memory of the dataset under the turn unit that is looked at, in the order of the conversations."""
    order = {it.conversation_id: at for at, it in enumerate(scene.summaries) if it.dataset == scene.summary.dataset}
    turns = scene.choice.turns if scene.choice else None
    model = cache.workbench().embedder.name
    found = [
        record
        for record in cache.all_memories()
        if record.conversation_id in order and (record.turn_unit, record.embedding_model) == (turns, model)
    ]
    return sorted(found, key=lambda record: order[record.conversation_id])


def _kind(record: MemoryRecord) -> tuple[Any, ...]:
    return record.method, record.cue_source, record.turn_unit, knobs.fingerprint(record.settings)


def group_of(memories: Sequence[MemoryRecord | ConversationId], method: Any) -> Group:
    """A group of memories under the recall-time knobs of ``method``; an id stands for a memory without a record."""
    members: list[Member] = []
    names: list[tuple[Any, ...]] = []
    for memory in memories:
        if isinstance(memory, MemoryRecord):
            members.append(Member(memory.conversation_id, knobs.with_settings(method, memory.settings)))
            names.append((memory.memory_id, memory.built_at))
        else:
            members.append(Member(memory, method))
            names.append((memory, *knobs.settings(method, "build").items()))
    return Group(tuple(members), (str(default_store_path()), knobs.fingerprint(names)))


def scorable_count(group: Group) -> int:
    """How many questions of the group count."""
    return _scorable_count(group.key, group.ids)


@st.cache_data(show_spinner=False, max_entries=64)
def _scorable_count(_key: tuple[Any, ...], ids: tuple[ConversationId, ...]) -> int:
    store = cache.workbench().store
    return sum(sum(map(scorable, store.questions(name))) for name in ids)


def words(group: Group) -> str:
    """``855 scorable questions of 6 conversations``."""
    return f"{counted(scorable_count(group), 'scorable question')} of {counted(len(group.ids), 'conversation')}"
