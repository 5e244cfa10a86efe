"""The memory methods, and the only list of them."""

from __future__ import annotations

from typing import Any

from cuemem.errors import UnknownName
from cuemem.methods.cuemem.method import CueMem
from cuemem.methods.full_history import FullHistory
from cuemem.methods.naive_rag import NaiveRag
from cuemem.methods.qgmem.method import QGMem

__all__ = ["METHODS", "CueMem", "FullHistory", "NaiveRag", "QGMem", "method_named"]

METHODS: tuple[type[Any], ...] = (CueMem, QGMem, NaiveRag, FullHistory)


def method_named(name: str) -> Any:
    """A method with its default settings, by name."""
    for method in METHODS:
        if method.name == name:
            return method()
    raise UnknownName(f"No method {name!r}; there are {', '.join(method.name for method in METHODS)}.")
