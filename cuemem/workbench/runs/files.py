"""Runs as files: rows for other programs, tables for papers, and whole runs to be shown on another machine."""

from __future__ import annotations

import csv
import io
import json
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any, Literal

from cuemem.adapters.files import open_source
from cuemem.adapters.store import Store
from cuemem.errors import BadInput
from cuemem.evaluation.flat import flat_row
from cuemem.evaluation.run import RUN, ResultRow, RunCard, as_json, from_json
from cuemem.evaluation.tables import Table
from cuemem.evaluation.written import latex, markdown
from cuemem.text import storable
from cuemem.workbench.runs.reading import Run, record_of

RowFormat = Literal["jsonl", "csv", "parquet"]
ROW_FORMATS: tuple[RowFormat, ...] = ("jsonl", "csv", "parquet")
TableFormat = Literal["md", "tex"]
TABLE_FORMATS: tuple[TableFormat, ...] = ("md", "tex")
_CARD = "run_card"


def rows_file(runs: Sequence[Run], form: RowFormat) -> bytes:
    """The rows of these runs. As ``jsonl`` each run begins with its card, and the file can be imported again."""
    if form == "jsonl":
        return "".join(json.dumps(line, ensure_ascii=True) + "\n" for run in runs for line in _lines(run)).encode()
    flat = [{"run_id": run.run_id, "run": run.card.title} | flat_row(row) for run in runs for row in run.rows]
    if form == "csv":
        return _csv(flat)
    return _parquet(flat, cards(runs))


def cards(runs: Sequence[Run]) -> dict[str, Any]:
    """The cards of these runs by id, as JSON values: what goes with every export."""
    return {run.run_id: as_json(run.card) for run in runs}


def cards_file(runs: Sequence[Run]) -> bytes:
    """The same as a file."""
    return (json.dumps(cards(runs), ensure_ascii=True, indent=2) + "\n").encode()


def tables_file(tables: Sequence[Table], runs: Sequence[Run], form: TableFormat) -> bytes:
    """Result tables for a paper or an issue, the cards below them."""
    said = [(latex if form == "tex" else markdown)(table) for table in tables]
    card = json.dumps(cards(runs), ensure_ascii=True, indent=2)
    if form == "tex":
        below = "".join(f"% {line}\n" for line in card.splitlines())
    else:
        below = f"<details><summary>Run cards</summary>\n\n```json\n{card}\n```\n\n</details>\n"
    return "\n".join([*said, below]).encode()


def _lines(run: Run) -> Iterator[dict[str, Any]]:
    yield {_CARD: as_json(replace(run.card, origin=""))}
    yield from (as_json(row) for row in run.rows)


def _csv(flat: Sequence[Mapping[str, Any]]) -> bytes:
    text = io.StringIO(newline="")
    writer = csv.DictWriter(text, list(flat[0]) if flat else ["run_id"], lineterminator="\n")
    writer.writeheader()
    writer.writerows({name: _cell(value) for name, value in row.items()} for row in flat)
    return text.getvalue().encode()


def _cell(value: Any) -> Any:
    return json.dumps(value, ensure_ascii=False) if isinstance(value, list | tuple | dict) else value


def _parquet(flat: Sequence[Mapping[str, Any]], said: Mapping[str, Any]) -> bytes:
    import pyarrow as pa
    import pyarrow.parquet

    plain = [
        {name: _cell(value) if isinstance(value, dict) else value for name, value in row.items()} for row in flat
    ]
    table = pa.Table.from_pylist(plain).replace_schema_metadata({"run_cards": json.dumps(said)})
    out = io.BytesIO()
    pyarrow.parquet.write_table(table, out)
    return out.getvalue()


# --- and back ----------------------------------------------------------------------------------------------------


@dataclass(frozen=True, slots=True)
class Imported:
    """A run that came from a file, or was here already and stays as it is."""

    run_id: str
    title: str
    rows: int
    known: bool


def import_runs(store: Store, path: str | Path, name: str | None = None) -> tuple[Imported, ...]:
    """Take in the runs of a file that ``rows_file`` wrote as ``jsonl``, all of them or none.

    Raises BadInput, with the line, for what is no such file.
    """
    source = open_source(path, name)
    read = list(_read(source.lines(), source.name))
    held = {record.run_id for record in store.runs()}
    done = []
    with store.writing():
        for card, rows in read:
            run_id, known = card.run_id, card.run_id in held
            if not known:
                store.save_run(run_id, RUN, as_json(replace(card, origin=source.name)))
                store.add_results(run_id, [record_of(row, card) for row in rows])
            done.append(Imported(run_id, card.title, len(rows), known))
    return tuple(done)


def _read(lines: Iterator[str], name: str) -> Iterator[tuple[RunCard, list[ResultRow]]]:
    card: RunCard | None = None
    rows: dict[tuple[str, int], ResultRow] = {}
    for number, line in enumerate(lines, 1):
        if not line.strip():
            continue
        place = f"{name}, line {number:,},"
        said = _json(line, place)
        if _CARD in said:
            if card is not None:
                yield card, list(rows.values())
            card, rows = from_json(RunCard, said[_CARD], place), {}
        elif card is None:
            raise BadInput(f"{place} is not the card of a run, which comes first. Export the run as .jsonl.")
        else:
            row = from_json(ResultRow, said, place)
            _check(row, card, rows, place)
            rows[row.key] = row
    if card is None:
        raise BadInput(f"{name} holds no run. Export one: python -m cuemem runs export RUN FILE.jsonl")
    yield card, list(rows.values())


def _check(row: ResultRow, card: RunCard, rows: Mapping[tuple[str, int], ResultRow], place: str) -> None:
    if row.key in rows:
        raise BadInput(f"{place} repeats question {row.question.index} of {row.conversation}. Export the run again.")
    if row.conversation_id not in {entry.conversation_id for entry in card.conversations}:
        raise BadInput(f"{place} is of {row.conversation}, which the run's card does not name. Export the run again.")


def _json(line: str, place: str) -> dict[str, Any]:
    try:
        said = json.loads(storable(line))
    except (ValueError, RecursionError) as error:
        raise BadInput(f"{place} is no JSON ({error}). Export the run again.") from error
    if not isinstance(said, dict):
        raise BadInput(f"{place} is no JSON object. Export the run again.")
    return {storable(name): _storable(value) for name, value in said.items()}


def _storable(value: Any) -> Any:
    """The value with every text in it made one that the store can hold: JSON may escape what no text can be."""
    if isinstance(value, str):
        return storable(value)
    if isinstance(value, list):
        return [_storable(each) for each in value]
    if isinstance(value, dict):
        return {storable(name): _storable(each) for name, each in value.items()}
    return value
