"""The real program in a process of its own: exit codes, clean JSON, a store that is held, kill -9, Ctrl-C."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path

import pytest

from cuemem.adapters.store import Store
from tests.commands.conftest import CUES, DATA, ROOT, Cli

PROGRAM = [sys.executable, "-m", "cuemem"]


@pytest.fixture(autouse=True)
def heeds_ctrl_c() -> None:
    """A program started from here inherits this; pytest may have been started in the background of a shell."""
    signal.signal(signal.SIGINT, signal.default_int_handler)


def start(store: Path, *words: object) -> subprocess.Popen[str]:
    return subprocess.Popen(
        [*PROGRAM, "--store", str(store), *map(str, words)],
        cwd=ROOT,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
    )


def run(store: Path, *words: object) -> tuple[int, str, str]:
    with start(store, *words) as process:
        out, err = process.communicate(timeout=100)
    return process.returncode, out, err


def stop(process: subprocess.Popen[str], number: int, ready: Callable[[], bool]) -> str:
    """Wait until the process has said that it begins and then until ``ready``; send the signal; what it says then."""
    assert process.stderr is not None
    said = process.stderr.readline()
    assert said.endswith("…\n"), said
    until = time.monotonic() + 100
    while not ready() and process.poll() is None and time.monotonic() < until:
        time.sleep(0.005)
    process.send_signal(number)
    return process.communicate(timeout=60)[1]


def test_exit_codes_and_one_json_document(built: Path, tmp_path: Path) -> None:
    code, out, err = run(built, "--json", "trace", "lakeside", 0, "--cues", "imported")
    assert code == 0
    assert json.loads(out)["evidence_recall"] == 1.0
    assert err == ""
    assert run(built, "trace", "lakeside", "zero")[0] == 2
    bad = tmp_path / "bad.json"
    bad.write_text('[{"qa": ]', encoding="utf-8")
    code, out, err = run(tmp_path / "new.duckdb", "load", bad, "--json")
    assert code == 1
    assert json.loads(out) == {"error": err.splitlines()[-1]}
    assert "bad.json" in err
    assert "Traceback" not in err


def test_a_store_that_is_held_is_refused_and_its_holder_named(built: Path, tmp_path: Path) -> None:
    path = tmp_path / "held.duckdb"
    with Store.open(path):
        code, out, err = run(path, "list")
    assert (code, out) == (3, "")
    assert str(os.getpid()) in err
    assert "in use by" in err
    assert len(err.splitlines()) == 1


def test_a_newer_store_is_refused(built: Path, tmp_path: Path) -> None:
    path = tmp_path / "newer.duckdb"
    with Store.open(path) as store, store.writing() as cursor:
        cursor.execute("UPDATE meta SET value = '999' WHERE key = 'schema_version'")
    code, _, err = run(path, "list")
    assert code == 3
    assert "999" in err


def test_output_into_a_closed_pipe_and_onto_a_poor_terminal_ends_quietly(built: Path) -> None:
    words = f"{sys.executable} -m cuemem --store {built} trace lakeside 0 --cues imported"
    for command in (f"{words} | head -1", f"{words} --json | head -1", f"PYTHONIOENCODING=ascii {words}"):
        done = subprocess.run(["bash", "-c", command], cwd=ROOT, capture_output=True, text=True, check=False)
        assert "Traceback" not in done.stderr
        assert "Error" not in done.stderr
        assert done.stdout


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
def test_a_load_that_is_stopped_leaves_all_or_nothing(empty: Cli, tmp_path: Path, number: int, delay: float) -> None:
    file = tmp_path / "many.json"
    (sample,) = json.loads((DATA / "locomo_sample.json").read_text(encoding="utf-8"))
    file.write_text(json.dumps([sample | {"sample_id": f"many-{place}"} for place in range(30)]), encoding="utf-8")
    with start(empty.store, "load", file) as process:
        err = stop(process, number, soon(delay))
    there = len(empty("--json", "list").document["conversations"])
    assert there in (0, 30)
    if process.returncode == 130:
        kept = "Loaded and kept: many.json." if there else "Nothing was kept of many.json; load again."
        assert err == f"Interrupted. {kept}\n"
    else:
        assert process.returncode in (-signal.SIGKILL, 0)  # 0: it was quicker than the signal
    assert empty("--json", "load", file).document["files"][0]["added"] == 30 - there


def test_a_build_that_is_stopped_goes_on_where_it_was(empty: Cli) -> None:
    """Once by Ctrl-C before the first vector, then by kill -9 between two batches of vectors."""

    def rows() -> dict[str, int]:
        counts: dict[str, int] = empty("--json", "info").document["info"]["rows"]
        return counts

    empty("load", DATA / "locomo_sample.json")
    words = ("build", "lakeside", "--cue-dir", CUES)
    with start(empty.store, *words) as process:
        err = stop(process, signal.SIGINT, grown(empty.store, 1))
    assert process.returncode == 130
    assert "What was computed for lakeside is kept too: the same command goes on from there." in err
    assert "Traceback" not in err
    assert rows()["memories"] == 0
    with start(empty.store, *words) as process:
        err = stop(process, signal.SIGKILL, grown(empty.store, 256 * 4 * 384))
    assert process.returncode == -signal.SIGKILL
    assert err == ""  # no progress bar of a library's either
    kept = rows()
    assert (kept["memories"], kept["cues"], kept["vectors"]) == (0, 340, 256)
    (built,) = empty("--json", *words).document["built"]
    assert built["memory"]["cue_count"] == 340
    assert rows()["memories"] == 1
