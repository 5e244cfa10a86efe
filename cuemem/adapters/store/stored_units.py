"""Sources of QGMem that ask the store first, and the real one only for what the store lacks."""

from __future__ import annotations

import hashlib
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass

from cuemem.adapters.store.connection import Connected
from cuemem.adapters.store.records import UnitSet
from cuemem.adapters.store.unit_rows import UnitKey
from cuemem.adapters.store.units import UnitSets
from cuemem.errors import NotBuilt
from cuemem.types import Conversation, ConversationId, MemoryUnit, Problem, Query, QueryParse, Window
from cuemem.unit_ports import Reranker, Trajectory, TrajectorySource, UnitExtraction, UnitSource


@dataclass(frozen=True)
class Given:
    """What came along with imported units: clusters with their trajectories, and what was odd in the files."""

    traces: tuple[Trajectory, ...] | None = None
    problems: tuple[Problem, ...] = ()


@dataclass(frozen=True)
class StoredUnits:
    """The units of one source as kept in the store, made by ``source`` where they are not all there.

    A set of another provenance than the source's is made anew. A quick source is run as a whole and its set put in
    place in one transaction; a ``resumable`` one, where each window is dear, is committed window by window; with
    ``retry_failed`` the windows that had failed, whose index had, or of which something was rejected are done again.
    Without a source only a complete set can be read; otherwise NotBuilt is raised.
    """

    store: UnitSets
    name: str
    layout: str
    source: UnitSource | None = None
    given: Given = Given()
    resumable: bool = False
    retry_failed: bool = False

    @property
    def provenance(self) -> Mapping[str, str]:
        """That of the real source; empty for reading only."""
        return self.source.provenance if self.source else {}

    def extract(self, conversation: Conversation, windows: Sequence[Window]) -> Iterator[UnitExtraction]:
        """Each window once, in order, as the store holds it in the end."""
        key = (conversation.conversation_id, self.name, self.layout)
        held = held_set(self.store, key)
        if self.source is None:
            if held is None or not held.complete:
                raise NotBuilt(
                    f"{conversation.title} has no complete memory units from {self.name!r}; build them first: "
                    f"python -m cuemem build {conversation.sample_id} --method qgmem "
                    + ("--model NAME" if self.resumable else "--units DIR")
                )
        elif self.resumable:
            yield from self._resume(self.source, key, conversation, windows)
            return
        elif held is None or not held.complete or dict(held.provenance) != dict(self.source.provenance):
            made = list(self.source.extract(conversation, windows))
            provenance = dict(self.source.provenance)
            self.store.replace_unit_set(key, provenance, made, self.given.problems, self.given.traces)
        yield from _by_window(self.store.unit_extractions(key), windows)

    def _resume(
        self, source: UnitSource, key: UnitKey, conversation: Conversation, windows: Sequence[Window]
    ) -> Iterator[UnitExtraction]:
        begun = self.store.begin_unit_set(key, len(windows), dict(source.provenance))
        made = {it.position: it for it in self.store.unit_extractions(key)}
        done = {place: it for place, it in made.items() if not (self.retry_failed and it.flawed)}
        anew = {place for place, it in made.items() if place not in done and it.rejected}
        fresh = iter(source.extract(conversation, [it for it in windows if it.position not in done], anew))
        for window in windows:
            if window.position not in done:
                extraction, held = next(fresh), made.get(window.position)
                if held is not None and _worse(extraction, held):
                    extraction = held
                else:
                    self.store.add_units(key, [extraction])
                done[window.position] = extraction
            yield done[window.position]
        if not begun.complete:
            self.store.complete_unit_set(key)


def _worse(fresh: UnitExtraction, held: UnitExtraction) -> bool:
    """Whether a window that is done again, for what was rejected of it, now gave less than it has."""
    if held.failure:
        return False
    return bool(fresh.failure or (fresh.index_failure and not held.index_failure))


def held_set(store: UnitSets, key: UnitKey) -> UnitSet | None:
    """The unit set of this key, None where it has not been begun."""
    return next((it for it in store.unit_sets(key[0]) if (it.source, it.layout) == key[1:]), None)


def _by_window(held: Sequence[UnitExtraction], windows: Sequence[Window]) -> Iterator[UnitExtraction]:
    """What is held, laid out by these windows: a unit belongs to the window in which its last line is new."""
    if [it.position for it in held] == [it.position for it in windows]:
        yield from held
        return
    at = {line.utterance_id: window.position for window in windows for line in window.new}
    units: dict[int, list[MemoryUnit]] = {}
    for extraction in held:
        for unit in extraction.units:
            units.setdefault(at[unit.end_turn], []).append(unit)
    yield from (UnitExtraction(it.position, tuple(units.get(it.position, ()))) for it in windows)


@dataclass(frozen=True)
class StoredTrajectories:
    """The trajectories of a unit set, written by ``writer`` where there is none yet by the same model and prompt.

    Each is committed as it comes; with ``retry_failed`` those that had failed are written again. Without a writer
    what is kept is read, whoever wrote it.
    """

    store: UnitSets
    name: str
    layout: str
    writer: TrajectorySource | None = None
    provenance: Mapping[str, str] | None = None
    retry_failed: bool = False

    def given(self, conversation: Conversation) -> tuple[Trajectory, ...] | None:
        """The clusters that came with the units."""
        key = (conversation.conversation_id, self.name, self.layout)
        held = held_set(self.store, key)
        if held is None or not held.traces_given:
            return None
        return tuple(self.store.trajectories(key).values())

    def write(
        self, conversation: Conversation, clusters: Sequence[tuple[str, Sequence[MemoryUnit]]]
    ) -> Iterator[Trajectory]:
        """Each cluster's trajectory; empty where nobody wrote one."""
        key = (conversation.conversation_id, self.name, self.layout)
        provenance = dict(self.provenance or {}) if self.writer is not None else None
        held = {
            members: it
            for members, it in self.store.trajectories(key, provenance).items()
            if not (self.retry_failed and it.failure)
        }
        members = [tuple(unit.unit_id for unit in units) for _, units in clusters]
        missing = [cluster for cluster, ids in zip(clusters, members, strict=True) if ids not in held]
        fresh = iter(self.writer.write(conversation, missing)) if self.writer is not None else iter(())
        for ids in members:
            if ids not in held and self.writer is not None:
                held[ids] = next(fresh)
                self.store.save_trajectory(key, held[ids], provenance or {})
            yield held.get(ids, Trajectory(ids, ""))
        if self.writer is not None:
            # Once failed windows were made good the clusters are others, and what had failed of the old is no loss.
            self.store.drop_failed_trajectories(key, members)


@dataclass(frozen=True)
class StoredParses:
    """φ as the store has it: questions that were parsed before, and no call to a model. A slider never waits."""

    store: UnitSets
    conversation_id: ConversationId
    name: str

    def parse(self, query: Query) -> QueryParse | None:
        """The parse that is kept, None for a question that was not parsed or could not be."""
        held = self.store.parse(self.conversation_id, self.name, query)
        return held.parse if held is not None else None


class RerankScores(Connected):
    """The scores of rerankers by query and document, so that each is computed once."""

    def rerank_scores(self, model: str, query: str, documents: Sequence[str]) -> list[float | None]:
        """The scores that are kept, None where there is none."""
        keys = [_pair(query, document) for document in documents]
        with self.reading() as cursor:
            rows = cursor.execute(
                """SELECT pair_sha256, score FROM rerank_scores
                   WHERE model = ? AND pair_sha256 IN (SELECT unnest(?::VARCHAR[]))""",
                [model, keys],
            ).fetchall()
        found = dict(rows)
        return [found.get(key) for key in keys]

    def save_rerank_scores(self, model: str, query: str, documents: Sequence[str], scores: Sequence[float]) -> None:
        """Keep these scores."""
        with self.writing() as cursor:
            cursor.executemany(
                "INSERT OR REPLACE INTO rerank_scores VALUES (?, ?, ?)",
                [
                    [model, _pair(query, document), float(score)]
                    for document, score in zip(documents, scores, strict=True)
                ],
            )


def _pair(query: str, document: str) -> str:
    return hashlib.sha256(f"{query}\0{document}".encode("utf-8", "surrogatepass")).hexdigest()


@dataclass(frozen=True)
class CachedReranker:
    """A reranker that asks the store first."""

    store: RerankScores
    reranker: Reranker

    @property
    def name(self) -> str:
        """The name of the real one."""
        return self.reranker.name

    @property
    def dear(self) -> bool:
        """As the real one."""
        return self.reranker.dear

    def score(self, query: str, documents: Sequence[str]) -> Sequence[float]:
        """The scores, new ones committed."""
        found = self.store.rerank_scores(self.name, query, documents)
        missing = [document for document, score in zip(documents, found, strict=True) if score is None]
        if missing:
            fresh = list(self.reranker.score(query, missing))
            self.store.save_rerank_scores(self.name, query, missing, fresh)
            later = iter(fresh)
            found = [next(later) if score is None else score for score in found]
        return [score for score in found if score is not None]
