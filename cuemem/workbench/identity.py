"""What identifies a built memory, and the cache entry that its record names."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy.typing as npt

from cuemem import knobs
from cuemem.ports import ArrayCache
from cuemem.turns import resolve_unit
from cuemem.types import Conversation


@dataclass
class NamedArrays:
    """An array cache that remembers the key it was last asked for, so that the memory's record can name it."""

    arrays: ArrayCache
    key: str | None = None

    def get(self, key: str) -> Mapping[str, npt.NDArray[Any]] | None:
        self.key = key
        return self.arrays.get(key)

    def put(self, key: str, arrays: Mapping[str, npt.NDArray[Any]]) -> None:
        self.arrays.put(key, arrays)


def build_knobs(conversation: Conversation, method: Any) -> dict[str, Any]:
    """The build-time knobs with ``auto`` resolved, so that two names of one memory are one."""
    resolved = {"turn_unit": resolve_unit(conversation, method.turn_unit)}
    return knobs.settings(method, "build") | resolved


def frozen(method: Any) -> tuple[tuple[str, Any], ...]:
    """The build-time knobs as a value that can be a key."""
    return tuple(sorted(knobs.settings(method, "build").items()))
