"""The background work of the app, done by real jobs over a real store."""

from __future__ import annotations

import io
import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any, cast

import pytest

from cuemem.adapters.store import Store
from cuemem.adapters.tokens import FixedTokenizer
from cuemem.datasets.own_chat import EXAMPLE
from cuemem.datasets.published import PublishedFile
from cuemem.jobs import Job, Jobs
from cuemem.methods import CueMem
from cuemem.workbench import LoadReport, Workbench, incoming
from cuemem.workbench.samples import sample_to_open
from cuemem.workbench.tasks import (
    Built,
    Fetched,
    TaskKind,
    build_details,
    download_details,
    downloads,
    files_of,
    load_details,
    tasks,
)
from tests.adapters.file_server import Manners, serving
from tests.fakes import HashEmbedder


@pytest.fixture
def bench(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Workbench]:
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))
    with Store.open(tmp_path / "store.duckdb") as store:
        yield Workbench(store, cast("Any", HashEmbedder(dimensions=16, steps=5)), FixedTokenizer())


def done(bench: Workbench, kind: TaskKind, details: dict[str, Any]) -> Job:
    """The job at its end. Its details have passed through JSON, as over a restart."""
    jobs = Jobs(bench.store, tasks(bench))
    ended = jobs.wait(jobs.start(kind, "test", json.loads(json.dumps(details))), 60)
    jobs.close()
    return ended


def received(bench: Workbench, text: str, name: str) -> Path:
    return incoming.receive(bench.store, io.BytesIO(text.encode()), name)


def test_an_upload_is_loaded_under_its_name_and_then_gone(bench: Workbench) -> None:
    path = received(bench, EXAMPLE, "my chat.jsonl")
    job = done(bench, "load", load_details(path))
    assert job.state == "done", job.message
    assert isinstance(job.result, LoadReport)
    assert (job.result.name, job.result.dataset, job.result.added) == ("my chat.jsonl", "chat", 1)
    assert job.result.categories == {"own question": 1}
    assert not path.exists()
    assert files_of([job]) == {path}


def test_a_refused_upload_says_why_and_is_gone(bench: Workbench) -> None:
    path = received(bench, "no JSON", "notes.json")
    job = done(bench, "load", load_details(path))
    assert job.state == "failed"
    assert "notes.json" in job.message
    assert not path.exists()


def test_a_build_tells_what_was_wrong_with_its_cues(bench: Workbench) -> None:
    report = done(bench, "load", load_details(received(bench, EXAMPLE, "cats.jsonl"))).result
    lines = ['{"turn_id": "D1:1", "cues": [["Ann", "adopted", "a cat"]]}', '{"turn_id": "D9:9", "cues": ["x"]}']
    cues = received(bench, "\n".join(lines), "whatever it is called.jsonl")
    method = CueMem(cue_source="imported", turn_unit="exchange")
    job = done(bench, "build", build_details(report.conversations[0], method, cues))
    assert job.state == "done", job.message
    assert isinstance(job.result, Built)
    assert (job.result.memory.cue_count, job.result.memory.turn_unit) == (1, "exchange")
    assert [it.kind for it in job.result.problems] == ["cue turn unknown"]
    assert not cues.exists()


def test_after_a_build_the_questions_need_no_model(bench: Workbench) -> None:
    report = done(bench, "load", load_details(received(bench, EXAMPLE, "cats.jsonl"))).result
    done(bench, "build", build_details(report.conversations[0], CueMem(), None))
    (question,) = bench.store.questions(report.conversations[0])
    assert bench.store.vectors("hashes", [question.text]).present.all()


def test_a_download_is_checked_loaded_and_kept(bench: Workbench) -> None:
    with serving(Manners(content=EXAMPLE.encode())) as address:
        job = done(bench, "download", download_details(f"{address}/cats.jsonl"))
        assert job.state == "done", job.message
        assert isinstance(job.result, Fetched)
        assert (job.result.download.checked, job.result.report.name) == (False, "cats.jsonl")
        assert job.result.download.path.is_relative_to(downloads())
        known = PublishedFile("cats.jsonl", "Cats", "chat", f"{address}/x", "MIT", len(EXAMPLE), "0" * 64)
        job = done(bench, "download", download_details(known.address, known))
    assert job.state == "failed"
    assert "is not the expected file" in job.message


def test_the_sample_is_there_to_look_at_once_it_is_built(bench: Workbench) -> None:
    assert sample_to_open(bench) is None
    job = done(bench, "sample", {})
    assert job.state == "done", job.message
    assert job.what == "questions" or job.what.startswith("memory 11 of 11")
    key = sample_to_open(bench)
    assert key == bench.store.resolve("lakeside")
    assert [(it.method, it.cue_source) for it in bench.store.memories(key)] == [
        ("cuemem", "imported"),
        ("qgmem", "imported"),
        ("cuemem", "sentences"),
        ("qgmem", "llm"),
    ]
    assert len(bench.store.memories()) == 11
