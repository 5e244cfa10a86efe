"""Commands that are stopped by kill -9 or Ctrl-C: what was done is kept whole, and the same command goes on."""

from __future__ import annotations

import json
import operator
import os
import signal
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest

from cuemem.adapters.store import Store
from cuemem.workbench.runs import opened
from tests.commands.conftest import CUES, DATA, Cli
from tests.commands.nursery import Nursery
from tests.openai_server import Act, OpenAIServer, Request

pytestmark = pytest.mark.skipif(not hasattr(os, "fork"), reason="makes its processes by fork")


@pytest.fixture(scope="module")
def nursery() -> Iterator[Nursery]:
    with Nursery() as nursery:
        yield nursery


def until(ready: Callable[[], bool]) -> None:
    deadline = time.monotonic() + 60
    while not ready():
        assert time.monotonic() < deadline
        time.sleep(0.005)


def stopped(
    nursery: Nursery, store: Path, words: tuple[object, ...], number: int, ready: Callable[[], bool]
) -> tuple[int, str]:
    """A command that is sent a signal once it says that it begins and is ``ready``: how it ended, its words."""
    errors = store.parent.with_name(f"{time.monotonic_ns()}.errors")
    pid = nursery.start(["--store", store, *words], {}, errors)
    try:
        until(lambda: errors.exists() and "…\n" in errors.read_text(encoding="utf-8"))
        until(ready)
    finally:
        code = nursery.end(pid, number)
    return code, errors.read_text(encoding="utf-8").partition("…\n")[2]


def soon(delay: float) -> Callable[[], bool]:
    """Ready after so many seconds."""
    end = time.monotonic() + delay
    return lambda: time.monotonic() > end


def grown(store: Path, by: int) -> Callable[[], bool]:
    """Ready once the store and its log have grown by that many bytes."""
    files = (store, store.with_name(store.name + ".wal"))

    def size() -> int:
        return sum(file.stat().st_size for file in files if file.exists())

    before = size()
    return lambda: size() >= before + by


@pytest.mark.parametrize("number", [signal.SIGKILL, signal.SIGINT])
@pytest.mark.parametrize("delay", [0.05, 0.4])
def test_a_load_that_is_stopped_leaves_all_or_nothing(
    nursery: Nursery, empty: Cli, tmp_path: Path, number: int, delay: float
) -> None:
    file = tmp_path / "many.json"
    (sample,) = json.loads((DATA / "locomo_sample.json").read_text(encoding="utf-8"))
    file.write_text(json.dumps([sample | {"sample_id": f"many-{place}"} for place in range(30)]), encoding="utf-8")
    code, said = stopped(nursery, empty.store, ("load", file), number, soon(delay))
    there = len(empty("--json", "list").document["conversations"])
    assert there in (0, 30)
    if code == 130:
        kept = "Loaded and kept: many.json." if there else "Nothing was kept of many.json; load again."
        assert said == f"Interrupted. {kept}\n"
    else:
        assert code in (-signal.SIGKILL, 0)  # 0: it was quicker than the signal
    assert empty("--json", "load", file).document["files"][0]["added"] == 30 - there


def test_a_build_that_is_stopped_goes_on_where_it_was(nursery: Nursery, empty: Cli) -> None:
    """Once by Ctrl-C before the first vector, then by kill -9 between two batches of vectors."""

    def rows() -> dict[str, int]:
        counts: dict[str, int] = empty("--json", "info").document["info"]["rows"]
        return counts

    empty("load", DATA / "locomo_sample.json")
    words = ("build", "lakeside", "--cue-dir", CUES)
    code, said = stopped(nursery, empty.store, words, signal.SIGINT, grown(empty.store, 1))
    assert code == 130
    assert "What was computed for lakeside is kept too: the same command goes on from there." in said
    assert "Traceback" not in said
    assert rows()["memories"] == 0
    code, said = stopped(nursery, empty.store, words, signal.SIGKILL, grown(empty.store, 256 * 4 * 384))
    assert code == -signal.SIGKILL
    assert said == ""  # no progress bar of a library's either
    kept = rows()
    assert (kept["memories"], kept["cues"], kept["vectors"]) == (0, 340, 256)
    document: Any = empty("--json", *words).document
    assert document["built"][0]["memory"]["cue_count"] == 340
    assert rows()["memories"] == 1


def reply(request: Request) -> str:
    """Right or wrong by the size of the prompt, so that methods differ; the same to the same request."""
    if "judgment" in request.prompt:
        right = "correct" if "yes" in request.texts[-1] else "incorrect"
        return f'{{"judgment": "{right}", "reason": "Because."}}'
    return "yes, here" if len(request.prompt) % 5 else "no, there"


def test_an_evaluation_that_is_killed_twice_asks_nothing_twice_and_loses_nothing(
    nursery: Nursery, cli: Cli, monkeypatch: pytest.MonkeyPatch
) -> None:
    """40 questions by three methods and from the gold turns, 3 calls at once.

    By kill -9 while answers, and while verdicts are under way.
    """
    answered: Counter[str] = Counter()
    killed = threading.Event()
    stop_at = 0

    def respond(request: Request) -> str | Act:
        if stop_at and len(server.log) > stop_at:
            killed.wait(60)
            return Act(drop="before")
        answered[request.prompt] += 1
        return reply(request)

    methods = [word for name in ("cuemem", "naive_rag", "full_history", "oracle") for word in ("--method", name)]
    words = ["evaluate", "lakeside", "--cues", "imported", "--limit", 40, *methods, "--concurrency", 3, "--yes"]
    with OpenAIServer(respond) as server:
        env = {"CUEMEM_MODEL": "openai/test", "CUEMEM_API_BASE": server.base, "CUEMEM_API_KEY": "secret"}
        for name, value in env.items():
            monkeypatch.setenv(name, value)
        for more in (8, 22):  # in the answers of the first run; in the verdicts of it, or in the answers of the next
            stop_at = len(server.log) + more
            pid = nursery.start(["--store", cli.store, *words], env)
            try:
                until(lambda: server.working == 3 and len(server.log) > stop_at)  # noqa: B023 - called here only
            finally:
                code = nursery.end(pid, signal.SIGKILL)
            assert code == -signal.SIGKILL
            killed.set()
            until(lambda: server.working == 0)
            killed.clear()
        stop_at = 0
        runs = cli("--json", *words).document["runs"]
        assert [run["state"] for run in runs] == ["done"] * 4
        assert set(answered.values()) == {1}
        before = len(server.log)
        flips = cli("--json", "compare", runs[0]["run_id"], runs[1]["run_id"]).document["table"][0]["flips"]
        assert len(server.log) == before

    sampled: set[tuple[int, ...]] = set()
    plain: list[list[bool]] = []  # by run and question, whether it came out right, told from the replies alone
    with Store.open(cli.store) as store:
        for run in runs:
            rows = opened(store, run["run_id"]).rows
            sampled.add(tuple(row.question.index for row in rows))
            assert len({row.key for row in rows}) == 40
            assert {row.request_key for row in rows} <= {kept["request_key"] for kept in store.export_replies()}
            assert [row.answer.text for row in rows if row.answer] == [
                "yes, here" if row.verdict and row.verdict.correct else "no, there" for row in rows
            ]
            plain.append([row.answer is not None and row.answer.text == "yes, here" for row in rows])
        headline = [row.question.category_number != 5 for row in rows]
    assert len(sampled) == 1
    asked = Counter("judgment" in prompt for prompt in answered)
    assert asked[False] == 160
    assert asked[True] == sum(len({runs_[place] for runs_ in plain}) for place in range(40))
    for run, right in zip(runs, plain, strict=True):
        line = run["summary"]["everything"][0]
        assert (line["judged"], line["correct"]) == (sum(headline), sum(map(operator.and_, right, headline)))
    pairs = Counter(pair for pair, counts in zip(zip(*plain[:2], strict=True), headline, strict=True) if counts)
    assert [flips[kind] for kind in ("both_right", "fixed", "broken", "both_wrong")] == [
        pairs[pair] for pair in ((True, True), (False, True), (True, False), (False, False))
    ]
