"""How values look in a terminal: text of the data shown literally, tables, numbers, and JSON for machines."""

from __future__ import annotations

import json
import unicodedata
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import fields, is_dataclass
from datetime import datetime
from pathlib import Path
from typing import Any, TypeAlias

from rich import box
from rich.console import Group
from rich.table import Table
from rich.text import Text

NOTHING = "–"
NUMERIC = ">"  # at the end of a column's name: numbers, set to the right
WHOLE = "!"  # at the end of a column's name: names, never broken over lines
Columns: TypeAlias = Sequence[str]

# Bidirectional overrides and isolates turn text around that is not theirs; line separators break tables.
_MISLEADING = frozenset("\u200e\u200f\u202a\u202b\u202c\u202d\u202e\u2066\u2067\u2068\u2069")
_LINE_ENDS = frozenset("\u2028\u2029\x85\x0b\x0c\r")


def clean(value: object) -> str:
    """The value as text that no terminal obeys: control characters become visible signs, lines stay lines."""
    text = str(value)
    if text.isprintable():
        return text
    return "".join(map(_visible, text.replace("\r\n", "\n")))


def _visible(character: str) -> str:
    if character in "\n\t" or character.isprintable():
        return character
    if character in _LINE_ENDS:
        return "\n"
    if character < " ":
        return chr(0x2400 + ord(character))  # the sign for it: ␛ for an escape
    if unicodedata.category(character) in ("Cc", "Cs") or character in _MISLEADING:
        return "\ufffd"
    return character


def literal(value: object, style: str = "") -> Text:
    """Text of the data, in which neither markup nor control sequences mean anything."""
    return Text(clean(value), style)


def table(title: str, columns: Columns, rows: Iterable[Sequence[object]]) -> Group:
    """A table under a title. A cell is a Text, or any value, which is shown literally; None is a dash."""
    drawn = Table(box=box.SIMPLE_HEAD, show_edge=False, pad_edge=False, padding=(0, 1, 0, 0))
    for name in columns:
        numeric = name.endswith(NUMERIC)
        whole = numeric or name.endswith(WHOLE)
        drawn.add_column(
            name.rstrip(NUMERIC + WHOLE), justify="right" if numeric else "left", no_wrap=whole, overflow="fold"
        )
    for row in rows:
        drawn.add_row(*(value if isinstance(value, Text) else literal(shown(value)) for value in row))
    return Group(literal(title, "bold"), drawn)


def facts(pairs: Mapping[str, object]) -> Table:
    """Names and values, a line each."""
    drawn = Table(box=None, show_header=False, pad_edge=False)
    drawn.add_column(style="bold", no_wrap=True)
    drawn.add_column(overflow="fold")
    for name, value in pairs.items():
        drawn.add_row(name, literal(shown(value)))
    return drawn


def shown(value: object, digits: int = 3) -> str:
    """A value of a table: a dash for nothing, thousands marked, a fixed number of decimals."""
    if value is None:
        return NOTHING
    if isinstance(value, bool):
        return "yes" if value else "no"
    if isinstance(value, int):
        return f"{value:,}"
    if isinstance(value, float):
        return f"{value:,.{digits}f}"
    return str(value)


def as_json(document: object, indent: int | None = 2) -> str:
    """The document as JSON in plain ASCII, so that it passes through any terminal and encoding unchanged."""
    return json.dumps(document, default=_plain, allow_nan=False, indent=indent)


def _plain(value: object) -> Any:
    """Domain values as JSON: a dataclass by its fields, a time as ISO 8601."""
    if is_dataclass(value) and not isinstance(value, type):
        return {field.name: getattr(value, field.name) for field in fields(value)}
    if isinstance(value, Mapping):
        return dict(value)
    if isinstance(value, datetime):
        return value.isoformat()
    if isinstance(value, Path):
        return str(value)
    raise TypeError(f"{type(value).__name__} is not known to JSON")
