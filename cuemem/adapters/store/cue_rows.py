"""The rows of a cue set, read and written within a transaction that is under way."""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from typing import Any, TypeAlias

from cuemem.adapters.store.connection import Cursor
from cuemem.adapters.store.conversations import require
from cuemem.adapters.store.rows import Table, first, to_json
from cuemem.errors import NotBuilt
from cuemem.knobs import fingerprint
from cuemem.ports import Extraction
from cuemem.types import ConversationId, Cue, Triple, TurnId, TurnUnit

Key: TypeAlias = tuple[ConversationId, str, TurnUnit]
Contents: TypeAlias = tuple[Triple | str, ...]

SAME = "conversation_id = ? AND source = ? AND turn_unit = ?"
_EXTRACTIONS = Table.of(
    "extractions", "conversation_id text, source text, turn_unit text, turn_id text, failure text"
)
_CUES = Table.of(
    "cues",
    """conversation_id text, source text, turn_unit text, turn_id text, number integer, subject text,
       relation text, object text, statement text""",
)


def turns_of(cursor: Cursor, key: Key) -> tuple[dict[TurnId, int], bool]:
    """The place of each turn that a set is to cover, and whether it is complete. NotBuilt where there is no set."""
    row = first(cursor, f"SELECT turns, complete FROM cue_sets WHERE {SAME}", key)
    if row is None:
        require(cursor, key[0])
        raise NotBuilt(f"{key[0]} has no cues from {key[1]!r} with {key[2]}s as turns; extract them first.")
    return {turn_id: place for place, turn_id in enumerate(row[0])}, bool(row[1])


def cues_of(cursor: Cursor, key: Key) -> tuple[Cue, ...]:
    """C of a set, by source turn and then in the order extracted."""
    turns, _ = turns_of(cursor, key)
    rows = cursor.execute(
        f"SELECT turn_id, number, subject, relation, object, statement FROM cues WHERE {SAME}", key
    ).fetchall()
    rows.sort(key=lambda row: (turns[row[0]], row[1]))
    return tuple(
        Cue(index, turn_id, Triple(*triple) if statement is None else statement)
        for index, (turn_id, _number, *triple, statement) in enumerate(rows)
    )


def write_turns(cursor: Cursor, key: Key, extractions: Mapping[TurnId, Extraction]) -> list[TurnId]:
    """Write what was extracted of these turns, in place of what they had; the turns that had been done before."""
    done = f"SELECT turn_id FROM extractions WHERE {SAME}"
    again = [turn for (turn,) in cursor.execute(done, key).fetchall() if turn in extractions]
    for table in ("extractions", "cues") if again else ():
        these = f"DELETE FROM {table} WHERE {SAME} AND turn_id IN (SELECT unnest(?::VARCHAR[]))"
        cursor.execute(these, [*key, again])
    _EXTRACTIONS.insert(cursor, [(*key, e.turn_id, e.failure) for e in extractions.values()])
    _CUES.insert(cursor, [row for extraction in extractions.values() for row in _rows(key, extraction)])
    return again


def mark_complete(cursor: Cursor, key: Key) -> None:
    """Say that a set is complete, under the hash of what it now holds."""
    contents = [[cue.turn_id, *_parts(cue.content)] for cue in cues_of(cursor, key)]
    mark = f"UPDATE cue_sets SET complete = true, content_hash = ? WHERE {SAME}"
    cursor.execute(mark, [fingerprint(contents), *key])


def remove_set(cursor: Cursor, key: Key) -> None:
    """Take out a set, if it is there. The corrections made in it stay on record as dropped."""
    for table in ("cues", "extractions", "cue_sets"):
        cursor.execute(f"DELETE FROM {table} WHERE {SAME}", key)
    cursor.execute(f"UPDATE corrections SET state = 'dropped' WHERE {SAME} AND state = 'applied'", key)


def drop_corrections(cursor: Cursor, key: Key, turn_ids: Sequence[TurnId]) -> None:
    """Say of the corrections of turns that were extracted anew that they no longer hold."""
    if turn_ids:
        cursor.execute(
            f"""UPDATE corrections SET state = 'dropped'
                WHERE {SAME} AND state = 'applied' AND turn_id IN (SELECT unnest(?::VARCHAR[]))""",
            [*key, list(turn_ids)],
        )


def contents_json(contents: Contents) -> str:
    """The cues of a turn as JSON: a list of [subject, relation, object] or "statement"."""
    return to_json([it if isinstance(it, str) else [it.subject, it.relation, it.object] for it in contents])


def contents_from(text: str) -> Contents:
    """The cues that :func:`contents_json` has written."""
    return tuple(it if isinstance(it, str) else Triple(*it) for it in json.loads(text))


def _rows(key: Key, extraction: Extraction) -> Iterator[tuple[Any, ...]]:
    for number, content in enumerate(extraction.contents):
        yield (*key, extraction.turn_id, number, *_parts(content))


def _parts(content: Triple | str) -> Iterable[str | None]:
    """Subject, relation, object, statement: a triple has the first three, a statement the last."""
    if isinstance(content, str):
        return None, None, None, content
    return content.subject, content.relation, content.object, None
