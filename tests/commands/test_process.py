"""The real program in a process of its own: exit codes, clean JSON, a store that is held, a closed pipe."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from pathlib import Path

from cuemem.adapters.store import Store
from tests.commands.conftest import ROOT, Cli

PROGRAM = [sys.executable, "-m", "cuemem"]


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


def test_exit_codes_and_one_json_document(built: Path, tmp_path: Path) -> None:
    code, out, err = run(built, "--json", "trace", "lakeside", 0, "--cues", "imported")
    assert code == 0
    assert json.loads(out)["evidence_recall"] == 1.0
    assert err == ""
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


def test_a_newer_store_is_refused(empty: Cli) -> None:
    with Store.open(empty.store) as store, store.writing() as cursor:
        cursor.execute("UPDATE meta SET value = '999' WHERE key = 'schema_version'")
    assert "999" in empty("list", code=3).err


def test_output_into_a_closed_pipe_and_onto_a_poor_terminal_ends_quietly(built: Path) -> None:
    words = f"{sys.executable} -m cuemem --store {built} trace lakeside 0 --cues imported"
    for command in (f"{words} | head -1", f"{words} --json | head -1", f"PYTHONIOENCODING=ascii {words}"):
        done = subprocess.run(["bash", "-c", command], cwd=ROOT, capture_output=True, text=True, check=False)
        assert "Traceback" not in done.stderr
        assert "Error" not in done.stderr
        assert done.stdout
