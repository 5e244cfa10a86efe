"""QGMem against cases worked out by hand from the equations of section III, and RRF against another library."""

from __future__ import annotations

import json
import math
from datetime import datetime
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from cuemem.context import keep_newest
from cuemem.errors import BadInput, BadSetting
from cuemem.lexical import LexicalIndex
from cuemem.methods import QGMem
from cuemem.methods.qgmem.activation import fuse, top
from cuemem.methods.qgmem.attributes import EventAttributes
from cuemem.methods.qgmem.construction import cut_windows, relation_clusters, relation_of
from cuemem.methods.qgmem.settings import TURNS, Settings
from cuemem.similarity import nearest_rows
from cuemem.types import Conversation, Interval, MemoryUnit, Query, QueryParse, Session, Triple, Utterance, Window
from cuemem.unit_ports import Trajectory, UnitExtraction
from tests.fakes import AngleEmbedder, KeptArrays, WordTokens, talk
from tests.fakes import models as fake_models

BY_RANX = Path(__file__).with_name("rrf_by_ranx.json")
TIME = datetime(2024, 3, 1, 9, 0)


# --- III-A -------------------------------------------------------------------------------------------------------


def test_windows_slide_inside_a_session_and_every_line_is_new_once() -> None:
    windows = cut_windows(talk(11, 2, 6), 6, 2)
    lines = [([it.utterance_id for it in window.lines], window.overlap) for window in windows]
    assert [(names[0], names[-1], overlap) for names, overlap in lines] == [
        ("D1:1", "D1:6", 0),
        ("D1:5", "D1:10", 2),
        ("D1:9", "D1:11", 2),
        ("D2:1", "D2:2", 0),
        ("D3:1", "D3:6", 0),  # no second window that would hold only what was there before
    ]
    assert [it.utterance_id for window in windows for it in window.new] == [
        it.utterance_id for it in talk(11, 2, 6).utterances
    ]
    with pytest.raises(BadSetting, match="overlap_turns=6 must be less than window_turns=6"):
        cut_windows(talk(3), 6, 6)


def test_clusters_are_connected_components_at_the_threshold() -> None:
    """Angles 0, 30, 60, 180, 200: cos 30° = .866 and cos 20° = .940 reach .80, cos 60° = .500 does not.

    So 0–30–60 hang together although 0 and 60 do not meet, and 180–200; at .90 only the latter; with one neighbour
    30 looks at 0 (a tie, the lower index) and 60 at 30, which joins them all the same.
    """
    vectors = AngleEmbedder().encode([f"@{angle}" for angle in (0, 30, 60, 180, 200)])
    nearest, _ = nearest_rows(vectors, 4, np.arange(5))
    assert relation_clusters(nearest, Settings()) == ((0, 1, 2), (3, 4))
    assert relation_clusters(nearest, Settings(relation_threshold=90)) == ((3, 4),)
    assert relation_clusters(nearest, Settings(least_members=3)) == ((0, 1, 2),)
    assert relation_clusters(nearest, Settings(trace_neighbours=1)) == ((0, 1, 2), (3, 4))


def test_a_relation_is_the_most_frequent_subject_and_predicate_the_newest_of_several() -> None:
    units = [unit(at, "D1:1", subject=name) for at, name in enumerate(("Ann", "Bob", "Ann", "Bob"))]
    assert relation_of(units) == "Bob does"
    assert relation_of(units[:3]) == "Ann does"


# --- III-B -------------------------------------------------------------------------------------------------------


def test_bm25_by_hand() -> None:
    """Lucene's BM25, k1 = 1.5, b = 0.75, over "cats sleep", "cat naps cat", "dogs bark loudly now".

    Stop words and words of one letter fall out ("now" is none); lengths 2, 3, 4, mean 3. Without stems "cat" is in
    one document of three: idf = ln(1 + (3 − 1 + .5) / (1 + .5)); its share 2 / (2 + 1.5 · (.25 + .75 · 3/3)).
    With stems "cats" is "cat", in two documents.
    """
    documents = ["cats sleep", "the cat naps, a cat", "dogs bark loudly now"]
    idf = math.log(1 + 2.5 / 1.5)
    plain = LexicalIndex(documents, stems=False).scores("Which cat?")
    assert plain.tolist() == pytest.approx([0, idf * 2 / 3.5, 0], abs=2e-6)
    idf = math.log(1 + 1.5 / 2.5)
    stemmed = LexicalIndex(documents, stems=True).scores("cats")
    assert stemmed.tolist() == pytest.approx([idf / (1 + 1.5 * (0.25 + 0.75 * 2 / 3)), idf * 2 / 3.5, 0], abs=2e-6)
    assert LexicalIndex(documents, stems=True).scores("is it?").tolist() == [0, 0, 0]
    assert LexicalIndex(["", "?"], stems=True).scores("cat").tolist() == [0, 0]


def test_a_list_holds_the_best_above_zero_ties_to_the_lower_index() -> None:
    scores = np.array([0.0, 2.0, 1.0, 2.0, -1.0, 1.0])
    assert top(scores, 3).units.tolist() == [1, 3, 2]
    assert top(scores, 9).units.tolist() == [1, 3, 2, 5]
    assert top(np.zeros(4), 2).units.tolist() == []


def test_rrf_by_hand() -> None:
    """κ = 60: unit 4 has 1/61 + 1/62, unit 2 1/62 + 1/63, unit 9 1/61, unit 7 1/63; a missing rank adds nothing."""
    lists = [np.array(ranked) for ranked in ([9, 4, 2], [4, 2, 7])]
    fused = fuse(lists, 60, 10)
    assert fused.units.tolist() == [4, 2, 9, 7]
    assert fused.scores.tolist() == pytest.approx([1 / 61 + 1 / 62, 1 / 62 + 1 / 63, 1 / 61, 1 / 63])
    assert fuse(lists, 60, 2).units.tolist() == [4, 2]
    # The sum of the same ranks is the same in any order, so the lower index decides.
    crossed = [np.array(ranked) for ranked in ([1, 0, 5], [0, 5, 1], [5, 1, 0])]
    assert fuse(crossed, 60, 3).units.tolist() == [0, 1, 5]


def test_rrf_agrees_with_ranx() -> None:
    """Made by ranx 0.3.21, ``fuse(runs, method="rrf", params={"k": constant})``, on random lists."""
    for case in json.loads(BY_RANX.read_text(encoding="utf-8"))["cases"]:
        lists = [np.array([int(name[1:]) for name in ranked]) for ranked in case["lists"]]
        fused = fuse(lists, case["constant"], 100)
        found = {f"u{it}": score for it, score in zip(fused.units.tolist(), fused.scores.tolist(), strict=True)}
        assert found == pytest.approx(case["scores"], abs=1e-11)


def unit(index: int, start: str, end: str | None = None, *, subject: str = "Ann", **more: Any) -> MemoryUnit:
    fact = more.pop("fact", f"fact {index}")
    return MemoryUnit(index, f"u{index}", start, end or start, fact, Triple(subject, "does", fact), **more)


def test_s_elt_is_the_mean_over_the_constrained_axes() -> None:
    """Entities as angles. The constraints 0° and 90° against unit 0 (10°, 80°): both cos 10° = .984808.

    Unit 1 (0°, 45°) meets 0° with 1 and 90° with cos 45° = .707107: mean .853553; unit 2 (60°) meets 90° with
    cos 30° = .866025, and 0° with .500, which is below .60 and counts 0: mean .433013; unit 3 has none: 0.
    Locations: 0° against 30° = .866025. Times: May 2024 holds the 8th; unit 1 said on 1 March.
    """
    units = [
        unit(0, "D1:1", entities=("@10", "@80"), fact_time=(Interval("2024-05-08", "2024-05-08"),)),
        unit(1, "D1:1", entities=("@0", "@45"), said_at=TIME),
        unit(2, "D1:2", entities=("@60",), locations=("@30",), fact_time=(Interval("2023", "2023", "year"),)),
        unit(3, "D1:2"),
    ]
    embedder = AngleEmbedder()
    index = EventAttributes.of(units, embedder)

    def scores(threshold: float = 0.6, **parse: Any) -> list[float]:
        asked = QueryParse(**parse)
        vectors = [embedder.encode(texts) for texts in (asked.entities, asked.locations)]
        return index.scores(asked, *vectors, threshold).tolist()

    both = ("@0", "@90")
    may, march = Interval("2024-05", "2024-05", "month"), Interval("2024-03-01", "2024-03-02")
    assert scores(entities=both) == pytest.approx([0.984808, 0.853553, 0.433013, 0], abs=2e-6)
    assert scores(0.9, entities=both) == pytest.approx([0.984808, 0.5, 0, 0], abs=2e-6)
    assert scores(fact=(may,)) == [1, 0, 0, 0]
    assert scores(utterance=(march,)) == [0, 1, 0, 0]
    assert scores(fact=(may,), utterance=(march,)) == [1, 1, 0, 0]  # one axis
    assert scores(fact=(Interval("2023-12-31", "2024-01-05"),)) == [0, 0, 1, 0]
    # Three axes; an axis that is constrained but not matched counts 0.
    assert scores(entities=both, locations=("@0",), fact=(may,)) == pytest.approx(
        [(0.984808 + 1) / 3, 0.853553 / 3, (0.433013 + 0.866025) / 3, 0], abs=2e-6
    )
    assert scores() == [0, 0, 0, 0]


# --- III-C -------------------------------------------------------------------------------------------------------


class Told:
    """Units and trajectories as a test gives them."""

    name, provenance = "given", {}

    def __init__(self, units: list[MemoryUnit], traces: tuple[Trajectory, ...] = ()) -> None:
        self.units, self.traces = units, traces

    def extract(self, conversation: Conversation, windows: Any, anew: Any = ()) -> Any:
        at = {line.utterance_id: window.position for window in windows for line in window.new}
        for window in windows:
            mine = tuple(it for it in self.units if at[it.end_turn] == window.position)
            yield UnitExtraction(window.position, mine)

    def given(self, _conversation: Conversation) -> tuple[Trajectory, ...]:
        return self.traces

    def write(self, _conversation: Conversation, clusters: Any) -> Any:
        raise AssertionError("the clusters came along")


def four_units() -> list[MemoryUnit]:
    return [
        unit(0, "D1:1", fact="Ann keeps bees @0"),
        unit(1, "D1:2", "D1:3", fact="Bob swims @20", subject="Bob"),
        unit(2, "D2:1", fact="Ann sold the bees @10", fact_time=(Interval("2024-03", "2024-03", "month"),)),
        unit(3, "D2:2", fact="it rained @90", subject=""),
    ]


def built(units: list[MemoryUnit], traces: tuple[Trajectory, ...], **knobs: Any) -> tuple[QGMem, Any]:
    source = Told(units, traces)
    given = fake_models({}, AngleEmbedder())
    models = type(given)(
        AngleEmbedder(),
        WordTokens(),
        {},
        KeptArrays(),
        unit_sources={"given": source},
        trajectories=source,
    )
    method = QGMem(unit_source="given", lexical=False, **knobs)
    return method, method.build(talk(3, 2), models)


def test_the_working_memory_is_serialised_in_clusters_and_labelled_facts() -> None:
    """By angle the question @0 ranks units 0, 2, 1 (cosines 1, .985, .940); unit 3 at 90° has cosine 0: no list."""
    traces = (Trajectory(("u0", "u2"), "Ann kept bees and sold them in March, which is the current state."),)
    method, memory = built(four_units(), traces)
    recall = memory.recall(Query("@0"), method)
    assert recall.context.text == (
        "Evidence clusters:\n"
        "- trajectory: Ann kept bees and sold them in March, which is the current state.\n"
        "  MU1 (utterance_time Friday, 1 March 2024, 09:00; earlier state): Ann keeps bees @0\n"
        "  MU2 (utterance_time Sunday, 31 March 2024, 09:00; happened 2024-03; current state): "
        "Ann sold the bees @10\n"
        "- MU3 (utterance_time Friday, 1 March 2024, 09:00): Bob swims @20\n"
        "Facts:\n"
        "F1 (MU1): Ann | does | Ann keeps bees @0\n"
        "F2 (MU2): Ann | does | Ann sold the bees @10\n"
        "F3 (MU3): Bob | does | Bob swims @20"
    )
    cited = {it.label: it.turn_ids for it in recall.context.statements}
    assert cited["MU3"] == cited["F3"] == ("D1:2", "D1:3")
    assert recall.context.turn_ids == ("D1:1", "D1:2", "D1:3", "D2:1")
    assert [anchor.turn_id for anchor in recall.anchors] == ["D1:1", "D2:1", "D1:2", "D1:3"]
    stages = {stage.name: stage for stage in recall.trace}
    assert stages["graph"].summary == "5 nodes, 3 edges"  # Ann stands once
    assert stages["parse"].items == ()
    assert "no event-attribute channel" in stages["parse"].summary
    assert [stage.name for stage in recall.trace if stage.group == "channels"] == ["lexical", "dense", "attributes"]


def test_without_a_written_trajectory_only_older_and_newest_are_told_apart() -> None:
    method, memory = built(four_units(), (Trajectory(("u2", "u0"), ""),))
    assert [trace.members for trace in memory.traces] == [(0, 2)]  # by time, whatever the file says
    text = memory.recall(Query("@0"), method).context.text
    assert "- 2 related memories; the newest: Ann sold the bees @10\n" in text
    assert "09:00; older): Ann keeps bees" in text
    assert "; newest): Ann sold" in text


def test_a_budget_takes_units_best_first_and_turns_come_whole() -> None:
    method, memory = built(four_units(), ())
    whole = memory.recall(Query("@0"), method).context
    two = memory.recall(Query("@0"), method, whole.tokens - 1).context
    assert [it.label for it in two.statements] == ["MU1", "MU2", "F1", "F2"]
    assert [item.turn_id for item in two.cut] == ["D1:2", "D1:3"]
    assert f"over the budget of {whole.tokens - 1:,}" in str(two.cut[0].cut)
    as_turns = QGMem(unit_source="given", lexical=False, context_form=TURNS, working_memory=2)
    assert memory.recall(Query("@0"), as_turns).context.turn_ids == ("D1:1", "D2:1")


def test_what_a_window_cannot_hold_goes_oldest_first_and_the_rest_keeps_its_form() -> None:
    """Units 0 and 2 are one trace, 1 stands alone; the oldest source turn is unit 0's, the newest unit 2's."""
    _, memory = built(four_units(), (Trajectory(("u0", "u2"), "Kept, then sold."),))
    method = QGMem(unit_source="given", lexical=False)
    whole = memory.recall(Query("@0"), method).context
    left = {}
    for budget in range(1, whole.tokens + 1):
        kept = keep_newest(whole, memory.turns, WordTokens(), budget, "too old")
        assert kept.tokens == WordTokens().count(kept.text) <= budget
        assert {*kept.turn_ids, *(item.turn_id for item in kept.cut)} == set(whole.turn_ids)
        left[tuple(it.label for it in kept.statements)] = kept
    assert list(left) == [(), ("MU2", "F2"), ("MU2", "MU3", "F2", "F3"), ("MU1", "MU2", "MU3", "F1", "F2", "F3")]
    assert left[("MU1", "MU2", "MU3", "F1", "F2", "F3")] == whole
    assert left[("MU2", "F2")].text == (
        "Evidence clusters:\n"
        "- trajectory: Kept, then sold.\n"
        "  MU2 (utterance_time Sunday, 31 March 2024, 09:00; happened 2024-03; current state): "
        "Ann sold the bees @10\n"
        "Facts:\n"
        "F2 (MU2): Ann | does | Ann sold the bees @10"
    )


def test_a_source_out_of_step_is_a_fault() -> None:
    class Skipping(Told):
        def extract(self, conversation: Conversation, windows: Any, anew: Any = ()) -> Any:
            yield UnitExtraction(1, ())

    models = fake_models({})
    wrong = type(models)(
        models.embedder, models.tokens, {}, models.arrays, unit_sources={"given": Skipping(four_units())}
    )
    with pytest.raises(BadInput, match="gave window 1 out of turn"):
        QGMem(unit_source="given").build(talk(3, 2), wrong)
    with pytest.raises(BadSetting, match="No unit source 'imported'; there are given"):
        QGMem().build(talk(3), fake_models({}))


def test_serial_numbers_take_the_place_of_dates() -> None:
    lines = tuple(Utterance(f"F{n}", 1, "fact", f"fact {n}", serial=n) for n in (4, 5))
    conversation = Conversation("x/0", "facts", "x", (Session(1, None),), lines)
    source = Told([unit(0, "F4", fact="old @0"), unit(1, "F5", fact="new @10")], (Trajectory(("u0", "u1"), ""),))
    models = fake_models({})
    given = type(models)(
        AngleEmbedder(), WordTokens(), {}, KeptArrays(), unit_sources={"given": source}, trajectories=source
    )
    method = QGMem(unit_source="given")
    text = method.build(conversation, given).recall(Query("@0"), method).context.text
    assert "MU1 (utterance_time serial-4; older): old @0" in text
    assert "MU2 (utterance_time serial-5; newest): new @10" in text


def test_intervals_know_partial_dates_and_refuse_what_is_none() -> None:
    whole = Interval.read("2024-02", "2024-02", "month")
    assert (str(whole), whole.first.day, whole.last.day) == ("2024-02", 1, 29)
    assert str(Interval.read("2023", "2024-01-05")) == "2023 to 2024-01-05"
    for start, end in (("2024-05-08", "2024-05-07"), ("2024-13", "2024-13"), ("May", "May"), ("2024-02-30", "2024")):
        with pytest.raises(ValueError, match=r"\S"):
            Interval.read(start, end)
    assert Window(0, talk(3).utterances, 1).new == talk(3).utterances[1:]
