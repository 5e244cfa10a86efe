"""Section III-B1, the event-attribute channel: S_ELT, how well a unit's entities, locations and times fit the query.

The mean over the axes that the parsed query constrains. An axis that is constrained but not matched counts 0.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from cuemem.ports import Embedder
from cuemem.similarity import DECIMALS, SLACK, approximate, cosines
from cuemem.types import Indices, Interval, Matrix, MemoryUnit, QueryParse

Scores = npt.NDArray[np.float64]


@dataclass(frozen=True)
class AttributeIndex:
    """The distinct attributes of one axis, and the units that hold each."""

    texts: tuple[str, ...]
    matrix: Matrix  # (a, d)
    starts: Indices  # (a + 1,) where each attribute's units begin in ``holders``
    holders: Indices

    @classmethod
    def of(cls, attributes: Sequence[Sequence[str]], embedder: Embedder) -> AttributeIndex:
        """The index over the attributes of every unit."""
        place: dict[str, int] = {}
        pairs = [
            (place.setdefault(text, len(place)), unit) for unit, texts in enumerate(attributes) for text in texts
        ]
        held = np.array(sorted(set(pairs)), np.int64).reshape(-1, 2)
        starts = np.searchsorted(held[:, 0], np.arange(len(place) + 1))
        return cls(tuple(place), embedder.encode(list(place)), starts, np.ascontiguousarray(held[:, 1]))

    def match(self, constraints: Matrix, threshold: float, units: int) -> Scores:  # (c, d) → (units,)
        """The mean over the constraints of a unit's best cosine with each, which counts from the threshold on."""
        total = np.zeros(units)
        if not self.texts:
            return total
        rough = approximate(self.matrix, constraints.T)  # (a, c)
        for column, constraint in enumerate(constraints):
            near = np.flatnonzero(rough[:, column] >= threshold - SLACK)
            exact = cosines(self.matrix[near], constraint)
            near, exact = near[exact >= threshold], exact[exact >= threshold]
            best = np.zeros(units)
            # From the least cosine on, so that a unit keeps the best of its attributes.
            for attribute, cosine in sorted(zip(near.tolist(), exact.tolist(), strict=True), key=lambda it: it[1]):
                best[self.holders[self.starts[attribute] : self.starts[attribute + 1]]] = cosine
            total += best
        return total / len(constraints)


@dataclass(frozen=True)
class TimeIndex:
    """When each unit's fact happened (days as ordinals, an entry for each interval), and when it was said."""

    starts: Indices
    ends: Indices
    units: Indices  # the unit of each interval
    said: Indices  # (N,), 0 where the data gives no date

    @classmethod
    def of(cls, units: Sequence[MemoryUnit]) -> TimeIndex:
        """The index over T^f and T^u of every unit."""
        rows = [
            (interval.first.toordinal(), interval.last.toordinal(), unit.index)
            for unit in units
            for interval in unit.fact_time
        ]
        held = np.array(rows, np.int64).reshape(-1, 3)
        said = np.array([unit.said_at.toordinal() if unit.said_at else 0 for unit in units], np.int64)
        return cls(held[:, 0], held[:, 1], held[:, 2], said)

    def match(self, fact: Iterable[Interval], utterance: Iterable[Interval]) -> Scores:  # → (N,)
        """1 where any constraint overlaps a unit's fact time, or holds the day on which it was said; else 0."""
        score = np.zeros(len(self.said))
        for wanted in fact:
            first, last = wanted.first.toordinal(), wanted.last.toordinal()
            score[self.units[(self.starts <= last) & (self.ends >= first)]] = 1.0
        for wanted in utterance:
            score[(self.said >= wanted.first.toordinal()) & (self.said <= wanted.last.toordinal())] = 1.0
        return score


@dataclass(frozen=True)
class EventAttributes:
    """All three axes."""

    entities: AttributeIndex
    locations: AttributeIndex
    times: TimeIndex

    @classmethod
    def of(cls, units: Sequence[MemoryUnit], embedder: Embedder) -> EventAttributes:
        """The axes of these units; attributes are embedded by the same model as facts."""
        return cls(
            AttributeIndex.of([unit.entities for unit in units], embedder),
            AttributeIndex.of([unit.locations for unit in units], embedder),
            TimeIndex.of(units),
        )

    def scores(self, parse: QueryParse, entities: Matrix, locations: Matrix, threshold: float) -> Scores:  # → (N,)
        """S_ELT of every unit, rounded as cosines are; all 0 where the parse demands nothing."""
        units = len(self.times.said)
        axes = []
        if parse.entities:
            axes.append(self.entities.match(entities, threshold, units))
        if parse.locations:
            axes.append(self.locations.match(locations, threshold, units))
        if parse.fact or parse.utterance:
            axes.append(self.times.match(parse.fact, parse.utterance))
        if not axes:
            return np.zeros(units)
        mean: Scores = np.asarray(np.mean(axes, axis=0), np.float64)
        return mean.round(DECIMALS)
