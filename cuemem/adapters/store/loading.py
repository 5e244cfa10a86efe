"""Loading a file: conversation by conversation, all of it or nothing, and twice the same as once."""

from __future__ import annotations

import contextlib
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Protocol

from cuemem.adapters.store.connection import Cursor
from cuemem.adapters.store.conversations import Conversations
from cuemem.adapters.store.rows import Row, Table, first, to_json, utc_now
from cuemem.errors import BadInput
from cuemem.types import Conversation, Problem, Question

_TABLES = (
    Table.of(
        "conversations",
        "conversation_id text, file_sha256 text, position integer, dataset text, sample_id text",
    ),
    Table.of("sessions", "conversation_id text, position integer, number integer, time time, source_id text"),
    Table.of(
        "utterances",
        """conversation_id text, position integer, utterance_id text, session integer, speaker text, role text,
           text text, caption text, time time, serial integer""",
    ),
    Table.of(
        "questions",
        """conversation_id text, question_index integer, text text, answer text, adversarial_answer text,
           category text, category_number integer, time time, abstention flag""",
    ),
    Table.of(
        "evidence",
        """conversation_id text, question_index integer, position integer, cited text, utterance_id text,
           session integer""",
    ),
    Table.of("observations", "conversation_id text, position integer, utterance_id text, statement text"),
    Table.of(
        "problems",
        """file_sha256 text, conversation_id text, position integer, sample_id text, question_index integer,
           kind text, place text, detail text""",
    ),
)
_ENOUGH = 4_000  # utterances kept back before they are written: one insertion for many conversations


class Loadable(Protocol):
    """A conversation as a dataset's reader hands it over, with all that belongs to it."""

    @property
    def conversation(self) -> Conversation: ...

    @property
    def questions(self) -> Sequence[Question]: ...

    @property
    def problems(self) -> Sequence[Problem]: ...

    @property
    def observations(self) -> Sequence[tuple[str, str]]:  # (utterance id, statement)
        ...


class Load:
    """A load in progress. ``added`` and ``skipped`` count the conversations so far."""

    def __init__(self, cursor: Cursor, sha256: str, name: str) -> None:
        self.added = 0
        self.skipped = 0
        self._cursor = cursor
        self._sha256 = sha256
        self._name = name
        of_file = "SELECT conversation_id FROM conversations WHERE file_sha256 = ?"
        self._present = {row[0] for row in cursor.execute(of_file, [sha256]).fetchall()}
        self._known = first(cursor, "SELECT 1 FROM files WHERE sha256 = ?", [sha256]) is not None
        self._rows: dict[str, list[Row]] = {table.name: [] for table in _TABLES}

    def add(self, loaded: Loadable) -> bool:
        """Take in a conversation, or skip it (False) where the store has it already.

        Raises BadInput where two utterances share an id, or the conversation's id is not of this file.
        """
        conversation = loaded.conversation
        position = self._position(conversation.conversation_id)
        if conversation.conversation_id in self._present:
            self.skipped += 1
            return False
        self._check(conversation)
        self._present.add(conversation.conversation_id)
        self.added += 1
        self._take_dialogue(conversation, position)
        self._take_questions(conversation.conversation_id, loaded.questions)
        self._take_problems(conversation.conversation_id, loaded.problems)
        self._rows["observations"] += [
            (conversation.conversation_id, place, utterance_id, statement)
            for place, (utterance_id, statement) in enumerate(loaded.observations)
        ]
        if len(self._rows["utterances"]) >= _ENOUGH:
            self.flush()
        return True

    def add_problems(self, problems: Iterable[Problem]) -> None:
        """Take in, once and in one call, what is wrong with the file as a whole."""
        if not self._known:
            self._take_problems(None, problems)

    def flush(self) -> None:
        """Write the rows that were kept back, still within the transaction."""
        for table in _TABLES:
            table.insert(self._cursor, self._rows[table.name])
            self._rows[table.name] = []

    def _position(self, conversation_id: str) -> int:
        match = re.fullmatch(re.escape(self._sha256[:16]) + r"/(\d+)", conversation_id)
        if match is None:
            raise BadInput(f"The conversation id {conversation_id!r} does not belong to {self._name}.")
        return int(match[1])

    def _check(self, conversation: Conversation) -> None:
        counts = Counter(utterance.utterance_id for utterance in conversation.utterances)
        twice = next((utterance_id for utterance_id, count in counts.items() if count > 1), None)
        if twice is not None:
            raise BadInput(
                f"{self._name}: {counts[twice]} turns of {conversation.title} have the id {twice!r}; "
                "each needs its own."
            )

    def _take_dialogue(self, conversation: Conversation, position: int) -> None:
        key = conversation.conversation_id
        head = (key, self._sha256, position, conversation.dataset, conversation.sample_id)
        self._rows["conversations"].append(head)
        self._rows["sessions"] += [
            (key, place, session.number, session.time, session.source_id)
            for place, session in enumerate(conversation.sessions)
        ]
        self._rows["utterances"] += [
            (key, place, u.utterance_id, u.session, u.speaker, u.role, u.text, u.caption, u.time, u.serial)
            for place, u in enumerate(conversation.utterances)
        ]

    def _take_questions(self, key: str, questions: Iterable[Question]) -> None:
        for q in questions:
            gold = (to_json(q.answer), to_json(q.adversarial_answer))
            self._rows["questions"].append(
                (key, q.index, q.text, *gold, q.category, q.category_number, q.time, q.abstention)
            )
            self._rows["evidence"] += [
                (key, q.index, place, e.cited, e.utterance_id, e.session) for place, e in enumerate(q.evidence)
            ]

    def _take_problems(self, key: str | None, problems: Iterable[Problem]) -> None:
        self._rows["problems"] += [
            (self._sha256, key, place, p.sample_id, p.question_index, p.kind, p.place, p.detail)
            for place, p in enumerate(problems)
        ]


class Loading(Conversations):
    """Loading files."""

    def has_file(self, sha256: str) -> bool:
        """Whether all of the file is in the store: not if a part was read, or a conversation was removed."""
        with self.reading() as cursor:
            row = first(
                cursor,
                """SELECT conversations, (SELECT count(*) FROM conversations WHERE file_sha256 = sha256)
                   FROM files WHERE sha256 = ?""",
                [sha256],
            )
        return row is not None and row[0] == row[1]

    @contextlib.contextmanager
    def loading(
        self,
        sha256: str,
        name: str,
        file_format: str,
        dataset: str,
        size: int,
        known_as: str | None = None,
        *,
        whole: bool = True,
    ) -> Iterator[Load]:
        """Load a file in one transaction: an exception inside leaves the store as it was.

        What the store has already is skipped, so that a second load changes nothing and one after
        :meth:`remove` brings back what is missing. ``whole`` says that every conversation of the file is
        going to be added. Other writers wait until the end. Raises BadInput where no conversation came.
        """
        with self.writing() as cursor:
            load = Load(cursor, sha256, name)
            yield load
            load.flush()
            seen = load.added + load.skipped
            if seen == 0:
                raise BadInput(f"{name} holds no conversation.")
            cursor.execute(
                """INSERT INTO files (sha256, name, format, dataset, bytes, known_as, loaded_at)
                   VALUES (?, ?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING""",
                [sha256, name, file_format, dataset, size, known_as, utc_now()],
            )
            if whole:
                cursor.execute("UPDATE files SET conversations = ? WHERE sha256 = ?", [seen, sha256])
