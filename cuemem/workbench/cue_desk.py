"""What a person does with the cues of a memory: look into them, correct them, take a correction back."""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Sequence
from typing import Any

from cuemem.adapters.store import CachedEmbedder, Correction, CueSet, MemoryRecord, Store
from cuemem.errors import BadInput, BadSetting, NotBuilt
from cuemem.methods.cuemem import inspect
from cuemem.methods.cuemem.method import CueMemory
from cuemem.ports import Memory
from cuemem.problems import ProblemList
from cuemem.text import storable
from cuemem.turns import resolve_unit
from cuemem.types import Conversation, ConversationId, Cue, CueHit, Problem, Query, Triple, Turn, TurnId, TurnUnit


class CueDesk(ABC):
    """The part of a workbench that is about cues. Raises BadSetting for a method that has none."""

    store: Store
    embedder: CachedEmbedder

    @abstractmethod
    def memory(self, conversation_id: ConversationId, method: Any) -> Memory:
        """The built memory, from the store."""

    @abstractmethod
    def rebuild(self, conversation_id: ConversationId, method: Any) -> MemoryRecord:
        """Build from the cues that the store holds, whatever their source would give today."""

    # --- looking -----------------------------------------------------------------------------------------------

    def cue_set(self, conversation_id: ConversationId, method: Any) -> CueSet:
        """The cues that the memory is built from: origin, counts, corrections. NotBuilt where there are none."""
        source, unit = self._cues_of(conversation_id, method)
        for held in self.store.cue_sets(conversation_id):
            if (held.source, held.turn_unit) == (source, unit):
                return held
        raise NotBuilt(f"{conversation_id} has no cues from {source!r} with {unit}s as turns; extract them first.")

    def nearest_cues(
        self, conversation_id: ConversationId, method: Any, cue_index: int, count: int = 10
    ) -> tuple[CueHit, ...]:
        """The nearest other cues of a cue, with their cosines. UnknownName for a cue there is not."""
        return inspect.nearest(self._cue_memory(conversation_id, method), cue_index, count)

    def ranked_cues(self, conversation_id: ConversationId, method: Any, query: Query) -> tuple[CueHit, ...]:
        """All cues by their rank for a query."""
        return inspect.ranked(self._cue_memory(conversation_id, method), query)

    def exact_duplicates(self, conversation_id: ConversationId, method: Any) -> tuple[tuple[Cue, ...], ...]:
        """Cues of the same text, in groups."""
        return inspect.exact_duplicates(self._cue_memory(conversation_id, method))

    def near_duplicates(
        self, conversation_id: ConversationId, method: Any, threshold: float = 0.9, most: int = 1000
    ) -> inspect.NearDuplicates:
        """Pairs of cues of different text whose cosine reaches the threshold, the closest first."""
        return inspect.near_duplicates(self._cue_memory(conversation_id, method), threshold, most)

    def turns_without_cues(self, conversation_id: ConversationId, method: Any) -> tuple[Turn, ...]:
        """The turns that no cue points to."""
        return inspect.turns_without_cues(self._cue_memory(conversation_id, method))

    # --- correcting --------------------------------------------------------------------------------------------

    def corrections(self, conversation_id: ConversationId, method: Any) -> tuple[Correction, ...]:
        """All corrections of the memory's cues in the order made, those undone and dropped too."""
        key = self._cues_of(conversation_id, method)
        return tuple(it for it in self.store.corrections(conversation_id) if (it.source, it.turn_unit) == key)

    def correct_cues(
        self, conversation_id: ConversationId, method: Any, turn_id: TurnId, contents: Sequence[Triple | str]
    ) -> MemoryRecord:
        """Give a turn these cues in place of those it has, and build the memory anew with them.

        The correction is recorded; it holds until the cues are made from another origin. The turn's own cues again
        change nothing. Raises BadInput for a cue with an empty part, UnknownName for a turn there is not, NotBuilt
        where the cues have not all been extracted.
        """
        source, unit = self._cues_of(conversation_id, method)
        wanted = _clean(contents)
        self.embedder.encode([str(content) for content in wanted])  # first: a model that fails changes nothing
        self.store.correct_turn(conversation_id, source, unit, turn_id, wanted)
        return self.rebuild(conversation_id, method)

    def undo_correction(
        self, conversation_id: ConversationId, method: Any, number: int | None = None
    ) -> MemoryRecord:
        """Take a correction back (None: the last one that holds), and build the memory anew without it.

        Raises BadInput where there is none to undo, or a later one changed the same turn.
        """
        self.store.undo_correction(conversation_id, *self._cues_of(conversation_id, method), number)
        return self.rebuild(conversation_id, method)

    def _cues_of(self, conversation_id: ConversationId, method: Any) -> tuple[str, TurnUnit]:
        """Source and turn unit of the cues that a method builds from."""
        source = getattr(method, "cue_source", None)
        if source is None:
            raise BadSetting(f"{method.name} works without cues. Choose a method that has them.")
        return source, resolve_unit(self.store.conversation(conversation_id), method.turn_unit)

    def _cue_memory(self, conversation_id: ConversationId, method: Any) -> CueMemory:
        memory = self.memory(conversation_id, method)
        if not isinstance(memory, CueMemory):
            raise BadSetting(f"{method.name} works without cues. Choose a method that has them.")
        return memory


def dropped_corrections(
    conversation: Conversation, before: Sequence[Correction], after: Sequence[Correction]
) -> tuple[Problem, ...]:
    """What a build is to report where it has made cues anew that had been corrected by hand."""
    held = {it.number for it in before if it.state == "applied"}
    dropped = [it for it in after if it.state == "dropped" and it.number in held]
    if not dropped:
        return ()
    turns = ", ".join(dict.fromkeys(it.turn_id for it in dropped[:5])) + (", …" if len(dropped) > 5 else "")
    problems = ProblemList(conversation.sample_id)
    detail = f"{len(dropped)} no longer hold, since the cues were made anew ({turns}). They stay on record."
    problems.add("corrections dropped", "cues", detail)
    return problems.as_tuple()


def _clean(contents: Sequence[Triple | str]) -> tuple[Triple | str, ...]:
    """The cues as they are stored, without blanks around their parts. Raises BadInput for an empty part."""
    clean: list[Triple | str] = []
    for number, content in enumerate(contents, 1):
        parts = [content] if isinstance(content, str) else [content.subject, content.relation, content.object]
        parts = [storable(part).strip() for part in parts]
        if not all(parts):
            raise BadInput(f"Cue {number} of the turn has an empty part. Fill it in, or leave the cue out.")
        clean.append(parts[0] if len(parts) == 1 else Triple(*parts))
    return tuple(clean)
