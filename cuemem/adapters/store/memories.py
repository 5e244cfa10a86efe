"""Which memories have been built, so that they are listed and opened again without being built anew."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import Any

from cuemem.adapters.store.connection import Connected
from cuemem.adapters.store.conversations import require
from cuemem.adapters.store.records import MemoryRecord
from cuemem.adapters.store.rows import from_utc, to_json, to_utc
from cuemem.types import ConversationId

_COLUMNS = """memory_id, conversation_id, method, settings, embedding_model, turn_unit, cue_source,
              turn_count, cue_count, array_key, built_at"""


class Memories(Connected):
    """The records of built memories."""

    def save_memory(self, record: MemoryRecord) -> None:
        """Record a built memory, in place of one with its id. Raises UnknownName for its conversation."""
        m = record
        row: list[Any] = [m.memory_id, m.conversation_id, m.method, to_json(dict(m.settings))]
        row += [m.embedding_model, m.turn_unit, m.cue_source, m.turn_count, m.cue_count, m.array_key]
        row += [to_utc(m.built_at)]
        with self.writing() as cursor:
            require(cursor, record.conversation_id)
            cursor.execute("DELETE FROM memories WHERE memory_id = ?", [record.memory_id])
            cursor.execute(f"INSERT INTO memories ({_COLUMNS}) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", row)

    def memories(self, conversation_id: ConversationId | None = None) -> tuple[MemoryRecord, ...]:
        """The memories of a conversation, or all, in the order of building."""
        with self.reading() as cursor:
            rows = cursor.execute(
                f"""SELECT {_COLUMNS} FROM memories WHERE conversation_id = coalesce(?, conversation_id)
                    ORDER BY built_at, memory_id""",
                [conversation_id],
            ).fetchall()
        return tuple(
            replace(record, settings=json.loads(settings), built_at=from_utc(record.built_at))
            for record, settings in ((MemoryRecord(*row), row[3]) for row in rows)
        )
