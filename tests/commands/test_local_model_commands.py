"""``python -m cuemem model``, with a stand-in for the engine."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path

import pytest

from cuemem.adapters.local import engine, model_named
from cuemem.commands import app

ROOT = Path(__file__).parents[2]
STUB = ROOT / "tests" / "adapters" / "stub_engine"
NAME = "qwen2.5-coder-0.5b"


@pytest.fixture
def environment(tmp_path: Path) -> dict[str, str]:
    return os.environ | {"CUEMEM_MODELS": str(tmp_path), "PYTHONPATH": str(STUB), "COLUMNS": "120"}


def put_in_place(folder: Path) -> None:
    """A file of the right size that takes no room; the stand-in loads anything."""
    with (folder / model_named(NAME).file).open("wb") as file:
        file.truncate(model_named(NAME).size)


@dataclass
class Ran:
    code: object
    out: str
    err: str


@pytest.fixture
def run(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Callable[..., Ran]:
    """Runs a command in this process."""
    monkeypatch.setenv("CUEMEM_MODELS", str(tmp_path))
    monkeypatch.setenv("COLUMNS", "120")
    monkeypatch.setattr(engine, "engine_installed", lambda: True)

    def command(*words: str) -> Ran:
        with pytest.raises(SystemExit) as ended:
            app(["model", *words])
        return Ran(ended.value.code, *capsys.readouterr())

    return command


def test_a_server_is_started_listed_and_stopped(
    run: Callable[..., Ran], environment: dict[str, str], tmp_path: Path
) -> None:
    put_in_place(tmp_path)
    command = [sys.executable, "-m", "cuemem", "model", "start", NAME, "--context", "2048", "--json"]
    with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=ROOT, env=environment) as server:
        try:
            assert server.stdout is not None
            text = ""
            while not text.endswith("}\n"):
                text += server.stdout.readline()
            told = json.loads(text)
            assert (told["model"], told["context"], told["name"]) == ("openai/local", 2048, NAME)
            listed = json.loads(run("list", "--json").out)
            assert [it["served"] and it["served"]["api_base"] for it in listed["models"]] == [None, told["address"]]
            assert [it["here"] for it in listed["models"]] == [False, True]
            assert run("stop", NAME).out.strip() == f"The server of {NAME} was stopped."
            assert server.wait(20) == 0
        finally:
            server.kill()
    assert run("stop", NAME).out.strip() == f"{NAME} is not served."


def test_an_interruption_stops_the_server_in_good_order(
    run: Callable[..., Ran], environment: dict[str, str], tmp_path: Path
) -> None:
    put_in_place(tmp_path)
    command = [sys.executable, "-m", "cuemem", "model", "start", NAME]
    with subprocess.Popen(
        command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, cwd=ROOT, env=environment
    ) as server:
        try:
            assert server.stdout is not None
            assert server.stderr is not None
            assert server.stdout.readline().startswith("address  http://127.0.0.1:")
            while "Ctrl-C" not in server.stderr.readline():
                pass
            server.send_signal(signal.SIGINT)
            assert server.wait(20) == 0
            assert "Stopped." in server.stderr.read()
        finally:
            server.kill()
    assert not json.loads(run("stop", NAME, "--json").out)["stopped"]


def test_removing_asks_first(run: Callable[..., Ran], tmp_path: Path) -> None:
    put_in_place(tmp_path)
    refused = run("remove", NAME, "--json")
    assert refused.code == 1
    assert "say --yes" in json.loads(refused.out)["error"]
    assert model_named(NAME).present(tmp_path)
    assert run("remove", NAME, "--yes").out.strip() == "Freed 491.4 MB."
    assert run("remove", NAME, "--yes").out.strip() == f"{NAME} was not here."


def test_what_is_missing_is_said_with_its_remedy(run: Callable[..., Ran], tmp_path: Path) -> None:
    started = run("start")
    assert started.code == 1
    assert "Pull it: python -m cuemem model pull qwen2.5-coder-1.5b" in started.err
    pulled = run("pull", "--from", str(tmp_path / "nothing.gguf"))
    assert pulled.code == 1
    assert "There is no file" in pulled.err
    assert "no local model 'gpt'" in run("pull", "gpt").err
