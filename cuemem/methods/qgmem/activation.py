"""Section III-B: query-aware working memory activation. Three channels, their fusion, reranking, the k best units."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from time import perf_counter
from typing import Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from cuemem.errors import BadSetting
from cuemem.knobs import with_settings
from cuemem.methods.qgmem.settings import MOST_POOL, NO_PARSES, NO_RERANKER, Settings
from cuemem.methods.qgmem.units import UnitIndex
from cuemem.ports import Embedder
from cuemem.similarity import Ranking
from cuemem.types import Indices, Matrix, Query, QueryParse
from cuemem.unit_ports import QueryParser, Reranker

Scores: TypeAlias = npt.NDArray[np.float64]
Channel = Literal["lexical", "dense", "attributes"]
CHANNELS: tuple[Channel, ...] = ("lexical", "dense", "attributes")
_TIE = 12  # decimals of a fused score: the order of its summands must not decide


@dataclass(frozen=True)
class RankedList:
    """L: the best units of one channel, or of the fusion, best first; ranks are places from 1."""

    units: Indices
    scores: Scores

    @cached_property
    def rank(self) -> Mapping[int, int]:
        """The rank of each unit that is in the list."""
        return {unit: place for place, unit in enumerate(self.units.tolist(), 1)}


EMPTY = RankedList(np.empty(0, np.int64), np.empty(0))


def top(scores: Scores, count: int) -> RankedList:
    """TopK: the ``count`` units of the highest scores above 0, best first, ties to the lower index."""
    if count < len(scores):
        least = np.partition(scores, len(scores) - count)[len(scores) - count]
        above = np.flatnonzero(scores > least)
        level = np.flatnonzero(scores == least)[: count - len(above)]
        chosen = np.concatenate([above, level])
    else:
        chosen = np.arange(len(scores))
    chosen = chosen[scores[chosen] > 0]
    order = np.lexsort((chosen, -scores[chosen]))
    return RankedList(chosen[order], scores[chosen[order]])


def fuse(lists: Sequence[Indices], constant: int, count: int) -> RankedList:
    """RRF: the sum over the lists of 1 / (κ + rank), ranks from 1; the ``count`` best, ties to the lower index.

    A unit that is missing from a list gets nothing for it.
    """
    if not any(map(len, lists)):
        return EMPTY
    units, place = np.unique(np.concatenate(lists), return_inverse=True)
    shares = np.concatenate([1.0 / (constant + np.arange(1, len(ranked) + 1)) for ranked in lists])
    scores: Scores = np.bincount(place, weights=shares, minlength=len(units)).astype(np.float64).round(_TIE)
    order = np.lexsort((units, -scores))[:count]
    return RankedList(units[order], scores[order])


@dataclass(frozen=True)
class Activation:
    """One query under one setting: the three lists, the fused pool C_0, and the pool in its final order."""

    lists: Mapping[Channel, RankedList]
    fused: RankedList
    ranked: Indices
    rerank_scores: Mapping[int, float]
    seconds: Mapping[str, float] = field(compare=False)

    def working(self, settings: Settings) -> list[int]:
        """M_q: the k best units, best first."""
        return [int(unit) for unit in self.ranked[: settings.working_memory]]

    @cached_property
    def place(self) -> Mapping[int, int]:
        """The place of each unit of the pool in its final order, from 1."""
        return {unit: place for place, unit in enumerate(self.ranked.tolist(), 1)}


class Asked:
    """One query against a memory: its vector, its parse, and the scores of its channels, each computed once."""

    def __init__(
        self,
        index: UnitIndex,
        query: Query,
        embedder: Embedder,
        parsers: Mapping[str, QueryParser],
        rerankers: Mapping[str, Reranker],
    ) -> None:
        self.index = index
        self.query = query
        self._embedder = embedder
        self._parsers = parsers
        self._rerankers = rerankers
        started = perf_counter()
        self.vector: Matrix = embedder.encode([query.text])[0]
        self.encoding = perf_counter() - started
        self._parses: dict[str, tuple[QueryParse | None, Matrix, Matrix, float]] = {}
        self._scores: dict[tuple[object, ...], Scores] = {}
        self._reranked: dict[tuple[str, int], float] = {}
        self._orders: dict[tuple[object, ...], list[tuple[int, Indices]]] = {}
        self._last: list[tuple[tuple[object, ...], Activation]] = []

    @cached_property
    def ranking(self) -> Ranking:
        """All units by the cosine of their fact with the query."""
        return Ranking.of(self.index.facts, self.vector)

    # --- the query -------------------------------------------------------------------------------------------

    def parse(self, settings: Settings) -> QueryParse | None:
        """φ(q, t_q) by the parser that the settings name; None where the question has not been parsed."""
        return self._parsed(settings)[0]

    def encoding_of(self, settings: Settings) -> float:
        """The seconds that it took to encode the query and the constraints of its parse."""
        return self.encoding + self._parsed(settings)[3]

    def _parsed(self, settings: Settings) -> tuple[QueryParse | None, Matrix, Matrix, float]:
        if settings.parses not in self._parses:
            parser = self._parsers.get(settings.parses) if settings.parses != NO_PARSES else None
            parse = parser.parse(self.query) if parser is not None else None
            none: Matrix = np.empty((0, self.index.facts.shape[1]), np.float32)
            started = perf_counter()
            texts = [*parse.entities, *parse.locations] if parse else []
            vectors = self._embedder.encode(texts) if texts else none  # one call: each reads the store
            cut = len(parse.entities) if parse else 0
            self._parses[settings.parses] = parse, vectors[:cut], vectors[cut:], perf_counter() - started
        return self._parses[settings.parses]

    # --- the channels ----------------------------------------------------------------------------------------

    def channels(self, settings: Settings) -> tuple[Channel, ...]:
        """The channels that take part: those that are on, the event-attribute channel only with a parse."""
        return tuple(
            name
            for name in CHANNELS
            if getattr(settings, name) and (name != "attributes" or self.parse(settings) is not None)
        )

    def lexical(self, settings: Settings) -> Scores:  # (N,)
        """BM25 of every unit."""
        key = ("lexical", settings.stems)
        if key not in self._scores:
            self._scores[key] = self.index.lexical(stems=settings.stems).scores(self.query.text)
        return self._scores[key]

    def attributes(self, settings: Settings) -> Scores:  # (N,)
        """S_ELT of every unit."""
        key = ("attributes", settings.parses, settings.entity_threshold)
        if key not in self._scores:
            parse, entities, locations, _ = self._parsed(settings)
            threshold = settings.entity_threshold / 100
            found = self.index.attributes.scores(parse or QueryParse(), entities, locations, threshold)
            self._scores[key] = found
        return self._scores[key]

    def _channel(self, channel: Channel, settings: Settings) -> Scores:
        return self.lexical(settings) if channel == "lexical" else self.attributes(settings)

    def ranked_list(self, channel: Channel, settings: Settings) -> RankedList:
        """L_b, L_d or L_e: the channel's n best units with a score above 0."""
        if channel == "dense":
            units, found = self.ranking.top(settings.pool)
            return RankedList(units[found > 0], found[found > 0])
        return top(self._channel(channel, settings), settings.pool)

    # --- fusion, reranking -----------------------------------------------------------------------------------

    def activate(self, settings: Settings) -> Activation:
        """The pool and its final order; kept for the settings asked for last, recall and explanations share it."""
        key = settings.activating()
        held = next((it for known, it in self._last if known == key), None)
        if held is None:
            held = self._activate(settings)
            self._last[:] = [(key, held), *self._last[:3]]
        return held

    def _activate(self, settings: Settings) -> Activation:
        seconds: dict[str, float] = {}
        lists: dict[Channel, RankedList] = {}
        self._parsed(settings)  # encoding is no part of a channel's time, nor is the first indexing of the words
        self.index.lexical(stems=settings.stems)
        for channel in self.channels(settings):
            started = perf_counter()
            lists[channel] = self.ranked_list(channel, settings)
            seconds[channel] = perf_counter() - started
        started = perf_counter()
        fused = fuse([it.units for it in lists.values()], settings.rrf_constant, settings.pool)
        fusing = perf_counter()
        ranked = self.rerank(fused.units, settings)
        seconds |= {"fusion": fusing - started, "rerank": perf_counter() - fusing}
        scores = (
            {}
            if settings.reranker == NO_RERANKER
            else {unit: self._reranked[settings.reranker, unit] for unit in ranked.tolist()}
        )
        return Activation(lists, fused, ranked, scores, seconds)

    def rerank(self, pool: Indices, settings: Settings) -> Indices:
        """The pool by the reranker's scores, ties in the order of the fusion; as it is without a reranker."""
        if settings.reranker == NO_RERANKER or not len(pool):
            return pool
        reranker = self.reranker(settings)
        name = settings.reranker
        missing = [unit for unit in pool.tolist() if (name, unit) not in self._reranked]
        if missing:
            documents = [self.index.document(unit) for unit in missing]
            scores = reranker.score(self.query.text, documents)
            self._reranked |= {(name, unit): float(it) for unit, it in zip(missing, scores, strict=True)}
        found = np.array([self._reranked[name, unit] for unit in pool.tolist()])
        return pool[np.argsort(-found, kind="stable")]

    def reranker(self, settings: Settings) -> Reranker:
        """The reranker that the settings name. Raises :class:`BadSetting` where it is not set up."""
        if settings.reranker not in self._rerankers:
            raise BadSetting(
                f"The reranker {settings.reranker!r} is not set up: set CUEMEM_RERANKER to the name or folder of a "
                "CrossEncoder, or CUEMEM_MODEL to a chat model; or use reranker=none."
            )
        return self._rerankers[settings.reranker]

    # --- for explanations and sweeps -------------------------------------------------------------------------

    def orders(self, settings: Settings) -> list[tuple[int, Indices]]:
        """The final order of the pool at every n from 1 on, all else as the settings say; computed once."""
        key = (settings.activating()[1:], "orders")
        if key not in self._orders:
            widest = with_settings(settings, {"pool": MOST_POOL})
            lists = [self.ranked_list(channel, widest).units for channel in self.channels(settings)]
            self._orders[key] = [
                (pool, self.rerank(fuse([it[:pool] for it in lists], settings.rrf_constant, pool).units, settings))
                for pool in range(1, MOST_POOL + 1)
            ]
        return self._orders[key]

    def whole_order(self, settings: Settings) -> Mapping[int, int]:
        """The rank of each unit in the fusion of whole lists: how a unit outside the pool would rank."""
        count = len(self.index.units)
        lists = []
        for channel in self.channels(settings):
            if channel == "dense":
                units, found = self.ranking.top(count)
                lists.append(units[found > 0])
            else:
                lists.append(top(self._channel(channel, settings), count).units)
        return fuse(lists, settings.rrf_constant, count).rank

    def fused_rank(self, unit: int, settings: Settings) -> int | None:
        """The rank of a unit in the fusion of the n-best lists, before the pool is cut; None outside all lists."""
        lists = [it.units for it in self.activate(settings).lists.values()]
        return fuse(lists, settings.rrf_constant, len(self.index.units)).rank.get(unit)

    def full_rank(self, unit: int, channel: Channel, settings: Settings) -> int | None:
        """The rank of a unit among all in a channel, however low; None where its score is 0."""
        if channel == "dense":
            rank, cosine = self.ranking.rank(unit)
            return rank if cosine > 0 else None
        scores = self._channel(channel, settings)
        if scores[unit] <= 0:
            return None
        before = np.count_nonzero(scores > scores[unit]) + np.count_nonzero(scores[:unit] == scores[unit])
        return int(before) + 1
