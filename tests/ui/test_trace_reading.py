"""A view made into a scene, what the Trace page reads from it, and the report of it."""

from __future__ import annotations

from pathlib import Path

import pytest

from cuemem.adapters.store import Store
from cuemem.types import Change
from cuemem.ui.scene import Scene, build_scene
from cuemem.ui.trace.reading import Reading
from cuemem.ui.trace.report import report
from cuemem.ui.view import View


def scene_of(view: View) -> Scene:
    scene, complaints = build_scene(view)
    assert complaints == ()
    assert scene is not None
    return scene


@pytest.fixture
def reading(monkeypatch: pytest.MonkeyPatch, sample_store: Path) -> Reading:
    """Question 6 of lakeside: two of its three gold turns are found (data/README.md)."""
    monkeypatch.setenv("CUEMEM_STORE", str(sample_store))
    scene = scene_of(View(conversation="lakeside", cues="imported", question=6))
    assert scene.memory is not None
    assert scene.question is not None
    return Reading(scene, scene.memory, scene.question)


def test_blanks_are_filled_in(reading: Reading) -> None:
    view = reading.scene.view
    assert (view.method, view.turns, view.budget, view.turn) == ("cuemem", "utterance", "off", None)
    assert view.settings[:3] == (("window", 2), ("neighbours", 1), ("top_cues", 10))


def test_the_scoreboard_and_what_it_costs_to_mend(reading: Reading) -> None:
    assert [(row.turn_id, row.role) for row in reading.board] == [
        ("D2:6", "anchor"),
        ("D2:7", "temporal"),
        ("D3:14", "missed"),
    ]
    lost = reading.explanations["D3:14"]
    assert {str(change) for change in lost.changes} == {"k = 5", "m = 15"}
    mended = reading.changed(Change("top_cues", 15, "m"))
    assert "D3:14" in mended.context.turn_ids
    assert reading.price(Change("top_cues", 15, "m")) == mended.context.tokens - reading.recall.context.tokens > 0
    assert reading.shown is not None
    assert reading.shown.turn_id == "D3:14"  # what was lost comes first


def test_the_control_costs_no_more(reading: Reading) -> None:
    control = reading.control
    assert control is not None
    assert control.tokens <= reading.recall.context.tokens
    assert (control.symbol, control.recall) == ("m", 1.0)


def test_the_report_holds_everything(reading: Reading) -> None:
    text = report(reading)
    for part in (
        "# Trace of question 6",
        "Old Saltmarket",
        "D3:14 was lost at retrieval",
        "Anchors only",
        "[Session 1",
    ):
        assert part in text
    assert text.count("```") % 2 == 0


def test_a_write_is_noticed_and_a_failed_one_is_not(tmp_path: Path) -> None:
    with Store.open(tmp_path / "store.duckdb") as store:
        before = store.commits
        with store.writing():
            pass
        assert store.commits == before + 1
        with pytest.raises(RuntimeError), store.writing():
            raise RuntimeError
        assert store.commits == before + 1
