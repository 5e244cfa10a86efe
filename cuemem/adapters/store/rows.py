"""Between Python values and table rows: bulk insertion through Arrow, JSON text, and UTC times."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any, Self

import pyarrow as pa

from cuemem.adapters.store.connection import Cursor
from cuemem.errors import BadInput

_KINDS = {"text": pa.string(), "integer": pa.int32(), "flag": pa.bool_(), "time": pa.timestamp("us")}

Row = tuple[Any, ...]


@dataclass(frozen=True)
class Table:
    """A table that is filled in bulk, and its columns in the order of the rows given to :meth:`insert`."""

    name: str
    columns: Mapping[str, pa.DataType]

    @classmethod
    def of(cls, name: str, columns: str) -> Self:
        """A table with these columns, written "name kind, name kind, …"."""
        pairs = (column.split() for column in columns.split(","))
        return cls(name, {column: _KINDS[kind] for column, kind in pairs})

    def insert(self, cursor: Cursor, rows: Sequence[Row], *, replace: bool = False) -> None:
        """Insert the rows, hundreds of times faster than one statement each; ``replace`` those of the same keys.

        Raises BadInput for text that is not Unicode (half a surrogate pair), which no database can hold.
        """
        if not rows:
            return
        columns = zip(self.columns.items(), zip(*rows, strict=True), strict=True)
        try:
            incoming = pa.table({name: pa.array(values, type=kind) for (name, kind), values in columns})
        except UnicodeEncodeError as error:
            near = error.object[max(error.start - 20, 0) : error.end + 20]
            shown = near.encode("ascii", "backslashreplace").decode()
            raise BadInput(f"Text with half a surrogate pair cannot be stored: {shown}. Repair it.") from error
        names = ", ".join(f'"{name}"' for name in self.columns)
        cursor.register("incoming", incoming)
        verb = "INSERT OR REPLACE" if replace else "INSERT"
        cursor.execute(f"{verb} INTO {self.name} ({names}) SELECT {names} FROM incoming")
        cursor.unregister("incoming")


def first(cursor: Cursor, query: str, parameters: Sequence[object]) -> Row | None:
    """The first row of a query, or None. Fetched whole: after fetchone the cursor waits for the other rows."""
    rows = cursor.execute(query, parameters).fetchall()
    return rows[0] if rows else None


def to_json(value: object) -> str:
    """A value of JSON as text."""
    return json.dumps(value, ensure_ascii=False)


def utc_now() -> datetime:
    """The present moment for a bookkeeping column, to the microsecond as DuckDB keeps it."""
    return datetime.now(UTC).replace(tzinfo=None)


def to_utc(time: datetime) -> datetime:
    """A bookkeeping time for its column; a naive one is taken to be UTC already."""
    return time if time.tzinfo is None else time.astimezone(UTC).replace(tzinfo=None)


def from_utc(time: datetime) -> datetime:
    """A bookkeeping time as it comes out of its column, made aware."""
    return time.replace(tzinfo=UTC)


def aware(value: Any) -> Any:
    """A value of a bookkeeping row: a time made aware, all else as it is."""
    return from_utc(value) if isinstance(value, datetime) else value
