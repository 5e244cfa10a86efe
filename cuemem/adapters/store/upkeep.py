"""Taking conversations out again, dropping what nothing refers to, and what the store says of itself."""

from __future__ import annotations

import pyarrow as pa

from cuemem.adapters.store.connection import Cursor
from cuemem.adapters.store.conversations import Conversations, require
from cuemem.adapters.store.records import Compacted, StoreInfo
from cuemem.adapters.store.rows import first
from cuemem.adapters.store.vectors import text_key
from cuemem.turns import cut_turns
from cuemem.types import ConversationId, TurnUnit

# Every table with a conversation_id, the conversations themselves last.
_KEYED = (
    "results",
    "reviews",
    "batch_requests",
    "verdicts",
    "repeated_verdicts",
    "replies",
    "chat_failures",
    "memories",
    "corrections",
    "cues",
    "extractions",
    "cue_sets",
    "query_parses",
    "trajectories",
    "unit_problems",
    "units",
    "unit_windows",
    "unit_sets",
    "problems",
    "observations",
    "overlays",
    "evidence",
    "questions",
    "utterances",
    "sessions",
    "conversations",
)
_TABLES = (*_KEYED, "files", "vectors", "arrays", "rerank_scores", "prompts", "runs", "jobs")
_UNITS: tuple[TurnUnit, ...] = ("utterance", "exchange")


def drop_unnamed_arrays(cursor: Cursor, among: list[str] | None = None) -> int:
    """Delete the arrays, of these keys or of all, that no memory names; how many keys went."""
    unnamed = """SELECT DISTINCT array_key FROM arrays
                 WHERE array_key NOT IN (SELECT array_key FROM memories WHERE array_key IS NOT NULL)"""
    keys = [key for (key,) in cursor.execute(unnamed).fetchall() if among is None or key in among]
    cursor.execute("DELETE FROM arrays WHERE array_key IN (SELECT unnest(?::VARCHAR[]))", [keys])
    return len(keys)


class Upkeep(Conversations):
    """Removal, compaction and self-description."""

    def remove(self, conversation_id: ConversationId) -> None:
        """Take out a conversation and everything keyed to it, and with a file's last one the file's row.

        Vectors stay, since other conversations may share them: see :meth:`compact`. Loading the file again
        brings the conversation back. Raises UnknownName.
        """
        with self.writing() as cursor:
            require(cursor, conversation_id)
            by_id = [conversation_id]
            keys = cursor.execute(
                "SELECT array_key FROM memories WHERE conversation_id = ? AND array_key IS NOT NULL", by_id
            ).fetchall()
            of_file = "SELECT file_sha256 FROM conversations WHERE conversation_id = ?"
            ((sha256,),) = cursor.execute(of_file, by_id).fetchall()
            for table in _KEYED:
                cursor.execute(f"DELETE FROM {table} WHERE conversation_id = ?", by_id)
            drop_unnamed_arrays(cursor, [key for (key,) in keys])
            left = "SELECT 1 FROM conversations WHERE file_sha256 = ?"
            if first(cursor, left, [sha256]) is None:
                cursor.execute("DELETE FROM problems WHERE file_sha256 = ?", [sha256])
                cursor.execute("DELETE FROM files WHERE sha256 = ?", [sha256])

    def remove_memory(self, memory_id: str) -> None:
        """Forget a built memory, and its arrays unless another names them; no harm where there is none."""
        with self.writing() as cursor:
            by_id = [memory_id]
            keys = cursor.execute("SELECT array_key FROM memories WHERE memory_id = ?", by_id).fetchall()
            cursor.execute("DELETE FROM memories WHERE memory_id = ?", by_id)
            drop_unnamed_arrays(cursor, [key for (key,) in keys])

    def compact(self) -> Compacted:
        """Drop vectors of texts that no conversation holds, and arrays that no memory names.

        All that goes is a cache and is computed again on demand: vectors of queries typed by hand among it.
        """
        before = self._size()
        with self.writing() as cursor:
            wanted = pa.table({"text_sha256": pa.array(sorted(self._held_texts(cursor)), pa.string())})
            cursor.register("wanted", wanted)
            cursor.execute("DELETE FROM vectors WHERE text_sha256 NOT IN (SELECT text_sha256 FROM wanted)")
            vectors = cursor.fetchall()[0][0]
            cursor.unregister("wanted")
            arrays = drop_unnamed_arrays(cursor)
        self.checkpoint()
        return Compacted(vectors, arrays, before, self._size())

    def _held_texts(self, cursor: Cursor) -> set[str]:
        """The keys of all texts a conversation gives to an embedder: turns, questions, cues, units, attributes."""
        held: set[str] = set()
        for (conversation_id,) in cursor.execute("SELECT conversation_id FROM conversations").fetchall():
            conversation = self.conversation(conversation_id)
            held.update(text_key(turn.text) for unit in _UNITS for turn in cut_turns(conversation, unit))
        for query in (
            "SELECT text FROM questions",
            "SELECT statement FROM observations",
            "SELECT DISTINCT coalesce(statement, subject || ' ' || relation || ' ' || object) FROM cues",
            "SELECT DISTINCT fact_text FROM units",
            "SELECT DISTINCT subject || ' ' || predicate || ' ' || object FROM units",
            "SELECT DISTINCT unnest(from_json(attributes->'entities', '[\"VARCHAR\"]')) FROM units",
            "SELECT DISTINCT unnest(from_json(attributes->'locations', '[\"VARCHAR\"]')) FROM units",
            "SELECT DISTINCT unnest(from_json(parse->'entities', '[\"VARCHAR\"]')) FROM query_parses",
            "SELECT DISTINCT unnest(from_json(parse->'locations', '[\"VARCHAR\"]')) FROM query_parses",
        ):
            held.update(text_key(text) for (text,) in cursor.execute(query).fetchall())
        return held

    def info(self) -> StoreInfo:
        """Path, size, versions and row counts."""
        with self.reading() as cursor:
            facts = dict(cursor.execute("SELECT key, value FROM meta").fetchall())
            counts = {
                table: int(cursor.execute(f"SELECT count(*) FROM {table}").fetchall()[0][0])
                for table in sorted(_TABLES)
            }
            by_model = "SELECT model, count(*) FROM vectors GROUP BY ALL ORDER BY 1"
            models = dict(cursor.execute(by_model).fetchall())
        return StoreInfo(
            self.path, self._size(), int(facts["schema_version"]), facts.get("created_by", ""), counts, models
        )

    def _size(self) -> int:
        """Bytes on disk, with those committed but not yet moved into the main file."""
        log = self.path.with_name(self.path.name + ".wal")
        return sum(file.stat().st_size for file in (self.path, log) if file.exists())
