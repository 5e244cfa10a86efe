"""A real build as a job: interrupted by a restart, it goes on from what was committed."""

from __future__ import annotations

import threading
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, cast

from cuemem import knobs
from cuemem.adapters.store import MemoryRecord, Store
from cuemem.adapters.tokens import FixedTokenizer
from cuemem.jobs import Jobs, Task
from cuemem.methods import CueMem, method_named
from cuemem.ports import Progress
from cuemem.types import Matrix
from cuemem.workbench import Workbench, load_file
from tests.fakes import HashEmbedder

DATA = Path(__file__).parents[2] / "data"


class Paused(HashEmbedder):
    """Encodes so many batches and then waits to be let on."""

    def __init__(self, batches: int) -> None:
        super().__init__(dimensions=16, steps=5)
        self.left = batches
        self.paused, self.go_on = threading.Event(), threading.Event()
        self.texts = 0

    def encode(self, texts: Sequence[str]) -> Matrix:
        if self.left == 0:
            self.paused.set()
            assert self.go_on.wait(20)
        self.left -= 1
        self.texts += len(texts)
        return super().encode(texts)


def build_task(workbench: Workbench) -> Task:
    def build(details: Mapping[str, Any], progress: Progress) -> MemoryRecord:
        method = knobs.with_settings(method_named(details["method"]), details["settings"])
        return workbench.build(details["conversation_id"], method, progress=progress)

    return build


def opened(path: Path, model: Paused) -> Workbench:
    return Workbench(Store.open(path), cast("Any", model), FixedTokenizer())


def test_an_interrupted_build_goes_on_where_it_was(tmp_path: Path) -> None:
    path, model = tmp_path / "store.duckdb", Paused(batches=1)
    bench = opened(path, model)
    load_file(bench.store, DATA / "locomo_sample.json")
    key = bench.store.resolve("lakeside")
    details = {"conversation_id": key, "method": "cuemem", "settings": knobs.settings(CueMem(), "build")}
    jobs = Jobs(bench.store, {"build": build_task(bench)})
    job_id = jobs.start("build", "Build of locomo/lakeside from sentences", details)
    assert model.paused.wait(20)
    running = jobs.job(job_id)
    assert (running.state, running.what, running.done) == ("running", "embedding", 256)
    assert running.total > 256
    closing = threading.Thread(target=jobs.close)
    closing.start()
    while not jobs.job(job_id).cancelling:
        time.sleep(0.005)
    model.go_on.set()
    closing.join()
    assert jobs.job(job_id).state == "interrupted"
    assert bench.store.memories() == ()  # no half memory is listed
    bench.store.close()

    again = Paused(batches=-1)
    bench = opened(path, again)
    jobs = Jobs(bench.store, {"build": build_task(bench)})
    (left,) = jobs.jobs("build")
    assert (left.title, left.state, left.resumable) == (
        "Build of locomo/lakeside from sentences",
        "interrupted",
        True,
    )
    jobs.resume(left.job_id)
    done = jobs.wait(left.job_id, 20)
    assert done.state == "done"
    assert bench.store.memories() == (done.result,)
    assert again.texts == running.total - model.texts  # only what had not been committed
    jobs.close()
    bench.store.close()
