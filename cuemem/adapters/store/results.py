"""Runs and what they measured, question by question."""

from __future__ import annotations

import json
from collections.abc import Iterable, Mapping
from typing import Any

from cuemem.adapters.store.connection import Connected, Cursor
from cuemem.adapters.store.records import ResultRecord, RunRecord
from cuemem.adapters.store.rows import Table, first, from_utc, to_json, utc_now
from cuemem.errors import UnknownName

_RESULTS = Table.of("results", "run_id text, conversation_id text, question_index integer, values text, open text")

_FEW = 4  # rows that single statements insert sooner than a table


class Results(Connected):
    """Experiments: cards and results. Each call is one transaction, so a run resumes after its last result."""

    def save_run(self, run_id: str, kind: str, card: Mapping[str, Any]) -> None:
        """Start a run, or change the card of one that was started; its results and its time stay."""
        with self.writing() as cursor:
            cursor.execute(
                """INSERT INTO runs (run_id, kind, card, created_at) VALUES (?, ?, ?, ?)
                   ON CONFLICT DO UPDATE SET kind = excluded.kind, card = excluded.card""",
                [run_id, kind, to_json(dict(card)), utc_now()],
            )

    def add_results(self, run_id: str, results: Iterable[ResultRecord]) -> None:
        """Keep results, each in place of an earlier one for the same question. Raises UnknownName for the run."""
        latest = {(r.conversation_id, r.question_index): (run_id, *_fields(r)) for r in results}
        with self.writing() as cursor:
            _require(cursor, run_id)
            if len(latest) <= _FEW:
                for row in latest.values():
                    cursor.execute("INSERT OR REPLACE INTO results VALUES (?, ?, ?, ?, ?)", row)
                return
            cursor.execute(
                """DELETE FROM results WHERE run_id = ? AND (conversation_id, question_index) IN
                   (SELECT unnest(?::VARCHAR[]), unnest(?::INTEGER[]))""",
                [run_id, [key for key, _ in latest], [index for _, index in latest]],
            )
            _RESULTS.insert(cursor, list(latest.values()))

    def results(self, run_id: str) -> tuple[ResultRecord, ...]:
        """The results of a run by conversation and question. Raises UnknownName for the run."""
        with self.reading() as cursor:
            _require(cursor, run_id)
            rows = cursor.execute(
                """SELECT conversation_id, question_index, "values", open FROM results WHERE run_id = ?
                   ORDER BY conversation_id, question_index""",
                [run_id],
            ).fetchall()
        return tuple(ResultRecord(key, index, json.loads(values), left) for key, index, values, left in rows)

    def run(self, run_id: str) -> RunRecord:
        """One run. Raises UnknownName."""
        for record in self.runs():
            if record.run_id == run_id:
                return record
        raise UnknownName(f"The store holds no run {run_id!r}.")

    def runs(self) -> tuple[RunRecord, ...]:
        """All runs in the order of their start."""
        with self.reading() as cursor:
            rows = cursor.execute(
                """SELECT run_id, kind, card, created_at, count(question_index),
                          count_if(open = 'answer'), count_if(open = 'verdict')
                   FROM runs LEFT JOIN results USING (run_id) GROUP BY ALL ORDER BY created_at, run_id"""
            ).fetchall()
        return tuple(
            RunRecord(run_id, kind, json.loads(card), from_utc(started), *counts)
            for run_id, kind, card, started, *counts in rows
        )

    def clear_results(self, run_id: str) -> None:
        """Take out the results of a run, and keep its card."""
        with self.writing() as cursor:
            cursor.execute("DELETE FROM results WHERE run_id = ?", [run_id])

    def remove_run(self, run_id: str) -> None:
        """Take out a run, its results and what was decided of its failures; no harm where there is none."""
        with self.writing() as cursor:
            cursor.execute("DELETE FROM results WHERE run_id = ?", [run_id])
            cursor.execute("DELETE FROM reviews WHERE run_id = ?", [run_id])
            cursor.execute("DELETE FROM batch_requests WHERE owner = ?", [run_id])
            cursor.execute("DELETE FROM runs WHERE run_id = ?", [run_id])


def _require(cursor: Cursor, run_id: str) -> None:
    if first(cursor, "SELECT 1 FROM runs WHERE run_id = ?", [run_id]) is None:
        raise UnknownName(f"The store holds no run {run_id!r}.")


def _fields(result: ResultRecord) -> tuple[str, int, str, str]:
    return result.conversation_id, result.question_index, to_json(dict(result.values)), result.open
