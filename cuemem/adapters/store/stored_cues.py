"""A cue source that asks the store first, and the real source only for what the store lacks."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from cuemem.adapters.store.cues import CueSets
from cuemem.adapters.store.records import CueSet
from cuemem.errors import NotBuilt
from cuemem.ports import CueSource, Extraction
from cuemem.types import Conversation, Turn, TurnUnit


@dataclass(frozen=True)
class StoredCues:
    """The cues of ``name`` as kept in the store, made by ``source`` where they are not all there.

    A set of another provenance than the source's is made anew. A quick source is run as a whole and its set put
    in place in one transaction; a ``resumable`` one, where each turn is dear, is committed turn by turn and goes
    on at the first turn not done; with ``retry_failed`` the turns that had failed are done again, too. Without a
    source only a complete set can be read; otherwise NotBuilt is raised.
    """

    store: CueSets
    name: str
    unit: TurnUnit
    source: CueSource | None = None
    resumable: bool = False
    retry_failed: bool = False

    @property
    def provenance(self) -> Mapping[str, str]:
        """That of the real source; empty for reading only."""
        return self.source.provenance if self.source else {}

    def extract(self, conversation: Conversation, turns: Sequence[Turn]) -> Iterator[Extraction]:
        """Each turn once, in order, as the store holds it in the end."""
        key = (conversation.conversation_id, self.name, self.unit)
        held = self._held(conversation)
        if self.source is None:
            if held is None or not held.complete:
                by = " --model NAME" if self.resumable else ""
                raise NotBuilt(
                    f"{conversation.title} has no complete cues from {self.name!r} with {self.unit}s as turns; "
                    f"build them first: python -m cuemem build {conversation.sample_id} --cues {self.name}{by}"
                )
        elif self.resumable:
            yield from self._resume(self.source, conversation, turns)
            return
        elif held is None or not held.complete or dict(held.provenance) != dict(self.source.provenance):
            made = list(self.source.extract(conversation, turns))
            self.store.replace_cue_set(*key, dict(self.source.provenance), made)
        wanted = {turn.turn_id for turn in turns}
        yield from (it for it in self.store.extractions(*key) if it.turn_id in wanted)

    def _resume(self, source: CueSource, conversation: Conversation, turns: Sequence[Turn]) -> Iterator[Extraction]:
        key = (conversation.conversation_id, self.name, self.unit)
        begun = self.store.begin_cue_set(*key, dict(source.provenance))
        held = self.store.extractions(*key)
        done = {it.turn_id: it for it in held if not (self.retry_failed and it.failure)}
        fresh = iter(source.extract(conversation, [turn for turn in turns if turn.turn_id not in done]))
        for turn in turns:
            if turn.turn_id not in done:
                extraction = next(fresh)
                self.store.add_extractions(*key, [extraction])
                done[turn.turn_id] = extraction
            yield done[turn.turn_id]
        if not begun.complete:
            self.store.complete_cue_set(*key)

    def _held(self, conversation: Conversation) -> CueSet | None:
        for held in self.store.cue_sets(conversation.conversation_id):
            if (held.source, held.turn_unit) == (self.name, self.unit):
                return held
        return None
