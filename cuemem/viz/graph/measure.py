"""How much room a text takes, estimated: the drawing code condenses a line that a wider font would make too long."""

from __future__ import annotations

import unicodedata
from functools import lru_cache

ELLIPSIS = "…"
_LONGEST_LINE = 400  # characters; what lies beyond could not be shown

_NARROW = frozenset("iljI|!.,:;'’‘· ")
_SLIM = frozenset('frt()[]{}/\\-`"“”')
_BROAD = frozenset("mwMW@%—…&")


@lru_cache(maxsize=4096)
def _em(character: str) -> float:
    """The width of a character in font sizes, a little more than in Source Sans, the app's font."""
    if character in _NARROW:
        return 0.27
    if character in _SLIM:
        return 0.37
    if character in _BROAD:
        return 0.86
    if unicodedata.category(character) in ("Mn", "Me", "Cf"):
        return 0.0
    if unicodedata.east_asian_width(character) in ("W", "F"):
        return 1.08
    if character.isascii():
        return 0.63 if character.isupper() else 0.53
    return 0.7


@lru_cache(maxsize=4096)
def text_width(text: str, size: float) -> float:
    """The width of one line of text in pixels."""
    return size * sum(map(_em, text))


def shorten(text: str, width: float, size: float) -> str:
    """One line that fits the width, with … where it was cut."""
    return wrap(text, width, size, 1)[0]


def wrap(text: str, width: float, size: float, most: int) -> list[str]:
    """The text in at most so many lines that fit the width, broken at spaces, with … where it was cut.

    A word longer than a line is broken. There is always at least one line.
    """
    words = text[: most * _LONGEST_LINE].split() or [""]
    lines: list[str] = []
    line = ""
    while words:
        word = words.pop(0)
        joined = f"{line} {word}" if line else word
        if text_width(joined, size) <= width:
            line = joined
        elif line:
            lines.append(line)
            line = ""
            words.insert(0, word)
        else:
            fitting = _prefix(word, width, size)
            lines.append(fitting)
            if rest := word[len(fitting) :]:
                words.insert(0, rest)
        if len(lines) == most and (line or words):
            lines[-1] = _ended(lines[-1], width, size)
            return lines
    return [*lines, line] if line or not lines else lines


def _prefix(word: str, width: float, size: float) -> str:
    """As much of a word as fits, at least one character."""
    end = 1
    while end < len(word) and text_width(word[: end + 1], size) <= width:
        end += 1
    return word[:end]


def _ended(line: str, width: float, size: float) -> str:
    while line and text_width(line + ELLIPSIS, size) > width:
        line = line[:-1]
    return line.rstrip() + ELLIPSIS
