"""What language models replied, kept by request, and what they failed at; and the prompts that were used."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Mapping, Sequence
from datetime import datetime
from typing import Any

from cuemem.adapters.store.connection import Connected
from cuemem.adapters.store.records import ChatFailureRecord, Spent
from cuemem.adapters.store.rows import aware, first, from_utc, to_utc, utc_now
from cuemem.errors import BadInput, ChatFailure
from cuemem.types import ChatReply, ChatRequest, ConversationId, Failure, PromptVersion, Usage

_REPLY = "model, text, finish_reason, tokens_in, tokens_out, seconds, cost, tried, recorded, asked_at"
_ROW = f"request_key, prompt, prompt_hash, conversation_id, {_REPLY}"
_FAILURE = "request_key, model, prompt, prompt_hash, conversation_id, kind, sentence, retryable, tried, failed_at"


class Replies(Connected):
    """The replies and failures of language models. Every call is a transaction of its own."""

    def reply(self, request_key: str) -> ChatReply | None:
        """The reply that is kept under this key, marked as cached; None where there is none."""
        with self.reading() as cursor:
            row = first(cursor, f"SELECT {_REPLY} FROM replies WHERE request_key = ?", [request_key])
        if row is None:
            return None
        model, text, finish_reason, tokens_in, tokens_out, seconds, cost, tried, recorded, asked_at = row
        usage = Usage(tokens_in, tokens_out, seconds, cost)
        return ChatReply(text, usage, finish_reason, model, True, recorded, from_utc(asked_at), tried)

    def save_reply(self, request: ChatRequest, reply: ChatReply) -> None:
        """Keep a reply; a failure of the same request is no longer one, and its tries are the reply's."""
        self.keep_reply(request.key(reply.model), request.prompt.name, request.prompt.hash, request.about, reply)

    def keep_reply(self, key: str, prompt: str, prompt_hash: str, about: str, reply: ChatReply) -> None:
        """The same for a request of which only the key is known, as in a batch file."""
        used = reply.usage
        row: list[Any] = [key, prompt, prompt_hash, about, reply.model, reply.text]
        row += [reply.finish_reason, used.tokens_in, used.tokens_out, used.seconds, used.cost]
        asked_at = to_utc(reply.asked_at) if reply.asked_at else utc_now()
        with self.writing() as cursor:
            failed = first(cursor, "SELECT tried FROM chat_failures WHERE request_key = ?", [key])
            row += [reply.tried + (failed[0] if failed else 0), reply.recorded]
            cursor.execute("DELETE FROM chat_failures WHERE request_key = ?", [key])
            cursor.execute(
                f"INSERT OR REPLACE INTO replies ({_ROW}) VALUES ({', '.join('?' * 14)})", [*row, asked_at]
            )

    def save_failure(self, request: ChatRequest, model: str, failure: ChatFailure) -> None:
        """Keep that a request failed, with the requests made so far added up."""
        self.keep_failure(request.key(model), model, request.prompt.name, request.prompt.hash, request.about, failure)

    def keep_failure(
        self, key: str, model: str, prompt: str, prompt_hash: str, about: str, failure: ChatFailure
    ) -> None:
        """The same for a request of which only the key is known."""
        with self.writing() as cursor:
            earlier = first(cursor, "SELECT tried FROM chat_failures WHERE request_key = ?", [key])
            tried = failure.tried + (earlier[0] if earlier else 0)
            row: list[Any] = [key, model, prompt, prompt_hash, about]
            row += [failure.kind, str(failure), failure.retryable, tried, utc_now()]
            cursor.execute(f"INSERT OR REPLACE INTO chat_failures ({_FAILURE}) VALUES ({', '.join('?' * 10)})", row)

    def replied(self, keys: Collection[str]) -> frozenset[str]:
        """Those of these keys that a reply is kept under."""
        with self.reading() as cursor:
            rows = cursor.execute(
                "SELECT request_key FROM replies WHERE request_key IN (SELECT unnest(?::VARCHAR[]))", [list(keys)]
            ).fetchall()
        return frozenset(key for (key,) in rows)

    def forget_failures(self, keys: Collection[str]) -> None:
        """Forget that these requests failed, so that they count as not made."""
        with self.writing() as cursor:
            cursor.execute(
                "DELETE FROM chat_failures WHERE request_key IN (SELECT unnest(?::VARCHAR[]))", [list(keys)]
            )

    def chat_failures(self, conversation_id: ConversationId | None = None) -> tuple[ChatFailureRecord, ...]:
        """The requests that have no reply yet, of one conversation or of all, the oldest first."""
        where = "" if conversation_id is None else "WHERE conversation_id = ?"
        with self.reading() as cursor:
            rows = cursor.execute(
                f"SELECT {_FAILURE} FROM chat_failures {where} ORDER BY failed_at, request_key",
                [] if conversation_id is None else [conversation_id],
            ).fetchall()
        return tuple(ChatFailureRecord(*map(aware, row)) for row in rows)

    def chat_failure(self, request_key: str) -> ChatFailureRecord | None:
        """What this request failed at; None where it has a reply, or was never made."""
        with self.reading() as cursor:
            row = first(cursor, f"SELECT {_FAILURE} FROM chat_failures WHERE request_key = ?", [request_key])
        return None if row is None else ChatFailureRecord(*map(aware, row))

    def replied_by(self, prompt: str) -> tuple[str, ...]:
        """The models that replied to prompts whose names begin so, the one with the newest reply first."""
        with self.reading() as cursor:
            rows = cursor.execute(
                """SELECT model FROM replies WHERE starts_with(prompt, ?)
                   GROUP BY model ORDER BY max(asked_at) DESC, model""",
                [prompt],
            ).fetchall()
        return tuple(str(row[0]) for row in rows)

    def spent(
        self,
        model: str | None = None,
        prompt: str | None = None,
        conversation_id: ConversationId | None = None,
        *,
        timed: bool = False,
    ) -> Spent:
        """What was used by the replies asked here: for a model, a prompt, a conversation, or all.

        ``timed``: by those alone whose time is known, which it is not of replies from batch files.
        """
        wanted = {"model": model, "prompt": prompt, "conversation_id": conversation_id}
        given = {column: value for column, value in wanted.items() if value is not None}
        where = "".join(f" AND {column} = ?" for column in given)
        with self.reading() as cursor:
            rows = cursor.execute(
                f"""SELECT count(*), coalesce(sum(tokens_in), 0), coalesce(sum(tokens_out), 0),
                           coalesce(sum(seconds), 0), coalesce(sum(cost), 0), count(*) - count(cost),
                           coalesce(sum(tried), 0)
                    FROM replies WHERE NOT recorded{" AND seconds > 0" if timed else ""}{where}
                    UNION ALL
                    SELECT 0, 0, 0, 0, 0, 0, coalesce(sum(tried), 0) FROM chat_failures WHERE true{where}""",
                [*given.values()] * 2,
            ).fetchall()
        calls, tokens_in, tokens_out, seconds, cost, unpriced, tried = (
            sum(column) for column in zip(*rows, strict=True)
        )
        return Spent(calls, int(tokens_in), int(tokens_out), float(seconds), float(cost), unpriced, int(tried))

    def save_prompt(self, version: PromptVersion, about: str, text: str) -> None:
        """Keep a prompt's text under its name and hash; one that is kept already stays."""
        if self.prompt_text(version.name, version.hash) is not None:
            return
        with self.writing() as cursor:
            cursor.execute(
                "INSERT INTO prompts VALUES (?, ?, ?, ?, ?, ?) ON CONFLICT DO NOTHING",
                [version.name, version.hash, version.own, about, text, utc_now()],
            )

    def prompt_text(self, name: str, prompt_hash: str) -> str | None:
        """The text of a prompt that was used, None where it is not known."""
        with self.reading() as cursor:
            row = first(cursor, "SELECT text FROM prompts WHERE name = ? AND hash = ?", [name, prompt_hash])
        return None if row is None else str(row[0])

    def export_replies(self, conversation_ids: Sequence[ConversationId] | None = None) -> list[dict[str, Any]]:
        """The replies of these conversations, or all, as JSON values: to be replayed from a file elsewhere."""
        columns = [name.strip() for name in _ROW.split(",")]
        with self.reading() as cursor:
            rows = cursor.execute(f"SELECT {_ROW} FROM replies ORDER BY asked_at, request_key").fetchall()
        found = [dict(zip(columns, row, strict=True)) for row in rows]
        wanted = [row for row in found if conversation_ids is None or row["conversation_id"] in conversation_ids]
        return [row | {"asked_at": from_utc(row["asked_at"]).isoformat()} for row in wanted]

    def import_replies(self, rows: Iterable[Mapping[str, Any]]) -> int:
        """Keep replies that were asked elsewhere, marked as recorded; how many were new. Raises BadInput."""
        columns = [name.strip() for name in _ROW.split(",")]
        added = 0
        with self.writing() as cursor:
            for number, row in enumerate(rows, 1):
                try:
                    asked_at = to_utc(datetime.fromisoformat(row["asked_at"]))
                    values = [row.get(name, 1) if name == "tried" else row[name] for name in columns[:-2]]
                except (KeyError, TypeError, ValueError) as error:
                    raise BadInput(
                        f"Recorded reply {number} lacks or misspells {error}; record them again."
                    ) from error
                if first(cursor, "SELECT 1 FROM replies WHERE request_key = ?", [row["request_key"]]) is None:
                    added += 1
                    cursor.execute(
                        f"INSERT INTO replies ({_ROW}) VALUES ({', '.join('?' * 14)})", [*values, True, asked_at]
                    )
        return added

    def recorded_at(self, conversation_id: ConversationId, model: str, prompts: Collection[str]) -> datetime | None:
        """When a model, asked elsewhere, gave its newest reply to one of these prompts; None where it gave none."""
        with self.reading() as cursor:
            row = first(
                cursor,
                """SELECT max(asked_at) FROM replies WHERE recorded AND conversation_id = ? AND model = ?
                   AND prompt IN (SELECT unnest(?::VARCHAR[]))""",
                [conversation_id, model, list(prompts)],
            )
        return from_utc(row[0]) if row is not None and row[0] is not None else None

    def forget_recorded(self, model: str, conversation_ids: Collection[ConversationId] | None = None) -> None:
        """Remove the replies of a model that were asked elsewhere, about these conversations or all.

        So it is asked here.
        """
        about = "" if conversation_ids is None else "AND conversation_id IN (SELECT unnest(?::VARCHAR[]))"
        given = [model] if conversation_ids is None else [model, list(conversation_ids)]
        with self.writing() as cursor:
            cursor.execute(f"DELETE FROM replies WHERE recorded AND model = ? {about}", given)


def as_failure(record: ChatFailureRecord) -> Failure:
    """A kept failure as the domain has it."""
    return Failure(record.kind, record.sentence, record.retryable)
