"""Memory units as the material of a memory (QGMem, section III-A): made window by window, kept in unit sets.

With them come what a model tells of their traces, and the questions as a parser reads them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, Any

from cuemem.adapters.store import CachedEmbedder, Store
from cuemem.adapters.store.stored_units import Given as Along
from cuemem.adapters.store.stored_units import StoredParses, StoredTrajectories, StoredUnits, held_set
from cuemem.adapters.store.unit_rows import UnitKey
from cuemem.adapters.store.units import query_key
from cuemem.errors import BadInput, UnknownName
from cuemem.knobs import fingerprint, source_of
from cuemem.ports import Progress
from cuemem.text import counted
from cuemem.types import Conversation, ConversationId, Problem, Query
from cuemem.unit_ports import UnitSource
from cuemem.units.imported import UNIT_SHAPE
from cuemem.units.llm import PROMPTS, UnitModel
from cuemem.workbench.rerankers import rerankers
from cuemem.workbench.unit_files import QUERIES, TRACES, UNITS, Parses, parses_in, together, units_in

if TYPE_CHECKING:
    from cuemem.workbench.materials import Given

IMPORTED, LLM = "imported", "llm"
ABOUT: Mapping[str, str] = {
    IMPORTED: "units from a JSONL file, a line a unit, with parsed questions beside it",
    LLM: "units that a language model extracts window by window, as in the paper",
}


_NOTHING = Along()


@dataclass(frozen=True, slots=True)
class UnitSupply:
    """What a build makes units from: their source, what came along, parsed questions, the model if there is one."""

    units: UnitSource | None = None
    along: Along = _NOTHING
    parses: Parses | None = None
    model: UnitModel | None = None
    retry_failed: bool = False

    @property
    def problems(self) -> tuple[Problem, ...]:
        """What was wrong with the files."""
        return (*self.along.problems, *(self.parses.problems if self.parses else ()))


class UnitMaterial:
    """Memory units."""

    about: Mapping[str, str] = ABOUT
    per_call = frozenset({LLM})
    ending = UNITS
    shape = UNIT_SHAPE
    beside = (
        f"Files of the same name that end in {QUERIES} (parsed questions) and {TRACES} (traces with their "
        "trajectories) are read too, where they lie beside it."
    )
    asks = "two calls a window of messages, one a trace, one a question"
    asked_of = "message"
    prompts: tuple[str, ...] = PROMPTS
    groups = False

    def imported(self, store: Store, conversation_id: ConversationId) -> bool:
        """Whether there is a whole set of imported units."""
        return any(it.source == IMPORTED and it.complete for it in store.unit_sets(conversation_id))

    def received(self, names: Sequence[str]) -> Sequence[str]:
        """The file of units, and what came with it under its name."""
        return together(names)

    def source(self, store: Store, conversation: Conversation, method: Any, given: Given) -> UnitSupply:
        """The source of the units and all that lies beside it. Raises BadInput where what it reads is not there."""
        wanted = source_of(method)
        if wanted not in ABOUT:
            raise UnknownName(f"No unit source {wanted!r}; there are {', '.join(ABOUT)}.")
        questions = store.questions(conversation.conversation_id)
        parses = parses_in(given.queries, given.files, conversation, questions)
        retry = given.retry_failed
        model = replace(given.model, retry=retry) if given.model is not None else None
        if wanted == LLM:
            return UnitSupply(model, parses=parses, model=model, retry_failed=retry)
        if given.files is None:
            return UnitSupply(parses=parses, model=model, retry_failed=retry)
        units, traces = units_in(given.files, conversation)
        return UnitSupply(units, Along(traces, units.problems), parses, model, retry)

    def models(
        self, store: Store, conversation: Conversation, method: Any, source: UnitSupply | None, given: Given
    ) -> Mapping[str, Any]:
        """Units, trajectories and parsed questions as the store keeps them, made where they are not all there."""
        supply = source or UnitSupply()
        _, wanted, layout = key_of(conversation, method)
        retry = given.retry_failed
        units = StoredUnits(store, wanted, layout, supply.units, supply.along, wanted == LLM, retry)
        provenance = supply.model.trajectory_provenance if supply.model else None
        told = StoredTrajectories(store, wanted, layout, supply.model, provenance, retry)
        parsers = {name: StoredParses(store, conversation.conversation_id, name) for name in ABOUT}
        return {"unit_sources": {wanted: units}, "trajectories": told, "parsers": parsers}

    @contextmanager
    def watched(
        self, store: Store, conversation: Conversation, method: Any, report: Callable[[Sequence[Problem]], None]
    ) -> Iterator[None]:
        """Report what failed validation, once the units are there; a file's own problems were told before."""
        yield
        made = store.unit_extractions(key_of(conversation, method))
        report([problem for extraction in made for problem in extraction.rejected])

    def finish(
        self,
        store: Store,
        conversation: Conversation,
        method: Any,
        source: UnitSupply | None,
        embedder: CachedEmbedder,
        progress: Progress,
        report: Callable[[Sequence[Problem]], None],
    ) -> None:
        """Keep the parsed questions, let the model parse those of the file, and embed what they demand."""
        supply = source or UnitSupply()
        name = conversation.conversation_id
        if supply.parses is not None:
            rows = ((query, parse, None) for query, parse in supply.parses.parses)
            store.save_parses(name, IMPORTED, rows, supply.parses.provenance)
        if supply.model is not None and (supply.parses is None or source_of(method) == LLM):
            self._parse(store, conversation, supply, progress)
        held = [it.parse for kind in ABOUT for it in store.parses(name, kind).values() if it.parse is not None]
        texts = dict.fromkeys(text for parse in held for text in (*parse.entities, *parse.locations))
        embedder.encode(list(texts))

    def _parse(self, store: Store, conversation: Conversation, supply: UnitSupply, progress: Progress) -> None:
        """Parse every question that has no parse by this model and prompt yet; each is committed as it comes."""
        model = supply.model
        assert model is not None
        made_by = dict(model.parse_provenance)
        missing = to_parse(store, conversation, model, retry_failed=supply.retry_failed)
        for done, row in enumerate(model.parse(conversation, missing), 1):
            store.save_parses(conversation.conversation_id, LLM, [row], made_by)
            progress("questions", done, len(missing))

    def refuse_empty(self, store: Store, conversation: Conversation, method: Any) -> None:
        """Not one window gave a unit and some failed: such a memory would be an empty success."""
        held = held_set(store, key_of(conversation, method))
        if held is not None and held.failed:
            first = next(why for _, why in self.failures(store, conversation, method))
            raise BadInput(
                f"{conversation.title}: {held.failed:,} of {held.windows:,} windows failed and none gave a unit, so "
                f"there is no memory. The first: {first} Then: {self.build_line(conversation, method)} --retry-failed"
            )

    def failures(self, store: Store, conversation: Conversation, method: Any) -> Sequence[tuple[str, str]]:
        """Windows that gave nothing or no index, trajectories and questions that the model failed at."""
        key = key_of(conversation, method)
        made = store.unit_extractions(key)
        found = [(f"window {it.position}", it.failure) for it in made if it.failure]
        found += [(f"index of window {it.position}", it.index_failure) for it in made if it.index_failure]
        found += [
            (f"trajectory of {counted(len(it.members), 'unit')} from {it.members[0]} on", it.failure)
            for it in store.trajectories(key).values()
            if it.failure
        ]
        parses = store.parses(conversation.conversation_id, LLM).values() if key[1] == LLM else ()
        found += [(f"question “{it.query.text[:60]}”", it.failure) for it in parses if it.failure]
        return found

    def rejected(self, store: Store, conversation: Conversation, method: Any) -> Sequence[Problem]:
        """Units that failed validation, what the index got wrong, and what was odd in a file."""
        key = key_of(conversation, method)
        return store.unit_problems(key) if held_set(store, key) is not None else ()

    def origin(
        self, store: Store, conversation: Conversation, method: Any
    ) -> tuple[Mapping[str, str], str | None, int] | None:
        """Provenance and size of the unit set; the hash is that of all that a recall depends on.

        That is the units, the parsed questions, and which model reranks.
        """
        held = held_set(store, key_of(conversation, method))
        if held is None:
            return None
        parses = store.parses(conversation.conversation_id, method.parses) if method.parses in ABOUT else {}
        parsed = [(key, repr(it.parse)) for key, it in parses.items() if it.parse is not None]
        reranker = rerankers(store).get(method.reranker)
        ranked_by = {"reranker": reranker.name} if reranker else {}
        whole = held.content_hash
        if whole and (parsed or ranked_by):
            whole = fingerprint(whole, parsed, ranked_by)
        return dict(held.provenance) | ranked_by, whole, held.units

    def card(self, store: Store, conversation: Conversation, method: Any) -> Mapping[str, Any]:
        """The unit set, and where the parsed questions come from."""
        held = self.origin(store, conversation, method)
        parses = store.parses(conversation.conversation_id, getattr(method, "parses", IMPORTED)).values()
        by = {tuple(sorted(it.provenance.items())) for it in parses}
        about = held and dict(zip(("provenance", "content_hash", "units"), held, strict=True))
        return {"unit_set": about, "parses": [dict(it) for it in sorted(by)]}

    def build_line(self, conversation: Conversation, method: Any) -> str:
        """The command for these units."""
        by = "--model NAME" if source_of(method) == LLM else "--units DIR"
        return f"python -m cuemem build {conversation.sample_id} --method {method.name} {by}"

    def build_all_line(self, source: str | None) -> str:
        """The command that builds all conversations."""
        by = "--model NAME" if source == LLM else "--units DIR"
        return f"python -m cuemem build --all --method qgmem {by}"


def to_parse(store: Store, conversation: Conversation, model: UnitModel, *, retry_failed: bool) -> list[Query]:
    """The questions without a parse by this model and prompt; on retry, those whose parse had failed too."""
    made_by = dict(model.parse_provenance)
    held = {
        key
        for key, it in store.parses(conversation.conversation_id, LLM).items()
        if dict(it.provenance) == made_by and not (retry_failed and it.failure)
    }
    asked = dict.fromkeys(it.query for it in store.questions(conversation.conversation_id))
    return [query for query in asked if query_key(query) not in held]


def key_of(conversation: Conversation, method: Any) -> UnitKey:
    """The unit set that a method builds from. Imported units know no windows, so none tell them apart."""
    source = source_of(method) or ""
    layout = f"{method.window_turns}/{method.overlap_turns}" if source == LLM else ""
    return conversation.conversation_id, source, layout
