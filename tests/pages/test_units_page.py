"""A memory of units on every page: Units shows what it is made of, Trace its channels, and all else is unchanged."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import TYPE_CHECKING, get_args

import pytest

from cuemem.adapters.store import Store
from cuemem.adapters.tokens import FixedTokenizer
from cuemem.evaluation.failures import LOSSES
from cuemem.methods import QGMem
from cuemem.types import Evidence, LossStage, Question
from cuemem.ui import turn_panel
from cuemem.ui.trace.evidence import LOST
from cuemem.workbench import Workbench
from tests.adapters.store_samples import Loaded, load, sha
from tests.fakes import talk
from tests.pages.conftest import OpenPage, shown
from tests.unit_files import unit_line, write_lines

if TYPE_CHECKING:
    from cuemem.adapters.embed import SentenceEmbedder

HOSTILE = "Ann likes <img src=x onerror=alert(1)> **bold** [a](javascript:alert(2))"
UNITS = {"method": "qgmem"}


@pytest.fixture(scope="module")
def unit_store(tmp_path_factory: pytest.TempPathFactory, real_embedder: SentenceEmbedder) -> Path:
    """Eight utterances, one of them without a unit, two units in a trace, one question of two parsed."""
    folder = tmp_path_factory.mktemp("units")
    name = f"{sha('file')[:16]}/0"
    questions = (
        Question(0, "Where does Ann live now?", "Rome", "single-hop", 4, evidence=(Evidence("D1:2", "D1:2", 1),)),
        Question(1, "What does Ann like?", "it", "single-hop", 4, evidence=(Evidence("D2:1", "D2:1", 2),)),
    )
    times = [{"start": "2020-05", "end": "2020-05", "granularity": "month"}]
    units = [
        unit_line(1, "D1:1", "Ann lives in Oslo", entities=["Ann"], locations=["Oslo"], time=times),
        unit_line(2, "D1:2", "Ann lives in Rome", entities=["Ann"], locations=["Rome"]),
        unit_line(3, "D1:3", HOSTILE, entities=["<b>Ann</b>"]),
        *(unit_line(at, f"D1:{at}", f"Ben walked {at} miles", entities=["Ben"]) for at in (4, 5)),
        *(unit_line(5 + at, f"D2:{at}", f"Ben read book {at}", entities=["Ben"]) for at in (2, 3)),
    ]
    write_lines(folder / "test.units.jsonl", units)
    write_lines(folder / "test.traces.jsonl", [{"members": ["u1", "u2"], "trajectory": "First Oslo, now Rome."}])
    parse = {"qa_index": 0, "entities": ["Ann"], "locations": [], "time": {}}
    write_lines(folder / "test.queries.jsonl", [parse])
    path = folder / "units.duckdb"
    with Store.open(path) as store:
        load(store, [Loaded(replace(talk(5, 3), conversation_id=name), questions)])
        bench = Workbench(store, real_embedder, FixedTokenizer())
        bench.build(name, QGMem(), folder)
        bench.embedder.encode([question.text for question in questions])
    return path


def test_a_unit_its_evidence_both_times_and_the_states_of_its_trace(open_page: OpenPage, unit_store: Path) -> None:
    test = open_page("units", unit_store, turn="D1:1", **UNITS)
    assert not test.exception
    page = shown(test)
    assert "7 memory units, 2 of them in 1 trace" in page
    assert "1 turn without a unit" in page
    table = test.dataframe[0].value
    assert table["unit"].tolist() == ["u1", "u2", "u3", "u4", "u5", "u7", "u8"]
    assert table["trace"].tolist()[:3] == ["T1 (2)", "T1 (2)", ""]
    for words in ("Ann → lives → in Oslo", "2020-05", "First Oslo, now Rome.", "current state"):
        assert words in page
    assert "Where these 7 units come from" in {it.label for it in test.expander}
    assert "test.units.jsonl" in page
    assert "<dt>Not used or not had</dt><dd>nothing</dd>" in page
    assert page.index("Ann lives in Oslo</p></li>") < page.index("Ann lives in Rome</p></li>")


def test_units_are_searched_and_filtered(open_page: OpenPage, unit_store: Path) -> None:
    for params, units in (
        ({"page.find": "ROME"}, ["u2"]),
        ({"page.find": "d1:4"}, ["u4"]),
        ({"page.find": "u5"}, ["u5"]),
        ({"page.show": "traces"}, ["u1", "u2"]),
        ({"page.show": "gold", "question": "0"}, ["u2"]),
    ):
        test = open_page("units", unit_store, **UNITS, **params)
        assert not test.exception
        assert test.dataframe[0].value["unit"].tolist() == units, params
    test = open_page("units", unit_store, **UNITS, **{"page.find": "nothing is like this"})
    assert "No unit is like that" in shown(test)
    assert not test.dataframe


def test_a_hostile_unit_is_text(open_page: OpenPage, unit_store: Path) -> None:
    test = open_page("units", unit_store, **UNITS, **{"page.unit": "u3"})
    assert not test.exception
    page = shown(test)
    assert "&lt;img src=x onerror=alert(1)&gt;" in page
    assert "&lt;b&gt;Ann&lt;/b&gt;" in page
    assert "<img" not in page
    assert "It stands alone" in page


def test_a_method_without_units_says_so(open_page: OpenPage, unit_store: Path) -> None:
    test = open_page("units", unit_store, method="naive_rag")
    assert not test.exception
    assert "Naive RAG works without memory units" in shown(test)


def test_a_page_of_cues_leads_to_the_units(open_page: OpenPage, unit_store: Path) -> None:
    test = open_page("cues", unit_store, **UNITS)
    assert not test.exception
    assert "made of memory units in place of cues" in shown(test)
    assert [link.proto.label for link in test.get("page_link")][-1:] == ["Units"]


def test_the_channels_stand_side_by_side_and_a_turn_tells_how_far_it_came(
    open_page: OpenPage, unit_store: Path
) -> None:
    test = open_page("trace", unit_store, question="0", turn="D1:2", **UNITS, **{"page.stages": "on"})
    assert not test.exception
    page = shown(test)
    assert "How far its best one came" in page
    for channel in ("Lexical", "Dense", "attribute"):
        assert channel.lower() in page.lower()
    lost = shown(open_page("trace", unit_store, question="1", turn="D2:1", **UNITS))
    assert "it lies in the evidence of no memory unit" in lost


@pytest.mark.parametrize("page", ["home", "data", "conversation", "cues", "answers", "sweep", "runs", "failures"])
def test_every_other_page_works_with_it(open_page: OpenPage, unit_store: Path, page: str) -> None:
    test = open_page(page, unit_store, **UNITS)
    assert not test.exception
    assert shown(test)


def test_every_stage_of_loss_of_any_method_has_its_words_wherever_stages_are_told() -> None:
    stages = set(get_args(LossStage))
    assert set(turn_panel.STAGES) == stages
    assert set(LOST) == set(LOSSES) == stages - {"in context"}


def test_a_lost_turn_is_told_beside_the_conversation(open_page: OpenPage, unit_store: Path) -> None:
    test = open_page("conversation", unit_store, question="1", turn="D2:1", **UNITS)
    assert not test.exception
    assert "No unit" in shown(test)


def test_the_conversation_counts_turns_with_units(open_page: OpenPage, unit_store: Path) -> None:
    test = open_page("conversation", unit_store, **UNITS)
    options = [option for group in test.button_group for option in group.options]
    assert "With units · 7" in options
    assert "Without units · 1" in options
