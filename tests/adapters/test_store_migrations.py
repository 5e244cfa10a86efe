"""From a store as version 2 wrote it to today's schema: nothing lost, and the same tables as in a new one."""

from __future__ import annotations

from pathlib import Path

import duckdb
import pytest

from cuemem.adapters.store import SCHEMA_VERSION, Store
from tests.adapters.store_samples import extractions, load, sample

SCHEMA_2 = Path(__file__).with_name("schema_2.sql")
KEY = sample().conversation.conversation_id
ADDED = (
    "corrections",
    "overlays",
    "jobs",
    "replies",
    "chat_failures",
    "prompts",
    "verdicts",
    "batch_requests",
    "reviews",
    *("unit_sets", "unit_windows", "units", "unit_problems", "trajectories", "query_parses", "rerank_scores"),
)
SHAPES = (
    """SELECT table_name, column_name, data_type, is_nullable FROM duckdb_columns()
       WHERE database_name = current_database() AND NOT internal ORDER BY ALL""",
    "SELECT table_name, constraint_type, constraint_column_names FROM duckdb_constraints() ORDER BY ALL",
)


def shape(path: Path) -> list[list[tuple[object, ...]]]:
    with duckdb.connect(str(path), read_only=True) as connection:
        return [connection.execute(query).fetchall() for query in SHAPES]


@pytest.fixture
def version_2(tmp_path: Path) -> Path:
    """A store of version 2 with a conversation, its cues and a memory: the rows are copied from one of today."""
    today, then = tmp_path / "today.duckdb", tmp_path / "then.duckdb"
    with Store.open(today) as store:
        load(store, [sample()])
        store.replace_cue_set(KEY, "given", "utterance", {"model": "x"}, extractions(sample().conversation))
    with duckdb.connect(str(then)) as connection:
        connection.execute(SCHEMA_2.read_text(encoding="utf-8"))
        connection.execute(f"ATTACH '{today}' AS today (READ_ONLY)")
        tables = connection.execute(
            "SELECT table_name FROM duckdb_tables() WHERE database_name = current_database()"
        ).fetchall()
        for (table,) in tables:
            if table == "results":  # which has another form since version 6, and is empty here
                continue
            there = connection.execute(
                """SELECT column_name FROM duckdb_columns()
                   WHERE database_name = current_database() AND table_name = ?""",
                [table],
            ).fetchall()
            names = ", ".join(f'"{name}"' for (name,) in there)  # today's tables may have more
            connection.execute(f"INSERT INTO {table} ({names}) SELECT {names} FROM today.{table}")
        connection.execute("UPDATE meta SET value = '2' WHERE key = 'schema_version'")
    return then


def test_version_2_is_brought_up_to_date_with_all_that_it_holds(version_2: Path, tmp_path: Path) -> None:
    assert shape(version_2) != shape(tmp_path / "today.duckdb")
    with Store.open(version_2) as store:
        assert store.info().schema_version == SCHEMA_VERSION == 8
        assert store.conversation(KEY) == sample().conversation
        assert store.extractions(KEY, "given", "utterance") == tuple(extractions(sample().conversation))
        assert [store.info().rows[table] for table in ADDED] == [0] * len(ADDED)
        assert store.correct_turn(KEY, "given", "utterance", "D1:0", ("new",))
        assert store.flagged(KEY) == {}
        assert store.jobs() == ()
    assert shape(version_2) == shape(tmp_path / "today.duckdb")
    with Store.open(version_2) as store:
        assert [cue.text for cue in store.cues(KEY, "given", "utterance")][:1] == ["new"]
