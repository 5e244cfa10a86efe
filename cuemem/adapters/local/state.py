"""What a running server tells about itself, in a small file beside the model, so that any process can find it.

The file counts only while the server holds its lock. The system lets go of a lock when its process ends, so a
server that was killed is never taken for a running one.
"""

from __future__ import annotations

import json
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Self

from filelock import FileLock, Timeout

ALREADY_SERVED = 75  # exit code of a server that found its model served by another process


@dataclass(frozen=True, slots=True)
class ServerState:
    """One run of the server. ``run`` is the name that its starter gave to it."""

    run: str
    pid: int
    address: str
    context: int

    def write(self, folder: Path, name: str) -> None:
        """Put it beside the model, whole."""
        path = _path(folder, name)
        draft = path.with_suffix(".part")
        draft.write_text(json.dumps(asdict(self)), encoding="utf-8")
        draft.replace(path)

    @classmethod
    def read(cls, folder: Path, name: str) -> Self | None:
        """The state of the server that holds the lock now; None where none does, or is not ready yet."""
        if not held(folder, name):
            return None
        try:
            return cls(**json.loads(_path(folder, name).read_text(encoding="utf-8")))
        except FileNotFoundError:
            return None

    @staticmethod
    def remove(folder: Path, name: str) -> None:
        """Take the file away."""
        _path(folder, name).unlink(missing_ok=True)


def lock_path(folder: Path, name: str) -> Path:
    """The lock that a server holds for as long as it lives."""
    return folder / f".{name}.serving"


def held(folder: Path, name: str) -> bool:
    """Whether a server of this model lives, ready or not."""
    path = lock_path(folder, name)
    if not path.exists():
        return False
    lock = FileLock(path)
    try:
        lock.acquire(timeout=0)
    except Timeout:
        return True
    lock.release()
    return False


def log_path(folder: Path, name: str) -> Path:
    """The messages of the server's last run."""
    return folder / f"{name}.log"


def _path(folder: Path, name: str) -> Path:
    return folder / f".{name}.server.json"
