"""The files that imported memory units come in: a folder with ``<sample>.units.jsonl`` and what lies beside it."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

from cuemem.adapters.files import open_source
from cuemem.errors import BadInput
from cuemem.types import Conversation, Problem, Query, QueryParse, Question
from cuemem.unit_ports import Trajectory
from cuemem.units.imported import ImportedUnits, read_parses, read_traces, read_units

UNITS, QUERIES, TRACES = ".units.jsonl", ".queries.jsonl", ".traces.jsonl"
_LONGEST = 150  # bytes of a name without its ending; longer ones would be shortened each in its own way
_KINDS = {UNITS: "memory units", QUERIES: "parsed questions", TRACES: "traces"}


@dataclass(frozen=True, slots=True)
class Parses:
    """The parsed questions of a file."""

    provenance: Mapping[str, str]
    parses: tuple[tuple[Query, QueryParse], ...]
    problems: tuple[Problem, ...]


def units_in(files: Path, conversation: Conversation) -> tuple[ImportedUnits, tuple[Trajectory, ...] | None]:
    """The units of a conversation, and the traces that came along. Raises BadInput where there are none."""
    path = _named(files, conversation, UNITS)
    if not path.is_file():
        raise BadInput(
            f"There are no memory units for {conversation.title}: {path} is missing. Name their folder by --units."
        )
    source = open_source(path)
    units = read_units(source.lines(), conversation, file=source.name, sha256=source.sha256)
    beside = _beside(path, conversation, TRACES)
    if not beside.is_file():
        return units, None
    told = open_source(beside)
    traces, problems = read_traces(told.lines(), units.units, file=told.name)
    return replace(units, traces_sha256=told.sha256, problems=(*units.problems, *problems)), traces


def parses_in(
    queries: Path | None, files: Path | None, conversation: Conversation, questions: Sequence[Question]
) -> Parses | None:
    """The parsed questions of a conversation: those named, or those beside its units; None where there are none.

    Raises BadInput where those that are named are not there.
    """
    if queries is not None:
        path = _named(queries, conversation, QUERIES)
        if not path.is_file():
            raise BadInput(f"There are no parsed questions for {conversation.title}: {path} is missing.")
    elif files is None:
        return None
    else:
        path = _beside(_named(files, conversation, UNITS), conversation, QUERIES)
        if not path.is_file():
            return None
    source = open_source(path)
    parses, problems = read_parses(source.lines(), questions, file=source.name)
    return Parses({"source": "imported", "file": source.name, "sha256": source.sha256}, parses, problems)


def together(names: Sequence[str]) -> Sequence[str]:
    """Names under which uploaded files lie beside each other as the readers expect, in the order given.

    A file that ends in neither kind's ending is taken for the units. Raises BadInput for none or two of a kind.
    """
    kinds: dict[str, int] = {}
    for at, name in enumerate(names):
        plain = name.removesuffix(".gz")
        kind = next((ending for ending in (QUERIES, TRACES) if plain.endswith(ending)), UNITS)
        if kind in kinds:
            raise BadInput(f"Both {names[kinds[kind]]} and {name} would be the {_KINDS[kind]}. Upload one of them.")
        kinds[kind] = at
    if UNITS not in kinds:
        raise BadInput(f"There is no file of memory units among {', '.join(names)}. Upload it with them.")
    named = names[kinds[UNITS]].removesuffix(".gz")
    stem = named.removesuffix(UNITS) if named.endswith(UNITS) else named.removesuffix(".jsonl").removesuffix(".json")
    stem = stem.encode()[:_LONGEST].decode(errors="ignore").strip(". ") or "uploaded"
    return tuple(f"{stem}{kind}" for kind in sorted(kinds, key=lambda kind: kinds[kind]))


def _named(files: Path, conversation: Conversation, ending: str) -> Path:
    """The file itself, or the conversation's file in a folder."""
    return files / f"{conversation.sample_id}{ending}" if files.is_dir() else files


def _beside(units: Path, conversation: Conversation, ending: str) -> Path:
    """The file of another kind that belongs to a file of units."""
    stem = units.name.removesuffix(".gz")
    if stem.endswith(UNITS):
        return units.with_name(stem.removesuffix(UNITS) + ending)
    return units.with_name(f"{conversation.sample_id}{ending}")
