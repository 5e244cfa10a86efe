"""Lists of known faults of the gold, laid over loaded questions and taken off again; the gold stays as it is."""

from __future__ import annotations

import json
from collections.abc import Collection, Mapping

from cuemem.adapters.store.connection import Connected
from cuemem.adapters.store.records import OverlayRecord
from cuemem.adapters.store.rows import Row, Table, from_utc, to_json, utc_now
from cuemem.types import ConversationId, Evidence, Flag

_OVERLAYS = Table.of(
    "overlays",
    """conversation_id text, question_index integer, sha256 text, name text, error_type text, reasoning text,
       correct_answer text, correct_evidence text, added_at time""",
)


class Overlays(Connected):
    """Flags by conversation and question, each from a list that is known by its file's hash."""

    def save_overlay(
        self,
        sha256: str,
        name: str,
        conversation_ids: Collection[ConversationId],
        flags: Mapping[tuple[ConversationId, int], Flag],
    ) -> None:
        """Lay a list over these conversations, in place of what this very list says of them already."""
        with self.writing() as cursor:
            known = cursor.execute("SELECT min(added_at) FROM overlays WHERE sha256 = ?", [sha256]).fetchall()
            added_at = known[0][0] or utc_now()
            cursor.execute(
                "DELETE FROM overlays WHERE sha256 = ? AND conversation_id IN (SELECT unnest(?::VARCHAR[]))",
                [sha256, list(conversation_ids)],
            )
            _OVERLAYS.insert(cursor, [(*key, sha256, name, *_fields(flag), added_at) for key, flag in flags.items()])

    def flagged(self, conversation_id: ConversationId) -> dict[int, Flag]:
        """The flagged questions by index. Where lists disagree, the one that was laid on last is followed."""
        with self.reading() as cursor:
            rows = cursor.execute(
                """SELECT question_index, error_type, reasoning, correct_answer, correct_evidence, name
                   FROM overlays WHERE conversation_id = ? ORDER BY question_index, added_at, sha256""",
                [conversation_id],
            ).fetchall()
        return {row[0]: _flag(row) for row in rows}

    def overlays(self) -> tuple[OverlayRecord, ...]:
        """The lists in the order in which they were laid on."""
        with self.reading() as cursor:
            rows = cursor.execute(
                """SELECT sha256, any_value(name), min(added_at), count(DISTINCT conversation_id), count(*)
                   FROM overlays GROUP BY sha256 ORDER BY 3, 1"""
            ).fetchall()
        return tuple(OverlayRecord(sha256, name, from_utc(at), *counts) for sha256, name, at, *counts in rows)

    def remove_overlay(self, sha256: str) -> None:
        """Take a list off again; no harm where there is none."""
        with self.writing() as cursor:
            cursor.execute("DELETE FROM overlays WHERE sha256 = ?", [sha256])


def _fields(flag: Flag) -> Row:
    evidence = flag.correct_evidence
    cited = None if evidence is None else to_json([[e.cited, e.utterance_id, e.session] for e in evidence])
    answer = None if flag.correct_answer is None else to_json(flag.correct_answer)
    return flag.kind, flag.reasoning, answer, cited


def _flag(row: Row) -> Flag:
    _index, kind, reasoning, answer, evidence, name = row
    cited = None if evidence is None else tuple(Evidence(*entry) for entry in json.loads(evidence))
    return Flag(kind, reasoning, None if answer is None else json.loads(answer), cited, name)
