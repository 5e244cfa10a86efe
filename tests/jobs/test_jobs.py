"""Background work over a real store: progress, order, cancelling, failures, and what a restart leaves."""

from __future__ import annotations

import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import pytest

from cuemem.adapters.store import Store
from cuemem.errors import BadInput, UnknownName
from cuemem.jobs import Job, Jobs
from cuemem.jobs.runs import Run
from cuemem.ports import Progress

ROOT = Path(__file__).parents[2]


class Stage:
    """Tasks that go step by step as the test allows."""

    def __init__(self) -> None:
        self.permits = threading.Semaphore(0)
        self.log: list[str] = []
        self.fault: BaseException | None = None

    def steps(self, details: Mapping[str, Any], progress: Progress) -> str:
        name = details["name"]
        self.log.append(f"begin {name}")
        for done in range(details.get("from", 0), 4):
            progress("steps", done, 4)
            assert self.permits.acquire(timeout=20)
            if self.fault is not None:
                raise self.fault
        progress("steps", 4, 4)
        self.log.append(f"end {name}")
        return f"made {name}"

    def allow(self, steps: int) -> None:
        for _ in range(steps):
            self.permits.release()


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store.open(tmp_path / "store.duckdb") as opened:
        yield opened


@pytest.fixture
def stage() -> Stage:
    return Stage()


@pytest.fixture
def jobs(store: Store, stage: Stage) -> Iterator[Jobs]:
    made = Jobs(store, {"build": stage.steps, "load": stage.steps})
    yield made
    stage.allow(100)
    made.close()


def until(holds: Callable[[], object]) -> None:
    deadline = time.monotonic() + 20
    while not holds():
        assert time.monotonic() < deadline
        time.sleep(0.005)


def running(jobs: Jobs, job_id: str, done: int = 0) -> Job:
    until(lambda: (job := jobs.job(job_id)).state == "running" and (job.done, job.total) == (done, 4))
    return jobs.job(job_id)


def ended(jobs: Jobs, job_id: str) -> Job:
    job = jobs.wait(job_id, 20)
    assert not job.active
    return job


def kept(store: Store, jobs: Jobs) -> dict[str, str]:
    assert jobs._recorder.flush(20)
    return {record.job_id: record.state for record in store.jobs()}


def test_a_job_from_start_to_end(jobs: Jobs, stage: Stage, store: Store) -> None:
    job_id = jobs.start("build", "Build of x", {"name": "x"})
    first = running(jobs, job_id)
    assert (first.kind, first.title, first.details) == ("build", "Build of x", {"name": "x"})
    assert (first.what, first.done, first.total, first.result, first.message) == ("steps", 0, 4, None, "")
    assert first.started_at is not None
    assert first.created_at <= first.started_at
    stage.allow(3)
    assert running(jobs, job_id, 3).ended_at is None
    assert kept(store, jobs) == {job_id: "running"}
    stage.allow(1)
    last = ended(jobs, job_id)
    assert (last.state, last.done, last.result, last.seconds_left) == ("done", 4, "made x", None)
    assert last.ended_at is not None
    assert kept(store, jobs) == {job_id: "done"}
    with pytest.raises(BadInput, match="is done"):
        jobs.resume(job_id)


def test_one_of_a_kind_at_a_time_and_kinds_beside_each_other(jobs: Jobs, stage: Stage) -> None:
    one, two = (jobs.start("build", name, {"name": name}) for name in ("one", "two"))
    other = jobs.start("load", "three", {"name": "three", "from": 4})
    assert ended(jobs, other).state == "done"
    assert (running(jobs, one).state, jobs.job(two).state) == ("running", "queued")
    assert [job.title for job in jobs.jobs()] == ["three", "two", "one"]
    assert [job.title for job in jobs.jobs("build")] == ["two", "one"]
    stage.allow(8)
    assert ended(jobs, two).state == "done"
    assert [line for line in stage.log if "three" not in line] == ["begin one", "end one", "begin two", "end two"]


def test_starting_the_same_twice_is_starting_it_once(jobs: Jobs, stage: Stage) -> None:
    one = jobs.start("build", "one", {"name": "one"})
    assert jobs.start("build", "one", {"name": "one"}) == one
    jobs.cancel(one)
    assert jobs.start("build", "one", {"name": "one"}) != one  # the first is about to stop
    assert len(jobs.jobs()) == 2


def test_cancelling_what_runs_and_what_waits_and_taking_it_up_again(jobs: Jobs, stage: Stage, store: Store) -> None:
    one, two = (jobs.start("build", name, {"name": name}) for name in ("one", "two"))
    running(jobs, one)
    jobs.cancel(two)
    assert jobs.job(two).state == "cancelled"
    jobs.cancel(one)
    assert jobs.job(one).cancelling
    with pytest.raises(BadInput, match="Wait for its end"):
        jobs.resume(one)
    stage.allow(1)
    stopped = ended(jobs, one)
    assert (stopped.state, stopped.cancelling, stopped.done, stopped.message) == ("cancelled", False, 0, "")
    jobs.cancel(one)
    assert kept(store, jobs) == {one: "cancelled", two: "cancelled"}
    jobs.resume(two)
    jobs.resume(two)
    stage.allow(4)
    assert ended(jobs, two).result == "made two"
    assert stage.log == ["begin one", "begin two", "end two"]


def test_a_fault_that_the_user_can_act_on_is_the_jobs_message(jobs: Jobs, stage: Stage, store: Store) -> None:
    stage.fault = BadInput("The file is empty. Choose another.")
    job_id = jobs.start("build", "one", {"name": "one"})
    stage.allow(1)
    job = ended(jobs, job_id)
    assert (job.state, job.message, job.resumable) == ("failed", "The file is empty. Choose another.", True)
    stage.fault = None
    jobs.resume(job_id)
    assert running(jobs, job_id).message == ""
    stage.allow(4)
    assert ended(jobs, job_id).state == "done"


def test_a_fault_of_the_program_reaches_the_log_and_the_next_job_runs(
    jobs: Jobs, stage: Stage, monkeypatch: pytest.MonkeyPatch
) -> None:
    logged: list[type[BaseException] | None] = []
    monkeypatch.setattr(threading, "excepthook", lambda args: logged.append(args.exc_type))
    stage.fault = KeyError("nothing")
    one, two = (jobs.start("build", name, {"name": name}) for name in ("one", "two"))
    stage.allow(1)
    job = ended(jobs, one)
    assert job.state == "failed"
    assert job.message == "The program itself failed (KeyError: 'nothing'). The app's log says where; report it."
    stage.fault = None
    stage.allow(4)
    assert ended(jobs, two).state == "done"
    until(lambda: logged == [KeyError])


def test_an_ended_job_can_be_forgotten(jobs: Jobs, stage: Stage, store: Store) -> None:
    one = jobs.start("build", "one", {"name": "one"})
    with pytest.raises(BadInput, match="Cancel it first"):
        jobs.forget(one)
    stage.allow(4)
    ended(jobs, one)
    jobs.forget(one)
    assert (jobs.jobs(), kept(store, jobs)) == ((), {})
    for use in (jobs.job, jobs.cancel, jobs.forget, jobs.resume):
        with pytest.raises(UnknownName, match="There is no job"):
            use(one)
    with pytest.raises(UnknownName, match="there are build, load"):
        jobs.start("cook", "one", {})
    with pytest.raises(TypeError):
        jobs.start("build", "one", {"path": Path("/a")})
    assert jobs.jobs() == ()


def test_closing_interrupts_what_runs_and_waits(store: Store, stage: Stage) -> None:
    jobs = Jobs(store, {"build": stage.steps})
    one, two = (jobs.start("build", name, {"name": name}) for name in ("one", "two"))
    running(jobs, one)
    closing = threading.Thread(target=jobs.close)
    closing.start()
    until(lambda: jobs.job(one).cancelling)
    stage.allow(1)
    closing.join()
    assert kept(store, jobs) == {one: "interrupted", two: "interrupted"}
    again = Jobs(store, {"build": stage.steps})
    assert [(job.title, job.state, job.resumable) for job in again.jobs()] == [
        ("two", "interrupted", True),
        ("one", "interrupted", True),
    ]
    again.resume(one)
    stage.allow(4)
    assert ended(again, one).result == "made one"
    assert stage.log == ["begin one", "begin one", "end one"]
    again.close()


def test_only_the_newest_ended_jobs_stay(store: Store, stage: Stage) -> None:
    jobs = Jobs(store, {"build": stage.steps})
    ids = [jobs.start("build", f"{n}", {"name": f"{n}", "from": 4}) for n in range(5)]
    ended(jobs, ids[-1])
    jobs.close()
    again = Jobs(store, {"build": stage.steps}, keep=2)
    assert [job.title for job in again.jobs()] == ["4", "3"]
    again.close()
    assert set(kept(store, again)) == set(ids[3:])


def test_no_page_waits_for_the_stores_writer(jobs: Jobs, stage: Stage, store: Store) -> None:
    """A load holds the store's one writer for a minute; starting, looking and cancelling must not feel it."""
    held, let_go = threading.Event(), threading.Event()

    def hold() -> None:
        with store.writing():
            held.set()
            assert let_go.wait(20)

    writer = threading.Thread(target=hold)
    writer.start()
    assert held.wait(20)
    began = time.monotonic()
    one, two = (jobs.start("build", name, {"name": name}) for name in ("one", "two"))
    jobs.cancel(two)
    stage.allow(4)
    assert ended(jobs, one).state == "done"
    jobs.forget(two)
    assert time.monotonic() - began < 5
    assert store.jobs() == ()
    let_go.set()
    writer.join()
    assert kept(store, jobs) == {one: "done"}


def test_a_store_that_cannot_keep_records_does_not_stop_the_work(
    tmp_path: Path, stage: Stage, caplog: pytest.LogCaptureFixture
) -> None:
    store = Store.open(tmp_path / "closed.duckdb")
    jobs = Jobs(store, {"build": stage.steps})
    store.close()
    job_id = jobs.start("build", "one", {"name": "one"})
    stage.allow(4)
    assert ended(jobs, job_id).state == "done"
    jobs.close()
    assert "was not kept: The store" in caplog.text


def test_time_left_is_by_the_pace_of_the_step(monkeypatch: pytest.MonkeyPatch, jobs: Jobs, stage: Stage) -> None:
    clock = [100.0]
    monkeypatch.setattr("cuemem.jobs.runs.time.monotonic", lambda: clock[0])
    record = running(jobs, jobs.start("build", "one", {"name": "one"}))
    run = Run(record)

    def at(seconds: float, what: str, done: int, total: int) -> float | None:
        clock[0] = 100.0 + seconds
        run.report(what, done, total)
        return run.snapshot().seconds_left

    assert at(0, "download", 500, 1000) is None  # taken up in the middle: that half says nothing of the pace
    assert at(0.1, "download", 510, 1000) is None  # too early to say
    assert at(10, "download", 600, 1000) == 40  # 100 in 10 s, 400 to go
    clock[0] += 15
    assert run.snapshot().seconds_left == 25
    clock[0] += 100
    assert run.snapshot().seconds_left == 0
    assert at(200, "unpack", 1, 3) is None
    assert at(210, "unpack", 2, 3) == 10
    assert at(220, "endless", 1, 0) is None
    assert at(230, "endless", 2, 0) is None


KILLED = """
import sys, time
from cuemem.adapters.store import Store
from cuemem.jobs import Jobs

def steps(details, progress):
    for done in range(1000):
        progress("steps", done, 1000)
        if done == 3:
            assert jobs._recorder.flush(20)
            print("going", flush=True)
        time.sleep(0.01 if done < 3 else 100)

jobs = Jobs(Store.open(sys.argv[1]), {"build": steps})
jobs.start("build", "Build of x", {"name": "x"})
jobs.start("build", "Build of y", {"name": "y"})
time.sleep(100)
"""


def test_kill_9_leaves_jobs_that_can_be_taken_up(tmp_path: Path, stage: Stage) -> None:
    path = tmp_path / "killed.duckdb"
    process = subprocess.Popen([sys.executable, "-c", KILLED, str(path)], cwd=ROOT, stdout=subprocess.PIPE)
    assert process.stdout is not None
    with process:
        assert process.stdout.readline() == b"going\n"
        process.kill()
    with Store.open(path) as store:
        jobs = Jobs(store, {"build": stage.steps})
        assert [(job.title, job.state, job.details) for job in jobs.jobs()] == [
            ("Build of y", "interrupted", {"name": "y"}),
            ("Build of x", "interrupted", {"name": "x"}),
        ]
        jobs.resume(jobs.jobs()[1].job_id)
        stage.allow(4)
        assert ended(jobs, jobs.jobs()[1].job_id).result == "made x"
        jobs.close()
