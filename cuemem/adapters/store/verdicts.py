"""Verdicts on answers: a person's beside the machines', never over them."""

from __future__ import annotations

from cuemem.adapters.store.connection import Connected
from cuemem.adapters.store.records import VerdictRecord
from cuemem.adapters.store.rows import aware, utc_now
from cuemem.knobs import fingerprint
from cuemem.types import ConversationId, Verdict

HUMAN = "human"
_COLUMNS = "conversation_id, question_index, answer_key, judge, protocol, prompt_hash, outcome, reason, judged_at"


def answer_key(text: str) -> str:
    """What an answer's verdicts are kept under: two methods that answer alike are judged alike."""
    return fingerprint(text)


class Verdicts(Connected):
    """What was said of answers to questions that have gold."""

    def save_verdict(self, conversation_id: ConversationId, question: int, answer: str, verdict: Verdict) -> None:
        """Keep a model's verdict, in place of an earlier one by the same model, protocol and prompt."""
        prompt = verdict.prompt.hash if verdict.prompt else ""
        self._save(
            conversation_id,
            question,
            answer,
            verdict.model,
            verdict.protocol,
            prompt,
            verdict.outcome,
            verdict.reason,
        )

    def save_repeated(
        self, conversation_id: ConversationId, question: int, answer: str, verdict: Verdict, repeat: int
    ) -> None:
        """Keep what a model said when it was asked again on purpose, for the ``repeat``-th time from 1 on."""
        prompt = verdict.prompt.hash if verdict.prompt else ""
        row = [conversation_id, question, answer_key(answer), verdict.model, verdict.protocol, prompt]
        with self.writing() as cursor:
            cursor.execute(
                f"INSERT OR REPLACE INTO repeated_verdicts ({_COLUMNS}, repeat) VALUES ({', '.join('?' * 10)})",
                [*row, verdict.outcome, verdict.reason, utc_now(), repeat],
            )

    def repeated(self, conversation_id: ConversationId) -> tuple[VerdictRecord, ...]:
        """What models said when they were asked again, by question, answer, judge and repetition."""
        with self.reading() as cursor:
            rows = cursor.execute(
                f"""SELECT {_COLUMNS}, repeat FROM repeated_verdicts WHERE conversation_id = ?
                    ORDER BY question_index, answer_key, judge, protocol, prompt_hash, repeat""",
                [conversation_id],
            ).fetchall()
        return tuple(VerdictRecord(*map(aware, row)) for row in rows)

    def save_human_verdict(
        self, conversation_id: ConversationId, question: int, answer: str, correct: bool, reason: str = ""
    ) -> None:
        """Keep what a person says of an answer, in place of what a person said before."""
        outcome = "correct" if correct else "incorrect"
        self._save(conversation_id, question, answer, HUMAN, "", "", outcome, reason)

    def remove_human_verdict(self, conversation_id: ConversationId, question: int, answer: str) -> None:
        """Take a person's verdict back; no harm where there is none."""
        with self.writing("labels") as cursor:
            cursor.execute(
                """DELETE FROM verdicts WHERE conversation_id = ? AND question_index = ? AND answer_key = ?
                   AND judge = ?""",
                [conversation_id, question, answer_key(answer), HUMAN],
            )

    def verdicts(self, conversation_id: ConversationId, question: int | None = None) -> tuple[VerdictRecord, ...]:
        """The verdicts of a conversation, or of one of its questions, by question, answer and time."""
        where = "" if question is None else "AND question_index = ?"
        with self.reading() as cursor:
            rows = cursor.execute(
                f"""SELECT {_COLUMNS} FROM verdicts WHERE conversation_id = ? {where}
                    ORDER BY question_index, answer_key, judged_at, judge, protocol, prompt_hash""",
                [conversation_id] if question is None else [conversation_id, question],
            ).fetchall()
        return tuple(VerdictRecord(*map(aware, row)) for row in rows)

    def _save(self, conversation_id: ConversationId, question: int, answer: str, judge: str, *what: str) -> None:
        row = [conversation_id, question, answer_key(answer), judge, *what, utc_now()]
        with self.writing("labels" if judge == HUMAN else None) as cursor:
            cursor.execute(f"INSERT OR REPLACE INTO verdicts ({_COLUMNS}) VALUES ({', '.join('?' * 9)})", row)
