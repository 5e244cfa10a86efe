"""Opening: versions, strangers, damage, other processes; and never a changed byte where opening is refused."""

from __future__ import annotations

import os
import subprocess
import sys
import tempfile
from pathlib import Path

import duckdb
import pytest

from cuemem.adapters.store import SCHEMA_VERSION, Store, default_store_path, migrations
from cuemem.errors import BadInput, CueMemError, Refused
from tests.adapters.store_samples import ROOT, load, sample, sha


@pytest.fixture
def path(tmp_path: Path) -> Path:
    """A store with one conversation, closed."""
    place = tmp_path / "store.duckdb"
    with Store.open(place) as store:
        load(store, [sample()])
    return place


def python(script: str, *arguments: str, **environment: str) -> subprocess.CompletedProcess[str]:
    """A second process that sees the project."""
    return subprocess.run(
        [sys.executable, "-c", script, *arguments],
        cwd=ROOT,
        env=os.environ | environment,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


def refused(path: Path, kind: type[CueMemError], match: str) -> None:
    """Opening raises this sentence and leaves the file as it was."""
    before = path.read_bytes() if path.is_file() else None
    with pytest.raises(kind, match=match) as caught:
        Store.open(path)
    assert str(path) in str(caught.value)
    assert "--store" in str(caught.value)
    if before is not None:
        assert path.read_bytes() == before


def sql(path: Path, *statements: str) -> list[tuple[object, ...]]:
    with duckdb.connect(str(path)) as connection:
        for statement in statements[:-1]:
            connection.execute(statement)
        return connection.execute(statements[-1]).fetchall()


def test_default_path(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("CUEMEM_STORE", str(tmp_path / "mine.duckdb"))
    assert default_store_path() == tmp_path / "mine.duckdb"
    with Store.open() as store:
        assert store.path == (tmp_path / "mine.duckdb").resolve()
    monkeypatch.setenv("CUEMEM_STORE", "")
    assert default_store_path().parts[-2:] == ("cuemem", "cuemem.duckdb")


def test_folders_are_made_and_content_stays(tmp_path: Path) -> None:
    deep = tmp_path / "a" / "b" / "store.duckdb"
    with Store.open(deep) as store:
        load(store, [sample()])
        assert store.info().schema_version == SCHEMA_VERSION
        assert store.info().created_by.startswith("CueMem Lab ")
        assert store.info().size >= deep.stat().st_size > 0
    with Store.open(deep) as store:
        assert store.conversation(sample().conversation.conversation_id) == sample().conversation


def test_two_opens_of_one_path_share_and_the_last_one_closes(path: Path, tmp_path: Path) -> None:
    link = tmp_path / "link.duckdb"
    link.symlink_to(path)
    first, second = Store.open(path), Store.open(link)
    first.remove(sample().conversation.conversation_id)
    assert second.conversations() == ()
    first.close()
    first.close()
    with pytest.raises(Refused, match="has been closed"):
        first.conversations()
    assert second.files() == ()
    second.close()
    assert sql(path, "SELECT count(*) FROM files") == [(0,)]  # nobody holds the file


def test_a_newer_store_is_refused(path: Path) -> None:
    sql(path, "UPDATE meta SET value = '99' WHERE key = 'schema_version'", "CHECKPOINT")
    refused(
        path, Refused, rf"newer version of CueMem Lab \(schema 99; this one reads up to {SCHEMA_VERSION}\)\. Update"
    )


def columns(path: Path) -> list[tuple[object, ...]]:
    return sql(path, "SELECT table_name, column_name, data_type, is_nullable FROM duckdb_columns() ORDER BY ALL")


def make_older(path: Path) -> None:
    """What version 1 was."""
    sql(
        path,
        *(f"DROP TABLE {table}" for table in ("corrections", "overlays", "jobs")),
        *(f"DROP TABLE {table}" for table in ("replies", "chat_failures", "prompts", "verdicts", "batch_requests")),
        *(f"DROP TABLE {table}" for table in ("reviews", "repeated_verdicts")),
        *(f"DROP TABLE {table}" for table in ("unit_sets", "unit_windows", "units", "unit_problems")),
        *(f"DROP TABLE {table}" for table in ("trajectories", "query_parses", "rerank_scores")),
        "ALTER TABLE utterances DROP COLUMN serial",
        "ALTER TABLE files DROP COLUMN known_as",
        "ALTER TABLE files DROP COLUMN conversations",
        "UPDATE meta SET value = '1' WHERE key = 'schema_version'",
        "CHECKPOINT",
    )


def test_an_older_store_is_brought_up_to_date(path: Path) -> None:
    as_created = columns(path)
    make_older(path)
    assert columns(path) != as_created
    with Store.open(path) as store:
        assert store.info().schema_version == SCHEMA_VERSION
        assert store.has_file(sha("file"))
        assert store.files()[0].known_as is None
        assert store.conversation(sample().conversation.conversation_id) == sample().conversation
    assert columns(path) == as_created


def test_a_step_that_fails_changes_nothing(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    make_older(path)
    before = columns(path)
    monkeypatch.setattr(migrations, "STEPS", ((*migrations.STEPS[0], "ALTER TABLE nothing ADD COLUMN x INTEGER"),))
    with pytest.raises(BadInput):
        Store.open(path)
    assert columns(path) == before
    assert sql(path, "SELECT value FROM meta WHERE key = 'schema_version'") == [("1",)]


def test_a_version_that_never_was(path: Path) -> None:
    sql(path, "UPDATE meta SET value = '0' WHERE key = 'schema_version'", "CHECKPOINT")
    refused(path, Refused, "never was")


@pytest.mark.parametrize(
    "statement",
    [
        "CREATE TABLE customers (id INTEGER)",
        "CREATE TABLE meta (a INTEGER)",
        "CREATE TABLE meta AS SELECT 'schema_version' AS key, '2' AS value",
    ],
)
def test_a_database_of_something_else_is_refused(tmp_path: Path, statement: str) -> None:
    path = tmp_path / "other.duckdb"
    sql(path, statement)
    refused(path, Refused, "DuckDB database of something else")


def test_what_is_no_database_is_refused(tmp_path: Path, path: Path) -> None:
    for name, content, match in (
        ("text.duckdb", b"hello " * 1000, "is not a DuckDB database"),
        ("sqlite.duckdb", b"SQLite format 3\0" + bytes(4000), "is not a DuckDB database"),
        ("empty.duckdb", b"", "is an empty file"),
        ("short.duckdb", path.read_bytes()[:1000], "is damaged"),
        ("cut.duckdb", path.read_bytes()[:20_000], "is damaged"),
    ):
        (tmp_path / name).write_bytes(content)
        refused(tmp_path / name, BadInput, match)
    (tmp_path / "folder").mkdir()
    refused(tmp_path / "folder", BadInput, "is a folder")
    refused(tmp_path / "text.duckdb" / "store.duckdb", Refused, "cannot be opened")


def test_damage_within_the_file_is_a_sentence(path: Path) -> None:
    sound = path.read_bytes()
    for block in range(12_288, len(sound), 262_144):
        content = bytearray(sound)
        content[block + 100 : block + 400] = b"z" * 300
        path.write_bytes(content)
        try:
            with Store.open(path) as store:
                store.conversation(sample().conversation.conversation_id)
                store.info()
        except CueMemError as error:
            assert "damaged" in str(error) or "could not be read" in str(error)  # noqa: PT017 - any block may hold data


HOLD = """
import sys
from cuemem.adapters.store import Store
store = Store.open(sys.argv[1])
print("ready", flush=True)
sys.stdin.read()
"""


def test_a_second_process_is_told_who_holds_the_file(path: Path) -> None:
    holder = subprocess.Popen(
        [sys.executable, "-c", HOLD, str(path)], cwd=ROOT, stdin=subprocess.PIPE, stdout=subprocess.PIPE
    )
    assert holder.stdin is not None
    assert holder.stdout is not None
    with holder:
        assert holder.stdout.readline() == b"ready\n"
        with pytest.raises(Refused) as caught:
            Store.open(path)
        holder.stdin.close()
    assert f"(process {holder.pid}" in str(caught.value)
    if sys.platform == "linux":
        assert f"process {holder.pid}: {sys.executable} -c import sys from cuemem" in str(caught.value)
    assert "Close that program, or name another store with --store." in str(caught.value)
    Store.open(path).close()


UNWRITABLE = """
import os, sys
from cuemem.adapters.store import Store
from cuemem.errors import Refused
if os.geteuid() == 0:
    os.seteuid(65534)
for path in sys.argv[1:]:
    try:
        Store.open(path)
    except Refused as error:
        print(error)
"""


@pytest.mark.skipif(os.name != "posix", reason="permissions of POSIX")
def test_what_may_not_be_written_is_a_sentence(path: Path) -> None:
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        file = folder / "store.duckdb"
        file.write_bytes(path.read_bytes())
        file.chmod(0o444)
        folder.chmod(0o555)
        others = [folder / "new.duckdb", folder / "sub" / "new.duckdb"]
        done = python(UNWRITABLE, str(file), *map(str, others))
        folder.chmod(0o755)
    assert done.stderr == ""
    lines = done.stdout.splitlines()
    assert len(lines) == 3
    for place, line in zip((file, *others), lines, strict=True):
        assert str(place) in line
        assert "ermission" in line
        assert "--store" in line


FORK = """
import os, sys
from cuemem.adapters.store import Store
from cuemem.errors import Refused
from tests.adapters.store_samples import load, sample
store = Store.open(sys.argv[1])
load(store, [sample("before")], "before")
child = os.fork()
if child == 0:
    for use in (store.conversations, lambda: Store.open(sys.argv[1])):
        try:
            use()
        except Refused as error:
            print(error, flush=True)
    store.close()
    sys.exit()  # unlike os._exit this destroys what the child inherited
os.waitpid(child, 0)
load(store, [sample("after")], "after")
print(len(store.files()))
store.close()
"""


@pytest.mark.skipif(not hasattr(os, "fork"), reason="no fork here")
def test_a_forked_copy_is_refused_and_does_no_harm(path: Path) -> None:
    done = python(FORK, str(path))
    assert done.stderr == ""
    assert done.stdout.count("of which this one is a copy") == 2
    assert done.stdout.splitlines()[-1] == "3"
    with Store.open(path) as store:
        assert len(store.conversations()) == 3


TIMES = """
import sys
from cuemem.adapters.store import Store
from tests.adapters.store_samples import load, sample
with Store.open(sys.argv[1]) as store:
    load(store, [sample()])
    key = sample().conversation.conversation_id
    print([u.time for u in store.conversation(key).utterances], [s.time for s in store.conversation(key).sessions])
    print([q.time for q in store.questions(key)], store.files()[0].loaded_at)
"""


def test_times_do_not_depend_on_the_time_zone(tmp_path: Path) -> None:
    place = str(tmp_path / "store.duckdb")
    said = [python(TIMES, place, TZ=zone).stdout for zone in ("America/Los_Angeles", "Asia/Tokyo")]
    assert said[0]
    assert said[0] == said[1]
    assert repr([u.time for u in sample().conversation.utterances]) in said[0]
