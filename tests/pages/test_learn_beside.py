"""Learn · Beside: a question by both methods, its figures those of the library, and what is missing is said."""

from __future__ import annotations

import shutil
from pathlib import Path
from typing import TYPE_CHECKING

import numpy as np
import pytest

from cuemem.adapters.store import Store
from cuemem.adapters.tokens import FixedTokenizer
from cuemem.evaluation.metrics import gold_of
from cuemem.methods.qgmem.construction import relation_clusters
from cuemem.similarity import nearest_rows
from cuemem.workbench import Workbench
from cuemem.workbench.samples import load_samples
from tests.pages.conftest import OpenPage, shown
from tests.pages.test_learn_page import button, opened, said

if TYPE_CHECKING:
    from cuemem.adapters.embed import SentenceEmbedder


@pytest.fixture(scope="module")
def both_store(sample_store: Path, real_embedder: SentenceEmbedder, tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The sample with both its memories."""
    path = Path(shutil.copy(sample_store, tmp_path_factory.mktemp("both") / "both.duckdb"))
    with Store.open(path) as store:
        bench = Workbench(store, real_embedder, FixedTokenizer())
        plan = load_samples(bench)[1]
        bench.build(plan.conversation_id, plan.method, plan.files)
    return path


def test_one_question_by_every_method(open_page: OpenPage, both_store: Path, real_embedder: SentenceEmbedder) -> None:
    test = opened(open_page, both_store, 9)
    page = said(test)
    with Store.open(both_store) as store:
        bench = Workbench(store, real_embedder, FixedTokenizer())
        key = store.resolve("lakeside")
        question = store.questions(key)[0]
        for name in ("cuemem", "qgmem"):
            method = bench.pick(key, name)
            memory = bench.memory(key, method)
            context = memory.recall(question.query, method).context
            gold = gold_of(question, memory.turns).turns
            count = len(set(gold) & set(context.turn_ids))
            assert f"{len(context.items)} {context.tokens:,} {count} of {len(gold)} gold turns" in page
            why = memory.explain(question.query, method, "D4:4")
            assert why.sentence in page.replace("&#x27;", "'")
            for step in why.steps:
                assert f"{step.title} {'no rank' if step.rank is None else f'{step.rank:,}'} " in page
    assert "Only CueMem" in page
    assert "Brought by all: CueMem and QGMem" in page
    parting = [it for it in test.button if (it.key or "").startswith("learn.parting.")]
    assert parting
    parting[-1].click().run()
    assert not test.exception
    assert f"Question {test.query_params['question']} of" in said(test)
    assert "learn.gold.D4:4" not in {it.key for it in test.button}


def test_a_method_without_a_memory_is_offered(open_page: OpenPage, sample_store: Path) -> None:
    test = opened(open_page, sample_store, 9)
    assert "There is no memory of this conversation by QGMem yet." in said(test)
    assert "What became of one gold turn" not in shown(test)
    assert not [it for it in test.button if (it.key or "").startswith("learn.parting.")]
    assert button(test, "learn.back")


def test_the_written_traces_are_what_the_relation_threshold_finds(
    both_store: Path, real_embedder: SentenceEmbedder
) -> None:
    """data/README.md: each trace of the file is a part of one cluster of similar facts."""
    with Store.open(both_store) as store:
        bench = Workbench(store, real_embedder, FixedTokenizer())
        key = store.resolve("lakeside")
        method = bench.pick(key, "qgmem")
        memory = bench.memory(key, method)
        vectors = bench.embedder.encode([str(unit.triple) for unit in memory.units])  # type: ignore[attr-defined]
        nearest, _ = nearest_rows(vectors, method.trace_neighbours, np.arange(len(vectors)))
        clusters = [set(cluster) for cluster in relation_clusters(nearest, method)]
        assert all(any(set(it.members) <= cluster for cluster in clusters) for it in memory.traces)  # type: ignore[attr-defined]
