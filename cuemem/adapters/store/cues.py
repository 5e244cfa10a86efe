"""Section 4.1 in the store: cue sets that are extracted turn by turn and resume where they were left.

A cue set is the cues of one conversation from one source under one turn unit.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

from cuemem.adapters.store.connection import Cursor
from cuemem.adapters.store.conversations import Conversations, require
from cuemem.adapters.store.records import CueSet
from cuemem.adapters.store.rows import Table, first, from_utc, to_json, utc_now
from cuemem.errors import BadInput, NotBuilt, UnknownName
from cuemem.knobs import fingerprint
from cuemem.ports import Extraction
from cuemem.turns import cut_turns
from cuemem.types import ConversationId, Cue, Triple, TurnId, TurnUnit

Key = tuple[ConversationId, str, TurnUnit]

_SAME = "conversation_id = ? AND source = ? AND turn_unit = ?"
_EXTRACTIONS = Table.of(
    "extractions", "conversation_id text, source text, turn_unit text, turn_id text, failure text"
)
_CUES = Table.of(
    "cues",
    """conversation_id text, source text, turn_unit text, turn_id text, number integer, subject text,
       relation text, object text, statement text""",
)
_SETS = """
    SELECT s.conversation_id, s.source, s.turn_unit, s.provenance, s.complete, s.content_hash, s.created_at,
           len(s.turns), count(e.turn_id), count(e.failure),
           (SELECT count(*) FROM cues AS c WHERE c.conversation_id = s.conversation_id
            AND c.source = s.source AND c.turn_unit = s.turn_unit)
    FROM cue_sets AS s LEFT JOIN extractions AS e USING (conversation_id, source, turn_unit)
    WHERE s.conversation_id = ? GROUP BY ALL ORDER BY s.created_at, s.source, s.turn_unit
"""


class CueSets(Conversations):
    """Cue sets. A method raises UnknownName for a conversation, NotBuilt for a set, that is not there."""

    def begin_cue_set(
        self, conversation_id: ConversationId, source: str, unit: TurnUnit, provenance: Mapping[str, str]
    ) -> CueSet:
        """Start a cue set, or resume the one that is there if it has the same provenance.

        One of another provenance (another model, another prompt) is dropped: its cues would mix with the new.
        """
        key = (conversation_id, source, unit)
        with self.writing() as cursor:
            turns = [turn.turn_id for turn in cut_turns(self.conversation(conversation_id), unit)]
            if len(set(turns)) < len(turns):
                raise BadInput(f"{conversation_id} has {unit} turns that share an id; cues could not be told apart.")
            row = first(cursor, f"SELECT provenance FROM cue_sets WHERE {_SAME}", key)
            if row is None or json.loads(row[0]) != dict(provenance):
                _remove(cursor, key)
                cursor.execute(
                    """INSERT INTO cue_sets
                           (conversation_id, source, turn_unit, turns, provenance, complete, created_at)
                       VALUES (?, ?, ?, ?, ?, false, ?)""",
                    [*key, turns, to_json(dict(provenance)), utc_now()],
                )
            return self._cue_set(key)

    def add_extractions(
        self, conversation_id: ConversationId, source: str, unit: TurnUnit, extractions: Iterable[Extraction]
    ) -> None:
        """Commit what was extracted of some turns, in place of what those turns had.

        In a complete set this corrects the turns, and the content hash follows. Raises UnknownName for a turn
        that the conversation does not have under this unit.
        """
        key = (conversation_id, source, unit)
        latest = {extraction.turn_id: extraction for extraction in extractions}
        with self.writing() as cursor:
            turns, complete = _turns(cursor, key)
            if strangers := latest.keys() - turns.keys():
                raise UnknownName(f"{conversation_id} has no {unit} turn {min(strangers)!r}.")
            done = f"SELECT turn_id FROM extractions WHERE {_SAME}"
            again = [turn for (turn,) in cursor.execute(done, key).fetchall() if turn in latest]
            for table in ("extractions", "cues") if again else ():
                these = f"DELETE FROM {table} WHERE {_SAME} AND turn_id IN (SELECT unnest(?::VARCHAR[]))"
                cursor.execute(these, [*key, again])
            _EXTRACTIONS.insert(cursor, [(*key, e.turn_id, e.failure) for e in latest.values()])
            _CUES.insert(cursor, [row for extraction in latest.values() for row in _rows(key, extraction)])
            if complete:
                self._complete(cursor, key)

    def complete_cue_set(self, conversation_id: ConversationId, source: str, unit: TurnUnit) -> CueSet:
        """Mark a set as complete and give it its content hash. Raises BadInput while turns are missing."""
        key = (conversation_id, source, unit)
        with self.writing() as cursor:
            turns, _ = _turns(cursor, key)
            done = self.extractions_done(*key)
            missing = [turn for turn in turns if turn not in done]
            if missing:
                raise BadInput(
                    f"The cues of {conversation_id} from {source!r} are not complete: {len(missing)} of "
                    f"{len(turns)} turns are still to be done, the first is {missing[0]}."
                )
            self._complete(cursor, key)
            return self._cue_set(key)

    def replace_cue_set(
        self,
        conversation_id: ConversationId,
        source: str,
        unit: TurnUnit,
        provenance: Mapping[str, str],
        extractions: Iterable[Extraction],
    ) -> CueSet:
        """Put a whole set in place of any that was there, in one transaction.

        Raises BadInput where a turn of the conversation is missing; the former set then stays.
        """
        key = (conversation_id, source, unit)
        with self.writing() as cursor:
            _remove(cursor, key)
            self.begin_cue_set(*key, provenance)
            self.add_extractions(*key, extractions)
            return self.complete_cue_set(*key)

    def remove_cue_set(self, conversation_id: ConversationId, source: str, unit: TurnUnit) -> None:
        """Take out a cue set; no harm where there is none."""
        with self.writing() as cursor:
            require(cursor, conversation_id)
            _remove(cursor, (conversation_id, source, unit))

    def cue_sets(self, conversation_id: ConversationId) -> tuple[CueSet, ...]:
        """The cue sets of a conversation in the order they were begun."""
        with self.reading() as cursor:
            require(cursor, conversation_id)
            rows = cursor.execute(_SETS, [conversation_id]).fetchall()
        return tuple(
            CueSet(key, source, unit, json.loads(provenance), complete, digest, from_utc(begun), *counts)
            for key, source, unit, provenance, complete, digest, begun, *counts in rows
        )

    def cues(self, conversation_id: ConversationId, source: str, unit: TurnUnit) -> tuple[Cue, ...]:
        """C of a set, complete or not: by source turn, then in the order extracted, with index from 0."""
        with self.reading() as cursor:
            return _cues(cursor, (conversation_id, source, unit))

    def extractions(self, conversation_id: ConversationId, source: str, unit: TurnUnit) -> tuple[Extraction, ...]:
        """What each turn done so far gave, in the order of the turns, failures and turns without a cue too."""
        key = (conversation_id, source, unit)
        contents: dict[TurnId, list[Triple | str]] = {}
        with self.reading() as cursor:
            turns, _ = _turns(cursor, key)
            rows = cursor.execute(f"SELECT turn_id, failure FROM extractions WHERE {_SAME}", key).fetchall()
            for cue in _cues(cursor, key):
                contents.setdefault(cue.turn_id, []).append(cue.content)
        rows.sort(key=lambda row: turns[row[0]])
        return tuple(Extraction(turn, tuple(contents.get(turn, ())), failure) for turn, failure in rows)

    def extractions_done(self, conversation_id: ConversationId, source: str, unit: TurnUnit) -> frozenset[TurnId]:
        """The turns that are done, the failed ones too: extraction resumes at the first of the others."""
        key = (conversation_id, source, unit)
        with self.reading() as cursor:
            _turns(cursor, key)
            rows = cursor.execute(f"SELECT turn_id FROM extractions WHERE {_SAME}", key).fetchall()
        return frozenset(turn for (turn,) in rows)

    def _cue_set(self, key: Key) -> CueSet:
        return next(it for it in self.cue_sets(key[0]) if (it.source, it.turn_unit) == key[1:])

    def _complete(self, cursor: Cursor, key: Key) -> None:
        contents = [[cue.turn_id, *_parts(cue.content)] for cue in _cues(cursor, key)]
        mark = f"UPDATE cue_sets SET complete = true, content_hash = ? WHERE {_SAME}"
        cursor.execute(mark, [fingerprint(contents), *key])


def _turns(cursor: Cursor, key: Key) -> tuple[dict[TurnId, int], bool]:
    """The place of each turn that the set is to cover, and whether the set is complete."""
    row = first(cursor, f"SELECT turns, complete FROM cue_sets WHERE {_SAME}", key)
    if row is None:
        require(cursor, key[0])
        raise NotBuilt(f"{key[0]} has no cues from {key[1]!r} with {key[2]}s as turns; extract them first.")
    return {turn_id: place for place, turn_id in enumerate(row[0])}, bool(row[1])


def _cues(cursor: Cursor, key: Key) -> tuple[Cue, ...]:
    turns, _ = _turns(cursor, key)
    rows = cursor.execute(
        f"SELECT turn_id, number, subject, relation, object, statement FROM cues WHERE {_SAME}", key
    ).fetchall()
    rows.sort(key=lambda row: (turns[row[0]], row[1]))
    return tuple(
        Cue(index, turn_id, Triple(*triple) if statement is None else statement)
        for index, (turn_id, _number, *triple, statement) in enumerate(rows)
    )


def _rows(key: Key, extraction: Extraction) -> Iterable[tuple[Any, ...]]:
    for number, content in enumerate(extraction.contents):
        yield (*key, extraction.turn_id, number, *_parts(content))


def _parts(content: Triple | str) -> tuple[str | None, str | None, str | None, str | None]:
    """Subject, relation, object, statement: a triple has the first three, a statement the last."""
    if isinstance(content, str):
        return None, None, None, content
    return content.subject, content.relation, content.object, None


def _remove(cursor: Cursor, key: Key) -> None:
    for table in ("cues", "extractions", "cue_sets"):
        cursor.execute(f"DELETE FROM {table} WHERE {_SAME}", key)
