"""The download itself: request, redirects, what arrives, and the check of the whole."""

from __future__ import annotations

import re
from dataclasses import dataclass
from pathlib import Path

import httpx

from cuemem import __version__
from cuemem.adapters.download.addresses import after_redirect, checked, file_name, place_of, shown
from cuemem.adapters.download.faults import as_sentences, check_answer
from cuemem.adapters.download.part import Part, checksum
from cuemem.errors import BadInput
from cuemem.ports import Progress, no_progress

LIMIT = 600_000_000  # bytes
_HOPS = 5
_SILENCE = 20.0  # seconds after which a server is given up, and a cancelling is noticed at the latest
_HEADERS = {"Accept-Encoding": "identity", "User-Agent": f"CueMem-Lab/{__version__}"}
_RANGE = re.compile(r"bytes (\d+)-\d+/(\d+|\*)")


@dataclass(frozen=True, slots=True)
class Downloaded:
    """A file in the cache. ``address`` is as it may be shown; ``checked``: the sha256 is the one that was expected.

    ``kept`` counts the bytes that were there already: all of them where nothing had to be fetched.
    """

    path: Path
    address: str
    size: int
    sha256: str
    checked: bool
    kept: int


class _TooLarge(BadInput):
    """More than may be fetched: what has arrived of it is of no use."""


@dataclass(frozen=True, slots=True)
class _Wanted:
    """What is asked for, and what is known of it beforehand."""

    url: httpx.URL
    name: str
    sha256: str | None
    size: int | None
    limit: int
    progress: Progress

    def check_size(self, size: int) -> None:
        if size > self.limit:
            raise _TooLarge(
                f"{self.name} is larger than the {self.limit / 1e6:,.0f} MB that are fetched at most "
                f"({size / 1e6:,.1f} MB so far). Download it by other means and load it by its path."
            )


def download(
    address: str,
    folder: Path,
    *,
    name: str | None = None,
    sha256: str | None = None,
    size: int | None = None,
    limit: int = LIMIT,
    progress: Progress = no_progress,
    again: bool = False,
    silence: float = _SILENCE,
) -> Downloaded:
    """Fetch a public file into a folder of its own below ``folder``, or find it there (unless ``again``).

    What had arrived when an earlier try broke off, or was cancelled by ``progress``, is gone on with where the
    server's file is still the same. Raises BadInput for an address that may not be fetched, a server or network
    that does not give the file, a file over the limit, and one that is not what ``size`` and ``sha256`` say.
    """
    url = checked(address)
    wanted = _Wanted(url, name or file_name(url), sha256, size, limit, progress)
    target = folder / place_of(url) / wanted.name
    with as_sentences(url, wanted.name, target):
        target.parent.mkdir(parents=True, exist_ok=True)
        if target.exists() and not again:
            found = checksum(target)
            if sha256 in (None, found):
                here = target.stat().st_size
                return Downloaded(target, shown(url), here, found, sha256 is not None, here)
        part = Part.beside(target)
        try:
            with httpx.Client(timeout=silence, headers=_HEADERS) as client:
                kept = _fetch(client, wanted, part)
        except _TooLarge:
            part.discard()
            raise
        found = _check(wanted, part)
        part.finish(target)
        return Downloaded(target, shown(url), target.stat().st_size, found, sha256 is not None, kept)


def _fetch(client: httpx.Client, wanted: _Wanted, part: Part) -> int:
    """Bring the part to its end; how many of its bytes were there before."""
    url = wanted.url
    headers = part.range_headers(wanted.sha256 is not None)
    for _ in range(_HOPS + 1):
        with client.stream("GET", url, headers=headers) as response:
            if response.status_code in (301, 302, 303, 307, 308):
                url = after_redirect(url, response.headers.get("location"))
                continue
            start, total = _span(response)
            if headers and response.status_code in (206, 416) and not _goes_on(response, part, start, total):
                if response.status_code == 416 and part.size == part.total:
                    return part.size  # all of it had arrived
                part.discard()
                headers = {}
                continue
            check_answer(response)
            if start == 0:
                part.discard()
                part.describe(response.headers, total)
            elif not headers:
                raise BadInput(f"{shown(url)} gives only a part of the file. Download it by other means.")
            _receive(response, wanted, part, start, total)
            return start
    raise BadInput(f"{shown(wanted.url)} leads on more than {_HOPS} times. Give the address that it ends at.")


def _span(response: httpx.Response) -> tuple[int, int | None]:
    """From which byte the answer gives the file, and how large the whole is, if it says so."""
    if response.status_code == 206:
        match = _RANGE.fullmatch(response.headers.get("content-range", ""))
        return (int(match[1]), None if match[2] == "*" else int(match[2])) if match else (-1, None)
    length = response.headers.get("content-length", "")
    return 0, int(length) if length.isascii() and length.isdigit() else None


def _goes_on(response: httpx.Response, part: Part, start: int, total: int | None) -> bool:
    return response.status_code == 206 and start == part.size and part.is_of(response.headers, total)


def _receive(response: httpx.Response, wanted: _Wanted, part: Part, start: int, total: int | None) -> None:
    """Append what arrives to the part."""
    whole = total if total is not None else wanted.size
    if whole is not None:
        wanted.check_size(whole)
    if total is not None and wanted.size is not None and total != wanted.size:
        raise BadInput(
            f"{wanted.name} has {total:,} bytes at {shown(response.url)}, where {wanted.size:,} are expected: "
            "it is another version. Look for its checksum, or load it by its address alone."
        )
    done = start
    what = f"download of {wanted.name}"
    with part.path.open("ab") as file:
        wanted.progress(what, done, whole or 0)
        for block in response.iter_raw():
            done += len(block)
            wanted.check_size(done)
            file.write(block)
            wanted.progress(what, done, whole or 0)


def _check(wanted: _Wanted, part: Part) -> str:
    """The sha256 of the whole; a file that is not the expected one is dropped."""
    size, expected = part.size, part.total if part.total is not None else wanted.size
    if expected is not None and size != expected:
        part.discard()
        raise BadInput(f"{wanted.name} came with {size:,} bytes instead of {expected:,}. Download it again.")
    found = checksum(part.path) if part.path.exists() else ""
    if size == 0:
        raise BadInput(f"{shown(wanted.url)} gives an empty file. Check the address.")
    if wanted.sha256 is not None and found != wanted.sha256:
        part.discard()
        raise BadInput(
            f"{wanted.name} is not the expected file: its sha256 is {found}, not {wanted.sha256}. "
            "It was dropped; download it again, or look for a newer version's checksum."
        )
    return found
