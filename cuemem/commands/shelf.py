"""``list``, ``info`` and ``remove``: what lies in the store."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Mapping
from typing import Annotated, Any

import typer

from cuemem.adapters.embed import DEFAULT_MODEL
from cuemem.adapters.store import ConversationSummary, MemoryRecord
from cuemem.commands.desk import Desk
from cuemem.commands.display import facts, table
from cuemem.commands.options import NO_TYPE
from cuemem.errors import BadInput
from cuemem.methods import METHODS
from cuemem.text import counted, file_size
from cuemem.types import ConversationId

Doomed = Annotated[
    list[str], typer.Argument(metavar="CONVERSATION", help="Any unambiguous end of a name that `list` shows.")
]
Yes = Annotated[bool, typer.Option("--yes", "-y", metavar=NO_TYPE, help="Do not ask.")]
Compact = Annotated[
    bool,
    typer.Option(
        "--compact", metavar=NO_TYPE, help="Also drop vectors and arrays that nothing refers to, and shrink the file."
    ),
]


def short_names(rows: Iterable[ConversationSummary]) -> Mapping[ConversationId, str]:
    """The shortest name by which each conversation can be called, cut between parts: ``conv-26``."""
    paths = {row.conversation_id: f"{row.conversation_id}/{row.title}".split("/") for row in rows}
    ends = Counter("/".join(parts[-count:]) for parts in paths.values() for count in range(1, len(parts) + 1))
    return {
        conversation_id: next(
            (end for count in range(1, len(parts)) if ends[end := "/".join(parts[-count:])] == 1), "/".join(parts)
        )
        for conversation_id, parts in paths.items()
    }


def list_conversations(ctx: typer.Context) -> None:
    """List the conversations and what is built of each."""
    desk: Desk = ctx.obj
    with desk.workbench() as workbench:
        rows = workbench.store.conversations()
        memories = workbench.store.memories()
    names = short_names(rows)
    built: dict[ConversationId, list[MemoryRecord]] = {}
    for memory in memories:
        built.setdefault(memory.conversation_id, []).append(memory)
    document = [
        {
            "name": names[row.conversation_id],
            "conversation": row,
            "memories": built.get(row.conversation_id, []),
        }
        for row in rows
    ]
    parts: list[Any] = []
    for sha256 in dict.fromkeys(row.file_sha256 for row in rows):
        there = [row for row in rows if row.file_sha256 == sha256]
        title = f"{there[0].file}: {counted(len(there), 'conversation')} of {there[0].dataset}"
        lines = (
            (
                names[row.conversation_id],
                row.sessions,
                row.utterances,
                row.questions,
                row.problems,
                "\n".join(map(_built_as, built.get(row.conversation_id, []))) or None,
            )
            for row in there
        )
        columns = ("name!", "sess.>", "utter.>", "quest.>", "probl.>", "built: cues/turn")
        parts.append(table(title, columns, lines))
    desk.emit({"conversations": document}, *(parts or [f"{workbench.store.path} holds no conversation yet."]))


def _built_as(memory: MemoryRecord) -> str:
    model = "" if memory.embedding_model == DEFAULT_MODEL else f" ({memory.embedding_model})"
    method = "" if memory.method == METHODS[0].name else f"{memory.method}: "
    return f"{method}{memory.cue_source}/{memory.turn_unit}{model}"


def info(ctx: typer.Context) -> None:
    """Say where the store lies, how large it is and what it holds."""
    desk: Desk = ctx.obj
    with desk.workbench() as workbench:
        about = workbench.store.info()
        files = workbench.store.files()
    head = {
        "store": about.path,
        "size": file_size(about.size),
        "schema": f"version {about.schema_version}, made by {about.created_by}",
        "vectors of": ", ".join(f"{model} ({count:,})" for model, count in about.vector_models.items()) or None,
    }
    loaded = (
        (file.name, file.dataset, file.conversations, file_size(file.size), file.known_as, file.sha256[:12])
        for file in files
    )
    desk.emit(
        {"info": about, "files": files},
        facts(head),
        table("Files", ("file!", "dataset!", "conv.>", "size>", "known as", "sha256!"), loaded),
        table("Rows", ("table", "rows>"), about.rows.items()),
    )


def remove(ctx: typer.Context, conversations: Doomed, yes: Yes = False, compact: Compact = False) -> None:
    """Take conversations out of the store."""
    desk: Desk = ctx.obj
    desk.kept = "Nothing was removed."
    with desk.workbench() as workbench:
        store = workbench.store
        ids = list(dict.fromkeys(map(store.resolve, conversations)))
        names = short_names(store.conversations())
        listed = ", ".join(names[it] for it in ids)
        if not yes:
            _ask(desk, listed)
        for done, conversation_id in enumerate(ids):
            desk.kept = f"Removed: {', '.join(names[it] for it in ids[:done]) or 'none yet'}."
            store.remove(conversation_id)
        freed = store.compact() if compact else None
    shrunk = f" The file went from {file_size(freed.size_before)} to {file_size(freed.size_after)}." if freed else ""
    desk.emit(
        {"removed": [{"conversation_id": it, "name": names[it]} for it in ids], "compacted": freed},
        f"Removed {listed}.{shrunk}",
    )


def _ask(desk: Desk, listed: str) -> None:
    """Ask whether to go on. Raises BadInput for a no, and where nobody can answer."""
    if desk.json:
        raise BadInput(f"Nothing was removed: with --json there is no question, so say --yes to remove {listed}.")
    desk.note(
        f"This takes out {listed}: questions, cues, memories and results. Loading the file brings the data back."
    )
    try:
        agreed = typer.confirm("Remove?", err=True)
    except typer.Abort:
        agreed = False
    if not agreed:
        raise BadInput("Nothing was removed. Say --yes to remove without being asked.")
