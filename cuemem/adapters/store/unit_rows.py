"""The rows of a unit set, read and written within a transaction that is under way."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, TypeAlias

from cuemem.adapters.store.connection import Cursor
from cuemem.adapters.store.conversations import require
from cuemem.adapters.store.rows import Row, Table, first, to_json
from cuemem.errors import NotBuilt
from cuemem.knobs import fingerprint
from cuemem.types import ConversationId, Interval, MemoryUnit, Problem, Triple
from cuemem.types.units import interval_value
from cuemem.unit_ports import Trajectory, UnitExtraction

# Conversation, source, layout of the windows.
UnitKey: TypeAlias = tuple[ConversationId, str, str]

SAME = "conversation_id = ? AND source = ? AND layout = ?"
_KEY = "conversation_id text, source text, layout text"
_WINDOWS = Table.of("unit_windows", f"{_KEY}, position integer, failure text, index_failure text")
_UNITS = Table.of(
    "units",
    f"""{_KEY}, position integer, number integer, unit_id text, start_turn text, end_turn text, fact_text text,
        subject text, predicate text, object text, attributes text""",
)
_PROBLEMS = Table.of("unit_problems", f"{_KEY}, position integer, number integer, kind text, place text, detail text")
_UNIT_ID = 5  # its place in a row of units
_TABLES = ("trajectories", "unit_problems", "units", "unit_windows", "unit_sets")


def windows_of(cursor: Cursor, key: UnitKey) -> tuple[int, bool]:
    """How many windows a set is to cover, and whether it is complete. NotBuilt where there is no set."""
    row = first(cursor, f"SELECT windows, complete FROM unit_sets WHERE {SAME}", key)
    if row is None:
        require(cursor, key[0])
        raise NotBuilt(f"{key[0]} has no memory units from {key[1]!r}; extract them first.")
    return int(row[0]), bool(row[1])


def extractions_of(cursor: Cursor, key: UnitKey) -> tuple[UnitExtraction, ...]:
    """What each window done so far gave, in the order of the windows."""
    units: dict[int, list[MemoryUnit]] = {}
    rows = cursor.execute(
        f"""SELECT position, number, unit_id, start_turn, end_turn, fact_text, subject, predicate, object, attributes
            FROM units WHERE {SAME} ORDER BY position, number""",
        key,
    ).fetchall()
    for position, number, unit_id, start, end, fact, *triple, attributes in rows:
        unit = MemoryUnit(number, unit_id, start, end, fact, Triple(*triple), *_attributes(attributes))
        units.setdefault(position, []).append(unit)
    rejected = problems_of(cursor, key)
    windows = cursor.execute(
        f"SELECT position, failure, index_failure FROM unit_windows WHERE {SAME} ORDER BY position", key
    ).fetchall()
    return tuple(
        UnitExtraction(
            position, tuple(units.get(position, ())), failure, index_failure, tuple(rejected.get(position, ()))
        )
        for position, failure, index_failure in windows
    )


def problems_of(cursor: Cursor, key: UnitKey) -> Mapping[int | None, list[Problem]]:
    """What failed validation, by window; under None what was odd in an imported file."""
    found: dict[int | None, list[Problem]] = {}
    rows = cursor.execute(
        f"SELECT position, kind, place, detail FROM unit_problems WHERE {SAME} ORDER BY position, number", key
    ).fetchall()
    for position, kind, place, detail in rows:
        found.setdefault(position, []).append(Problem(kind, place, detail))
    return found


def write_windows(cursor: Cursor, key: UnitKey, extractions: Sequence[UnitExtraction]) -> None:
    """Write what these windows gave, in place of what they had. What was told of units that are others now goes."""
    positions = [it.position for it in extractions]
    rows = [row for it in extractions for row in _unit_rows(key, it)]
    former = f"SELECT * FROM units WHERE {SAME} AND position IN (SELECT unnest(?::INTEGER[]))"
    changed = {row[_UNIT_ID] for row in set(cursor.execute(former, [*key, positions]).fetchall()) - set(rows)}
    if changed:
        told = f"DELETE FROM trajectories WHERE {SAME} AND list_has_any(members, ?::VARCHAR[])"
        cursor.execute(told, [*key, sorted(changed)])
    for table in ("unit_windows", "units", "unit_problems"):
        these = f"DELETE FROM {table} WHERE {SAME} AND position IN (SELECT unnest(?::INTEGER[]))"
        cursor.execute(these, [*key, positions])
    _WINDOWS.insert(cursor, [(*key, it.position, it.failure, it.index_failure) for it in extractions])
    _UNITS.insert(cursor, rows)
    write_problems(cursor, key, ((it.position, it.rejected) for it in extractions))


def write_problems(cursor: Cursor, key: UnitKey, problems: Iterable[tuple[int | None, Sequence[Problem]]]) -> None:
    """Write what failed validation in these windows, or (None) in a file."""
    _PROBLEMS.insert(
        cursor,
        [
            (*key, position, number, it.kind, it.place, it.detail)
            for position, found in problems
            for number, it in enumerate(found)
        ],
    )


def write_trajectories(
    cursor: Cursor, key: UnitKey, trajectories: Iterable[Trajectory], provenance: Mapping[str, str]
) -> None:
    """Write these, each in place of one of the same members."""
    for it in trajectories:
        row = [*key, fingerprint(it.members), list(it.members), it.text, it.failure, to_json(dict(provenance))]
        cursor.execute("INSERT OR REPLACE INTO trajectories VALUES (?, ?, ?, ?, ?, ?, ?, ?)", row)


def mark_complete(cursor: Cursor, key: UnitKey) -> None:
    """Say that a set is complete, under the hash of what it now holds."""
    rows = cursor.execute(f"SELECT * FROM units WHERE {SAME} ORDER BY position, number", key).fetchall()
    told = cursor.execute(f"SELECT members, trajectory FROM trajectories WHERE {SAME} ORDER BY ALL", key).fetchall()
    mark = f"UPDATE unit_sets SET complete = true, content_hash = ? WHERE {SAME}"
    cursor.execute(mark, [fingerprint([row[3:] for row in rows], told), *key])


def remove_set(cursor: Cursor, key: UnitKey) -> None:
    """Take out a set, if it is there."""
    for table in _TABLES:
        cursor.execute(f"DELETE FROM {table} WHERE {SAME}", key)


def _unit_rows(key: UnitKey, extraction: UnitExtraction) -> Iterator[Row]:
    for number, it in enumerate(extraction.units):
        attributes = {
            "entities": list(it.entities),
            "locations": list(it.locations),
            "time": [interval_value(interval) for interval in it.fact_time],
        }
        triple = (it.triple.subject, it.triple.relation, it.triple.object)
        evidence = (it.unit_id, it.start_turn, it.end_turn, it.fact_text)
        yield (*key, extraction.position, number, *evidence, *triple, to_json(attributes))


def _attributes(text: str) -> tuple[tuple[str, ...], tuple[str, ...], tuple[Interval, ...]]:
    value: Mapping[str, Any] = json.loads(text)
    times = tuple(Interval(it["start"], it["end"], it["granularity"]) for it in value["time"])
    return tuple(value["entities"]), tuple(value["locations"]), times
