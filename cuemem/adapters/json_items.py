"""JSON of any size as a stream of its top-level items, each checked and cleaned.

A list is handed over item by item, and so are objects on lines of their own; a single object is one item. So
memory holds one item and not the file.
The standard library's decoder does the parsing: it is exact about places, and it keeps half a surrogate pair
visible where faster parsers put a question mark.
"""

from __future__ import annotations

import itertools
import json
import math
from collections.abc import Iterator
from typing import Any, NamedTuple

from cuemem.errors import BadInput
from cuemem.problems import ProblemList
from cuemem.text import REPLACEMENT, storable
from cuemem.types import Problem

MAX_ITEM = 64 << 20  # characters; the largest LongMemEval instance has about 8 million
MAX_DEPTH = 100  # of lists and objects; the datasets have 6, and what goes deeper breaks whoever writes it again
_SPACE = " \t\r\n"
_LOOKAHEAD = 16  # a decoder that stops so near the end of the buffer may merely lack what follows

# How a value may begin that the end of the file cuts off: a word, or a number from its point or exponent on.
_CUT_OFF = ("true", "false", "null", "NaN", "Infinity", "-Infinity", ".", "e+", "e-", "E+", "E-")
_LOOKS_LIKE = (
    ("<", "a web page; download the file itself, not the page that shows it"),
    ("version https://git-lfs", "a Git LFS pointer; fetch the file it stands for with `git lfs pull`"),
)


class Item(NamedTuple):
    """One top-level item of a JSON file, with what had to be changed in it."""

    value: Any
    problems: tuple[Problem, ...]


class _Unusable(ValueError):
    """JSON by its grammar, but not without loss or not within bounds: a key with two values, endless nesting."""


class Placed(NamedTuple):
    """An item with where it stands: its number in a list, else the line on which it begins, both from 1."""

    number: int
    in_list: bool
    item: Item


def json_items(chunks: Iterator[str], name: str) -> Iterator[Item]:
    """The items of the JSON list, the one object, or the objects a line each that the chunks of text make up.

    Raises :class:`BadInput`, naming file, place and remedy, for anything else: other text, an empty or a
    truncated file, an empty list, two values under one key, more text after the end. Items before a later
    fault are yielded first, so a load has to be one transaction.
    """
    return (placed.item for placed in placed_items(chunks, name))


def placed_items(chunks: Iterator[str], name: str) -> Iterator[Placed]:
    """The same items, each with its place."""
    text = _Text(chunks, name)
    opening = text.next_character()
    if opening is None:
        raise BadInput(f"{name} is empty. Choose another file, or download it again.")
    if opening == "{":
        yield from _line_items(text)
    elif opening == "[":
        yield from _list_items(text)
    else:
        raise _not_json(text)
    if text.next_character() is not None:
        raise BadInput(
            f"{name} goes on after the end of its JSON, at {text.place()}. It has to be one list, one object, or "
            "one object a line."
        )


def _line_items(text: _Text) -> Iterator[Placed]:
    """One object, or several that each begin on a line of their own."""
    before = 0
    for position in itertools.count():
        line = text.line()
        if line == before:
            raise BadInput(f"{text.name} has two objects on line {line:,}. Put each on a line of its own.")
        yield Placed(line, False, text.item(position))
        if text.next_character() != "{":
            return
        before = line


def _list_items(text: _Text) -> Iterator[Placed]:
    text.skip("[")
    if text.next_character() == "]":
        raise BadInput(f"{text.name} is an empty list: there is no conversation in it. Choose another file.")
    for position in itertools.count():
        if text.next_character() is None:
            raise text.fault("nothing follows", position)
        yield Placed(position + 1, True, text.item(position))
        after = text.next_character()
        if after not in (",", "]"):
            raise text.fault("neither a comma nor the end of the list follows", position)
        text.skip(after)
        if after == "]":
            return


class _Text:
    """The text read so far and not yet used, and how far into the file that is."""

    def __init__(self, chunks: Iterator[str], name: str) -> None:
        self.name = name
        self._chunks = chunks
        self._buffer = ""
        self._at = 0
        self._lines = 0  # line ends before the buffer
        self._column = 0  # characters of the line that lie before the buffer
        self._decoder = json.JSONDecoder(object_pairs_hook=_object, strict=False)

    def next_character(self) -> str | None:
        """The next character that is not white space, not yet used; None at the end of the file."""
        while True:
            while self._at < len(self._buffer):
                if self._buffer[self._at] not in _SPACE:
                    return self._buffer[self._at]
                self._at += 1
            if not self._grow():
                return None

    def skip(self, character: str) -> None:
        """Use up the character that :meth:`next_character` has found."""
        self._at += len(character)

    def item(self, position: int) -> Item:
        """Decode the value that starts here, reading on as long as it is incomplete."""
        while True:
            try:
                value, end = self._decoder.raw_decode(self._buffer, self._at)
                item = _cleaned(value, position)
            except json.JSONDecodeError as error:
                offset = error.pos - self._at
                may_go_on = error.msg.startswith("Unterminated") or error.pos >= len(self._buffer) - _LOOKAHEAD
                if may_go_on and len(self._buffer) - self._at > MAX_ITEM:
                    raise BadInput(
                        f"{self.name}: item {position} (the first is 0) is longer than {MAX_ITEM:,} characters. "
                        "This is not a file of conversations, or it has to be divided."
                    ) from error
                if not (may_go_on and self._grow()):
                    raise self.fault(error.msg, position, offset) from error
            except RecursionError as error:
                raise self.fault("lists and objects are nested too deep", position) from error
            except ValueError as error:  # _Unusable, or a number of thousands of digits
                raise self.fault(str(error), position) from error
            else:
                if isinstance(value, int | float) and end > len(self._buffer) - _LOOKAHEAD and self._grow():
                    continue  # more digits may follow
                self._at = end
                return item

    def fault(self, reason: str, position: int, offset: int = 0) -> BadInput:
        """Why there is no item here, as an error: the file is cut off, or it is wrong at this place."""
        self._look_ahead(offset + _LOOKAHEAD)
        rest = self._buffer[self._at + offset :].strip(_SPACE)
        cut_off = (
            not rest
            or reason.startswith("Unterminated")
            or any(whole.startswith(rest) for whole in _CUT_OFF)
            or ("escape" in reason and '"' not in rest)
        )
        if cut_off:
            end = self.place(len(self._buffer) - self._at)
            return BadInput(
                f"{self.name} ends in the middle, at {end}, in item {position} (the first is 0). "
                "The file is incomplete: download or copy it again."
            )
        return BadInput(
            f"{self.name} is not valid JSON at {self.place(offset)}, in item {position} (the first is 0): {reason}. "
            "Correct the file there, or download it again."
        )

    def place(self, offset: int = 0) -> str:
        """Line and character of a place, counted from where the next item starts, both from 1."""
        at = self._at + offset
        lines = self._buffer.count("\n", 0, at)
        column = at - self._buffer.rfind("\n", 0, at) - 1 if lines else self._column + at
        return f"line {self._lines + lines + 1:,}, character {column + 1:,}"

    def line(self) -> int:
        """The line on which the next item starts, from 1."""
        return self._lines + self._buffer.count("\n", 0, self._at) + 1

    def start(self) -> str:
        """How the text begins, for a guess at what it is."""
        self._look_ahead(40)
        return self._buffer[self._at : self._at + 40]

    def _look_ahead(self, length: int) -> None:
        """Hold at least this much text from where the next item starts, if the file has it."""
        while len(self._buffer) - self._at < length and self._grow():
            pass

    def _grow(self) -> bool:
        """Drop what was used and read at least as much again as is left, so that growing stays linear.

        At the end of the file nothing changes, and the answer is False.
        """
        parts: list[str] = []
        wanted = max(1, len(self._buffer) - self._at)
        while wanted > 0 and (chunk := next(self._chunks, None)) is not None:
            parts.append(chunk)
            wanted -= len(chunk)
        if not parts:
            return False
        lines = self._buffer.count("\n", 0, self._at)
        before = self._at - self._buffer.rfind("\n", 0, self._at) - 1
        self._column = before if lines else self._column + self._at
        self._lines += lines
        self._buffer = self._buffer[self._at :] + "".join(parts)
        self._at = 0
        return True


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    """A JSON object. JSON lets a key stand twice; where the values differ, one of them would be lost."""
    value = dict(pairs)
    if len(value) != len(pairs):
        for key, entry in pairs:
            if value[key] != entry:
                raise _Unusable(f"an object has two different values under the key {key!r}")
    return value


def _not_json(text: _Text) -> BadInput:
    start = text.start()
    for beginning, what in _LOOKS_LIKE:
        if start.startswith(beginning):
            return BadInput(f"{text.name} is not JSON but {what}.")
    return BadInput(
        f"{text.name} is not a JSON list or object: at {text.place()} it begins {storable(start[:20])!r}. "
        "Choose a LoCoMo or LongMemEval file, or a chat with a JSON object a line."
    )


# --- cleaning ----------------------------------------------------------------------------------------------------


def _cleaned(value: Any, position: int) -> Item:
    problems = ProblemList()
    value = _clean(value, [f"item {position}"], problems)
    return Item(value, problems.as_tuple())


def _clean(value: Any, path: list[str], problems: ProblemList) -> Any:
    """The value with only storable text and only numbers that JSON has; containers are changed in place."""
    if isinstance(value, str):
        return _clean_text(value, path, problems)
    if isinstance(value, float) and not math.isfinite(value):
        problems.add("not a number", "".join(path), f"{value} is not a JSON number; it became null.")
        return None
    if len(path) > MAX_DEPTH:
        raise _Unusable(f"lists and objects are nested more than {MAX_DEPTH} deep")
    if isinstance(value, list):
        for index, entry in enumerate(value):
            path.append(f"[{index}]")
            value[index] = _clean(entry, path, problems)
            path.pop()
    elif isinstance(value, dict):
        for key in list(value):
            path.append(f".{storable(key)}")
            entry = _clean(value[key], path, problems)
            if (clean_key := _clean_text(key, path, problems)) != key:
                del value[key]
            value[clean_key] = entry
            path.pop()
    return value


def _clean_text(text: str, path: list[str], problems: ProblemList) -> str:
    clean = storable(text)
    if clean is not text:
        count = sum(old != new for old, new in zip(text, clean, strict=True))
        detail = f"{count} character(s) that cannot be stored (half a surrogate pair, or NUL) became {REPLACEMENT}."
        problems.add("character replaced", "".join(path), detail)
    return clean
