"""The numbers that the lessons tell about the bundled conversation, computed here once more in the plainest way."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from cuemem.adapters.embed import SentenceEmbedder
from cuemem.adapters.store import Store
from cuemem.adapters.tokens import FixedTokenizer
from cuemem.context import render
from cuemem.evaluation.metrics import gold_of
from cuemem.methods import CueMem
from cuemem.methods.cuemem.method import CueMemory
from cuemem.types import Question
from cuemem.ui.learn.limits import SENTENCES, TRIPLES, Measured
from cuemem.workbench import Workbench

TOKENS = FixedTokenizer()


@pytest.fixture
def workbench(own_store: Path, real_embedder: SentenceEmbedder) -> Iterator[Workbench]:
    store = Store.open(own_store)
    yield Workbench(store, real_embedder, TOKENS)
    store.close()


def lakeside(workbench: Workbench, cues: str) -> tuple[CueMemory, tuple[Question, ...]]:
    key = workbench.store.resolve("lakeside")
    method = CueMem(cue_source=cues)
    workbench.build(key, method)
    memory: Any = workbench.memory(key, method)
    return memory, workbench.store.questions(key)


def ranking(memory: CueMemory, text: str) -> list[int]:
    """All cues, best first, by plain products of vectors."""
    query = memory.embedder.encode([text])[0].astype(float)
    return [int(it) for it in np.argsort(-(memory.vectors.astype(float) @ query), kind="stable")]


def reached(memory: CueMemory, ranked: list[int], w: int, k: int, m: int) -> list[int]:
    """Anchors and one hop, word for word as in section 4.3."""
    source = memory.cue_graph.cue_turn.tolist()
    vectors = memory.vectors.astype(float)
    anchors = {source[cue] for cue in ranked[:m]}
    context = set(anchors)
    for turn in range(len(memory.turns)):
        if any(0 < abs(turn - anchor) <= w for anchor in anchors):
            context.add(turn)
    for cue, turn in enumerate(source):
        if turn in anchors and k:
            similar = vectors @ vectors[cue]
            similar[cue] = -2
            context |= {source[other] for other in np.argsort(-similar, kind="stable")[:k]}
    return sorted(context)


def tokens(memory: CueMemory, turns: list[int]) -> int:
    return TOKENS.count(render([(memory.turns[turn], memory.turns[turn].text) for turn in turns]))


def test_the_story(workbench: Workbench) -> None:
    memory, questions = lakeside(workbench, "imported")
    ranked = ranking(memory, questions[0].text)
    places = {turn.turn_id: turn.index for turn in memory.turns}
    quiet, calm = places["D4:4"], places["D2:6"]
    source = memory.cue_graph.cue_turn.tolist()
    assert (len(memory.turns), len(source), len(set(source))) == (226, 340, 140)
    assert [source[cue] for cue in ranked].index(quiet) + 1 == 168
    assert [source[cue] for cue in ranked].index(calm) + 1 == 2
    told = {(2, 1, 10): (39, 1222), (3, 1, 10): (48, 1513), (1, 1, 10): (31, 1099), (2, 0, 10): (33, 980)}
    told |= {(0, 0, 10): (9, 419), (0, 1, 10): (17, 746), (2, 1, 8): (38, 1206), (2, 1, 2): (11, 439)}
    for (w, k, m), (turns, cost) in told.items():
        context = reached(memory, ranked, w, k, m)
        assert (len(context), tokens(memory, context)) == (turns, cost), (w, k, m)
        assert calm in context
        assert (quiet in context) == (k > 0)
    assert quiet not in reached(memory, ranked, 2, 1, 1)
    assert tokens(memory, list(range(226))) == 5811
    fair = reached(memory, ranked, 0, 0, 47)
    assert (len(fair), tokens(memory, fair)) == (30, 1220)
    assert tokens(memory, reached(memory, ranked, 0, 0, 48)) > 1222


@pytest.mark.parametrize(("measured", "fair_m"), [(TRIPLES, 45), (SENTENCES, 60)], ids=["triples", "sentences"])
def test_the_graph_against_more_cues(workbench: Workbench, measured: Measured, fair_m: int) -> None:
    memory, questions = lakeside(workbench, measured.cues)
    found: dict[tuple[int, int, int], list[float]] = {(2, 1, 10): [], (0, 0, fair_m): [], (0, 0, fair_m + 1): []}
    spent: dict[tuple[int, int, int], list[int]] = {setting: [] for setting in found}
    for question in questions:
        gold = gold_of(question, memory.turns).turns
        if question.unanswerable or not gold:
            continue
        ranked = ranking(memory, question.text)
        for setting, shares in found.items():
            context = reached(memory, ranked, *setting)
            shares.append(np.isin(gold, [memory.turns[turn].turn_id for turn in context]).mean())
            spent[setting].append(tokens(memory, context))
    mean = {setting: float(np.mean(shares)) for setting, shares in found.items()}
    cost = {setting: float(np.mean(counts)) for setting, counts in spent.items()}
    assert len(found[2, 1, 10]) == 50
    assert mean[2, 1, 10] == pytest.approx(measured.graph, abs=0.0006)
    assert mean[0, 0, fair_m] == pytest.approx(measured.anchors, abs=0.0006)
    # The page sums tokens turn by turn, here they are counted on the whole text: the same within a few.
    assert cost[0, 0, fair_m] <= cost[2, 1, 10] + 15
    assert fair_m == 60 or cost[0, 0, fair_m + 1] > cost[2, 1, 10] - 15
