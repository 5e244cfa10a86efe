"""Killed at any moment, or with a full disk, the store has what was acknowledged and nothing by halves."""

from __future__ import annotations

import os
import random
import subprocess
import sys
import time
from pathlib import Path

import pytest

from cuemem.adapters.store import Store
from tests.adapters.store_samples import ROOT, extractions, sample

WORK = """
import sys
import numpy as np
from cuemem.adapters.store import Store
from tests.adapters.store_samples import extractions, load, sample

def done(*what):
    print(*what, sep="\\t", flush=True)

store = Store.open(sys.argv[1])
while True:
    file = f"file {len(store.files())}"
    samples = [sample(file, place, f"{file}-{place}", utterances=60) for place in range(3)]
    load(store, samples, file)
    done("file", file)
    for it in samples:
        key = (it.conversation.conversation_id, "llm", "utterance")
        store.begin_cue_set(*key, {})
        for extraction in extractions(it.conversation):
            store.add_extractions(*key, [extraction])
            done("turn", key[0], extraction.turn_id)
        store.complete_cue_set(*key)
        done("set", key[0])
        texts = [u.text for u in it.conversation.utterances]
        store.add_vectors("m", texts, np.full((len(texts), 64), 0.5, np.float32))
        done("vectors", *texts)
"""


def killed_after(path: Path, lines: int, delay: float) -> list[list[str]]:
    """What the process acknowledged before it was killed, a while after so many lines."""
    process = subprocess.Popen(
        [sys.executable, "-c", WORK, str(path)], cwd=ROOT, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    assert process.stdout is not None
    assert process.stderr is not None
    with process:
        said = [process.stdout.readline() for _ in range(lines)]
        time.sleep(delay)
        process.kill()
        said += process.stdout.readlines()
        assert process.stderr.read() == ""
    return [line.rstrip("\n").split("\t") for line in said if line.endswith("\n")]


def check(store: Store, acknowledged: list[list[str]]) -> None:
    files = {file.name: file for file in store.files()}
    summaries = store.conversations()
    assert len(summaries) == 3 * len(files)
    for summary in summaries:
        file, place = summary.sample_id.split("-")
        it = sample(file, int(place), summary.sample_id, utterances=60)
        assert store.conversation(summary.conversation_id) == it.conversation
        assert store.questions(summary.conversation_id) == it.questions
        made = {e.turn_id: e for e in extractions(it.conversation)}
        for cue_set in store.cue_sets(summary.conversation_id):
            kept = store.extractions(summary.conversation_id, "llm", "utterance")
            assert all(made[e.turn_id] == e for e in kept)
            assert not cue_set.complete or len(kept) == 60
    for kind, *what in acknowledged:
        if kind == "file":
            assert f"{what[0]}.json" in files
        elif kind == "turn":
            assert what[1] in store.extractions_done(what[0], "llm", "utterance")
        elif kind == "set":
            assert store.cue_sets(what[0])[0].complete
        else:
            assert store.vectors("m", what).present.all()


def test_kill_9(tmp_path: Path) -> None:
    path = tmp_path / "store.duckdb"
    chance = random.Random(7)
    acknowledged: list[list[str]] = []
    for lines in (0, 1, chance.randrange(100, 200)):
        acknowledged += killed_after(path, lines, chance.random() * (0.03 if lines else 0.6))
        with Store.open(path) as store:
            check(store, acknowledged)
    assert len(acknowledged) > 100


FULL = """
import resource, sys
import numpy as np
from cuemem.adapters.store import Store
from cuemem.errors import Refused
from tests.adapters.store_samples import load, sample

store = Store.open(sys.argv[1])
load(store, [sample()])
resource.setrlimit(resource.RLIMIT_FSIZE, (1_500_000, resource.RLIM_INFINITY))
try:
    matrix = np.random.default_rng(0).random((2000, 384), np.float32)
    store.add_vectors("m", [str(i) for i in range(2000)], matrix)
except Refused as error:
    print(error)
resource.setrlimit(resource.RLIMIT_FSIZE, (resource.RLIM_INFINITY, resource.RLIM_INFINITY))
load(store, [sample("later")], "later")
print(len(store.conversations()), store.info().rows["vectors"])
"""


@pytest.mark.skipif(os.name != "posix", reason="a limit of POSIX stands in for a full disk")
def test_a_full_disk_is_a_sentence_and_passes(tmp_path: Path) -> None:
    path = tmp_path / "store.duckdb"
    done = subprocess.run(
        [sys.executable, "-c", FULL, str(path)], cwd=ROOT, capture_output=True, text=True, check=False, timeout=60
    )
    assert done.stderr == ""
    sentence, counts = done.stdout.splitlines()
    assert f"The store {path} could not be read or written" in sentence
    assert "What was committed before is kept; free disk space" in sentence
    assert counts == "2 0"
    with Store.open(path) as store:
        assert len(store.conversations()) == 2
