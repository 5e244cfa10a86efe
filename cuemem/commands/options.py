"""Options that several commands share, and how their values are read."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Annotated, Any

import typer

NO_TYPE = ""  # the metavar of a flag, or else the help says that it takes a <bool>
PAPER_MODE = 0  # a budget of nothing means no budget

Names = Annotated[
    list[str] | None,
    typer.Argument(
        metavar="CONVERSATION",
        help="Any unambiguous end of a name that `list` shows, such as conv-26. Default: all that are built.",
        show_default=False,
    ),
]
Name = Annotated[str, typer.Argument(metavar="CONVERSATION", help="Any unambiguous end of a name that `list` shows.")]
Question = Annotated[int, typer.Argument(metavar="QUESTION", help="The question's place in its file, from 0.")]
TURN_UNITS = ("auto", "utterance", "exchange")
CsvFile = Annotated[
    Path | None, typer.Option("--csv", metavar="FILE", help="Write every row to this file.", show_default=False)
]


def listed(names: Iterable[str]) -> str:
    """``a, b or c``."""
    *most, last = names
    return f"{', '.join(most)} or {last}" if most else last


def one_of(names: Iterable[str]) -> dict[str, Any]:
    """What makes an option take one of these names only: its check, and a word for its help."""
    known = tuple(names)

    def check(value: str | None) -> str | None:
        if value is not None and value not in known:
            raise typer.BadParameter(f"{value!r} is not one of {', '.join(known)}.")
        return value

    return {"metavar": "NAME", "callback": check}


def read_budget(value: str) -> int:
    """A budget in tokens, or :data:`PAPER_MODE` for ``none`` and 0."""
    if value.lower() in ("none", "0"):
        return PAPER_MODE
    if not re.fullmatch(r"[0-9]{1,9}", value) or int(value) == 0:
        raise typer.BadParameter(f"{value!r} is neither a number of tokens above 0 nor 'none'.")
    return int(value)


def read_range(value: str) -> Sequence[int]:
    """Whole numbers in the order given, each once: ``0-3``, ``0,1,5``, ``10-60:10``, or a mixture."""
    numbers: list[int] = []
    for part in value.split(","):
        match = re.fullmatch(r"\s*(\d{1,6})(?:-(\d{1,6})(?::(\d{1,6}))?)?\s*", part)
        first, last, step = (int(it) if it else None for it in match.groups()) if match else (None, None, None)
        if first is None or step == 0 or (last is not None and last < first):
            raise typer.BadParameter(f"{part!r} is no number or range; write 0-3, 0,1,5 or 10-60:10.")
        numbers += range(first, (first if last is None else last) + 1, step or 1)
    return list(dict.fromkeys(numbers))
