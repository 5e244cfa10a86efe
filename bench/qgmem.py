"""QGMem's recall without the encoder: parse, three channels, fusion, working memory, local graph, context.

Targets on one core: 3 ms, 10 ms and 50 ms at 3,000, 20,000 and 100,000 units. The reference does the same off the
definitions: every BM25 score, every cosine and every attribute pair in plain loops over units; beyond the smallest
size it is sampled and scaled. Times are of the thread's own processor time, so that a busy machine tells little else.
"""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from datetime import datetime, timedelta
from functools import partial
from time import thread_time
from typing import Any

import numpy as np
from threadpoolctl import threadpool_limits

from bench.common import SIZES, percentiles, show, vectors
from cuemem.adapters.tokens import FixedTokenizer
from cuemem.methods import QGMem
from cuemem.methods.qgmem.attributes import EventAttributes
from cuemem.methods.qgmem.method import UnitMemory
from cuemem.methods.qgmem.units import UnitIndex
from cuemem.ports import Models
from cuemem.turns import cut_turns
from cuemem.types import (
    Conversation,
    Interval,
    Matrix,
    MemoryUnit,
    Query,
    QueryParse,
    Session,
    Triple,
    Utterance,
)

TARGETS = {3_000: 3.0, 20_000: 10.0, 100_000: 50.0}
QUERIES = 40
METHOD = QGMem(context_form="turns")
WORDS = 8_000
NAMES = ("Ada", "Ben")


class Vectors:
    """An encoder that has every vector already: facts and attributes by text, so that only recall is timed."""

    name = "made up"

    def __init__(self) -> None:
        self.held: dict[str, Any] = {}

    def add(self, texts: Sequence[str], rows: Matrix) -> Matrix:
        self.held.update(zip(texts, rows, strict=True))
        return rows

    def encode(self, texts: Sequence[str]) -> Matrix:
        return np.stack([self.held[text] for text in texts]) if texts else np.empty((0, 384), np.float32)


class Parses:
    """The parse of each question."""

    name = "made up"

    def __init__(self, parses: Mapping[str, QueryParse]) -> None:
        self.parses = parses

    def parse(self, query: Query) -> QueryParse | None:
        return self.parses[query.text]


def made_up(size: int) -> tuple[UnitMemory, list[Query], Parses, Vectors]:
    """Units of twelve words by Zipf's law, four entities each: a speaker and three of as many as there are units."""
    draw = np.random.default_rng(size)
    weights = 1 / np.arange(1, WORDS + 1)
    words = draw.choice(WORDS, (size, 12), p=weights / weights.sum())
    start = datetime(2024, 1, 1)
    lines = tuple(
        Utterance(f"D{i // 30 + 1}:{i}", i // 30 + 1, NAMES[i % 2], " ".join(f"w{w}" for w in words[i, :9]), start)
        for i in range(size)
    )
    topics = np.minimum(draw.zipf(1.3, (size, 3)), size)
    units = tuple(
        MemoryUnit(
            i,
            f"u{i}",
            line.utterance_id,
            line.utterance_id,
            " ".join(f"w{w}" for w in words[i]),
            Triple(line.speaker, "does", f"w{words[i, 0]}"),
            (line.speaker, *(f"topic {topic}" for topic in topics[i])),
            (),
            (Interval(day := f"{start + timedelta(days=i % 700):%Y-%m-%d}", day),) if i % 4 == 0 else (),
            start + timedelta(days=i % 700),
        )
        for i, line in enumerate(lines)
    )
    sessions = tuple(Session(number, start) for number in range(1, size // 30 + 2))
    conversation = Conversation("bench/0", "bench", "bench", sessions, lines)
    encoder = Vectors()
    facts = vectors(size)
    texts = list(dict.fromkeys(text for unit in units for text in unit.entities))
    encoder.add(texts, vectors(len(texts), seed=2))
    queries, parses = [], {}
    noise = vectors(QUERIES, seed=9)
    for at in range(QUERIES):
        unit = units[at * 53 % size]
        text = f"{at} when did " + " ".join(unit.fact_text.split()[:5])
        near = facts[unit.index] + 0.7 * noise[at]
        encoder.add([text], (near / np.linalg.norm(near))[None, :].astype(np.float32))
        queries.append(Query(text))
        month = f"{start + timedelta(days=30 * (at % 20)):%Y-%m}"
        parses[text] = QueryParse(unit.entities[:3], (), (Interval(month, month, "month"),) if at % 3 == 0 else ())
    parser = Parses(parses)
    models = Models(encoder, FixedTokenizer(), {}, {}, parsers={"imported": parser})  # type: ignore[arg-type]
    attributes = EventAttributes.of(units, encoder)
    index = UnitIndex(conversation, cut_turns(conversation), units, facts, attributes, ())
    return UnitMemory(conversation, METHOD, index, models), queries, parser, encoder


def reference(memory: UnitMemory, query: Query, parser: Parses, encoder: Vectors, sample: int) -> None:
    """The same over ``sample`` units, as the definitions have it."""
    units = memory.units[:sample]
    documents = [f"{unit.fact_text} {memory.index.evidence(unit.index)}".lower().split() for unit in units]
    counts = [Counter(document) for document in documents]
    mean = sum(map(len, documents)) / len(documents)
    asked = query.text.lower().split()
    held = {word: sum(word in count for count in counts) for word in asked}
    vector = encoder.held[query.text]
    parse = parser.parse(query)
    assert parse is not None
    constraints = [encoder.held[text] for text in parse.entities]
    lexical, dense, attributes = [], [], []
    for unit, count, document in zip(units, counts, documents, strict=True):
        score = 0.0
        for word in asked:
            if count[word]:
                idf = math.log(1 + (sample - held[word] + 0.5) / (held[word] + 0.5))
                score += idf * count[word] / (count[word] + 1.5 * (0.25 + 0.75 * len(document) / mean))
        lexical.append(score)
        dense.append(float(memory.index.facts[unit.index] @ vector))
        best = [max(float(encoder.held[text] @ wanted) for text in unit.entities) for wanted in constraints]
        attributes.append(sum(it for it in best if it >= 0.6) / len(best))
    fused: dict[int, float] = {}
    for scores in (lexical, dense, attributes):
        for rank, unit_at in enumerate(sorted(range(sample), key=lambda at: -scores[at])[:100], 1):
            fused[unit_at] = fused.get(unit_at, 0.0) + 1 / (60 + rank)
    sorted(fused, key=lambda at: -fused[at])


def spent(run: Callable[[], object]) -> float:
    """The seconds of processor time that this thread takes for a run."""
    started = thread_time()
    run()
    return thread_time() - started


def measure(size: int) -> tuple[str, ...]:
    """One row of the table."""
    memory, queries, parser, encoder = made_up(size)
    sample = min(size, SIZES[0])
    with threadpool_limits(1):
        memory.recall(queries[0], METHOD)  # the first call indexes the words, which later ones share
        mine = [spent(partial(memory.recall, query, METHOD)) for query in queries[1:]]
        plain = [
            spent(partial(reference, memory, query, parser, encoder, sample)) * size / sample for query in queries[:3]
        ]
    (p50, p95), (slow, _) = percentiles(mine), percentiles(plain)
    times = (f"{p50 * 1e3:.2f}", f"{p95 * 1e3:.2f}", f"{TARGETS[size]:.0f}", f"{slow * 1e3:,.0f}")
    return (f"{size:,}", *times, f"{slow / p50:,.0f}×")


def main() -> None:
    show(
        "QGMem: recall without the encoder and without a language model (one core)",
        ("units", "p50 ms", "p95 ms", "target ms", "plain loops ms", "ratio"),
        [measure(size) for size in SIZES],
    )


if __name__ == "__main__":
    main()
