"""Failures and the Judge desk over runs that a local server answered: worked off, labelled, judged again."""

from __future__ import annotations

import csv
import io
import shutil
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from streamlit.testing.v1 import AppTest

from cuemem.adapters.chat import CallLimits
from cuemem.adapters.store import Store
from cuemem.adapters.tokens import FixedTokenizer
from cuemem.prompts import Prompts
from cuemem.ui import cache
from cuemem.ui.failures.page import _csv
from cuemem.workbench import Workbench
from cuemem.workbench.judging import BLIND, pool
from cuemem.workbench.models import ModelSettings
from cuemem.workbench.reviewing import failures
from cuemem.workbench.runs import Contender, Plan, begin, go, opened
from cuemem.workbench.runs.work import LentModels, evaluate_details
from tests.openai_server import BAD_KEY, RATE_LIMITED, SERVER_ERROR, Act, OpenAIServer, Request
from tests.pages.conftest import OpenPage, shown

HOSTILE = "<script>alert(1)</script> **bold**"


class Judge:
    """Right or wrong by the size of the prompt; generous is kinder; each repetition may say otherwise."""

    def __init__(self) -> None:
        self.asked: dict[str, int] = {}
        self.hold = threading.Event()
        self.hold.set()

    def __call__(self, request: Request) -> Act | str:
        if "judgment" not in request.prompt:
            return f"{HOSTILE} {len(request.prompt) % 7}"
        self.hold.wait(60)
        count = self.asked[request.prompt] = self.asked.get(request.prompt, 0) + 1
        size = len(request.texts[-1])
        right = size % 3 == 0 or ("generous" in request.prompt.lower() and size % 2 == 0)
        if size % 5 == 0 and count > 1:
            right = not right
        return f'{{"judgment": "{"correct" if right else "incorrect"}", "reason": "By size {size}."}}'


@pytest.fixture(scope="module")
def judge() -> Judge:
    return Judge()


@pytest.fixture(scope="module")
def running(judge: Judge) -> Iterator[OpenAIServer]:
    with OpenAIServer(judge) as server:
        yield server


@pytest.fixture(scope="module")
def judged(
    sample_store: Path, running: OpenAIServer, real_embedder: Any, tmp_path_factory: pytest.TempPathFactory
) -> Path:
    """A store with two judged runs and one of retrieval alone. Do not write."""
    path = Path(shutil.copy(sample_store, tmp_path_factory.mktemp("review") / "judged.duckdb"))
    with Store.open(path) as store:
        bench = Workbench(store, real_embedder, FixedTokenizer())
        key = store.resolve("lakeside")
        model = ModelSettings("openai/test", running.base, "key")
        both = [Contender("cuemem", {"m": 2, "w": 0, "k": 0}), Contender("full_history")]
        plan = Plan(both, [key], answering=model, judging=model, limit=12)
        go(bench, begin(bench, plan), lambda _role, _name: model, Prompts())
        go(bench, begin(bench, Plan([Contender("cuemem", {"m": 1, "w": 0, "k": 0})], [key], limit=12)))
    return path


@pytest.fixture
def own(judged: Path, tmp_path: Path) -> Path:
    return Path(shutil.copy(judged, tmp_path / "own.duckdb"))


@pytest.fixture
def server(running: OpenAIServer, judge: Judge, monkeypatch: pytest.MonkeyPatch) -> OpenAIServer:
    running.fresh()
    judge.hold.set()
    monkeypatch.setenv("CUEMEM_MODEL", "openai/test")
    monkeypatch.setenv("CUEMEM_API_BASE", running.base)
    monkeypatch.setenv("CUEMEM_API_KEY", "key")
    return running


def run_ids(path: Path) -> dict[str, str]:
    with Store.open(path) as store:
        records = store.runs()
    return {("retrieval" if not it.card["answering"] else it.card["method"]): it.run_id for it in records}


def press(test: AppTest, key: str) -> AppTest:
    test.button(key=key).click().run()
    assert not test.exception
    return test


def stored(read: Callable[[Store], Any]) -> Any:
    return read(cache.workbench().store)


def test_without_a_run_both_pages_say_the_next_step(open_page: OpenPage, sample_store: Path) -> None:
    for page, sentence in (("failures", "Nothing has been run yet"), ("judge", "no run with answers yet")):
        test = open_page(page, sample_store)
        assert not test.exception
        assert sentence in shown(test)
        assert "Start a run" in {it.proto.label for it in test.get("page_link")}


def test_failures_are_worked_off_by_buttons_that_have_keys(open_page: OpenPage, own: Path) -> None:
    run_id = run_ids(own)["cuemem"]
    test = open_page("failures", own, **{"page.run": run_id})
    assert not test.exception
    run = stored(lambda store: opened(store, run_id))
    found = stored(lambda store: failures(store, run))
    wrong = [row for row in run.rows if row.verdict and not row.verdict.correct]
    assert [it.row.key for it in found] == [row.key for row in wrong]
    assert f"{len(wrong)} of 12 questions are not judged right" in shown(test)
    assert "<script>" not in shown(test)
    shortcuts = {it.proto.shortcut.lower() for it in test.button if it.proto.shortcut}
    assert shortcuts == {"p", "n", "y", "x", "f", "m"}

    press(test, "failures.pass")
    press(test, "failures.fail")
    press(test, "failures.flag")
    press(test, "failures.next")
    reviews = stored(lambda store: store.reviews(run_id))
    assert [(it.decided, it.flag) for it in reviews] == [
        ("right but judged wrong", False),
        (found[1].proposal.kind, False),
        (None, True),
    ]
    assert [it.proposed for it in reviews[:2]] == [it.proposal.kind for it in found[:2]]
    again = stored(lambda store: failures(store, run))
    assert again[2].proposal.kind == "gold wrong or disputed"  # by the reviewer's flag
    press(test, "failures.previous")
    assert "4 of" not in shown(test)
    assert "you flagged its gold" in shown(test)
    press(test, "failures.flag")
    assert len(stored(lambda store: store.reviews(run_id))) == 2

    test.selectbox(key="failures.filter.show").select("decided").run()
    assert "1 of 2 · " in shown(test)
    assert test.query_params["page.show"] == "decided"
    rows = list(csv.DictReader(io.StringIO(_csv(again).decode())))
    assert [row["decided"] for row in rows[:3]] == ["right but judged wrong", found[1].proposal.kind, ""]
    links = {it.proto.label: it.proto.query_string for it in test.get("page_link")}
    assert "m=2" in links["Trace as in the run"]
    assert "Answers" in links


def test_a_note_is_kept_and_an_answer_that_changed_is_not_decided(open_page: OpenPage, own: Path) -> None:
    run_id = run_ids(own)["full_history"]
    earlier = open_page("failures", own, **{"page.run": run_id})
    test = open_page("failures", own, **{"page.run": run_id})
    press(test, "failures.note")
    test.text_area(key="failures.words").input(f"look again {HOSTILE}")
    next(it for it in test.button if it.label == "Keep").click().run()
    assert not test.exception
    (review,) = stored(lambda store: store.reviews(run_id))
    assert (review.note, review.decided) == (f"look again {HOSTILE}", None)
    press(earlier, "failures.flag")  # of a card that was drawn before there was a note
    (review,) = stored(lambda store: store.reviews(run_id))
    assert (review.note, review.flag) == (f"look again {HOSTILE}", True)
    press(earlier, "failures.flag")
    stored(lambda store: store.save_review(replace(review, answer_key="another", decided="no cue")))
    test.run()
    assert "an earlier answer of this run was decided on" in shown(test)


def test_a_run_without_verdicts_has_its_misses_as_failures(open_page: OpenPage, own: Path) -> None:
    run_id = run_ids(own)["retrieval"]
    test = open_page("failures", own, **{"page.run": run_id})
    assert not test.exception
    run = stored(lambda store: opened(store, run_id))
    lost = [row for row in run.rows if row.lost and not row.question.unanswerable]
    assert f"in {len(lost)} of 12 questions" in shown(test)
    assert {it.kind for it in stored(lambda store: failures(store, run))} <= {"no cue", "not retrieved"}
    press(test, "failures.pass")
    assert stored(lambda store: store.reviews(run_id))[0].decided == "gold wrong or disputed"
    with Store.open(own) as store:
        card = store.run(run_id).card
        store.save_run("cuemem-00000000", "run", card)
    test = open_page("failures", own, **{"page.run": "cuemem-00000000"})
    assert not test.exception
    assert "not at its end (12 results to come)" in shown(test)


def test_labels_are_blind_and_agreement_is_counted(open_page: OpenPage, own: Path) -> None:
    test = open_page("judge", own, **{"page.size": "6"})
    assert not test.exception
    page = shown(test) + str([it.options for it in test.selectbox]) + str([*test.query_params])
    for word in ("cuemem", "CueMem", "full_history", "Full history", "By size", "correct"):
        assert word not in page
    press(test, "judge.right")
    press(test, "judge.wrong")
    press(test, "judge.right")
    press(test, "judge.previous")
    press(test, "judge.take_back")
    assert "<b>1 of 6</b>" not in shown(test)
    assert "<b>2 of 6</b>" in shown(test)
    ids = list(run_ids(own).values())
    runs = stored(lambda store: [opened(store, it) for it in ids])
    key = runs[0].rows[0].conversation_id
    people = stored(lambda store: [it for it in store.verdicts(key) if it.judge == "human"])
    assert [it.reason for it in people] == [BLIND] * 2
    names = {item.name: item for item in pool(runs)}
    agreed = sum(
        (it.outcome == "correct") == names[key, it.question_index, it.answer_key].row.verdict.correct  # type: ignore[union-attr]
        for it in people
    )
    test = open_page("judge", own, **{"page.part": "agree"})
    assert not test.exception
    assert f"{50 * agreed:.1f} %" in shown(test)
    assert "Confusion table" in shown(test)


def test_generous_beside_strict_and_repeats_apart_from_the_first_verdict(
    open_page: OpenPage, own: Path, server: OpenAIServer
) -> None:
    test = open_page("judge", own, **{"page.part": "protocols", "page.answers": "5"})
    assert not test.exception
    assert "5 verdicts by openai/test" in shown(test)
    assert server.log == []
    server.then(BAD_KEY)
    press(test, "judge.ask")
    first = cache.jobs().jobs("judge")[0]
    cache.jobs().wait(first.job_id, 30)
    test.run()
    assert cache.jobs().jobs("judge")[0].state == "failed"
    asked = len(server.log)
    press(test, "judge.ask")
    cache.jobs().wait(cache.jobs().jobs("judge")[0].job_id, 30)
    test.run()
    key = stored(lambda store: store.resolve("lakeside"))
    generous = stored(lambda store: [it for it in store.verdicts(key) if it.protocol == "generous"])
    assert len([it for it in generous if it.outcome != "failed"]) == 5
    assert len(server.log) - asked <= 5
    assert "nothing needs to be asked" in " ".join(it.value for it in test.caption)
    assert "The other protocol against the run" in shown(test)

    before = stored(lambda store: store.verdicts(key))
    test = open_page("judge", own, **{"page.part": "again", "page.answers": "6", "page.rounds": "2"})
    assert "12 verdicts by openai/test" in shown(test)
    server.log.clear()
    press(test, "judge.ask")
    cache.jobs().wait(cache.jobs().jobs("judge")[0].job_id, 30)
    test.run()
    assert not test.exception
    assert len(server.log) == 12
    repeated = stored(lambda store: store.repeated(key))
    assert sorted(it.repeat for it in repeated) == [1] * 6 + [2] * 6
    assert stored(lambda store: store.verdicts(key)) == before
    assert "How steady the judge is" in shown(test)


def test_while_a_run_is_going_on_both_pages_show_what_there_is(
    open_page: OpenPage, own: Path, server: OpenAIServer, judge: Judge
) -> None:
    test = open_page("failures", own)
    model = ModelSettings("openai/another", server.base, "key")  # no reply of it is kept, so all verdicts are held

    def begun(store: Store) -> str:
        plan = Plan([Contender("naive_rag")], [store.resolve("lakeside")], answering=model, judging=model, limit=5)
        return begin(cache.workbench(), plan)[0]

    run_id = stored(begun)
    judge.hold.clear()
    details = evaluate_details([run_id], LentModels.of(model, model), Prompts(), ask=True)
    job_id = cache.jobs().start("evaluate", "Asking", details)
    try:
        deadline = time.monotonic() + 30
        while not any("judgment" in request.prompt for request in server.log):
            assert time.monotonic() < deadline
            time.sleep(0.02)
        test = open_page("failures", own, **{"page.run": run_id})
        assert not test.exception
        said = "0 of 5 questions are not judged right. The run is going on (5 verdicts to come): so far."
        assert said in shown(test)
        desk = open_page("judge", own, **{"page.pool": run_id.rpartition("-")[2], "page.size": "5"})
        assert not desk.exception
        assert "Not at their end: 5 verdicts to come in 1 run" in shown(desk)
        press(desk, "judge.right")
        assert "<b>1 of 5</b> labelled" in shown(desk)
    finally:
        judge.hold.set()
    cache.jobs().wait(job_id, 30)
    test.run()
    wrong = [
        row for row in stored(lambda store: opened(store, run_id)).rows if row.verdict and not row.verdict.correct
    ]
    assert f"{len(wrong)} of 5 questions are not judged right." in shown(test)
    assert "going on" not in shown(test)


def ask(test: AppTest) -> Any:
    """Press the button, and give the job that it began, once that has ended."""
    press(test, "judge.ask")
    job = cache.jobs().jobs("judge")[0]
    cache.jobs().wait(job.job_id, 30)
    test.run()
    assert not test.exception
    return cache.jobs().jobs("judge")[0]


def test_faults_of_the_judge_are_counted_named_and_asked_again(
    open_page: OpenPage, own: Path, server: OpenAIServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(CallLimits, "pause", lambda _limits, _tried: 0.0)
    monkeypatch.setenv("CUEMEM_CONCURRENCY", "1")
    test = open_page("judge", own, **{"page.part": "protocols", "page.answers": "8"})
    server.then(*[RATE_LIMITED] * 5, '{"judgment": "corr', "maybe", "maybe", *[SERVER_ERROR] * 5)
    assert ask(test).state == "done"
    key = stored(lambda store: store.resolve("lakeside"))

    def outcomes() -> Counter[str]:
        return Counter(it.outcome for it in stored(lambda store: store.verdicts(key)) if it.protocol == "generous")

    first = outcomes()
    assert (first["failed"], first["unparsed"], first.total()) == (2, 2, 8)
    page = shown(test)
    assert "To come: 4 verdicts by openai/test" in page
    kinds = "1 not JSON, 1 rate limited, 1 server error, 1 truncated"
    assert f"4 calls failed before ({kinds}) and will be made again." in page
    assert "generous: unparsed" in page
    assert "generous: failed" in page

    before = len(server.log)
    test.number_input(key="judge.calls").set_value(1).run()
    stopped = ask(test)  # at the cap
    assert "cap of 1 calls is reached" in stopped.message
    assert len(server.log) == before + 1
    assert outcomes().total() == 8
    assert "3 calls failed before" in shown(test)
    test.number_input(key="judge.calls").set_value(None).run()
    with monkeypatch.context() as gone:
        gone.setenv("CUEMEM_API_BASE", "http://127.0.0.1:9/v1")
        test.run()
        assert ask(test).state == "done"
    assert (outcomes()["failed"], outcomes().total()) == (3, 8)
    assert "3 calls failed before (3 connection lost)" in shown(test)
    test.run()
    assert ask(test).state == "done"
    assert len(server.log) == before + 4
    assert outcomes()["failed"] == outcomes()["unparsed"] == 0
    assert "nothing needs to be asked" in " ".join(it.value for it in test.caption)


def test_money_for_the_judge_is_capped(
    open_page: OpenPage, own: Path, server: OpenAIServer, monkeypatch: pytest.MonkeyPatch
) -> None:
    test = open_page("judge", own, **{"page.part": "protocols", "page.answers": "10"})
    assert "judge.cost" not in {it.key for it in test.number_input}  # the price of this model is not known
    monkeypatch.setenv("CUEMEM_MODEL", "openai/gpt-4o-mini")
    test.run()
    assert "price not known" not in shown(test)
    test.number_input(key="judge.cost").set_value(0.0008).run()  # a call may come to $0.0007, and takes far less
    job = ask(test)
    assert "cap of $0.00 is reached" in job.message
    assert 0 < len(server.log) < 10
    assert "To come: " in shown(test)


def test_while_the_judge_is_at_work_the_page_says_so(
    open_page: OpenPage, own: Path, server: OpenAIServer, judge: Judge
) -> None:
    judge.hold.clear()
    test = open_page("judge", own, **{"page.part": "protocols", "page.answers": "3"})
    press(test, "judge.ask")
    try:
        assert "are being judged" in " ".join(it.value for it in test.caption)
        assert "judge.ask" not in {it.key for it in test.button}
    finally:
        judge.hold.set()
    cache.jobs().wait(cache.jobs().jobs("judge")[0].job_id, 30)
