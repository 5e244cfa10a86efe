"""Text that every part of the project can hold, and other values as text: JSON, counts, sizes, times to wait."""

from __future__ import annotations

import json
import re
from collections.abc import Sequence
from typing import Any

REPLACEMENT = "\ufffd"
_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")


def storable(text: str) -> str:
    """The text with each half of a surrogate pair and each NUL replaced by U+FFFD.

    Half a pair is not Unicode text: it cannot be encoded, so no store, tokenizer or page takes it. A NUL the
    store would hold, but XML and HTML forbid it and C libraries end the text there. Other control characters
    are kept. A text without either is returned as it is.
    """
    if "\0" not in text and (text.isascii() or _encodable(text)):
        return text
    return _UNSTORABLE.sub(REPLACEMENT, text)


def _encodable(text: str) -> bool:
    """Whether the text has no half of a surrogate pair; quicker than searching for one."""
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def as_text(value: Any) -> str:
    """A JSON value as text: a string is itself, null is empty, anything else is as JSON writes it."""
    if isinstance(value, str):
        return value
    return "" if value is None else json.dumps(value, ensure_ascii=False)


class NamedTwice(ValueError):
    """A key that stands twice in a JSON object: either value may be meant."""


def named_once(pairs: Sequence[tuple[str, Any]]) -> dict[str, Any]:
    """A JSON object (as ``object_pairs_hook``) whose keys are distinct. Raises NamedTwice."""
    made = dict(pairs)
    if len(made) < len(pairs):
        raise NamedTwice(repr(next(key for at, (key, _) in enumerate(pairs) if key in dict(pairs[:at]))))
    return made


def counted(count: int, noun: str) -> str:
    """``1 cue``, ``2,000 cues``, ``3 memories``, ``4 days``."""
    if count == 1:
        return f"1 {noun}"
    plural = noun[:-1] + "ies" if noun.endswith("y") and noun[-2:-1] not in "aeiou" else noun + "s"
    return f"{count:,} {plural}"


def file_size(count: int) -> str:
    """Bytes for people: ``44.2 MB``, ``12.5 KB``."""
    for unit, size in (("GB", 1e9), ("MB", 1e6), ("KB", 1e3)):
        if count >= size:
            return f"{count / size:,.1f} {unit}"
    return counted(count, "byte")


def duration(seconds: float) -> str:
    """A time to wait, as roughly as it is known: ``5 s``, ``3 min``, ``1 h 20 min``."""
    if seconds < 100:
        return f"{max(1, round(seconds))} s"
    minutes = round(seconds / 60)
    return f"{minutes} min" if minutes < 100 else f"{minutes // 60} h {minutes % 60} min"


def money(cost: float | None) -> str:
    """A price for people; what is not known is not 0, and what is little is not nothing."""
    if cost is None:
        return "not known"
    if 0 < cost < 0.0001:
        return "< $0.0001"
    return f"${cost:.2f}" if cost >= 0.01 or cost == 0 else f"${cost:.4f}"
