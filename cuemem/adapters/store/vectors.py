"""Vectors by model and text, and the embedder that reads through them."""

from __future__ import annotations

import hashlib
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from cuemem.adapters.store.connection import Connected, Cursor
from cuemem.adapters.store.rows import first
from cuemem.errors import BadInput
from cuemem.ports import Embedder, Progress, no_progress
from cuemem.types import Matrix


@dataclass(frozen=True, slots=True)
class Found:
    """The vectors of some texts: row i belongs to text i where ``present[i]``, and is zero elsewhere."""

    matrix: Matrix  # (n, d); d is 0 where the store has no vector of the model at all
    present: npt.NDArray[np.bool_]  # (n,)


def text_key(text: str) -> str:
    """The key of a text among the vectors."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


class Vectors(Connected):
    """A cache of vectors. Models never mix: a model's name is part of the key and fixes the dimension."""

    def vectors(self, model: str, texts: Sequence[str]) -> Found:
        """The vectors by this model that the store has of these texts."""
        wanted = pa.table(
            {"place": np.arange(len(texts)), "key": pa.array([text_key(text) for text in texts], pa.string())}
        )
        with self.reading() as cursor:
            width = _width(cursor, model)
            matrix = np.zeros((len(texts), width), np.float32)
            present = np.zeros(len(texts), np.bool_)
            if width and texts:
                cursor.register("wanted", wanted)
                # First the rows are found, then fetched: a join that carries the vectors would read them all.
                rows = cursor.sql(
                    """SELECT w.place, v.rowid AS row
                       FROM wanted AS w JOIN vectors AS v ON v.text_sha256 = w.key WHERE v.model = ?""",
                    params=[model],
                ).to_arrow_table()
                cursor.register("rows", rows)
                found = cursor.sql(
                    "SELECT r.place, v.vector FROM vectors AS v JOIN rows AS r ON v.rowid = r.row"
                ).to_arrow_table()
                cursor.unregister("wanted")
                cursor.unregister("rows")
                places = found["place"].to_numpy()
                values = found["vector"].combine_chunks().flatten().to_numpy()
                matrix[places] = values.reshape(-1, width)
                present[places] = True
        return Found(matrix, present)

    def add_vectors(self, model: str, texts: Sequence[str], matrix: Matrix) -> None:
        """Keep the vectors of these texts; a text that has one by this model already keeps it.

        Raises BadInput for another number or dimension of vectors than expected, or values not finite.
        """
        if not texts:
            return
        # DuckDB's compression of floats turns -0.0 into 0.0 in some blocks and not in others; adding 0.0 does
        # it at once, so that a vector has the same bits whenever it is read.
        rows = np.asarray(matrix, np.float32) + np.float32(0.0)
        if rows.ndim != 2 or len(rows) != len(texts):
            raise BadInput(f"{model} gave an array of shape {rows.shape} for {len(texts)} texts.")
        if not np.isfinite(rows).all():
            raise BadInput(f"{model} gave a vector whose values are not all finite; nothing was kept.")
        count, width = rows.shape
        offsets = pa.array(np.arange(0, count * width + 1, width, dtype=np.int32))
        incoming = pa.table(
            {
                "key": pa.array([text_key(text) for text in texts], pa.string()),
                "vector": pa.ListArray.from_arrays(offsets, pa.array(rows.ravel())),
            }
        )
        with self.writing() as cursor:
            known = _width(cursor, model)
            if known not in (0, width):
                raise BadInput(
                    f"{model} gave vectors of dimension {width}, but those the store holds under this name have "
                    f"{known}: they are another model's. Rename one of the two, or use another store."
                )
            cursor.register("incoming", incoming)
            cursor.execute(
                """INSERT INTO vectors (model, text_sha256, vector)
                   SELECT ?, key, vector FROM incoming ON CONFLICT DO NOTHING""",
                [model],
            )
            cursor.unregister("incoming")


def _width(cursor: Cursor, model: str) -> int:
    """The dimension of the model's vectors, 0 where there are none."""
    row = first(cursor, "SELECT len(vector) FROM vectors WHERE model = ? LIMIT 1", [model])
    return 0 if row is None else int(row[0])


_MOST_HELD = 8192  # vectors at hand: 12 MB of 384 dimensions


@dataclass(frozen=True)
class CachedEmbedder:
    """An embedder that asks the store first, and the model only for texts that the store lacks.

    Each batch is committed, so that an interruption loses at most the one in flight. What is returned is
    always what the store holds: the first call and all later ones give the same bits, however batched.
    """

    store: Vectors
    embedder: Embedder
    batch: int = 256
    progress: Progress = no_progress
    _held: OrderedDict[str, Matrix] = field(default_factory=OrderedDict, repr=False, compare=False)

    @property
    def name(self) -> str:
        """The name of the model."""
        return self.embedder.name

    def hold(self, texts: Sequence[str]) -> None:
        """Keep the vectors of these texts at hand: asking the store for one takes longer than recalling with it."""
        missing = [text for text in dict.fromkeys(texts) if text not in self._held][:_MOST_HELD]
        for text, row in zip(missing, self.encode(missing), strict=True):
            self._held[text] = row[None]
        while len(self._held) > _MOST_HELD:
            self._held.popitem(last=False)

    def encode(self, texts: Sequence[str]) -> Matrix:  # (len(texts), d)
        """Vectors of unit length, a row for each text. No text gives no row, without waking the model."""
        held = [row for text in texts if (row := self._held.get(text)) is not None]
        if texts and len(held) == len(texts):
            return np.concatenate(held)
        unique = list(dict.fromkeys(texts))
        found = self.store.vectors(self.name, unique)
        missing = [text for text, present in zip(unique, found.present, strict=True) if not present]
        matrix = found.matrix
        if missing:
            fresh = self._encode_missing(missing)
            matrix = np.zeros((len(unique), fresh.shape[1]), np.float32)
            matrix[~found.present] = fresh
            if len(fresh) < len(unique):
                matrix[found.present] = found.matrix[found.present]
        place = {text: index for index, text in enumerate(unique)}
        return matrix[[place[text] for text in texts]]

    def _encode_missing(self, texts: Sequence[str]) -> Matrix:
        """Let the model encode the texts batch by batch, and keep what it gives."""
        parts: list[Matrix] = []
        for start in range(0, len(texts), self.batch):
            self.progress("embedding", start, len(texts))
            part = texts[start : start + self.batch]
            fresh = self.embedder.encode(part)
            with self.store.writing():  # read back before others write: another thread may have been first
                self.store.add_vectors(self.name, part, fresh)
                parts.append(self.store.vectors(self.name, part).matrix)
        self.progress("embedding", len(texts), len(texts))
        return np.vstack(parts)
