"""Cues as the material of a memory (section 4.1 of CueMem): made turn by turn, kept in cue sets."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import TYPE_CHECKING, Any

from cuemem.adapters.store import CachedEmbedder, CueSet, Store
from cuemem.adapters.store.stored_cues import StoredCues
from cuemem.cues.imported import SHAPE
from cuemem.errors import BadInput
from cuemem.knobs import source_of
from cuemem.ports import Progress
from cuemem.turns import resolve_unit
from cuemem.types import Conversation, ConversationId, Problem, TurnUnit
from cuemem.workbench.cue_desk import dropped_corrections
from cuemem.workbench.sources import ABOUT, PER_CALL, cue_source, refuse_without_cues

if TYPE_CHECKING:
    from cuemem.workbench.materials import Given


class CueMaterial:
    """Cues."""

    about: Mapping[str, str] = ABOUT
    per_call = PER_CALL
    ending = ".jsonl"
    shape = SHAPE
    beside = "A cue is a triple or a sentence."
    asks = "one call a turn"
    asked_of = "turn"
    prompts: tuple[str, ...] = ("extraction", "extraction_group")
    groups = True

    def imported(self, store: Store, conversation_id: ConversationId) -> bool:
        """Whether there is a whole set of imported cues."""
        return any(it.source == "imported" and it.complete for it in store.cue_sets(conversation_id))

    def received(self, names: Sequence[str]) -> Sequence[str]:
        """The one file of cues, as it is called."""
        if len(names) != 1:
            raise BadInput("Cues come in one file. Upload that one alone.")
        return tuple(names)

    def source(self, store: Store, conversation: Conversation, method: Any, given: Given) -> Any:
        """The cue source."""
        return cue_source(store, conversation, source_of(method) or "", given.files, given.model)

    def models(
        self, store: Store, conversation: Conversation, method: Any, source: Any, given: Given
    ) -> Mapping[str, Any]:
        """The cues as the store keeps them, made by the source where they are not all there."""
        wanted, unit = _key(conversation, method)
        stored = StoredCues(store, wanted, unit, source, wanted in PER_CALL, given.retry_failed)
        return {"cue_sources": {wanted: stored}}

    @contextmanager
    def watched(
        self, store: Store, conversation: Conversation, method: Any, report: Callable[[Sequence[Problem]], None]
    ) -> Iterator[None]:
        """Report the corrections by hand that go because the cues were made anew."""
        key = _key(conversation, method)

        def corrections() -> list[Any]:
            made = store.corrections(conversation.conversation_id)
            return [it for it in made if (it.source, it.turn_unit) == key]

        held = corrections()
        yield
        report(dropped_corrections(conversation, held, corrections()))

    def finish(
        self,
        store: Store,
        conversation: Conversation,
        method: Any,
        source: Any,
        embedder: CachedEmbedder,
        progress: Progress,
        report: Callable[[Sequence[Problem]], None],
    ) -> None:
        """Nothing more."""

    def refuse_empty(self, store: Store, conversation: Conversation, method: Any) -> None:
        """Not one turn gave a cue and some failed: such a memory would be an empty success."""
        wanted, unit = _key(conversation, method)
        if wanted in PER_CALL:
            refuse_without_cues(store, conversation, wanted, unit)

    def failures(self, store: Store, conversation: Conversation, method: Any) -> Sequence[tuple[str, str]]:
        """The turns that the model failed at."""
        made = store.extractions(conversation.conversation_id, *_key(conversation, method))
        return [(it.turn_id, it.failure) for it in made if it.failure]

    def rejected(self, store: Store, conversation: Conversation, method: Any) -> Sequence[Problem]:
        """Nothing: a build reports what was wrong with a file, and a model's reply is taken whole or not at all."""
        return ()

    def origin(
        self, store: Store, conversation: Conversation, method: Any
    ) -> tuple[Mapping[str, str], str | None, int] | None:
        """Provenance, content hash and size of the cue set."""
        held = _held(store, conversation, method)
        return None if held is None else (dict(held.provenance), held.content_hash, held.cues)

    def card(self, store: Store, conversation: Conversation, method: Any) -> Mapping[str, Any]:
        """The cue set."""
        held = self.origin(store, conversation, method)
        return {"cue_set": held and dict(zip(("provenance", "content_hash", "cues"), held, strict=True))}

    def build_line(self, conversation: Conversation, method: Any) -> str:
        """The command for these cues."""
        return f"python -m cuemem build {conversation.sample_id} --cues {source_of(method)}"

    def build_all_line(self, source: str | None) -> str:
        """The command that builds all conversations."""
        return f"python -m cuemem build --all --cues {source or 'sentences'}"


def _key(conversation: Conversation, method: Any) -> tuple[str, TurnUnit]:
    return source_of(method) or "", resolve_unit(conversation, method.turn_unit)


def _held(store: Store, conversation: Conversation, method: Any) -> CueSet | None:
    key = _key(conversation, method)
    sets = store.cue_sets(conversation.conversation_id)
    return next((it for it in sets if (it.source, it.turn_unit) == key), None)
