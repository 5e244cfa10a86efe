"""The datasets: parsed JSON to conversations and questions. Pure: nothing here reads a file.

:data:`DATASETS` is the only list of them. A new dataset is one module and one entry.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import replace
from typing import Any, Protocol

from cuemem.datasets.common import Dataset, Line, LoadedConversation
from cuemem.datasets.fact_consolidation import FACT_CONSOLIDATION
from cuemem.datasets.locomo import CATEGORY_NAMES, LOCOMO
from cuemem.datasets.longmemeval import LONGMEMEVAL
from cuemem.datasets.own_chat import CHAT
from cuemem.errors import BadInput
from cuemem.problems import ProblemList
from cuemem.types import ConversationId, Problem

__all__ = [
    "CATEGORY_NAMES",
    "DATASETS",
    "KNOWN_FILES",
    "Dataset",
    "LoadedConversation",
    "Source",
    "conversation_key",
    "dataset_of",
    "load_conversations",
]

DATASETS: tuple[Dataset, ...] = (LOCOMO, LONGMEMEVAL, FACT_CONSOLIDATION, CHAT)

# sha256 of the decompressed content of files as their authors released them.
KNOWN_FILES: Mapping[str, str] = {
    "79fa87e90f04081343b8c8debecb80a9a6842b76a7aa537dc9fdf651ea698ff4": "LoCoMo, the ten released conversations",
}


def conversation_key(sha256: str, position: int) -> ConversationId:
    """The key of a conversation: the file it came from and its position in it, from 0.

    Not its own id: question ids occur in several files, and flat LoCoMo files have none.
    """
    return f"{sha256[:16]}/{position}"


def dataset_of(sample: Any) -> Dataset:
    """The dataset that a parsed sample belongs to, by its content. Raises :class:`BadInput` if it is none."""
    if isinstance(sample, Mapping):
        for dataset in DATASETS:
            if dataset.recognises(sample):
                return dataset
        found = f"an object with the keys {', '.join(map(repr, list(sample)[:6]))}" if sample else "an empty object"
    else:
        found = f"{str(sample)[:40]!r}"
    layouts = "; ".join(f"{dataset.name}: {dataset.layout}" for dataset in DATASETS)
    raise BadInput(f"this is no sample of a known dataset but {found}. What can be loaded is {layouts}.")


class Source(Protocol):
    """A parsed file. ``stem``, its name without endings, is what a sample without an id is called."""

    @property
    def name(self) -> str: ...

    @property
    def stem(self) -> str: ...

    @property
    def sha256(self) -> str: ...

    def items(self) -> Iterable[tuple[Any, Sequence[Problem]]]:
        """The samples in it, each with what was found while parsing it."""
        ...

    def placed_items(self) -> Iterable[tuple[int, bool, tuple[Any, Sequence[Problem]]]]:
        """The same from the start, each with its line, or its number and True in a list."""
        ...


def load_conversations(source: Source) -> Iterator[LoadedConversation]:
    """The conversations of a file, one at a time.

    Raises :class:`BadInput`, naming file and item, for an item that cannot be read, or that belongs to another
    dataset than the first; what was yielded before is then not the whole file and must not be kept.
    """
    first: Dataset | None = None
    seen: set[str] = set()
    for position, (sample, parsing) in enumerate(source.items()):
        try:
            dataset = dataset_of(sample)
            if first is not None and dataset is not first:
                raise BadInput(f"this is a sample of {dataset.name} among samples of {first.name}. Divide the file.")
            first = dataset
            if dataset.read is None:
                break
            default = source.stem if position == 0 else f"{source.stem}-{position}"
            loaded = dataset.read(sample, conversation_key(source.sha256, position), default)
        except BadInput as error:
            raise BadInput(f"{source.name}, item {position} (the first is 0): {error}") from error
        sample_id = loaded.conversation.sample_id
        problems = ProblemList(sample_id, (replace(problem, sample_id=sample_id) for problem in parsing))
        if sample_id in seen:
            detail = f"An earlier sample is called {sample_id!r} too; this one is at position {position}."
            problems.add("sample id repeated", f"item {position}", detail)
        seen.add(sample_id)
        yield replace(loaded, problems=problems.as_tuple() + loaded.problems)
    if first is not None and first.read is None:
        yield _of_lines(first, source)


def _of_lines(dataset: Dataset, source: Source) -> LoadedConversation:
    """The one conversation that all items of a file make up. A fault names file and line."""
    assert dataset.read_lines is not None
    lines: list[Line] = []
    found: list[Problem] = []
    for number, in_list, (value, parsing) in source.placed_items():
        lines.append(Line(number, f"{'entry' if in_list else 'line'} {number:,}", value))
        found += (replace(problem, sample_id=source.stem) for problem in parsing)
    try:
        loaded = dataset.read_lines(lines, conversation_key(source.sha256, 0), source.stem)
    except BadInput as error:
        raise BadInput(f"{source.name}, {error}") from error
    return replace(loaded, problems=(*found, *loaded.problems))
