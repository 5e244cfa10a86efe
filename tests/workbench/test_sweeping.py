"""Sweeps from the store: all at once, or setting by setting with nothing done twice."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from cuemem.errors import BadInput, Cancelled
from cuemem.workbench import Workbench
from cuemem.workbench.sweeping import (
    Member,
    axes_of,
    measure,
    rendered_tokens,
    stored,
    sweep_details,
    sweep_task,
    swept,
)

AXES = {"window": (0, 2), "neighbours": (1,), "top_cues": (10,)}


@pytest.fixture
def bench(
    sample_store: Path, tmp_path: Path, real_embedder: Any, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Workbench]:
    monkeypatch.setattr("cuemem.workbench.workbench.SentenceEmbedder", lambda _name: real_embedder)
    opened = Workbench.open(shutil.copy(sample_store, tmp_path / "own.duckdb"))
    yield opened
    opened.store.close()


@pytest.fixture
def members(bench: Workbench) -> list[Member]:
    lakeside = bench.store.resolve("lakeside")
    return [Member(lakeside, bench.pick(lakeside, "cuemem", "imported"))]


def test_setting_by_setting_is_what_all_at_once_gives_and_is_resumed(bench: Workbench, members: list[Member]) -> None:
    def stop_after_ten(_what: str, done: int, _total: int) -> None:
        if done == 10:
            raise Cancelled("stopped")

    assert stored(bench, members, AXES, None) is None
    with pytest.raises(Cancelled):
        measure(bench, members, AXES, None, stop_after_ten)
    (run,) = bench.store.runs()
    assert (run.kind, run.results) == ("sweep", 10)
    assert stored(bench, members, AXES, None) is None
    counts: list[int] = []
    sweep_task(bench, sweep_details(members, AXES, None), lambda _what, done, _total: counts.append(done))
    assert counts == list(range(10, 51))
    plain, whole = stored(bench, members, AXES, None), swept(bench, members)
    assert plain is not None
    assert whole is not None
    assert plain.rendered
    for place in range(plain.size):
        here = whole.at(plain.setting(place))
        assert np.array_equal(plain.found[:, place], here.found[:, 0])
        assert np.array_equal(plain.turns[:, place], here.turns[:, 0])
    assert rendered_tokens(bench, members, plain.setting(1)) == plain.tokens[:, 1].tolist()
    assert axes_of(bench, members) == ("window", "neighbours", "top_cues")


def test_what_has_no_gold_cannot_be_swept(bench: Workbench) -> None:
    abstaining = next(it for it in bench.store.conversations() if "abs" in it.sample_id)
    (record,) = bench.store.memories(abstaining.conversation_id) or (None,)
    method = bench.pick(bench.store.resolve("lakeside"), "cuemem", "imported")
    assert record is None
    with pytest.raises(BadInput, match="nothing counts"):
        swept(bench, [Member(abstaining.conversation_id, method)])
