"""Text that every part of the project can hold: what is replaced, and how other JSON values are shown as text."""

from __future__ import annotations

import json
import re
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
