"""Files as the user gives them: plain or gzipped, named by their content, streamed, every fault a sentence."""

from __future__ import annotations

import codecs
import gzip
import hashlib
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from io import BufferedIOBase
from pathlib import Path

from cuemem.adapters.json_items import Item, Placed, json_items, placed_items
from cuemem.errors import BadInput

_CHUNK = 1 << 20  # bytes
_GZIP = b"\x1f\x8b"
_MAX_LINE = 16 << 20  # characters
_NOT_TEXT = (
    (codecs.BOM_UTF16_LE, "UTF-16 text. Save it as UTF-8."),
    (codecs.BOM_UTF16_BE, "UTF-16 text. Save it as UTF-8."),
    (b"PK\x03\x04", "a zip archive. Unpack it first."),
    (b"\x28\xb5\x2f\xfd", "compressed by zstd. Unpack it first, or use gzip."),
    (b"\xfd7zXZ", "compressed by xz. Unpack it first, or use gzip."),
    (b"BZh", "compressed by bzip2. Unpack it first, or use gzip."),
    (b"PAR1", "a Parquet table. It has to be JSON."),
)


@dataclass(frozen=True, slots=True)
class SourceFile:
    """A readable file and its identity.

    ``sha256`` and ``size`` are those of the content, decompressed: a gzipped copy of a loaded file is the same
    file and loading it changes nothing, and the published checksums of the datasets hold for both.
    ``name`` is the file's name for people, which an uploaded file keeps while its bytes lie elsewhere.
    """

    path: Path
    name: str
    sha256: str
    size: int
    gzipped: bool

    @property
    def stem(self) -> str:
        """The name without its endings: ``conv-26`` for ``conv-26.json.gz``."""
        name = self.name
        for ending in (".gz", ".json", ".jsonl"):
            if name.lower().endswith(ending) and len(name) > len(ending):
                name = name[: -len(ending)]
        return name

    def items(self) -> Iterator[Item]:
        """The top-level items of the JSON in it, one at a time; errors as in :func:`json_items`."""
        return json_items(_text_chunks(self.path, self.name), self.name)

    def placed_items(self) -> Iterator[Placed]:
        """The same items with their places."""
        return placed_items(_text_chunks(self.path, self.name), self.name)

    def lines(self) -> Iterator[str]:
        """The lines of the text in it, without their ends. A file that has no lines is a :class:`BadInput`."""
        rest = ""
        for chunk in _text_chunks(self.path, self.name):
            *whole, rest = (rest + chunk).split("\n")
            yield from (line.removesuffix("\r") for line in whole)
            if len(rest) > _MAX_LINE:
                raise BadInput(f"{self.name} has a line longer than {_MAX_LINE:,} characters. Choose a JSONL file.")
        if rest:
            yield rest


def open_source(path: str | Path, name: str | None = None) -> SourceFile:
    """Identify a file, plain or gzipped by its first bytes, whatever its ending. Reads it once, as a stream.

    Raises :class:`BadInput` when there is no such file, it cannot be read, or its compression is damaged.
    """
    path = Path(path)
    name = name or path.name
    digest, size = hashlib.sha256(), 0
    with _opened(path, name) as (stream, gzipped):
        while block := stream.read(_CHUNK):
            digest.update(block)
            size += len(block)
    if size == 0:
        raise BadInput(f"{name} is empty. Choose another file, or download it again.")
    return SourceFile(path, name, digest.hexdigest(), size, gzipped)


@contextmanager
def _opened(path: Path, name: str) -> Iterator[tuple[BufferedIOBase, bool]]:
    """The decompressed bytes of a file, every fault of the disk or of gzip as a :class:`BadInput`."""
    try:
        if path.is_dir():
            raise BadInput(f"{path} is a folder. Name a file in it.")
        if path.exists() and not path.is_file():
            raise BadInput(f"{path} is not a regular file. Copy what it gives into a file.")
        with path.open("rb") as raw:
            gzipped = raw.read(2) == _GZIP
            raw.seek(0)
            yield (gzip.GzipFile(fileobj=raw) if gzipped else raw), gzipped
    except FileNotFoundError as error:
        raise BadInput(f"There is no file {path}. Check the path.") from error
    except PermissionError as error:
        raise BadInput(f"{path} may not be read by this user. Change its permissions, or copy it.") from error
    except EOFError as error:
        raise BadInput(f"{name} is a gzip file that ends too early: download or copy it again.") from error
    except (gzip.BadGzipFile, zlib.error) as error:
        raise BadInput(f"{name} is a damaged gzip file ({error}): download or copy it again.") from error
    except OSError as error:
        raise BadInput(f"{path} cannot be read: {error.strerror or error}. Copy it to a local disk.") from error


def _text_chunks(path: Path, name: str) -> Iterator[str]:
    """The text of a file in pieces, a byte order mark left out."""
    decoder = codecs.getincrementaldecoder("utf-8-sig")()
    done = 0
    with _opened(path, name) as (stream, _):
        while True:
            block = stream.read(_CHUNK)
            if done == 0:
                _check_is_text(block, name)
            done += len(block)
            try:
                yield decoder.decode(block, final=not block)
            except UnicodeDecodeError as error:
                place = done - len(error.object) + error.start
                raise BadInput(
                    f"{name} is not UTF-8 text: byte {place:,} is 0x{error.object[error.start]:02x}. "
                    "Save it as UTF-8, or download it again."
                ) from error
            if not block:
                return


def _check_is_text(start: bytes, name: str) -> None:
    for beginning, what in _NOT_TEXT:
        if start.startswith(beginning):
            raise BadInput(f"{name} is {what}")
