"""Requests that went out in batch files, by which the lines that come back are known."""

from __future__ import annotations

import json
from collections.abc import Collection, Iterable
from dataclasses import astuple, replace

from cuemem.adapters.store.connection import Connected
from cuemem.adapters.store.records import BatchRecord
from cuemem.adapters.store.rows import Table, to_json, utc_now

_COLUMNS = (
    "request_key, owner, part, model, prompt, prompt_hash, conversation_id, max_tokens, tokens_in, reply_schema"
)
_TABLE = Table.of(
    "batch_requests",
    """request_key text, owner text, part text, model text, prompt text, prompt_hash text, conversation_id text,
       max_tokens integer, tokens_in integer, reply_schema text, exported_at time""",
)


class BatchTable(Connected):
    """What was asked by batch file. The replies themselves lie with all others."""

    def save_batch(self, records: Iterable[BatchRecord]) -> None:
        """Keep these requests, each in place of what was kept of it for the same owner."""
        latest = {(record.request_key, record.owner): record for record in records}
        owners = {owner for _, owner in latest}
        now = utc_now()
        with self.writing() as cursor:
            for owner in owners:
                keys = [key for key, whose in latest if whose == owner]
                cursor.execute(
                    "DELETE FROM batch_requests WHERE owner = ? AND request_key IN (SELECT unnest(?::VARCHAR[]))",
                    [owner, keys],
                )
            _TABLE.insert(cursor, [(*_row(record), now) for record in latest.values()])

    def batch(self, keys: Collection[str]) -> tuple[BatchRecord, ...]:
        """The requests of these keys that went out, by key and owner."""
        with self.reading() as cursor:
            rows = cursor.execute(
                f"""SELECT {_COLUMNS} FROM batch_requests
                    WHERE request_key IN (SELECT unnest(?::VARCHAR[])) ORDER BY request_key, owner""",
                [list(keys)],
            ).fetchall()
        return tuple(replace(BatchRecord(*row), reply_schema=row[-1] and json.loads(row[-1])) for row in rows)

    def unanswered(self, owner: str | None = None) -> dict[str, int]:
        """By owner, of one or of all, how many of its requests have neither a reply nor a failure."""
        where = "" if owner is None else "AND owner = ?"
        with self.reading() as cursor:
            rows = cursor.execute(
                f"""SELECT owner, count(*) FROM batch_requests
                    WHERE request_key NOT IN (SELECT request_key FROM replies)
                      AND request_key NOT IN (SELECT request_key FROM chat_failures) {where}
                    GROUP BY owner ORDER BY owner""",
                [] if owner is None else [owner],
            ).fetchall()
        return dict(rows)


def _row(record: BatchRecord) -> tuple[object, ...]:
    *plain, schema = astuple(record)
    return (*plain, None if schema is None else to_json(schema))
