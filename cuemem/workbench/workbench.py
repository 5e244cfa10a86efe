"""The composition root: settings → store, models, methods. The only place that builds them.

The command line and the app are two faces of this class.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from functools import lru_cache, partial
from pathlib import Path
from typing import Any, Self

from cuemem import knobs
from cuemem.adapters.embed import DEFAULT_MODEL, SentenceEmbedder
from cuemem.adapters.store import CachedEmbedder, MemoryRecord, Store
from cuemem.adapters.tokens import FixedTokenizer
from cuemem.errors import NotBuilt, UnknownName
from cuemem.knobs import source_of
from cuemem.methods import method_named
from cuemem.ports import ArrayCache, Memory, Models, Progress, TokenCounter, no_progress
from cuemem.turns import resolve_unit
from cuemem.types import Conversation, ConversationId, Problem
from cuemem.unit_ports import Reranker
from cuemem.workbench.cue_desk import CueDesk
from cuemem.workbench.identity import NamedArrays, build_knobs, frozen
from cuemem.workbench.materials import Given, Material, ProblemReport, material_of
from cuemem.workbench.rerankers import rerankers

_OPEN_MEMORIES = 8  # a LongMemEval instance with sentence cues takes some 20 MB


def no_report(_problems: Sequence[Problem]) -> None:
    """Tell nobody."""


class Workbench(CueDesk):
    """An open store with the models around it. Safe to share between threads."""

    def __init__(self, store: Store, model: SentenceEmbedder, tokens: TokenCounter) -> None:
        self.store = store
        self.model = model
        self.tokens = tokens
        self.embedder = CachedEmbedder(store, model)
        self._opened = lru_cache(maxsize=_OPEN_MEMORIES)(self._open_memory)

    @classmethod
    def open(cls, store: str | Path | None = None, embedding_model: str = DEFAULT_MODEL) -> Self:
        """The workbench over a store (None: the user's own). Loads no model yet."""
        return cls(Store.open(store), SentenceEmbedder(embedding_model), FixedTokenizer())

    def build(
        self,
        conversation_id: ConversationId,
        method: Any,
        cue_dir: Path | None = None,
        progress: Progress = no_progress,
        report: ProblemReport = no_report,
        *,
        llm: Any = None,
        retry_failed: bool = False,
        queries: Path | None = None,
    ) -> MemoryRecord:
        """Build a memory and record it. What is stored already is not computed again.

        ``cue_dir`` is the folder, or the file, of what the source ``imported`` reads (cues, units), ``queries`` that
        of parsed questions; ``report`` is told what could not be used, and what was lost because it was made anew.
        ``llm`` makes what the source ``llm`` gives; with ``retry_failed`` it is asked again about what it had failed
        at. The record is written last, so a memory that is listed is whole; an interrupted build is taken up where
        it stopped.
        """
        conversation = self.store.conversation(conversation_id)
        material = material_of(method)
        if material is None:
            return self._recorded(self._built(conversation, method, None, Given(), progress))
        given = Given(cue_dir, queries, llm, retry_failed)
        source = material.source(self.store, conversation, method, given)
        report(getattr(source, "problems", ()))
        with material.watched(self.store, conversation, method, report):
            record = self._built(conversation, method, source, given, progress)
        embedder = replace(self.embedder, progress=progress)
        material.finish(self.store, conversation, method, source, embedder, progress, report)
        return self._recorded(record)

    def rebuild(self, conversation_id: ConversationId, method: Any) -> MemoryRecord:
        """Build from the cues that the store holds, whatever their source would give today."""
        conversation = self.store.conversation(conversation_id)
        return self._recorded(self._built(conversation, method, None, Given(), no_progress))

    def memory(
        self,
        conversation_id: ConversationId,
        method: Any,
        progress: Progress = no_progress,
        ranked_by: Mapping[str, Reranker] | None = None,
    ) -> Memory:
        """The built memory that these build-time knobs name, from the store; NotBuilt where there is none.

        A method without cues needs no build step. With ``ranked_by`` it is opened anew, for these rerankers alone.
        """
        opened = self._opened if ranked_by is None else partial(self._open_memory, ranked_by=ranked_by)
        conversation = self.store.conversation(conversation_id)
        memory_id = self.memory_id(conversation, method)
        for record in self.store.memories(conversation_id):
            if record.memory_id == memory_id:
                return opened(conversation_id, method.name, frozen(method), record.built_at)
        if (material := material_of(method)) is not None:
            raise NotBuilt(
                f"{conversation.title} has no {method.name} memory from {source_of(method)!r} {method.noun}s with "
                f"{resolve_unit(conversation, method.turn_unit)}s as turns and {self.embedder.name} vectors. "
                f"Build it: {material.build_line(conversation, method)}"
            )
        # Turns and their vectors are all there is to it: looking at it leaves no record to list or to choose from.
        if progress is not no_progress:
            method.build(conversation, self._models(conversation, method, None, Given(), self.store.arrays, progress))
        return opened(conversation_id, method.name, frozen(method), None)

    def pick(
        self,
        conversation_id: ConversationId,
        name: str,
        cues: str | None = None,
        turns: str | None = None,
        built: Mapping[str, Any] | None = None,
    ) -> Any:
        """The method with the build-time knobs of the memory that is meant, and the defaults that suit it.

        ``cues`` (the source), ``turns`` and other build-time knobs narrow the choice. Raises UnknownName where
        several memories are left, and NotBuilt where none is.
        """
        method = method_named(name)
        conversation = self.store.conversation(conversation_id)
        material = material_of(method)
        if material is None:
            method = knobs.with_settings(method, {"turn_unit": turns})
            return method.suited_to(conversation)[0]
        unit = resolve_unit(conversation, turns) if turns else None  # type: ignore[arg-type]
        found = [
            record
            for record in self.store.memories(conversation_id)
            if (record.method, record.embedding_model) == (name, self.embedder.name)
            and cues in (None, record.cue_source)
            and unit in (None, record.turn_unit)
            and all(record.settings.get(knob) == value for knob, value in (built or {}).items())
        ]
        if not found:
            named = f" from {cues!r} {method.noun}s" if cues else ""
            asked = named + (f" with {unit}s as turns" if unit else "")
            raise NotBuilt(
                f"{conversation.title} has no {name} memory{asked} with {self.embedder.name} vectors; "
                f"build one: {self._build_line(material, conversation, method, cues)}"
            )
        if len(found) > 1:
            listed = "; ".join(_told_apart(record, found) for record in found)
            raise UnknownName(f"{conversation.title} has {len(found)} memories; choose one: {listed}.")
        return knobs.with_settings(method, found[0].settings).suited_to(conversation)[0]

    def _build_line(self, material: Material, conversation: Conversation, method: Any, source: str | None) -> str:
        declared = knobs.source_knob(method)
        if source and declared is not None:
            method = knobs.with_settings(method, {declared.name: source})
        return material.build_line(conversation, method)

    def memory_id(self, conversation: Conversation, method: Any) -> str:
        """What identifies a built memory: conversation, method, build-time knobs and embedding model."""
        return knobs.fingerprint(
            conversation.conversation_id, method.name, build_knobs(conversation, method), self.embedder.name
        )

    def _built(
        self,
        conversation: Conversation,
        method: Any,
        source: Any,
        given: Given,
        progress: Progress,
    ) -> MemoryRecord:
        arrays = NamedArrays(self.store.arrays)
        memory = method.build(conversation, self._models(conversation, method, source, given, arrays, progress))
        if memory.cue_count == 0 and (material := material_of(method)) is not None:
            material.refuse_empty(self.store, conversation, method)
        return self._record(conversation, method, memory, arrays.key)

    def _recorded(self, record: MemoryRecord) -> MemoryRecord:
        """The record as it is kept; from now on the memory can be opened."""
        record = replace(record, built_at=datetime.now(UTC))
        self.store.save_memory(record)
        return record

    def _open_memory(
        self,
        conversation_id: ConversationId,
        name: str,
        settings: tuple[tuple[str, Any], ...],
        _built: datetime | None,  # a memory built anew is another one
        ranked_by: Mapping[str, Reranker] | None = None,
    ) -> Memory:
        method = knobs.with_settings(method_named(name), dict(settings))
        conversation = self.store.conversation(conversation_id)
        models = self._models(conversation, method, None, Given(), self.store.arrays, no_progress)
        if ranked_by is not None:
            models = replace(models, rerankers=ranked_by)
        memory: Memory = method.build(conversation, models)
        return memory

    def _models(
        self,
        conversation: Conversation,
        method: Any,
        source: Any,
        given: Given,
        arrays: ArrayCache,
        progress: Progress,
    ) -> Models:
        embedder = replace(self.embedder, progress=progress)
        base = Models(embedder, self.tokens, {}, arrays, progress, rerankers=rerankers(self.store))
        material = material_of(method)
        if material is None:
            return base
        return replace(base, **material.models(self.store, conversation, method, source, given))

    def _record(self, conversation: Conversation, method: Any, memory: Memory, array_key: str | None) -> MemoryRecord:
        return MemoryRecord(
            memory_id=self.memory_id(conversation, method),
            conversation_id=conversation.conversation_id,
            method=method.name,
            settings=build_knobs(conversation, method),
            embedding_model=self.embedder.name,
            turn_unit=resolve_unit(conversation, method.turn_unit),
            cue_source=source_of(method),
            turn_count=len(memory.turns),
            cue_count=memory.cue_count,
            array_key=array_key,
            built_at=datetime.now(UTC),
        )


def _told_apart(record: MemoryRecord, among: Sequence[MemoryRecord]) -> str:
    """The options that name a memory among several: source, turn unit, and other build-time knobs that differ."""
    others = [
        f"--{name.replace('_', '-')} {value}"
        for name, value in record.settings.items()
        if value not in (record.cue_source, record.turn_unit)
        and any(other.settings.get(name) != value for other in among)
    ]
    return " ".join([f"--cues {record.cue_source} --turns {record.turn_unit}", *others])
