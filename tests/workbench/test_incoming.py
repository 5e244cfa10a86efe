"""Files handed to the app: under their own name beside the store, gone when they were used."""

from __future__ import annotations

import io
from collections.abc import Iterator
from pathlib import Path

import pytest

from cuemem.adapters.store import Store
from cuemem.errors import BadInput, Cancelled
from cuemem.workbench import incoming


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store.open(tmp_path / "store.duckdb") as opened:
        yield opened


class Counted(io.BytesIO):
    """Notes how much is read at a time."""

    def __init__(self, content: bytes) -> None:
        super().__init__(content)
        self.largest = 0

    def read(self, size: int | None = -1) -> bytes:
        block = super().read(size)
        self.largest = max(self.largest, len(block))
        return block


def folder(store: Store) -> Path:
    return store.path.with_name("store.duckdb.incoming")


def test_a_file_is_copied_piece_by_piece_and_deleted_after_use(store: Store) -> None:
    content = bytes(range(256)) * 20_000
    stream = Counted(content)
    path = incoming.receive(store, stream, "chat.jsonl")
    assert (path.name, path.read_bytes()) == ("chat.jsonl", content)
    assert stream.largest <= 1 << 20
    with incoming.used_up(store, path):
        assert path.exists()
    assert not folder(store).exists()


@pytest.mark.parametrize(
    ("name", "plain"),
    [
        ("../../etc/passwd", "passwd"),
        ("C:\\chats\\mine.json", "mine.json"),
        ("..", "file"),
        ("", "file"),
        ("a\0b\nc\ud800.json", "a\ufffdb_c\ufffd.json"),
        ("עברית 🐈.jsonl", "עברית 🐈.jsonl"),
    ],
)
def test_a_name_from_elsewhere_is_only_a_name(store: Store, name: str, plain: str) -> None:
    path = incoming.receive(store, io.BytesIO(b"{}"), name)
    assert path.name == plain
    assert path.parent.parent == folder(store)


@pytest.mark.parametrize("letter", ["x", "字"])
def test_a_long_name_keeps_its_ending_and_fits_the_disk(store: Store, letter: str) -> None:
    path = incoming.receive(store, io.BytesIO(b"{}"), letter * 500 + ".jsonl.gz")
    assert path.name.endswith(".jsonl.gz")
    assert path.exists()


def test_what_was_refused_is_deleted_and_what_was_cancelled_is_kept(store: Store) -> None:
    kept = incoming.receive(store, io.BytesIO(b"{}"), "kept.json")
    refused = incoming.receive(store, io.BytesIO(b"{}"), "refused.json")
    with pytest.raises(Cancelled), incoming.used_up(store, kept):
        raise Cancelled("stopped")
    with pytest.raises(BadInput), incoming.used_up(store, refused):
        raise BadInput("no")
    assert kept.exists()
    assert not refused.exists()


def test_a_file_of_the_user_is_never_deleted(store: Store, tmp_path: Path) -> None:
    own = tmp_path / "own" / "folder" / "chat.jsonl"
    own.parent.mkdir(parents=True)
    own.write_text("{}", encoding="utf-8")
    with incoming.used_up(store, own):
        pass
    incoming.discard(store, own)
    incoming.discard(store, own.parent)
    assert own.exists()


def test_a_start_sweeps_what_no_job_wants(store: Store) -> None:
    wanted = incoming.receive(store, io.BytesIO(b"{}"), "wanted.json")
    left = incoming.receive(store, io.BytesIO(b"{}"), "left.json")
    incoming.sweep(store, {wanted})
    assert (wanted.exists(), left.exists()) == (True, False)
    incoming.sweep(store, ())
    assert not folder(store).exists()
