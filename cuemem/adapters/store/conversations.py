"""Reading back what was loaded: files, conversations, questions, observations, problems."""

from __future__ import annotations

import json

from cuemem.adapters.store.connection import Connected, Cursor
from cuemem.adapters.store.naming import Named, pick
from cuemem.adapters.store.records import CategoryCount, ConversationSummary, FileRecord
from cuemem.adapters.store.rows import first, from_utc
from cuemem.errors import UnknownName
from cuemem.types import Conversation, ConversationId, Evidence, Problem, Question, Session, Utterance

_SUMMARIES = """
    WITH s AS (SELECT conversation_id, count(*) AS n FROM sessions GROUP BY ALL),
         u AS (SELECT conversation_id, count(*) AS n FROM utterances GROUP BY ALL),
         q AS (SELECT conversation_id, count(*) AS n FROM questions GROUP BY ALL),
         p AS (SELECT conversation_id, count(*) AS n FROM problems GROUP BY ALL),
         c AS (SELECT conversation_id, count(*) AS n FROM cues GROUP BY ALL),
         m AS (SELECT conversation_id, count(*) AS n FROM memories GROUP BY ALL)
    SELECT v.conversation_id, v.dataset, v.sample_id, f.name, v.file_sha256,
           coalesce(s.n, 0), coalesce(u.n, 0), coalesce(q.n, 0), coalesce(p.n, 0), coalesce(c.n, 0),
           coalesce(m.n, 0)
    FROM conversations AS v
    JOIN files AS f ON f.sha256 = v.file_sha256
    LEFT JOIN s USING (conversation_id)
    LEFT JOIN u USING (conversation_id)
    LEFT JOIN q USING (conversation_id)
    LEFT JOIN p USING (conversation_id)
    LEFT JOIN c USING (conversation_id)
    LEFT JOIN m USING (conversation_id)
    ORDER BY f.loaded_at, v.file_sha256, v.position
"""
_PROBLEM = "kind, place, detail, sample_id, question_index"


def require(cursor: Cursor, conversation_id: ConversationId) -> None:
    """Raise UnknownName for a conversation that is not in the store."""
    named = "SELECT 1 FROM conversations WHERE conversation_id = ?"
    if first(cursor, named, [conversation_id]) is None:
        raise UnknownName(f"The store holds no conversation with the id {conversation_id!r}.")


class Conversations(Connected):
    """The loaded data. Each method raises UnknownName for an id that the store does not hold."""

    def files(self) -> tuple[FileRecord, ...]:
        """The loaded files in the order of loading."""
        columns = "sha256, name, format, dataset, bytes, known_as, loaded_at, conversations"
        with self.reading() as cursor:
            rows = cursor.execute(f"SELECT {columns} FROM files ORDER BY loaded_at, sha256").fetchall()
        return tuple(
            FileRecord(sha256, name, file_format, dataset, size, known_as, from_utc(loaded_at), count)
            for sha256, name, file_format, dataset, size, known_as, loaded_at, count in rows
        )

    def conversations(self) -> tuple[ConversationSummary, ...]:
        """All conversations with their counts, in the order of loading and of their file."""
        with self.reading() as cursor:
            rows = cursor.execute(_SUMMARIES).fetchall()
        return tuple(ConversationSummary(*row) for row in rows)

    def resolve(self, name: str) -> ConversationId:
        """The conversation that people call ``name``: its id, or the end of id/dataset/sample.

        Raises UnknownName, with the candidates, where none or several could be meant.
        """
        with self.reading() as cursor:
            rows = cursor.execute(
                """SELECT c.conversation_id, c.conversation_id || '/' || c.dataset || '/' || c.sample_id
                   FROM conversations AS c JOIN files AS f ON f.sha256 = c.file_sha256
                   ORDER BY f.loaded_at, c.file_sha256, c.position"""
            ).fetchall()
        return pick(name, [Named(conversation_id, path) for conversation_id, path in rows])

    def conversation(self, conversation_id: ConversationId) -> Conversation:
        """A conversation as it was loaded."""
        by_id = [conversation_id]
        with self.reading() as cursor:
            require(cursor, conversation_id)
            ((dataset, sample_id),) = cursor.execute(
                "SELECT dataset, sample_id FROM conversations WHERE conversation_id = ?", by_id
            ).fetchall()
            sessions = cursor.execute(
                "SELECT number, time, source_id FROM sessions WHERE conversation_id = ? ORDER BY position", by_id
            ).fetchall()
            utterances = cursor.execute(
                """SELECT utterance_id, session, speaker, text, time, role, caption, serial
                   FROM utterances WHERE conversation_id = ? ORDER BY position""",
                by_id,
            ).fetchall()
        return Conversation(
            conversation_id,
            dataset,
            sample_id,
            tuple(Session(*row) for row in sessions),
            tuple(Utterance(*row) for row in utterances),
        )

    def questions(self, conversation_id: ConversationId) -> tuple[Question, ...]:
        """The questions of a conversation with their gold, in the order of their index."""
        evidence: dict[int, list[Evidence]] = {}
        with self.reading() as cursor:
            require(cursor, conversation_id)
            rows = cursor.execute(
                """SELECT question_index, text, answer, category, category_number, time, abstention,
                          adversarial_answer
                   FROM questions WHERE conversation_id = ? ORDER BY question_index""",
                [conversation_id],
            ).fetchall()
            cited = cursor.execute(
                """SELECT question_index, cited, utterance_id, session FROM evidence
                   WHERE conversation_id = ? ORDER BY question_index, position""",
                [conversation_id],
            ).fetchall()
        for index, *citation in cited:
            evidence.setdefault(index, []).append(Evidence(*citation))
        return tuple(
            Question(
                index,
                text,
                json.loads(answer),
                category,
                number,
                time,
                tuple(evidence.get(index, ())),
                abstention,
                json.loads(adversarial),
            )
            for index, text, answer, category, number, time, abstention, adversarial in rows
        )

    def observations(self, conversation_id: ConversationId) -> tuple[tuple[str, str], ...]:
        """The observations that came with a conversation: (utterance id, statement), in the file's order."""
        with self.reading() as cursor:
            require(cursor, conversation_id)
            rows = cursor.execute(
                """SELECT utterance_id, statement FROM observations
                   WHERE conversation_id = ? ORDER BY position""",
                [conversation_id],
            ).fetchall()
        return tuple((utterance_id, statement) for utterance_id, statement in rows)

    def problems(self, conversation_id: ConversationId) -> tuple[Problem, ...]:
        """What was found wrong in a conversation when it was loaded, in the order found."""
        with self.reading() as cursor:
            require(cursor, conversation_id)
            rows = cursor.execute(
                f"SELECT {_PROBLEM} FROM problems WHERE conversation_id = ? ORDER BY position", [conversation_id]
            ).fetchall()
        return tuple(Problem(*row) for row in rows)

    def file_categories(self, sha256: str) -> tuple[CategoryCount, ...]:
        """The questions of a file by category, in the order of number and name."""
        with self.reading() as cursor:
            rows = cursor.execute(
                """SELECT q.category, q.category_number, q.abstention, count(*)
                   FROM questions AS q JOIN conversations AS c USING (conversation_id)
                   WHERE c.file_sha256 = ? GROUP BY ALL ORDER BY 2 NULLS FIRST, 1, 3""",
                [sha256],
            ).fetchall()
        return tuple(CategoryCount(*row) for row in rows)

    def file_problems(self, sha256: str) -> tuple[Problem, ...]:
        """What was found wrong in a file: first in the file as a whole, then conversation by conversation."""
        with self.reading() as cursor:
            if first(cursor, "SELECT 1 FROM files WHERE sha256 = ?", [sha256]) is None:
                raise UnknownName(f"The store holds no file with the sha256 {sha256!r}.")
            rows = cursor.execute(
                """SELECT p.kind, p.place, p.detail, p.sample_id, p.question_index
                   FROM problems AS p LEFT JOIN conversations AS c USING (conversation_id)
                   WHERE p.file_sha256 = ? ORDER BY c.position NULLS FIRST, p.position""",
                [sha256],
            ).fetchall()
        return tuple(Problem(*row) for row in rows)
