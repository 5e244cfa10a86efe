"""Eight readers beside a writer: nobody ever sees half of anything, or another's rows."""

from __future__ import annotations

import threading
import time
from pathlib import Path

import numpy as np
import pytest

from cuemem.adapters.store import Store
from cuemem.errors import NotBuilt, Refused, UnknownName
from tests.adapters.store_samples import extractions, load, sample

SAMPLES = {
    file: [sample(file, place, f"{file}-{place}", utterances=20 + place) for place in range(3)]
    for file in ("one", "two", "three")
}
BY_ID = {it.conversation.conversation_id: it for samples in SAMPLES.values() for it in samples}
EXTRACTED = {key: extractions(it.conversation, key) for key, it in BY_ID.items()}
TEXTS = [f"text {i}" for i in range(400)]


def write(store: Store, stop: threading.Event) -> None:
    rounds = 0
    while not stop.is_set():
        for file, samples in SAMPLES.items():
            load(store, samples, file)
            for it in samples:
                key = it.conversation.conversation_id
                store.replace_cue_set(key, "llm", "utterance", {}, EXTRACTED[key])
            vectors = np.full((len(TEXTS), 4), rounds, np.float32)
            store.add_vectors(f"model {rounds}", TEXTS, vectors)
            rounds += 1
        for key in list(BY_ID)[::2]:
            store.remove(key)


def read(store: Store, number: int) -> None:
    """One look at everything; each look must be of one moment."""
    for summary in store.conversations():
        expected = BY_ID[summary.conversation_id]
        assert (summary.utterances, summary.questions) == (len(expected.conversation.utterances), 2)
        assert summary.cues in (0, 2 * (summary.utterances - 2))
    key = list(BY_ID)[number % len(BY_ID)]
    try:
        assert store.conversation(key) == BY_ID[key].conversation
        assert store.questions(key) == BY_ID[key].questions
        assert store.extractions(key, "llm", "utterance") == tuple(EXTRACTED[key])
    except (UnknownName, NotBuilt):
        pass
    found = store.vectors(f"model {number}", TEXTS)
    assert found.present.all() or not found.present.any()
    assert (found.matrix == number).all() or not found.present.any()


def test_readers_beside_a_writer(tmp_path: Path) -> None:
    stop = threading.Event()
    failures: list[BaseException] = []
    looks = [0] * 8

    def guarded(number: int, store: Store) -> None:
        try:
            if number < 0:
                write(store, stop)
            while not stop.is_set():
                read(store, looks[number] + number)
                looks[number] += 1
        except BaseException as error:  # noqa: BLE001 - handed to the test
            failures.append(error)
            stop.set()

    with Store.open(tmp_path / "store.duckdb") as store:
        threads = [threading.Thread(target=guarded, args=(number, store)) for number in range(-1, 8)]
        for thread in threads:
            thread.start()
        deadline = time.monotonic() + 1.5
        while time.monotonic() < deadline and not stop.is_set():
            time.sleep(0.05)
        stop.set()
        for thread in threads:
            thread.join()
    assert failures == []
    assert min(looks) > 3


def test_writers_wait_for_each_other(tmp_path: Path) -> None:
    with Store.open(tmp_path / "store.duckdb") as store:
        store.save_run("run", "count", {"n": 0})

        def count() -> None:
            for _ in range(20):
                with store.writing():
                    store.save_run("run", "count", {"n": store.runs()[0].card["n"] + 1})

        threads = [threading.Thread(target=count) for _ in range(4)]
        for thread in threads:
            thread.start()
        for thread in threads:
            thread.join()
        assert store.runs()[0].card == {"n": 80}


def test_closing_waits_for_an_operation_of_another_thread_and_refuses_later_ones(tmp_path: Path) -> None:
    store = Store.open(tmp_path / "store.duckdb")
    inside, outcomes = threading.Event(), []

    def read() -> None:
        with store.reading() as cursor:
            inside.set()
            time.sleep(0.3)
            outcomes.append(cursor.execute("SELECT count(*) FROM files").fetchall())

    thread = threading.Thread(target=read)
    thread.start()
    inside.wait()
    store.close()
    thread.join()
    assert outcomes == [[(0,)]]
    with pytest.raises(Refused, match="closed"):
        store.files()
