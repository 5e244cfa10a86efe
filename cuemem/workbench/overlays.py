"""From a list of known wrong gold to flags on the loaded questions."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path

from cuemem.adapters.files import open_source
from cuemem.adapters.store import ConversationSummary, Store
from cuemem.errors import BadInput
from cuemem.evaluation.overlay import Entry, Matched, match, read_entries
from cuemem.types import Problem


@dataclass(frozen=True, slots=True)
class OverlayReport:
    """What a list did: the ``files`` it lies over, the flags by the list's own kinds, and what fits nothing."""

    name: str
    sha256: str
    files: tuple[str, ...]
    entries: int
    flags: int
    kinds: Mapping[str, int]
    problems: tuple[Problem, ...]


def load_overlay(store: Store, path: str | Path, name: str | None = None) -> OverlayReport:
    """Lay a JSON list of known faults over the loaded file that it fits; twice is the same as once.

    The file is the one in which most entries find their question, copies of it alike. Raises BadInput for what
    is no such list, and where no loaded question fits. Taken off by ``store.remove_overlay(report.sha256)``.
    """
    source = open_source(path, name)
    entries, malformed = read_entries((item.value for item in source.items()), source.name)
    if not entries:
        why = f" {malformed[0].detail}" if malformed else ""
        raise BadInput(f"{source.name} is no list of faults of gold.{why}")
    by_file = {sha256: _matched(store, entries, rows) for sha256, rows in _meant(store, entries).items()}
    most = max((len(matched.flags) for matched in by_file.values()), default=0)
    if most == 0:
        raise BadInput(
            f"{source.name} fits no loaded question: none has the place and the text of any of its "
            f"{len(entries)} entries. Load the file that it is about first."
        )
    fitting = {sha256: matched for sha256, matched in by_file.items() if len(matched.flags) == most}
    flags = {key: flag for matched in fitting.values() for key, flag in matched.flags.items()}
    below = [row.conversation_id for row in store.conversations() if row.file_sha256 in fitting]
    store.save_overlay(source.sha256, source.name, below, flags)
    first = next(iter(fitting.values()))
    return OverlayReport(
        name=source.name,
        sha256=source.sha256,
        files=tuple(file.name for file in store.files() if file.sha256 in fitting),
        entries=len(entries) + len(malformed),
        flags=most,
        kinds=dict(sorted(Counter(flag.kind for flag in first.flags.values()).items())),
        problems=malformed + first.problems,
    )


def _meant(store: Store, entries: tuple[Entry, ...]) -> dict[str, list[ConversationSummary]]:
    """By file, the conversations that a list may be about, going by place and by sample id."""
    places, samples = {(entry.dataset, entry.position) for entry in entries}, {entry.sample_id for entry in entries}
    found: dict[str, list[ConversationSummary]] = {}
    for row in store.conversations():
        position = int(row.conversation_id.rpartition("/")[2])
        if (row.dataset, position) in places or row.sample_id in samples:
            found.setdefault(row.file_sha256, []).append(row)
    return found


def _matched(store: Store, entries: tuple[Entry, ...], rows: list[ConversationSummary]) -> Matched:
    ids = [row.conversation_id for row in rows]
    return match(entries, [(store.conversation(key), store.questions(key)) for key in ids])
