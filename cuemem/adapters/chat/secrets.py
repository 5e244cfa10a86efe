"""Keys stay in the environment, the secrets file or the session: nothing that is kept or shown holds one."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable
from urllib.parse import urlsplit, urlunsplit

HIDDEN = "[key]"
_NAMES = re.compile(r"(API_?KEY|TOKEN|SECRET|PASSWORD|CREDENTIALS?)$", re.IGNORECASE)
_SHORTEST = 6  # a shorter value is no key, and hiding it would riddle every text
_LONG = 16  # of a variable that is only named like a key's: its value may be a word
# Keys that somebody typed elsewhere, and what providers leave of a key in their own messages.
_SHAPES = re.compile(
    r"\b(?:sk|pk|rk|gsk|xai|hf|AIza|AKIA|r8|nvapi|pplx|tgp)[-_]?[A-Za-z0-9_*-]{16,}"
    r"|\bsk-[A-Za-z0-9_*-]{4,}"
    r"|(?<=Bearer )[^\s\"',;]{6,}",
)


_given: set[str] = set()  # keys of models of this process, which libraries may log without knowing them for keys


def never_tell(key: str | None) -> None:
    """Keep this key out of every error and log from now on, whoever writes it."""
    if key and len(key) >= _SHORTEST:
        _given.add(key)


def without_keys(text: str, keys: Iterable[str | None] = ()) -> str:
    """The text without these keys and those in the environment, all else as it is: for what a model says."""
    known = {key for key in keys if key and len(key) >= _SHORTEST}
    known |= {value for name, value in os.environ.items() if _NAMES.search(name) and len(value) >= _LONG}
    for key in sorted(known, key=len, reverse=True):
        text = text.replace(key, HIDDEN)
    return text


def scrub(text: str, keys: Iterable[str | None] = ()) -> str:
    """The text without any key, nor anything that looks like one: for errors and logs."""
    return _SHAPES.sub(HIDDEN, without_keys(text, [*keys, *_given]))


def scrub_url(address: str | None) -> str:
    """The address for people: without user, password, query and fragment, where keys are put too."""
    if not address:
        return ""
    parts = urlsplit(address)
    return urlunsplit((parts.scheme, parts.netloc.rpartition("@")[2], parts.path, "", ""))
