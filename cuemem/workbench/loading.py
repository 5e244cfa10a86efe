"""From a file to the store: one transaction, streamed, and a report of what came and what was wrong with it."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import chain
from pathlib import Path

from cuemem.adapters.files import open_source
from cuemem.adapters.store import Store
from cuemem.datasets import KNOWN_FILES, load_conversations
from cuemem.errors import BadInput
from cuemem.evaluation.retrieval import category_label
from cuemem.ports import Progress, no_progress
from cuemem.types import ConversationId


@dataclass(frozen=True, slots=True)
class LoadReport:
    """What a load did. ``conversations`` are all of the file's, ``added`` how many of them were not there yet."""

    name: str
    sha256: str
    dataset: str
    known_as: str | None
    conversations: tuple[ConversationId, ...]
    added: int
    categories: Mapping[str, int]
    problems: Mapping[str, int]


def load_file(
    store: Store, path: str | Path, name: str | None = None, progress: Progress = no_progress
) -> LoadReport:
    """Load a dataset's file, plain or gzipped, its format told by its content.

    All of it or nothing; what the store has already is left as it is. Raises BadInput for a file that cannot be
    used, with the place in it. ``name`` is the file's name for people where ``path`` is a temporary copy.
    """
    # Reading the open store by other means would drop the lock that keeps other processes out.
    if Path(path).exists() and store.path.exists() and Path(path).samefile(store.path):
        raise BadInput(f"{path} is the store itself, not a dataset's file. Name the file to be loaded into it.")
    source = open_source(path, name)
    if not store.has_file(source.sha256):
        loaded = load_conversations(source)
        first = next(loaded, None)
        if first is None:
            raise BadInput(f"{source.name} holds no conversation.")
        dataset = first.conversation.dataset
        known_as = KNOWN_FILES.get(source.sha256)
        with store.loading(source.sha256, source.name, dataset, dataset, source.size, known_as) as load:
            for done, conversation in enumerate(chain([first], loaded), 1):
                load.add(conversation)
                progress("conversations", done, 0)
        added = load.added
    else:
        added = 0
    return report_on(store, source.sha256, added)


def report_on(store: Store, sha256: str, added: int = 0) -> LoadReport:
    """What the store holds of a file: its conversations that are there, their questions and problems."""
    file = next(file for file in store.files() if file.sha256 == sha256)
    ids = tuple(row.conversation_id for row in store.conversations() if row.file_sha256 == sha256)
    problems: Counter[str] = Counter(problem.kind for problem in store.file_problems(sha256))
    return LoadReport(
        name=file.name,
        sha256=sha256,
        dataset=file.dataset,
        known_as=file.known_as,
        conversations=ids,
        added=added,
        categories={category_label(count): count.questions for count in store.file_categories(sha256)},
        problems=dict(sorted(problems.items())),
    )
