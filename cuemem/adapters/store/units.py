"""QGMem's section III-A in the store: unit sets that are extracted window by window and resume where they were left.

And section III-B's parsed questions, by the text and the time of a query.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping, Sequence
from datetime import datetime

from cuemem.adapters.store.conversations import Conversations, require
from cuemem.adapters.store.records import ParseRecord, UnitSet
from cuemem.adapters.store.rows import Row, Table, first, from_utc, to_json, utc_now
from cuemem.adapters.store.unit_rows import (
    SAME,
    UnitKey,
    extractions_of,
    mark_complete,
    problems_of,
    remove_set,
    windows_of,
    write_problems,
    write_trajectories,
    write_windows,
)
from cuemem.errors import BadInput
from cuemem.knobs import fingerprint
from cuemem.types import ConversationId, Interval, Problem, Query, QueryParse
from cuemem.types.units import interval_value
from cuemem.unit_ports import Trajectory, UnitExtraction

_PARSES = Table.of(
    "query_parses",
    "conversation_id text, source text, query_key text, text text, time time, parse text, failure text, "
    "provenance text",
)
_OF_SET = "w.conversation_id = s.conversation_id AND w.source = s.source AND w.layout = s.layout"
_SETS = f"""
    SELECT s.conversation_id, s.source, s.layout, s.provenance, s.traces_given, s.complete, s.content_hash,
           s.created_at, s.windows,
           (SELECT count(*) FROM unit_windows AS w WHERE {_OF_SET}),
           (SELECT count(w.failure) FROM unit_windows AS w WHERE {_OF_SET}),
           (SELECT count(w.index_failure) FROM unit_windows AS w WHERE {_OF_SET}),
           (SELECT count(*) FROM units AS w WHERE {_OF_SET}),
           (SELECT count(*) FROM unit_problems AS w WHERE {_OF_SET}),
           (SELECT count(*) - count(w.failure) FROM trajectories AS w WHERE {_OF_SET}),
           (SELECT count(w.failure) FROM trajectories AS w WHERE {_OF_SET})
    FROM unit_sets AS s WHERE s.conversation_id = ? ORDER BY s.created_at, s.source, s.layout
"""


class UnitSets(Conversations):
    """Unit sets. A method raises UnknownName for a conversation, NotBuilt for a set, that is not there."""

    def begin_unit_set(self, key: UnitKey, windows: int, provenance: Mapping[str, str]) -> UnitSet:
        """Start a unit set, or resume the one that is there if it has the same provenance and windows.

        One of another provenance (another model, another prompt) is dropped: its units would mix with the new.
        """
        with self.writing() as cursor:
            require(cursor, key[0])
            row = first(cursor, f"SELECT provenance, windows FROM unit_sets WHERE {SAME}", key)
            if row is None or json.loads(row[0]) != dict(provenance) or row[1] != windows:
                remove_set(cursor, key)
                cursor.execute(
                    """INSERT INTO unit_sets (conversation_id, source, layout, windows, provenance, traces_given,
                                              complete, created_at) VALUES (?, ?, ?, ?, ?, false, false, ?)""",
                    [*key, windows, to_json(dict(provenance)), utc_now()],
                )
            return self.unit_set(key)

    def add_units(self, key: UnitKey, extractions: Sequence[UnitExtraction]) -> None:
        """Commit what some windows gave, in place of what they had. In a complete set the content hash follows."""
        with self.writing() as cursor:
            _, complete = windows_of(cursor, key)
            write_windows(cursor, key, extractions)
            if complete:
                mark_complete(cursor, key)

    def complete_unit_set(self, key: UnitKey) -> UnitSet:
        """Mark a set as complete and give it its content hash. Raises BadInput while windows are missing."""
        with self.writing() as cursor:
            wanted, _ = windows_of(cursor, key)
            held = self.unit_set(key)
            if held.done < wanted:
                raise BadInput(
                    f"The memory units of {key[0]} from {key[1]!r} are not complete: {wanted - held.done} of "
                    f"{wanted} windows are still to be done."
                )
            mark_complete(cursor, key)
            return self.unit_set(key)

    def replace_unit_set(
        self,
        key: UnitKey,
        provenance: Mapping[str, str],
        extractions: Sequence[UnitExtraction],
        problems: Sequence[Problem] = (),
        traces: Sequence[Trajectory] | None = None,
    ) -> UnitSet:
        """Put a whole set in place of any that was there, in one transaction; ``traces`` are clusters that came
        along, ``problems`` those of the file.
        """
        with self.writing() as cursor:
            remove_set(cursor, key)
            self.begin_unit_set(key, len(extractions), provenance)
            write_windows(cursor, key, extractions)
            write_problems(cursor, key, [(None, problems)])
            if traces is not None:
                cursor.execute(f"UPDATE unit_sets SET traces_given = true WHERE {SAME}", key)
                write_trajectories(cursor, key, traces, provenance)
            return self.complete_unit_set(key)

    def forget_units(self, conversation_id: ConversationId, source: str) -> None:
        """Drop the unit sets of a source, whatever their windows, and the parsed questions of it."""
        with self.writing() as cursor:
            for it in self.unit_sets(conversation_id):
                if it.source == source:
                    remove_set(cursor, (conversation_id, source, it.layout))
            of_source = "conversation_id = ? AND source = ?"
            cursor.execute(f"DELETE FROM query_parses WHERE {of_source}", [conversation_id, source])

    def unit_sets(self, conversation_id: ConversationId) -> tuple[UnitSet, ...]:
        """The unit sets of a conversation in the order they were begun."""
        with self.reading() as cursor:
            require(cursor, conversation_id)
            rows = cursor.execute(_SETS, [conversation_id]).fetchall()
        return tuple(
            UnitSet(name, source, layout, json.loads(provenance), given, complete, digest, from_utc(begun), *counts)
            for name, source, layout, provenance, given, complete, digest, begun, *counts in rows
        )

    def unit_set(self, key: UnitKey) -> UnitSet:
        """One unit set. NotBuilt where it has not been begun."""
        with self.reading() as cursor:
            windows_of(cursor, key)
        return next(it for it in self.unit_sets(key[0]) if (it.source, it.layout) == key[1:])

    def unit_extractions(self, key: UnitKey) -> tuple[UnitExtraction, ...]:
        """What each window done so far gave, in order, failures and windows without a unit too."""
        with self.reading() as cursor:
            windows_of(cursor, key)
            return extractions_of(cursor, key)

    def unit_problems(self, key: UnitKey) -> tuple[Problem, ...]:
        """All that failed validation, a file's own problems last."""
        with self.reading() as cursor:
            found = problems_of(cursor, key)
        windows = sorted(position for position in found if position is not None)
        return tuple(it for position in (*windows, None) for it in found.get(position, ()))

    # --- traces ------------------------------------------------------------------------------------------------

    def save_trajectory(self, key: UnitKey, trajectory: Trajectory, provenance: Mapping[str, str]) -> None:
        """Commit the trajectory of a cluster, in place of one of the same members."""
        with self.writing() as cursor:
            write_trajectories(cursor, key, [trajectory], provenance)
            if windows_of(cursor, key)[1]:
                mark_complete(cursor, key)

    def drop_failed_trajectories(self, key: UnitKey, clusters: Sequence[tuple[str, ...]]) -> None:
        """Forget the failures at clusters that are not among these."""
        kept = [fingerprint(members) for members in clusters]
        with self.writing() as cursor:
            cursor.execute(
                f"""DELETE FROM trajectories WHERE {SAME} AND failure IS NOT NULL
                    AND NOT list_contains(?::VARCHAR[], members_key)""",
                [*key, kept],
            )

    def trajectories(
        self, key: UnitKey, provenance: Mapping[str, str] | None = None
    ) -> Mapping[tuple[str, ...], Trajectory]:
        """The trajectories of a set by their members; with a provenance only those that have it."""
        with self.reading() as cursor:
            rows = cursor.execute(
                f"SELECT members, trajectory, failure, provenance FROM trajectories WHERE {SAME} ORDER BY members",
                key,
            ).fetchall()
        return {
            tuple(members): Trajectory(tuple(members), text, failure)
            for members, text, failure, made_by in rows
            if provenance is None or json.loads(made_by) == dict(provenance)
        }

    # --- parsed questions --------------------------------------------------------------------------------------

    def save_parses(
        self,
        conversation_id: ConversationId,
        source: str,
        parses: Iterable[tuple[Query, QueryParse | None, str | None]],
        provenance: Mapping[str, str],
    ) -> None:
        """Keep parsed questions, each in place of an earlier parse from the source; a failure has no parse."""
        made_by = to_json(dict(provenance))
        with self.writing() as cursor:
            require(cursor, conversation_id)
            rows: dict[str, Row] = {}  # by key: a statement replaces a row once
            for query, parse, failure in parses:
                value = None if parse is None else to_json(_parse_value(parse))
                key = query_key(query)
                rows[key] = (conversation_id, source, key, query.text, query.time, value, failure, made_by)
            _PARSES.insert(cursor, list(rows.values()), replace=True)

    def parses(self, conversation_id: ConversationId, source: str) -> Mapping[str, ParseRecord]:
        """The parsed questions of a conversation from a source, by the key of the query."""
        with self.reading() as cursor:
            rows = cursor.execute(
                """SELECT query_key, text, time, parse, failure, provenance FROM query_parses
                   WHERE conversation_id = ? AND source = ? ORDER BY query_key""",
                [conversation_id, source],
            ).fetchall()
        return {row[0]: _parse_record(*row[1:]) for row in rows}

    def parse(self, conversation_id: ConversationId, source: str, query: Query) -> ParseRecord | None:
        """What is kept of one question, None where it has not been parsed."""
        with self.reading() as cursor:
            row = first(
                cursor,
                """SELECT text, time, parse, failure, provenance FROM query_parses
                   WHERE conversation_id = ? AND source = ? AND query_key = ?""",
                [conversation_id, source, query_key(query)],
            )
        return None if row is None else _parse_record(*row)


def query_key(query: Query) -> str:
    """The key of a query: its text and time, which is all that a method sees."""
    return fingerprint(query.text, query.time.isoformat() if query.time else None)


def _parse_value(parse: QueryParse) -> Mapping[str, object]:
    return {
        "entities": list(parse.entities),
        "locations": list(parse.locations),
        "time": {
            "fact": [interval_value(it) for it in parse.fact],
            "utterance": [interval_value(it) for it in parse.utterance],
        },
    }


def _parse_record(
    text: str, time: datetime | None, parse: str | None, failure: str | None, provenance: str
) -> ParseRecord:
    made = None
    if parse is not None:
        value = json.loads(parse)
        fact, utterance = (tuple(Interval(**it) for it in value["time"][name]) for name in ("fact", "utterance"))
        made = QueryParse(tuple(value["entities"]), tuple(value["locations"]), fact, utterance)
    return ParseRecord(Query(text, time), made, failure, json.loads(provenance))
