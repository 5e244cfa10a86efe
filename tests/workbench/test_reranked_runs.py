"""Runs whose contexts a chat model reranks: what it is asked is told, counted and capped, or it is not asked."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from cuemem.adapters.store import Store
from cuemem.errors import BadSetting, Stopped
from cuemem.methods import QGMem
from cuemem.prompts import Prompts
from cuemem.types import ChatRequest, Question
from cuemem.workbench import Workbench
from cuemem.workbench.models import ModelSettings
from cuemem.workbench.runs import Caps, Contender, Plan, begin, go, listed, opened, prepare
from cuemem.workbench.runs.batches import run_batch
from cuemem.workbench.runs.estimate import estimate
from cuemem.workbench.runs.going import spent_now
from tests.adapters.store_samples import Loaded, load, sha
from tests.fakes import ScriptedChat, talk
from tests.unit_files import write_units
from tests.workbench.test_runs import opened_bench

NAME = "test/model"
KEY = f"{sha('file')[:16]}/0"
POOL = 3


class Clock:
    """The time as the method and the reranker see it."""

    now = 0.0

    def __call__(self) -> float:
        return self.now


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[Workbench]:
    with Store.open(tmp_path / "store.duckdb") as store:
        made = opened_bench(store)
        questions = (
            Question(0, "Who said word 1?", "Ben", "single-hop", 4),
            Question(1, "What?", "it", "multi-hop", 1),
        )
        load(store, [Loaded(replace(talk(5, 3), conversation_id=KEY), questions)])
        write_units(tmp_path, store.conversation(KEY), store.questions(KEY))
        made.build(KEY, QGMem(), tmp_path)
        yield made


@pytest.fixture
def chat(monkeypatch: pytest.MonkeyPatch) -> ScriptedChat:
    made = ScriptedChat(NAME, reply)
    monkeypatch.setattr("cuemem.workbench.models.plain_chat", lambda _settings: made)
    monkeypatch.setenv("CUEMEM_MODEL", NAME)
    return made


def reply(request: ChatRequest) -> str:
    if request.prompt.name == "qgmem_rerank":
        return f'{{"relevance": {len(request.messages[-1].text) % 11}}}'
    return "word" if request.schema is None else '{"judgment": "correct", "reason": "so"}'


def models(_role: str, name: str) -> ModelSettings:
    return ModelSettings(name)


def reranked(bench: Workbench, by: str = "chat", **more: Any) -> str:
    contender = Contender("qgmem", {"reranker": by, "pool": POOL})
    (run_id,) = begin(bench, Plan([contender], [KEY], **{"answering": ModelSettings(NAME)} | more))
    return run_id


def told(bench: Workbench, run_id: str) -> Any:
    return estimate(bench.store, [opened(bench.store, run_id)], models)


def test_what_reranking_asks_is_told_capped_and_counted(bench: Workbench, chat: ScriptedChat) -> None:
    run_id = reranked(bench, judging=ModelSettings(NAME))
    prepare(bench, [run_id])
    before = told(bench, run_id)
    assert chat.log == []
    assert (before.marks, before.answers, before.verdicts, before.calls) == (2 * POOL, 2, 2, 2 * POOL + 4)
    assert before.tokens_in > 0
    with pytest.raises(Stopped, match="cap of 2 calls"):
        go(bench, [run_id], models, Prompts(), Caps(calls=2))
    assert len(chat.log) == 2
    with pytest.raises(BadSetting, match="price of test/model is not known"):
        go(bench, [run_id], models, Prompts(), Caps(cost=1.0))
    with pytest.raises(Stopped, match="cap of 3 calls"):
        go(bench, [run_id], models, Prompts(), Caps(calls=3))
    assert len(chat.log) == 5
    assert (listed(bench.store)[0].rows, told(bench, run_id).marks) == (1, POOL)  # what was found is kept
    go(bench, [run_id], models)
    assert listed(bench.store)[0].state == "done"
    assert Counter(it.prompt.name for it in chat.log)["qgmem_rerank"] == 2 * POOL
    assert max(Counter(it.key(NAME) for it in chat.log).values()) == 1
    spent = spent_now([run_id])
    assert spent is not None
    assert 5 + spent.calls == len(chat.log) == bench.store.spent().requests <= before.calls
    assert told(bench, run_id).calls == 0


def test_a_run_that_must_not_ask_refuses_until_the_marks_are_kept(bench: Workbench, chat: ScriptedChat) -> None:
    run_id, alone = reranked(bench), reranked(bench, answering=None)
    with pytest.raises(BadSetting, match=f"Let the run ask.*--resume {run_id}.*or use reranker=cross-encoder"):
        go(bench, [run_id], ask=False)
    for refuses in (lambda: prepare(bench, [alone]), lambda: go(bench, [alone], models)):
        with pytest.raises(
            BadSetting, match=r"is of retrieval alone, so none is asked\. Run the same questions once"
        ):
            refuses()
    assert reranked(bench, waits=True) == run_id
    with pytest.raises(BadSetting, match="waits for batch files"):
        prepare(bench, [run_id])
    with pytest.raises(BadSetting, match="waits for batch files"):
        run_batch(bench, run_id, "answers", Prompts())
    assert chat.log == []
    assert not opened(bench.store, run_id).rows

    assert reranked(bench) == run_id
    go(bench, [run_id], models)
    asked = len(chat.log)
    go(bench, [alone])
    judged = reranked(bench, judging=ModelSettings(NAME), waits=True)
    assert run_batch(bench, judged, "judging", Prompts()).lines == 2
    assert [len(opened(bench.store, it).rows) for it in (alone, judged)] == [2, 2]
    assert len(chat.log) == asked


def test_reconstruction_takes_as_long_as_reranking_did_when_it_was_done(
    bench: Workbench, chat: ScriptedChat, monkeypatch: pytest.MonkeyPatch
) -> None:
    clock = Clock()

    class Slow:
        def predict(self, pairs: Any, **_more: Any) -> list[float]:
            clock.now += 100.0
            return [float(len(document)) for _, document in pairs]

    monkeypatch.setattr("cuemem.methods.qgmem.activation.perf_counter", clock)
    monkeypatch.setattr("cuemem.adapters.rerank._load", lambda _name: Slow())
    monkeypatch.setenv("CUEMEM_RERANKER", "slow")
    run_id = reranked(bench, "cross-encoder")
    prepare(bench, [run_id])
    go(opened_bench(bench.store), [run_id], models)  # as another process would, which finds the scores kept
    rows = opened(bench.store, run_id).rows
    assert clock.now == 200.0
    assert [row.reranking_seconds for row in rows] == [100.0, 100.0]
    assert all(row.reconstruction_seconds and row.reconstruction_seconds >= 100.0 for row in rows)
