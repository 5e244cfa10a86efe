"""Agreement with an independent implementation of QGMem's channels, on the given units, under the plain counter.

By default the lexical row, which needs no embedding; ``CUEMEM_ORACLE=all`` compares every row. Without stems.
"""

from __future__ import annotations

import os
from pathlib import Path
from typing import Any

import pytest

from cuemem.adapters.store import Store
from cuemem.adapters.tokens import FixedTokenizer
from cuemem.evaluation.metrics import gold_of, score, scored_apart
from cuemem.evaluation.plain_budget import plain_cost, recall_within
from cuemem.knobs import with_settings
from cuemem.methods import QGMem
from cuemem.workbench import Workbench, load_file
from tests.fakes import HashEmbedder
from tests.shared_data import shared

BUDGETS = (500, 1000, 2000)
# recall at 500, 1,000 and 2,000 tokens, R@10 of units; 430 questions of conv-26, -30 and -42
PUBLISHED = {
    ("lexical",): (0.690, 0.736, 0.798, 0.694),
    ("dense",): (0.725, 0.800, 0.870, 0.741),
    ("attributes",): (0.681, 0.759, 0.829, 0.704),
    ("lexical", "dense"): (0.732, 0.793, 0.863, 0.749),
    ("lexical", "dense", "attributes"): (0.759, 0.833, 0.875, 0.777),
}
ALL = os.environ.get("CUEMEM_ORACLE") == "all"


@pytest.mark.timeout(900)
def test_every_row_agrees_within_a_hundredth(tmp_path: Path, request: pytest.FixtureRequest) -> None:
    folder = shared("data/locomo/qgmem")
    embedder: Any = request.getfixturevalue("real_embedder") if ALL else HashEmbedder()
    rows = {channels: [0.0] * 4 for channels in (PUBLISHED if ALL else [("lexical",)])}
    questions = 0
    with Store.open(tmp_path / "store.duckdb") as store:
        bench = Workbench(store, embedder, FixedTokenizer())
        load_file(store, shared("data/locomo/locomo10.json"))
        for sample in ("conv-26", "conv-30", "conv-42"):
            key = store.resolve(sample)
            bench.build(key, QGMem(), folder)
            memory = bench.memory(key, QGMem())
            bench.embedder.hold([question.text for question in store.questions(key)])
            costs = {turn.turn_id: plain_cost(turn) for turn in memory.turns}
            for question in store.questions(key):
                gold = gold_of(question, memory.turns).turns
                if not gold or scored_apart(question):
                    continue
                questions += 1
                for channels, sums in rows.items():
                    on = {name: name in channels for name in ("lexical", "dense", "attributes")}
                    parses = "imported" if "attributes" in channels else "none"  # whose words would be embedded
                    method = with_settings(QGMem(context_form="turns", stems=False, parses=parses), on)
                    recall = memory.recall(question.query, method)
                    values = recall_within(recall.ranking, gold, costs, BUDGETS)
                    values.append(score(gold, recall.context.turn_ids).recall or 0.0)
                    sums[:] = [held + value for held, value in zip(sums, values, strict=True)]
    assert questions == 430
    for channels, sums in rows.items():
        assert [value / questions for value in sums] == pytest.approx(PUBLISHED[channels], abs=0.01), channels
