"""The prompts, one a file: its source and purpose on the first line, then ``[system]`` and ``[user]`` parts.

A user's own file of the same name in a folder takes a prompt's place, and every result says which one was used.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

from cuemem.errors import BadInput, UnknownName
from cuemem.types import Message, PromptVersion
from cuemem.types.chat import Speaker

_HERE = Path(__file__).parent
_PART = re.compile(r"^\[(system|user|assistant)\]\s*$", re.MULTILINE)
_ROLES: Mapping[str, Speaker] = {"system": "system", "user": "user", "assistant": "assistant"}

# What a prompt's text must hold a place for: an own prompt without one would silently leave it out.
PLACES: Mapping[str, tuple[str, ...]] = {
    "extraction": ("speakers", "date", "before", "turn"),
    "extraction_group": ("speakers", "before", "turns"),
    "qgmem_units": ("session", "first", "last", "time", "lines"),
    "qgmem_index": ("session", "first", "last", "time", "units"),
    "qgmem_trajectory": ("relation", "members"),
    "qgmem_parse": ("question", "time"),
    "qgmem_rerank": ("question", "document"),
    "answer_short": ("history", "question_date", "question", "priority"),
    "answer_reasoned": ("history", "question_date", "question", "priority"),
    "answer_cited": ("history", "question_date", "question", "priority"),
    "priority": (),
    **{
        f"judge_{name}": ("question", "reference", "reply")
        for name in (
            "strict",
            "generous",
            "longmemeval_default",
            "longmemeval_temporal",
            "longmemeval_update",
            "longmemeval_preference",
            "longmemeval_abstention",
        )
    },
}


@dataclass(frozen=True, slots=True)
class Prompt:
    """A prompt's text as it was read. ``about`` is its first line; the hash is that of the parts below it."""

    name: str
    about: str
    parts: tuple[Message, ...]
    version: PromptVersion

    def fill(self, **values: str) -> tuple[Message, ...]:
        """The messages with each ``{place}`` filled in, all at once: what is filled in is never a place itself."""
        places = re.compile("{(" + "|".join(PLACES[self.name]) + ")}")

        def filled(text: str) -> str:
            return places.sub(lambda match: values[match[1]], text).strip()

        return tuple(Message(part.role, filled(part.text)) for part in self.parts)

    @property
    def text(self) -> str:
        """The parts as they stand in the file."""
        return "\n".join(f"[{part.role}]\n{part.text}" for part in self.parts)


@dataclass(frozen=True, slots=True)
class Prompts:
    """The prompts by name. A file ``NAME.txt`` in the folder ``own`` takes the place of the one that comes along."""

    own: Path | None = None

    def __getitem__(self, name: str) -> Prompt:
        """The prompt; UnknownName where there is none, BadInput for an own file that cannot serve."""
        if name not in PLACES:
            raise UnknownName(f"No prompt {name!r}; there are {', '.join(PLACES)}.")
        mine = self.own / f"{name}.txt" if self.own else None
        if mine is not None and mine.is_file():
            return _read(name, mine, mine.stat().st_mtime_ns, own=True)
        return _read(name, _HERE / f"{name}.txt", 0, own=False)

    def all(self) -> tuple[Prompt, ...]:
        """Every prompt, in the order of their use."""
        return tuple(self[name] for name in PLACES)


@lru_cache(maxsize=64)
def _read(name: str, path: Path, _changed: int, *, own: bool) -> Prompt:
    try:
        text = path.read_text(encoding="utf-8-sig")
    except (OSError, UnicodeDecodeError) as error:
        raise BadInput(f"The prompt {path} cannot be read as UTF-8 text ({error}).") from error
    first, _, body = text.partition("\n")
    _before, *found = _PART.split(body if first.startswith("#") else text)
    parts = tuple(Message(_ROLES[role], part.strip("\n")) for role, part in zip(found[::2], found[1::2], strict=True))
    whole = "\n".join(part.text for part in parts)
    missing = [place for place in PLACES[name] if f"{{{place}}}" not in whole]
    if not whole.strip() or missing:
        wanted = f"lacks {{{missing[0]}}}" if missing else "has no [user] part with text under it"
        raise BadInput(f"The prompt {path} {wanted}. Copy the one that comes along: python -m cuemem prompts {name}")
    about = (
        first.removeprefix("#").strip()
        if first.startswith("#")
        else "Your own; its first line does not say what for."
    )
    digest = hashlib.sha256("\0".join(f"{part.role}\0{part.text}" for part in parts).encode()).hexdigest()[:12]
    return Prompt(name, about, parts, PromptVersion(name, digest, own))
