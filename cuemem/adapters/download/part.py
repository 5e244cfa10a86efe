"""A file on its way: what has arrived, and of which version on the server it is."""

from __future__ import annotations

import hashlib
import json
from dataclasses import dataclass
from pathlib import Path

import httpx

_CHUNK = 1 << 20  # bytes


@dataclass(slots=True)
class Part:
    """``<name>.part`` with what has arrived, and ``<name>.part.json`` with what the server said of the file."""

    path: Path
    etag: str | None = None
    modified: str | None = None
    total: int | None = None

    @classmethod
    def beside(cls, target: Path) -> Part:
        """The part that an earlier try has left for a file, or an empty one."""
        part = cls(target.with_name(target.name + ".part"))
        try:
            said = json.loads(part._notes.read_text(encoding="utf-8"))
            part.etag, part.modified, part.total = said["etag"], said["modified"], said["total"]
        except (FileNotFoundError, ValueError, KeyError, TypeError):  # without notes it cannot be gone on with
            part.discard()
        return part

    @property
    def _notes(self) -> Path:
        return self.path.with_name(self.path.name + ".json")

    @property
    def size(self) -> int:
        """The bytes that have arrived."""
        return self.path.stat().st_size if self.path.exists() else 0

    def range_headers(self, checksum_known: bool) -> dict[str, str]:
        """The request for what is missing; empty where only the whole file can be asked for.

        A part is gone on with only where the server, or a checksum at the end, tells that it is of the same version.
        """
        version = self.etag if self.etag and not self.etag.startswith("W/") else self.modified
        if not self.size or not (version or checksum_known):
            return {}
        return {"Range": f"bytes={self.size}-"} | ({"If-Range": version} if version else {})

    def describe(self, headers: httpx.Headers, total: int | None) -> None:
        """Remember of which version the part is."""
        self.etag, self.modified, self.total = headers.get("etag"), headers.get("last-modified"), total
        said = {"etag": self.etag, "modified": self.modified, "total": self.total}
        self._notes.write_text(json.dumps(said), encoding="utf-8")

    def is_of(self, headers: httpx.Headers, total: int | None) -> bool:
        """Whether the server still speaks of the version that the part is of."""
        same = [(self.etag, headers.get("etag")), (self.modified, headers.get("last-modified")), (self.total, total)]
        return all(old == new for old, new in same if old is not None and new is not None)

    def discard(self) -> None:
        """Drop what has arrived."""
        self.path.unlink(missing_ok=True)
        self._notes.unlink(missing_ok=True)
        self.etag = self.modified = self.total = None

    def finish(self, target: Path) -> None:
        """Put the whole file in its place."""
        self.path.replace(target)
        self._notes.unlink(missing_ok=True)


def checksum(path: Path) -> str:
    """The sha256 of a file."""
    digest = hashlib.sha256()
    with path.open("rb") as file:
        while block := file.read(_CHUNK):
            digest.update(block)
    return digest.hexdigest()
