"""Processes to be killed, quickly made: one process has imported everything and copies itself for each command.

Run by its own interpreter, it reads JSON lines ``{"words": […], "env": {…}, "errors": "file"}``; for each it forks,
prints the child's process id and, at the child's end, its exit status.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
import traceback
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from pathlib import Path
from typing import IO, NoReturn

import numpy as np

from cuemem.types import Matrix

ROOT = Path(__file__).parents[2]


class Nursery:
    """``with Nursery() as nursery: pid = nursery.start(words, env); nursery.end(pid, signal.SIGKILL)``."""

    def __enter__(self) -> Nursery:
        self._process = subprocess.Popen(
            [sys.executable, str(Path(__file__))],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            text=True,
            cwd=ROOT,
            env=os.environ | {"PYTHONPATH": str(ROOT)},
        )
        assert self._process.stdin is not None
        assert self._process.stdout is not None
        self._to: IO[str] = self._process.stdin
        self._from: IO[str] = self._process.stdout
        return self

    def __exit__(self, *_exception: object) -> None:
        self._to.close()
        self._process.wait(30)
        self._from.close()

    def start(self, words: Sequence[object], env: Mapping[str, str], errors: Path | None = None) -> int:
        """Begin a command, its standard error into a file; its process id."""
        said = {"words": [str(word) for word in words], "env": dict(env), "errors": str(errors or os.devnull)}
        self._to.write(json.dumps(said) + "\n")
        self._to.flush()
        return int(self._from.readline())

    def end(self, pid: int, number: int) -> int:
        """Send it a signal, unless it has ended; what it ended with."""
        with suppress(ProcessLookupError):
            os.kill(pid, number)
        return int(self._from.readline())


class _SlowModel:
    """Stands for the embedding model, which takes seconds to load: as wide, and slow enough to be met at work."""

    name = "all-MiniLM-L6-v2"
    ready = True

    def __init__(self, _name: str = name) -> None:
        pass

    def warm_up(self) -> None:
        pass

    def encode(self, texts: Sequence[str]) -> Matrix:
        if len(texts) > 1:
            time.sleep(0.5)
        rows = np.stack([np.random.default_rng(list(text.encode())).normal(size=384) for text in texts])
        return np.asarray(rows / np.linalg.norm(rows, axis=1, keepdims=True), np.float32)


def _serve() -> None:
    os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"
    import litellm  # noqa: F401
    import nltk.stem.porter  # noqa: F401

    import cuemem.workbench.workbench as workbench
    from cuemem.commands import app

    workbench.SentenceEmbedder = _SlowModel  # type: ignore[assignment, misc]
    for line in sys.stdin:
        said = json.loads(line)
        pid = os.fork()
        if pid == 0:
            _run(app, **said)
        sys.stdout.write(f"{pid}\n")
        sys.stdout.flush()
        _, status = os.waitpid(pid, 0)
        sys.stdout.write(f"{os.waitstatus_to_exitcode(status)}\n")
        sys.stdout.flush()


def _run(app: Callable[[list[str]], object], words: list[str], env: dict[str, str], errors: str) -> NoReturn:
    """The command in the copy. Ctrl-C is heeded, though pytest may run in the background of a shell."""
    signal.signal(signal.SIGINT, signal.default_int_handler)
    os.environ.update(env)
    os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
    os.dup2(os.open(errors, os.O_WRONLY | os.O_CREAT), 2)
    code: object = 1
    try:
        app(words)
    except SystemExit as exit_:
        code = exit_.code
    finally:  # whatever was raised, the copy must end here
        if sys.exc_info()[1]:
            traceback.print_exc()
        sys.stderr.flush()
        os._exit(code if isinstance(code, int) else 1)


if __name__ == "__main__":
    _serve()
