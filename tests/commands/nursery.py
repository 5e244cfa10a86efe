"""Processes to be killed, quickly made: one process has imported everything and copies itself for each command.

Run by its own interpreter, it reads JSON lines ``{"words": […], "env": {…}}``; for each it forks, prints the child's
process id and, at the child's end, its exit status.
"""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import IO

ROOT = Path(__file__).parents[2]


class Nursery:
    """``with Nursery() as nursery: nursery.start(words, env); nursery.kill()``."""

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

    def start(self, words: Sequence[object], env: Mapping[str, str]) -> int:
        """Begin a command; its process id."""
        self._to.write(json.dumps({"words": [str(word) for word in words], "env": dict(env)}) + "\n")
        self._to.flush()
        return int(self._from.readline())

    def kill(self, pid: int) -> int:
        """End it by kill -9, and return what it ended with."""
        os.kill(pid, signal.SIGKILL)
        return int(self._from.readline())


class _NoModel:
    """Stands for the embedding model where every vector is in the store; it is only timed."""

    name = "all-MiniLM-L6-v2"
    ready = True

    def __init__(self, _name: str = name) -> None:
        pass

    def warm_up(self) -> None:
        pass

    def encode(self, texts: Sequence[str]) -> list[list[float]]:
        return [[0.0] for _ in texts]


def _serve() -> None:
    os.environ["LITELLM_LOCAL_MODEL_COST_MAP"] = "True"
    import litellm  # noqa: F401
    import nltk.stem.porter  # noqa: F401

    import cuemem.workbench.workbench as workbench
    from cuemem.commands import app

    workbench.SentenceEmbedder = _NoModel  # type: ignore[assignment, misc]
    for line in sys.stdin:
        said = json.loads(line)
        pid = os.fork()
        if pid == 0:
            os.environ.update(said["env"])
            os.dup2(os.open(os.devnull, os.O_WRONLY), 1)
            app(said["words"])
            os._exit(0)
        sys.stdout.write(f"{pid}\n")
        sys.stdout.flush()
        _, status = os.waitpid(pid, 0)
        sys.stdout.write(f"{os.waitstatus_to_exitcode(status)}\n")
        sys.stdout.flush()


if __name__ == "__main__":
    _serve()
