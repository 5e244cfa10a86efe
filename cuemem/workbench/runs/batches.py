"""Batch files: the prompts of a run or an extraction go out, the replies come back in any order."""

from __future__ import annotations

import json
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

from cuemem.adapters.chat.batch import MOST_BYTES, MOST_LINES, batch_line, reply_of
from cuemem.adapters.files import open_source
from cuemem.adapters.store import BatchRecord, CachedChat, Store
from cuemem.cues.llm import LlmCues
from cuemem.errors import BadInput, ChatFailure, CueMemError
from cuemem.ports import Progress, TokenCounter, no_progress
from cuemem.problems import ProblemList
from cuemem.prompts import Prompts
from cuemem.text import counted
from cuemem.turns import cut_turns
from cuemem.types import ChatRequest, ConversationId, Problem, TurnUnitChoice
from cuemem.workbench.extracting import to_do
from cuemem.workbench.runs.going import go
from cuemem.workbench.runs.purse import Waiting
from cuemem.workbench.runs.reading import opened
from cuemem.workbench.workbench import Workbench

RunPart = Literal["answers", "judging"]
Part = Literal["extraction", "answers", "judging"]
PARTS: tuple[Part, ...] = ("extraction", "answers", "judging")


@dataclass(frozen=True, slots=True)
class Batch:
    """Lines that are to go out, in files of a size that a batch service takes."""

    files: tuple[bytes, ...]
    lines: int


def run_batch(
    workbench: Workbench,
    run_id: str,
    part: RunPart,
    prompts: Prompts,
    progress: Progress = no_progress,
) -> Batch:
    """The prompts of a run that have no reply yet. Raises BadInput where there is none of this part."""
    going = go(workbench, [run_id], prompts=prompts, progress=progress, ask=False)
    card = opened(workbench.store, run_id).card
    judged = {version.name for version in card.judging.prompts} if card.judging else set()
    wanted = [it for it in going.awaited.get(run_id, []) if (it.prompt.name in judged) == (part == "judging")]
    setup = card.judging if part == "judging" else card.answering
    if setup is None or not wanted:
        raise BadInput(_nothing(run_id, part, going.awaited.get(run_id, []), known=setup is not None))
    return _batch(workbench, wanted, setup.model, run_id, part)


def _nothing(run_id: str, part: RunPart, awaited: Sequence[ChatRequest], *, known: bool) -> str:
    if not known:
        return f"The run {run_id} has no {part}: it was begun without a model for them."
    if awaited and part == "judging":
        return f"{counted(len(awaited), 'answer')} of {run_id} must come before there is something to judge."
    return f"Every prompt of {run_id} for {part} has its reply already."


def extraction_batch(
    workbench: Workbench,
    conversation_id: ConversationId,
    source: LlmCues,
    turn_unit: TurnUnitChoice = "auto",
    retry_failed: bool = False,
) -> Batch:
    """The prompts of the turns of a conversation whose cues have not been extracted yet.

    ``source`` is one that waits. Raises BadInput where every turn is done.
    """
    conversation = workbench.store.conversation(conversation_id)
    turns = to_do(workbench.store, source, cut_turns(conversation, turn_unit), conversation_id, retry_failed)
    wanted = list(source.awaited(conversation, turns))
    if not wanted:
        raise BadInput(f"Every turn of {conversation.title} has its reply already; build its memory.")
    return _batch(workbench, wanted, source.chat.name, conversation_id, "extraction")


def waiting_cues(store: Store, source: LlmCues) -> LlmCues:
    """The source with a model that is asked nothing: what has no reply yet is awaited from a batch file."""
    chat = source.chat
    if isinstance(chat, CachedChat) and chat.chat is not None:
        return replace(source, chat=replace(chat, chat=Waiting(chat.chat, store)))
    return source


def _batch(workbench: Workbench, wanted: Iterable[ChatRequest], model: str, owner: str, part: Part) -> Batch:
    unique = {request.key(model): request for request in wanted}
    records = [_record(key, request, model, owner, part, workbench.tokens) for key, request in unique.items()]
    lines = [json.dumps(batch_line(request, model), ensure_ascii=True) + "\n" for request in unique.values()]
    workbench.store.save_batch(records)
    return Batch(tuple(_split(lines)), len(lines))


def _record(key: str, request: ChatRequest, model: str, owner: str, part: Part, tokens: TokenCounter) -> BatchRecord:
    return BatchRecord(
        key,
        owner,
        part,
        model,
        request.prompt.name,
        request.prompt.hash,
        request.about,
        request.max_tokens,
        sum(tokens.count(message.text) for message in request.messages),
        request.schema,
    )


def _split(lines: Sequence[str]) -> Iterator[bytes]:
    held: list[str] = []
    size = 0
    for line in lines:
        if held and (len(held) == MOST_LINES or size + len(line) > MOST_BYTES):
            yield "".join(held).encode()
            held, size = [], 0
        held.append(line)
        size += len(line)
    yield "".join(held).encode()


# --- and back ----------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Arrived:
    """What a batch file brought.

    ``replies`` are new, ``known`` were here already, ``failed`` brought an error or nothing usable; ``missing`` is
    how many of the requests that went out are still without a reply. ``problems`` name each failed or unusable line
    with its place. ``owners`` are the runs, and the conversations being extracted, that were asked for, ``resumed``
    the runs that went on by it.
    """

    replies: int
    known: int
    failed: int
    unknown: int
    missing: int
    problems: tuple[Problem, ...]
    owners: tuple[str, ...]
    resumed: tuple[str, ...]


def import_batch(
    workbench: Workbench,
    path: str | Path,
    prompts: Prompts,
    name: str | None = None,
    progress: Progress = no_progress,
) -> Arrived:
    """Take in the replies of a batch file, and bring the runs that wait for them as far as they go.

    Lines are matched by ``custom_id``, in any order; a line that is repeated or unknown changes nothing. Raises
    BadInput where not one line is of a batch that went out from here.
    """
    source = open_source(path, name)
    store = workbench.store
    problems = ProblemList()
    lines = list(_lines(source.lines(), problems))
    records: dict[str, list[BatchRecord]] = {}
    for record in store.batch([key for _, key, _ in lines]):
        records.setdefault(record.request_key, []).append(record)
    counts = Counter(_take(store, *line, records, problems) for line in lines)
    if not records:
        raise BadInput(
            f"{source.name} answers nothing that went out from here: none of its {len(lines):,} lines has a known "
            "custom_id. Choose the file of replies to a batch that was exported from this store."
        )
    owners = tuple(dict.fromkeys(record.owner for found in records.values() for record in found))
    missing = sum(store.unanswered(owner).get(owner, 0) for owner in owners)
    resumed = _resume(workbench, owners, prompts, progress)
    return Arrived(
        counts["reply"],
        counts["known"],
        counts["failed"],
        counts["unknown"],
        missing,
        problems.as_tuple(),
        owners,
        resumed,
    )


def _lines(lines: Iterator[str], problems: ProblemList) -> Iterator[tuple[str, str, dict[str, Any]]]:
    """Each line that has a ``custom_id``, with its place; the last of several alike, since it was asked again."""
    found: dict[str, tuple[str, str, dict[str, Any]]] = {}
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        place = f"line {number:,}"
        try:
            said = json.loads(line)
        except (ValueError, RecursionError):
            said = None
        key = said.get("custom_id") if isinstance(said, dict) else None
        if not isinstance(said, dict) or not isinstance(key, str) or len(key) > 200 or not key.isprintable():
            problems.add("batch line unreadable", place, "It is no JSON object with a custom_id.")
            continue
        if key in found:
            problems.add("batch line repeated", place, f"{found[key][0]} has the same custom_id; this one counts.")
        found[key] = (place, key, said)
    yield from found.values()


def _take(
    store: Store,
    place: str,
    key: str,
    said: dict[str, Any],
    records: dict[str, list[BatchRecord]],
    problems: ProblemList,
) -> Literal["reply", "known", "failed", "unknown"]:
    if key not in records:
        problems.add("batch line unknown", place, f"No request {key[:70]!r} went out from here.")
        return "unknown"
    if store.replied([key]):
        return "known"
    it = records[key][0]
    about = it.prompt, it.prompt_hash, it.conversation_id
    try:
        reply = reply_of(said, it.model, it.reply_schema, it.max_tokens, it.tokens_in)
    except ChatFailure as failure:
        store.keep_failure(key, it.model, *about, failure)
        problems.add("batch line failed", place, str(failure.failure))
        return "failed"
    store.keep_reply(key, *about, reply)
    return "reply"


def _resume(workbench: Workbench, owners: Iterable[str], prompts: Prompts, progress: Progress) -> tuple[str, ...]:
    """The runs among the owners, brought on by the replies that are here. No model is asked."""
    runs = {record.run_id for record in workbench.store.runs()}
    resumed = []
    for owner in owners:
        if owner in runs:
            try:
                go(workbench, [owner], prompts=prompts, progress=progress, ask=False)
            except CueMemError:
                continue  # its cues or prompts have changed; going on by hand says so, and the replies are kept
            resumed.append(owner)
    return tuple(resumed)
