"""What people decided of the failures of runs, beside what the machine had proposed."""

from __future__ import annotations

from cuemem.adapters.store.connection import Connected
from cuemem.adapters.store.records import ReviewRecord
from cuemem.adapters.store.rows import aware, utc_now

_COLUMNS = "run_id, conversation_id, question_index, answer_key, proposed, decided, flag, note, decided_at"


class Reviews(Connected):
    """One row for each failure that somebody looked at. Every call is a transaction of its own."""

    def save_review(self, review: ReviewRecord) -> None:
        """Keep a review in place of an earlier one; one that says nothing any more is taken out."""
        place = [review.run_id, review.conversation_id, review.question_index]
        with self.writing("reviews") as cursor:
            if review.decided is None and not review.flag and not review.note:
                cursor.execute(
                    "DELETE FROM reviews WHERE run_id = ? AND conversation_id = ? AND question_index = ?", place
                )
                return
            said = [review.answer_key, review.proposed, review.decided, review.flag, review.note, utc_now()]
            cursor.execute(
                f"INSERT OR REPLACE INTO reviews ({_COLUMNS}) VALUES ({', '.join('?' * 9)})", [*place, *said]
            )

    def reviews(self, run_id: str | None = None) -> tuple[ReviewRecord, ...]:
        """The reviews of a run, or of all, by run, conversation and question."""
        where = "" if run_id is None else "WHERE run_id = ?"
        with self.reading() as cursor:
            rows = cursor.execute(
                f"SELECT {_COLUMNS} FROM reviews {where} ORDER BY run_id, conversation_id, question_index",
                [] if run_id is None else [run_id],
            ).fetchall()
        return tuple(ReviewRecord(*map(aware, row)) for row in rows)
