"""Files that commands write: CSV and JSON lines, whole or not at all."""

from __future__ import annotations

import csv
import io
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from cuemem.commands.display import as_json
from cuemem.errors import BadInput


def write_csv(path: Path, rows: Iterable[Mapping[str, Any]], columns: Sequence[str]) -> None:
    """Rows under a header. A list or mapping in a cell is written as JSON, None as nothing."""
    text = io.StringIO(newline="")
    writer = csv.DictWriter(text, columns, lineterminator="\n")
    writer.writeheader()
    for row in rows:
        writer.writerow({name: _cell(row.get(name)) for name in columns})
    write_text(path, text.getvalue())


def write_jsonl(path: Path, rows: Iterable[Mapping[str, Any]]) -> None:
    """A JSON object a line."""
    write_text(path, "".join(as_json(row, indent=None) + "\n" for row in rows))


def write_text(path: Path, text: str) -> None:
    """Put the text in the file's place at once, so that an interruption leaves no half. Raises BadInput."""
    write_bytes(path, text.encode())


def write_bytes(path: Path, content: bytes) -> None:
    """The same for what is no text."""
    regular = not path.exists() or path.is_file()
    draft = path.with_name(f"{path.name}.part") if regular else path  # /dev/stdout has no place beside it
    try:
        draft.write_bytes(content)
        if regular:
            draft.replace(path)
    except OSError as error:
        raise BadInput(f"{path} cannot be written: {error.strerror or error}. Name another file.") from error


def _cell(value: Any) -> Any:
    if isinstance(value, float):
        return round(value, 6)
    if isinstance(value, list | tuple | dict):
        return as_json(value, indent=None)
    return value
