"""Flags on questions: laid on, laid on again, taken off; and the records of background jobs."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from cuemem.adapters.store import Store
from cuemem.ports import JobRecord
from cuemem.types import Evidence, Flag
from tests.adapters.store_samples import load, sample

ONE, TWO = (sample("file", place, f"conv-{place}") for place in range(2))
KEY, OTHER = ONE.conversation.conversation_id, TWO.conversation.conversation_id
WRONG = Flag("TEMPORAL_ERROR", "It was 2023.", 2023, (Evidence("D1:1", "D1:1", 1), Evidence("D9:9")), "audit.json")
CITED = Flag("WRONG_CITATION", "", None, (), "audit.json")
BARE = Flag("AMBIGUOUS", "why", None, None, "audit.json")


@pytest.fixture
def store(tmp_path: Path) -> Iterator[Store]:
    with Store.open(tmp_path / "store.duckdb") as opened:
        load(opened, [ONE, TWO])
        yield opened


def test_what_is_laid_on_comes_back_and_goes(store: Store) -> None:
    flags = {(KEY, 0): WRONG, (KEY, 1): CITED, (OTHER, 0): BARE}
    store.save_overlay("a", "audit.json", [KEY, OTHER], flags)
    assert store.flagged(KEY) == {0: WRONG, 1: CITED}
    assert store.flagged(OTHER) == {0: BARE}
    (record,) = store.overlays()
    assert (record.sha256, record.name, record.conversations, record.flags) == ("a", "audit.json", 2, 3)
    store.save_overlay("a", "audit.json", [KEY, OTHER], flags)
    assert store.overlays() == (record,)
    store.save_overlay("a", "audit.json", [KEY], {(KEY, 1): WRONG})
    assert (store.flagged(KEY), store.flagged(OTHER)) == ({1: WRONG}, {0: BARE})
    store.remove_overlay("a")
    store.remove_overlay("a")
    assert (store.flagged(KEY), store.overlays()) == ({}, ())


def test_of_two_lists_the_last_one_laid_on_is_followed(store: Store) -> None:
    store.save_overlay("b", "first.json", [KEY], {(KEY, 0): replace(BARE, source="first.json"), (KEY, 1): CITED})
    store.save_overlay("a", "second.json", [KEY], {(KEY, 0): replace(WRONG, source="second.json")})
    assert {index: flag.kind for index, flag in store.flagged(KEY).items()} == {
        0: "TEMPORAL_ERROR",
        1: "WRONG_CITATION",
    }
    store.remove_overlay("a")
    assert store.flagged(KEY)[0].source == "first.json"


def test_a_removed_conversation_takes_its_flags_along(store: Store) -> None:
    store.save_overlay("a", "audit.json", [KEY, OTHER], {(KEY, 0): WRONG, (OTHER, 0): BARE})
    store.remove(KEY)
    assert (store.flagged(KEY), store.flagged(OTHER)) == ({}, {0: BARE})


def test_records_of_jobs_come_back(store: Store) -> None:
    at = datetime(2024, 3, 1, 9, 30, 0, 123456, tzinfo=UTC)
    fresh = JobRecord("b", "load", "Load “a.json”", {"path": "/a", "n": [1, None]}, "queued", "", "", 0, 0, at)
    ended = replace(fresh, job_id="a", state="failed", message="No.", what="x", done=3, total=1 << 40)
    ended = replace(ended, created_at=at.replace(year=2025), started_at=at, ended_at=at)
    store.save_job(ended)
    store.save_job(replace(fresh, state="running"))
    store.save_job(fresh)
    assert store.jobs() == (fresh, ended)
    store.remove_job("b")
    store.remove_job("b")
    assert store.jobs() == (ended,)
