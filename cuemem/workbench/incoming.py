"""Files that were handed to the app: kept beside the store while a job needs them, then deleted.

Beside the store and not among the system's temporary files, so that a job can be taken up after a restart.
"""

from __future__ import annotations

import contextlib
import re
import shutil
import tempfile
from collections.abc import Collection, Iterator, Sequence
from pathlib import Path, PurePath
from typing import BinaryIO

from cuemem.adapters.store import Store
from cuemem.errors import BadInput
from cuemem.text import storable

_CHUNK = 1 << 20  # bytes
_LONGEST = 200  # bytes of a name; file systems take 255


def receive(store: Store, stream: BinaryIO, name: str) -> Path:
    """A copy of the stream under its own name, made piece by piece. Raises BadInput where the disk is full."""
    return receive_all(store, [(stream, name)])[0]


def receive_all(store: Store, files: Sequence[tuple[BinaryIO, str]]) -> tuple[Path, ...]:
    """The same for files that belong together: they lie in one folder, and :func:`discard` of one deletes all."""
    folder, name = _folder(store), files[0][1]
    try:
        folder.mkdir(exist_ok=True)
        place = Path(tempfile.mkdtemp(dir=folder))
    except OSError as error:
        raise _no_room(name, error) from error
    paths = []
    for stream, name in files:
        paths.append(place / _plain(name))
        try:
            with paths[-1].open("wb") as copy:
                shutil.copyfileobj(stream, copy, _CHUNK)
        except OSError as error:
            discard(store, paths[-1])
            raise _no_room(name, error) from error
    return tuple(paths)


def _no_room(name: str, error: OSError) -> BadInput:
    return BadInput(f"{name} could not be put beside the store: {error.strerror or error}. Make room there.")


def discard(store: Store, path: Path) -> None:
    """Delete a received file and what came with it; any other path is left alone, and so is one that is gone."""
    folder = _folder(store)
    if path.parent.parent == folder:
        shutil.rmtree(path.parent, ignore_errors=True)
        with contextlib.suppress(OSError):  # others are still in it
            folder.rmdir()


def sweep(store: Store, wanted: Collection[Path]) -> None:
    """Delete what an earlier process received and no job wants any more."""
    kept = {path.parent for path in wanted}
    for path in _folder(store).glob("*/*"):
        if path.parent not in kept:
            discard(store, path)


@contextlib.contextmanager
def used_up(store: Store, path: Path | None) -> Iterator[None]:
    """Delete a received file at the end of its use; keep it where the use was interrupted and can go on."""
    try:
        yield
    except BadInput:  # it would be refused the next time too
        if path is not None:
            discard(store, path)
        raise
    if path is not None:
        discard(store, path)


def _folder(store: Store) -> Path:
    return store.path.with_name(f"{store.path.name}.incoming")


def _plain(name: str) -> str:
    """A name from elsewhere as a plain file name: its last part, its ending kept where the name is long."""
    last = PurePath(storable(name).replace("\\", "/")).name
    last = re.sub(r"[\x00-\x1f/:]", "_", last).strip(". ")
    if len(last.encode()) > _LONGEST:
        last = f"{last[:30]}…{last[-20:]}"
    return last or "file"
