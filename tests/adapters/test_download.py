"""Downloads from a server that misbehaves on demand."""

from __future__ import annotations

import hashlib
import logging
import socket
from collections.abc import Iterator
from pathlib import Path

import httpx
import pytest

from cuemem.adapters.download import Downloaded, download, shown
from cuemem.adapters.download.addresses import after_redirect, checked
from cuemem.adapters.files import open_source
from cuemem.datasets import KNOWN_FILES
from cuemem.datasets.published import PUBLISHED
from cuemem.errors import BadInput, Cancelled
from tests.adapters.file_server import Manners, serving
from tests.shared_data import shared

CONTENT = bytes(range(256)) * 400  # 102,400 bytes
SHA256 = hashlib.sha256(CONTENT).hexdigest()


@pytest.fixture(autouse=True)
def no_proxy(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("NO_PROXY", "127.0.0.1,localhost")


@pytest.fixture
def manners() -> Manners:
    return Manners(CONTENT)


@pytest.fixture
def at(manners: Manners) -> Iterator[str]:
    with serving(manners) as address:
        yield address


class Watch:
    """Notes the progress, and cancels after so many bytes."""

    def __init__(self, stop_at: int | None = None) -> None:
        self.stop_at = stop_at
        self.seen: list[tuple[str, int, int]] = []

    def __call__(self, what: str, done: int, total: int) -> None:
        self.seen.append((what, done, total))
        if self.stop_at is not None and done >= self.stop_at:
            raise Cancelled("Stopped.")


def fault(address: str, folder: Path, **more: object) -> str:
    with pytest.raises(BadInput) as caught:
        download(address, folder, **more)  # type: ignore[arg-type]
    assert not [path for path in folder.rglob("*") if path.is_file() and ".part" not in path.name]
    return str(caught.value)


def left(folder: Path) -> list[tuple[str, int]]:
    return sorted((path.name, path.stat().st_size) for path in folder.rglob("*.part"))


def stopped(address: str, folder: Path, at: int, **more: object) -> int:
    """Cancel a download after so many bytes; how many have arrived."""
    with pytest.raises(Cancelled):
        download(address, folder, progress=Watch(at), **more)  # type: ignore[arg-type]
    ((_, size),) = left(folder)
    assert at <= size < len(CONTENT)
    return size


def test_a_file_arrives_once_and_is_found_afterwards(at: str, manners: Manners, tmp_path: Path) -> None:
    watch = Watch()
    got = download(f"{at}/data/locomo10.json?download=true", tmp_path, sha256=SHA256, progress=watch)
    assert got == Downloaded(got.path, f"{at}/data/locomo10.json", len(CONTENT), SHA256, True, 0)
    assert (got.path.name, got.path.read_bytes()) == ("locomo10.json", CONTENT)
    assert watch.seen[0] == ("download of locomo10.json", 0, len(CONTENT))
    assert watch.seen[-1] == ("download of locomo10.json", len(CONTENT), len(CONTENT))
    assert left(tmp_path) == []
    assert manners.asked[0][1]["accept-encoding"] == "identity"
    again = download(f"{at}/data/locomo10.json?download=true", tmp_path)
    assert again == Downloaded(got.path, f"{at}/data/locomo10.json", len(CONTENT), SHA256, False, len(CONTENT))
    assert len(manners.asked) == 1
    manners.content = b"new"
    assert download(f"{at}/data/locomo10.json?download=true", tmp_path, again=True).size == 3
    assert download(f"{at}/other/locomo10.json", tmp_path).path != got.path
    assert open_source(got.path).name == "locomo10.json"


def test_a_damaged_copy_in_the_cache_is_fetched_anew(at: str, manners: Manners, tmp_path: Path) -> None:
    got = download(f"{at}/a.json", tmp_path, sha256=SHA256)
    got.path.write_bytes(b"rotten")
    assert download(f"{at}/a.json", tmp_path, sha256=SHA256).kept == 0
    assert got.path.read_bytes() == CONTENT


@pytest.mark.parametrize("modified", [False, True])
def test_a_cancelled_download_goes_on_where_it_was(at: str, manners: Manners, tmp_path: Path, modified: bool) -> None:
    if modified:
        manners.etag, manners.modified = 'W/"weak"', "Wed, 01 May 2024 10:00:00 GMT"
    manners.pause = 0.002
    arrived = stopped(f"{at}/a.json", tmp_path, 30_000)
    watch = Watch()
    got = download(f"{at}/a.json", tmp_path, progress=watch)
    assert (got.kept, got.sha256) == (arrived, SHA256)
    assert manners.ranges_asked == [None, f"bytes={arrived}-"]
    assert manners.asked[1][1]["if-range"] == (manners.modified if modified else '"one"')
    assert watch.seen[0][1:] == (arrived, len(CONTENT))


@pytest.mark.parametrize("chunked", [False, True])
def test_a_connection_that_drops_is_a_sentence_and_the_rest_comes_later(
    at: str, manners: Manners, tmp_path: Path, chunked: bool
) -> None:
    manners.drop_after, manners.chunked = 40_000, chunked
    message = fault(f"{at}/a.json", tmp_path)
    assert message.startswith("The connection to 127.0.0.1 broke off, or its answer")
    assert "while a.json was under way. Start it again: what has arrived is kept." in message
    assert left(tmp_path) == [("a.json.part", 40_000)]
    manners.drop_after = None
    assert download(f"{at}/a.json", tmp_path).sha256 == SHA256
    assert manners.ranges_asked == [None, "bytes=40000-"]


def test_a_file_that_changed_meanwhile_is_fetched_from_its_start(at: str, manners: Manners, tmp_path: Path) -> None:
    manners.pause = 0.002
    stopped(f"{at}/a.json", tmp_path, 30_000)
    manners.content, manners.etag, manners.pause = CONTENT[::-1], '"two"', 0.0
    got = download(f"{at}/a.json", tmp_path)
    assert (got.kept, got.path.read_bytes()) == (0, CONTENT[::-1])


@pytest.mark.parametrize(
    "change",
    [
        {"etag": '"two"', "heeds_if_range": False},
        {"content": CONTENT + b"more", "etag": None, "heeds_if_range": False},
        {"content_range": "bytes 5-9/10"},
        {"content_range": "bytes nonsense"},
        {"ranges": False},
        {"content": b"short"},
    ],
)
def test_a_part_that_does_not_fit_is_dropped(
    at: str, manners: Manners, tmp_path: Path, change: dict[str, object]
) -> None:
    manners.pause = 0.002
    stopped(f"{at}/a.json", tmp_path, 30_000)
    manners.pause = 0.0
    for name, value in change.items():
        setattr(manners, name, value)
    got = download(f"{at}/a.json", tmp_path)
    assert (got.kept, got.path.read_bytes()) == (0, manners.content)


def test_without_a_version_only_a_checksum_allows_to_go_on(at: str, manners: Manners, tmp_path: Path) -> None:
    manners.etag, manners.pause = None, 0.002
    stopped(f"{at}/a.json", tmp_path, 30_000)
    arrived = stopped(f"{at}/a.json", tmp_path, 50_000)
    assert manners.ranges_asked == [None, None]
    assert download(f"{at}/a.json", tmp_path, sha256=SHA256).kept == arrived


def test_a_part_that_is_whole_already_needs_only_its_place(at: str, manners: Manners, tmp_path: Path) -> None:
    manners.pause = 0.002
    stopped(f"{at}/a.json", tmp_path, 30_000)
    (part,) = tmp_path.rglob("*.part")
    part.write_bytes(CONTENT)
    assert download(f"{at}/a.json", tmp_path).kept == len(CONTENT)
    assert [name for name, _ in left(tmp_path)] == []


def test_a_part_without_readable_notes_is_begun_anew(at: str, manners: Manners, tmp_path: Path) -> None:
    manners.pause = 0.002
    stopped(f"{at}/a.json", tmp_path, 30_000)
    (notes,) = tmp_path.rglob("*.part.json")
    notes.write_text("{")
    assert download(f"{at}/a.json", tmp_path).kept == 0


def test_what_is_too_large_is_refused_before_and_while_it_comes(at: str, manners: Manners, tmp_path: Path) -> None:
    announced = fault(f"{at}/a.json", tmp_path, limit=100_000)
    assert announced.startswith("a.json is larger than the 0 MB that are fetched at most (0.1 MB so far).")
    assert len(manners.asked) == 1
    manners.chunked = True
    assert "is larger than" in fault(f"{at}/a.json", tmp_path, limit=100_000)
    assert left(tmp_path) == []


def test_another_size_or_checksum_than_expected(at: str, manners: Manners, tmp_path: Path) -> None:
    message = fault(f"{at}/a.json", tmp_path, size=5)
    assert message.startswith(
        f"a.json has 102,400 bytes at {at}/a.json, where 5 are expected: it is another version."
    )
    manners.chunked = True
    assert "came with 102,400 bytes instead of 5" in fault(f"{at}/a.json", tmp_path, size=5)
    message = fault(f"{at}/a.json", tmp_path, sha256="0" * 64)
    assert f"its sha256 is {SHA256}, not {'0' * 64}. It was dropped" in message
    assert left(tmp_path) == []
    manners.content = b""
    assert "gives an empty file" in fault(f"{at}/a.json", tmp_path)


def test_a_length_that_is_not_true(at: str, manners: Manners, tmp_path: Path) -> None:
    manners.announced = len(CONTENT) + 7
    assert "broke off" in fault(f"{at}/a.json", tmp_path)
    manners.announced = 1000  # the client stops there, and so does the file
    assert download(f"{at}/b.json", tmp_path).size == 1000
    assert "its sha256" in fault(f"{at}/b.json", tmp_path / "other", sha256=SHA256)


@pytest.mark.parametrize(
    ("status", "words"),
    [
        (404, "is not there (404). Check the address."),
        (403, "may not be read by everyone (403)"),
        (429, "asked too often (429). Wait"),
        (503, "its server reports an error (503). Try again later."),
        (204, "gives no file but the answer 204"),
        (418, "gives no file but the answer 418"),
    ],
)
def test_an_answer_without_the_file(at: str, manners: Manners, tmp_path: Path, status: int, words: str) -> None:
    manners.status = status
    message = fault(f"{at}/a.json?token=secret", tmp_path)
    assert message.startswith(f"{at}/a.json ")
    assert words in message


def test_nobody_there_and_nobody_answering(at: str, manners: Manners, tmp_path: Path) -> None:
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = free.getsockname()[1]
    assert "127.0.0.1 cannot be reached" in fault(f"http://127.0.0.1:{port}/a.json", tmp_path)
    assert "no-such-host.invalid cannot be reached" in fault("http://no-such-host.invalid/a.json", tmp_path)
    assert "cannot be reached" in fault(at.replace("http:", "https:"), tmp_path)  # no TLS there
    manners.hang.set()
    message = fault(f"{at}/a.json", tmp_path, silence=0.2)
    assert message == "127.0.0.1 does not answer. Try again later: what has arrived of a.json is kept."


@pytest.mark.parametrize(
    "address",
    [
        "file:///etc/passwd",
        "ftp://host/a.json",
        "/etc/passwd",
        "data:,x",
        "C:\\a.json",
        "https://",
        "http://host:x/",
        "",
    ],
)
def test_only_the_web_is_fetched(tmp_path: Path, address: str) -> None:
    assert "is not a web address" in fault(address, tmp_path)


def test_secrets_in_an_address_are_refused_and_never_shown(tmp_path: Path) -> None:
    message = fault("https://ann:hunter2@host.example/a.json?token=t0ken#frag", tmp_path)
    assert message.startswith("https://host.example/a.json comes with a user name or password")
    for address in ("https://ann:hunter2@host/x?t0ken", "ftp://ann:hunter2@host/x?t0ken", "//ann:hunter2@host?t0ken"):
        assert not any(secret in shown(address) for secret in ("ann", "hunter2", "t0ken"))
    assert len(shown("https://host/" + "a" * 5000)) == 200


def test_nothing_secret_reaches_the_log(
    at: str, manners: Manners, tmp_path: Path, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.DEBUG)
    caplog.set_level(logging.DEBUG, "httpx")  # other libraries may have turned it down
    download(f"{at}/a.json?token=t0ken", tmp_path)
    manners.location = f"{at}/b.json?signature=t0ken"
    fault(f"{at}/b.json?token=t0ken", tmp_path / "other")
    assert "/a.json" in caplog.text
    assert "t0ken" not in caplog.text


@pytest.mark.parametrize("to", ["file:///etc/passwd", "ftp://host/a", "https://a:b@host/", ""])
def test_redirects_out_of_the_web_are_not_followed(at: str, manners: Manners, tmp_path: Path, to: str) -> None:
    manners.location = to
    message = fault(f"{at}/a.json", tmp_path)
    assert message.startswith(f"{at}/a.json leads on to")
    assert "means" in message
    assert len(manners.asked) == 1


def test_redirects_within_the_web(at: str, manners: Manners, tmp_path: Path) -> None:
    with serving(Manners(b"there")) as there:
        manners.location = f"{there}/b.json?signed=1"
        got = download(f"{at}/a.json", tmp_path)
        assert (got.path.name, got.path.read_bytes(), got.address) == ("a.json", b"there", f"{at}/a.json")
    manners.location = f"{at}/a.json"
    manners.location = "http://host:x/"
    assert "not proper HTTP" in fault(f"{at}/strange.json", tmp_path / "other")
    manners.location = f"{at}/a.json"
    assert "leads on more than 5 times" in fault(f"{at}/loop.json", tmp_path / "other")
    secure = checked("https://host.example/a")
    assert after_redirect(secure, "/b").path == "/b"
    assert after_redirect(checked("http://host.example/a"), "https://host.example/a").scheme == "https"
    with pytest.raises(BadInput, match="without encryption"):
        after_redirect(secure, "http://host.example/a")


def test_names_are_safe(at: str, tmp_path: Path) -> None:
    for path, name in (
        ("", "download"),
        ("/..%2F..%2Fevil", "evil"),
        ("/a%00b:c", "a_b_c"),
        ("/…/ü.json/", "ü.json"),
    ):
        got = download(f"{at}{path}", tmp_path)
        assert got.path.name == name
        assert got.path.parent.parent == tmp_path


def test_a_folder_that_cannot_be_made(at: str, tmp_path: Path) -> None:
    (tmp_path / "file").write_text("")
    assert "cannot be written" in fault_in_file(f"{at}/a.json", tmp_path / "file")


def fault_in_file(address: str, folder: Path) -> str:
    with pytest.raises(BadInput) as caught:
        download(address, folder)
    return str(caught.value)


def test_the_published_files_are_what_the_loader_knows() -> None:
    assert {file.sha256 for file in PUBLISHED if file.sha256} == set(KNOWN_FILES)
    for file in PUBLISHED:
        assert httpx.URL(file.address).path.endswith("/" + file.name)
        assert checked(file.address).scheme == "https"
        assert file.licence


def test_the_size_of_the_published_locomo() -> None:
    source = open_source(shared("data/locomo/locomo10.json"))
    (locomo,) = (file for file in PUBLISHED if file.dataset == "locomo")
    assert (source.size, source.sha256) == (locomo.size, locomo.sha256)
