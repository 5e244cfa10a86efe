"""The whole recall of QGMem against a plain re-computation that reads section III off its definitions."""

from __future__ import annotations

import math
import re
from typing import Any

import numpy as np
from bm25s.stopwords import STOPWORDS_EN
from hypothesis import given, settings
from hypothesis import strategies as st
from Stemmer import Stemmer

from cuemem.knobs import with_settings
from cuemem.methods import QGMem
from cuemem.types import Conversation, Interval, MemoryUnit, Query, spoken
from tests.fakes import GivenParses, HashEmbedder, models
from tests.strategies import CueTable, conversations, queries

Ranks = dict[int, int]


def words(text: str, stems: bool) -> list[str]:
    found = [word for word in re.findall(r"\b\w\w+\b", text.lower()) if word not in STOPWORDS_EN]
    return Stemmer("english").stemWords(found) if stems else found


def bm25(documents: list[list[str]], query: list[str]) -> list[float]:
    mean = sum(map(len, documents)) / max(1, len(documents))
    scores = []
    for document in documents:
        score = 0.0
        for word in query:
            held = sum(word in other for other in documents)
            count = document.count(word)
            if count:
                idf = math.log(1 + (len(documents) - held + 0.5) / (held + 0.5))
                score += idf * count / (count + 1.5 * (0.25 + 0.75 * len(document) / mean))
        scores.append(score)
    return scores


def overlap(one: Interval, other: Interval) -> bool:
    return one.first <= other.last and other.first <= one.last


def s_elt(unit: MemoryUnit, query: Query, threshold: float, cosine: Any) -> float:
    parse = GivenParses().parse(query)
    assert parse is not None
    axes = []
    for wanted, held in ((parse.entities, unit.entities), (parse.locations, unit.locations)):
        if wanted:
            best = [max((cosine(one, other) for other in held), default=0.0) for one in wanted]
            axes.append(sum(it for it in best if it >= threshold) / len(wanted))
    if parse.fact or parse.utterance:
        axes.append(float(any(overlap(one, other) for one in parse.fact for other in unit.fact_time)))
    return sum(axes) / len(axes) if axes else 0.0


def ranked(scores: list[float], count: int) -> list[int]:
    order = sorted(range(len(scores)), key=lambda unit: (-round(scores[unit], 6), unit))
    return [unit for unit in order if round(scores[unit], 6) > 0][:count]


def expected(method: QGMem, conversation: Conversation, units: tuple[MemoryUnit, ...], query: Query) -> list[int]:
    """The pool in its final order, without a reranker."""
    embedder = HashEmbedder()

    def cosine(one: str, other: str) -> float:
        left, right = embedder.encode([one, other]).astype(np.float64)
        return round(float(left @ right), 6)

    place = {it.utterance_id: at for at, it in enumerate(conversation.utterances)}
    lists = []
    if method.lexical:
        evidence = [
            "\n".join(map(spoken, conversation.utterances[place[it.start_turn] : place[it.end_turn] + 1]))
            for it in units
        ]
        documents = [words(f"{it.fact_text} {text}", method.stems) for it, text in zip(units, evidence, strict=True)]
        lists.append(ranked(bm25(documents, words(query.text, method.stems)), method.pool))
    if method.dense:
        lists.append(ranked([cosine(it.fact_text, query.text) for it in units], method.pool))
    if method.attributes and method.parses != "none" and GivenParses().parse(query) is not None:
        threshold = method.entity_threshold / 100
        lists.append(ranked([s_elt(it, query, threshold, cosine) for it in units], method.pool))
    shares: dict[int, list[float]] = {}
    for found in lists:
        for rank, unit in enumerate(found, 1):
            shares.setdefault(unit, []).append(1 / (method.rrf_constant + rank))
    fused = {unit: round(math.fsum(parts), 12) for unit, parts in shares.items()}
    return sorted(fused, key=lambda unit: (-fused[unit], unit))[: method.pool]


@settings(max_examples=60, deadline=None)
@given(
    talk=conversations(),
    text=queries,
    pool=st.integers(1, 12),
    constant=st.sampled_from([1, 60]),
    threshold=st.sampled_from([0, 60, 100]),
    toggles=st.tuples(*[st.booleans()] * 4),
)
def test_recall_is_what_the_definitions_say(
    talk: tuple[Conversation, CueTable], text: str, pool: int, constant: int, threshold: int, toggles: Any
) -> None:
    conversation, cues = talk
    on = dict(zip(("lexical", "dense", "attributes", "stems"), toggles, strict=True))
    knobs = {"pool": pool, "rrf_constant": constant, "entity_threshold": threshold, "working_memory": 5, **on}
    method = with_settings(QGMem(unit_source="given", context_form="turns"), knobs)
    memory = method.build(conversation, models(cues))
    query = Query(text)
    order = expected(method, conversation, memory.units, query)
    recall = memory.recall(query, method)
    fusion = next(stage for stage in recall.trace if stage.name == "fusion")
    assert [item.label for item in fusion.items] == [memory.units[unit].fact_text for unit in order]
    place = {it.utterance_id: at for at, it in enumerate(conversation.utterances)}
    turns = {
        at
        for unit in order[:5]
        for at in range(place[memory.units[unit].start_turn], place[memory.units[unit].end_turn] + 1)
    }
    assert [memory.turns[at].turn_id for at in sorted(turns)] == list(recall.context.turn_ids)
