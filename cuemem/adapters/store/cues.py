"""Section 4.1 in the store: cue sets that are extracted turn by turn and resume where they were left.

A cue set is the cues of one conversation from one source under one turn unit.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping

from cuemem.adapters.store.conversations import Conversations, require
from cuemem.adapters.store.cue_rows import (
    SAME,
    Key,
    cues_of,
    drop_corrections,
    mark_complete,
    remove_set,
    turns_of,
    write_turns,
)
from cuemem.adapters.store.records import CueSet
from cuemem.adapters.store.rows import first, from_utc, to_json, utc_now
from cuemem.errors import BadInput, UnknownName
from cuemem.ports import Extraction
from cuemem.turns import cut_turns
from cuemem.types import ConversationId, Cue, Triple, TurnId, TurnUnit

_SETS = """
    SELECT s.conversation_id, s.source, s.turn_unit, s.provenance, s.complete, s.content_hash, s.created_at,
           len(s.turns), count(e.turn_id), count(e.failure),
           (SELECT count(*) FROM cues AS c WHERE c.conversation_id = s.conversation_id
            AND c.source = s.source AND c.turn_unit = s.turn_unit),
           (SELECT count(*) FROM corrections AS c WHERE c.conversation_id = s.conversation_id
            AND c.source = s.source AND c.turn_unit = s.turn_unit AND c.state = 'applied'),
           (SELECT count(*) FROM corrections AS c WHERE c.conversation_id = s.conversation_id
            AND c.source = s.source AND c.turn_unit = s.turn_unit AND c.state = 'dropped')
    FROM cue_sets AS s LEFT JOIN extractions AS e USING (conversation_id, source, turn_unit)
    WHERE s.conversation_id = ? GROUP BY ALL ORDER BY s.created_at, s.source, s.turn_unit
"""


class CueSets(Conversations):
    """Cue sets. A method raises UnknownName for a conversation, NotBuilt for a set, that is not there."""

    def begin_cue_set(
        self, conversation_id: ConversationId, source: str, unit: TurnUnit, provenance: Mapping[str, str]
    ) -> CueSet:
        """Start a cue set, or resume the one that is there if it has the same provenance.

        One of another provenance (another model, another prompt) is dropped: its cues would mix with the new. Its
        corrections go with it and are counted in ``CueSet.dropped``.
        """
        key = (conversation_id, source, unit)
        with self.writing() as cursor:
            turns = [turn.turn_id for turn in cut_turns(self.conversation(conversation_id), unit)]
            if len(set(turns)) < len(turns):
                raise BadInput(f"{conversation_id} has {unit} turns that share an id; cues could not be told apart.")
            row = first(cursor, f"SELECT provenance FROM cue_sets WHERE {SAME}", key)
            if row is None or json.loads(row[0]) != dict(provenance):
                remove_set(cursor, key)
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

        In a complete set the content hash follows, and a correction made by hand of such a turn is on record as
        dropped. Raises UnknownName for a turn that the conversation does not have under this unit.
        """
        key = (conversation_id, source, unit)
        latest = {extraction.turn_id: extraction for extraction in extractions}
        with self.writing() as cursor:
            turns, complete = turns_of(cursor, key)
            if strangers := latest.keys() - turns.keys():
                raise UnknownName(f"{conversation_id} has no {unit} turn {min(strangers)!r}.")
            drop_corrections(cursor, key, write_turns(cursor, key, latest))
            if complete:
                mark_complete(cursor, key)

    def complete_cue_set(self, conversation_id: ConversationId, source: str, unit: TurnUnit) -> CueSet:
        """Mark a set as complete and give it its content hash. Raises BadInput while turns are missing."""
        key = (conversation_id, source, unit)
        with self.writing() as cursor:
            turns, _ = turns_of(cursor, key)
            done = self.extractions_done(*key)
            missing = [turn for turn in turns if turn not in done]
            if missing:
                raise BadInput(
                    f"The cues of {conversation_id} from {source!r} are not complete: {len(missing)} of "
                    f"{len(turns)} turns are still to be done, the first is {missing[0]}."
                )
            mark_complete(cursor, key)
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
            remove_set(cursor, key)
            self.begin_cue_set(*key, provenance)
            self.add_extractions(*key, extractions)
            return self.complete_cue_set(*key)

    def remove_cue_set(self, conversation_id: ConversationId, source: str, unit: TurnUnit) -> None:
        """Take out a cue set; no harm where there is none."""
        with self.writing() as cursor:
            require(cursor, conversation_id)
            remove_set(cursor, (conversation_id, source, unit))

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
            return cues_of(cursor, (conversation_id, source, unit))

    def extractions(self, conversation_id: ConversationId, source: str, unit: TurnUnit) -> tuple[Extraction, ...]:
        """What each turn done so far gave, in the order of the turns, failures and turns without a cue too."""
        key = (conversation_id, source, unit)
        contents: dict[TurnId, list[Triple | str]] = {}
        with self.reading() as cursor:
            turns, _ = turns_of(cursor, key)
            rows = cursor.execute(f"SELECT turn_id, failure FROM extractions WHERE {SAME}", key).fetchall()
            for cue in cues_of(cursor, key):
                contents.setdefault(cue.turn_id, []).append(cue.content)
        rows.sort(key=lambda row: turns[row[0]])
        return tuple(Extraction(turn, tuple(contents.get(turn, ())), failure) for turn, failure in rows)

    def extractions_done(self, conversation_id: ConversationId, source: str, unit: TurnUnit) -> frozenset[TurnId]:
        """The turns that are done, the failed ones too: extraction resumes at the first of the others."""
        key = (conversation_id, source, unit)
        with self.reading() as cursor:
            turns_of(cursor, key)
            rows = cursor.execute(f"SELECT turn_id FROM extractions WHERE {SAME}", key).fetchall()
        return frozenset(turn for (turn,) in rows)

    def _cue_set(self, key: Key) -> CueSet:
        return next(it for it in self.cue_sets(key[0]) if (it.source, it.turn_unit) == key[1:])
