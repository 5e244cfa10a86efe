"""Derived arrays by content key: :class:`cuemem.ports.ArrayCache` over the store."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from cuemem.adapters.store.connection import Connected
from cuemem.errors import BadInput

Array = npt.NDArray[np.generic]


@dataclass(frozen=True, slots=True)
class Arrays:
    """A cache of named arrays; what it gives back is equal to the bit, and read-only."""

    store: Connected

    def get(self, key: str) -> Mapping[str, Array] | None:
        """The arrays under this key by name, or None where there are none."""
        with self.store.reading() as cursor:
            rows = cursor.execute(
                "SELECT name, dtype, shape, data FROM arrays WHERE array_key = ? ORDER BY name", [key]
            ).fetchall()
        if not rows:
            return None
        return {
            name: np.frombuffer(data, np.dtype(kind)).reshape([int(length) for length in shape])
            for name, kind, shape, data in rows
        }

    def put(self, key: str, arrays: Mapping[str, Array]) -> None:
        """Keep these arrays, in place of any that were under the key. Raises BadInput for Python objects."""
        rows = []
        for name, array in arrays.items():
            if array.dtype.hasobject:
                raise BadInput(f"The array {name!r} of {key} holds Python objects and cannot be stored.")
            rows.append([key, name, array.dtype.str, list(array.shape), array.tobytes()])
        with self.store.writing() as cursor:
            cursor.execute("DELETE FROM arrays WHERE array_key = ?", [key])
            for row in rows:
                cursor.execute("INSERT INTO arrays VALUES (?, ?, ?, ?, ?)", row)
