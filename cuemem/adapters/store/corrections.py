"""Cues corrected by hand: each change is recorded, holds until the set is made anew, and can be undone."""

from __future__ import annotations

from dataclasses import replace

from cuemem.adapters.store.connection import Cursor
from cuemem.adapters.store.cue_rows import (
    SAME,
    Contents,
    Key,
    contents_from,
    contents_json,
    cues_of,
    mark_complete,
    turns_of,
    write_turns,
)
from cuemem.adapters.store.cues import CueSets
from cuemem.adapters.store.records import Correction
from cuemem.adapters.store.rows import Row, Table, from_utc, utc_now
from cuemem.adapters.store.upkeep import drop_unnamed_arrays
from cuemem.errors import BadInput, NotBuilt, UnknownName
from cuemem.ports import Extraction
from cuemem.types import ConversationId, TurnId, TurnUnit

_CORRECTIONS = Table.of(
    "corrections",
    """conversation_id text, source text, turn_unit text, number integer, turn_id text, before text,
       before_failure text, after text, state text, corrected_at time""",
)
_COLUMNS = ", ".join(_CORRECTIONS.columns)


class Corrections(CueSets):
    """Corrections of complete cue sets. NotBuilt is raised where there is no complete set."""

    def correct_turn(
        self, conversation_id: ConversationId, source: str, unit: TurnUnit, turn_id: TurnId, contents: Contents
    ) -> Correction | None:
        """Give a turn these cues in place of those it has, and record it; None where it has them already.

        Content hash and memory records follow in the same transaction. Raises UnknownName for the turn.
        """
        key: Key = (conversation_id, source, unit)
        with self.writing() as cursor:
            self._require_complete(cursor, key, turn_id)
            before = tuple(cue.content for cue in cues_of(cursor, key) if cue.turn_id == turn_id)
            of_turn = f"SELECT failure FROM extractions WHERE {SAME} AND turn_id = ?"
            ((failure,),) = cursor.execute(of_turn, [*key, turn_id]).fetchall()
            if before == contents and failure is None:
                return None
            last = f"SELECT coalesce(max(number), 0) FROM corrections WHERE {SAME}"
            ((number,),) = cursor.execute(last, key).fetchall()
            made = Correction(*key, number + 1, turn_id, before, failure, contents, "applied", from_utc(utc_now()))
            row = (*key, made.number, turn_id, contents_json(before), failure, contents_json(contents))
            _CORRECTIONS.insert(cursor, [(*row, made.state, made.corrected_at.replace(tzinfo=None))])
            self._put(cursor, key, Extraction(turn_id, contents))
            return made

    def undo_correction(
        self, conversation_id: ConversationId, source: str, unit: TurnUnit, number: int | None = None
    ) -> Correction:
        """Give a turn back the cues that it had before a correction (None: before the last one that holds).

        Raises UnknownName for a number there is not; BadInput where nothing is left to undo, the correction
        does not hold any more, or a later one changed the same turn again.
        """
        key: Key = (conversation_id, source, unit)
        with self.writing() as cursor:
            made = [it for it in self.corrections(conversation_id) if (it.source, it.turn_unit) == key[1:]]
            wanted = _to_undo(made, number, f"{conversation_id} from {source!r}")
            self._require_complete(cursor, key, wanted.turn_id)
            mark = f"UPDATE corrections SET state = 'undone' WHERE {SAME} AND number = ?"
            cursor.execute(mark, [*key, wanted.number])
            self._put(cursor, key, Extraction(wanted.turn_id, wanted.before, wanted.before_failure))
        return replace(wanted, state="undone")

    def corrections(self, conversation_id: ConversationId) -> tuple[Correction, ...]:
        """All that was corrected in a conversation's cue sets, by set and in the order made."""
        with self.reading() as cursor:
            rows = cursor.execute(
                f"SELECT {_COLUMNS} FROM corrections WHERE conversation_id = ? ORDER BY source, turn_unit, number",
                [conversation_id],
            ).fetchall()
        return tuple(_correction(row) for row in rows)

    def _require_complete(self, cursor: Cursor, key: Key, turn_id: TurnId) -> None:
        turns, complete = turns_of(cursor, key)
        if not complete:
            raise NotBuilt(f"The cues of {key[0]} from {key[1]!r} are still being extracted; complete them first.")
        if turn_id not in turns:
            raise UnknownName(f"{key[0]} has no {key[2]} turn {turn_id!r}.")

    def _put(self, cursor: Cursor, key: Key, extraction: Extraction) -> None:
        """Write the turn's cues; what was built from the set is of now and has no arrays yet."""
        write_turns(cursor, key, {extraction.turn_id: extraction})
        mark_complete(cursor, key)
        built = "conversation_id = ? AND cue_source = ? AND turn_unit = ?"
        named = f"SELECT array_key FROM memories WHERE {built} AND array_key IS NOT NULL"
        keys = [array_key for (array_key,) in cursor.execute(named, key).fetchall()]
        cursor.execute(
            f"UPDATE memories SET cue_count = ?, array_key = NULL, built_at = ? WHERE {built}",
            [len(cues_of(cursor, key)), utc_now(), *key],
        )
        drop_unnamed_arrays(cursor, keys)


def _to_undo(made: list[Correction], number: int | None, where: str) -> Correction:
    holding = [it for it in made if it.state == "applied"]
    if number is None:
        if not holding:
            raise BadInput(f"The cues of {where} have no correction that could be undone.")
        return holding[-1]
    wanted = next((it for it in made if it.number == number), None)
    if wanted is None:
        raise UnknownName(f"The cues of {where} have no correction {number}; there are {len(made)}.")
    if wanted.state == "undone":
        raise BadInput(f"Correction {number} of {where} is undone already.")
    if wanted.state == "dropped":
        raise BadInput(
            f"Correction {number} of {where} does not hold any more: the cues of {wanted.turn_id} were made anew "
            "since. Correct the turn as it is now."
        )
    later = next((it for it in reversed(holding) if it.turn_id == wanted.turn_id and it.number > number), None)
    if later is not None:
        raise BadInput(
            f"Correction {number} of {where} cannot be undone yet: correction {later.number} changed "
            f"{wanted.turn_id} again. Undo that one first."
        )
    return wanted


def _correction(row: Row) -> Correction:
    conversation_id, source, unit, number, turn_id, before, failure, after, state, at = row
    changed = contents_from(before), failure, contents_from(after)
    return Correction(conversation_id, source, unit, number, turn_id, *changed, state, from_utc(at))
