"""Runs over a real store: each question once, every stop resumed, counts that add up. Only the models are fakes."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

import pytest

from cuemem.adapters.chat import CallLimits
from cuemem.adapters.store import Store
from cuemem.adapters.tokens import FixedTokenizer
from cuemem.errors import BadInput, BadSetting, ChatFailure, Stopped
from cuemem.evaluation.failures import propose
from cuemem.evaluation.run import ORACLE
from cuemem.evaluation.summary import summarise_run
from cuemem.evaluation.tables import SUBSTRING_SHORT, Shown, answers_overview, by_category
from cuemem.methods import CueMem
from cuemem.prompts import Prompts
from cuemem.types import ChatRequest
from cuemem.workbench import Workbench, load_file
from cuemem.workbench.models import ModelSettings
from cuemem.workbench.runs import Caps, Contender, Plan, begin, go, listed, opened
from cuemem.workbench.runs.estimate import estimate
from tests.fakes import HashEmbedder, ScriptedChat

DATA = Path(__file__).parents[2] / "data"
NAME = "test/model"


@pytest.fixture(scope="module")
def prepared(tmp_path_factory: pytest.TempPathFactory) -> Path:
    path = tmp_path_factory.mktemp("runs") / "store.duckdb"
    with Store.open(path) as store:
        bench = opened_bench(store)
        (key,) = load_file(store, DATA / "locomo_sample.json").conversations
        bench.build(key, CueMem(cue_source="imported"), DATA / "cues")
    return path


def opened_bench(store: Store) -> Workbench:
    model = HashEmbedder(dimensions=16, steps=5)
    model.warm_up = lambda: None  # type: ignore[attr-defined]
    return Workbench(store, cast("Any", model), FixedTokenizer())


@pytest.fixture
def bench(prepared: Path, tmp_path: Path) -> Iterator[Workbench]:
    path = tmp_path / "store.duckdb"
    path.write_bytes(prepared.read_bytes())
    with Store.open(path) as store:
        yield opened_bench(store)


@pytest.fixture
def chat(monkeypatch: pytest.MonkeyPatch) -> ScriptedChat:
    made = ScriptedChat(NAME, answer_or_judge)
    monkeypatch.setattr("cuemem.workbench.models.plain_chat", lambda _settings: made)
    return made


def answer_or_judge(request: ChatRequest) -> str:
    """Says what the size of the prompt says, so always the same to the same prompt."""
    text = request.messages[-1].text
    if request.schema is None:
        return "yes" if len(text) % 3 else "no"
    right = "correct" if "yes" in text.rpartition("reply")[2] or len(text) % 2 else "incorrect"
    return f'{{"judgment": "{right}", "reason": "so"}}'


def models(_role: str, name: str) -> ModelSettings:
    return ModelSettings(name, limits=CallLimits(concurrency=3))


def plan(bench: Workbench, *sources: str | Contender, **more: Any) -> Plan:
    ids = [row.conversation_id for row in bench.store.conversations()]
    named = [it if isinstance(it, Contender) else Contender(it) for it in sources]
    asked = ModelSettings(NAME)
    return Plan(named, ids, **{"answering": asked, "judging": asked, "limit": 12} | more)


def going(bench: Workbench, ids: tuple[str, ...], **more: Any) -> Any:
    return go(bench, ids, models, Prompts(), **more)


def test_answers_of_a_conversation_follow_each_other_and_come_before_the_verdicts(
    bench: Workbench, chat: ScriptedChat
) -> None:
    ids = begin(bench, plan(bench, "full_history", "naive_rag", limit=6))
    go(bench, ids, lambda _role, name: ModelSettings(name, limits=CallLimits(concurrency=1)), Prompts())
    kinds = ["verdict" if request.schema else "answer" for request in chat.log]
    first = kinds.index("verdict")
    assert kinds[:first] == ["answer"] * 6
    heads = {request.messages[-1].text[:2000] for request in chat.log[:first]}
    assert len(heads) == 1  # one beginning for all questions on the history


def test_a_cap_stops_cleanly_and_the_next_go_goes_on(bench: Workbench, chat: ScriptedChat) -> None:
    ids = begin(bench, plan(bench, "cuemem"))
    with pytest.raises(Stopped, match="cap of 8 calls"):
        going(bench, ids, caps=Caps(calls=8))
    assert len(chat.log) == 8
    (run,) = listed(bench.store)
    assert (run.state, run.open_answers) == ("open", 4)
    assert run.state_words == "4 answers, 8 verdicts to come"
    with pytest.raises(BadSetting, match="price of test/model is not known"):
        going(bench, ids, caps=Caps(cost=1.0))
    chat.price = 0.001  # a token; each call may cost as much as its prompt and a whole reply of 1,024 tokens
    with pytest.raises(Stopped, match=r"cap of \$4.00"):
        going(bench, ids, caps=Caps(cost=4.0))
    going(bench, ids)
    (run,) = listed(bench.store)
    assert run.state == "done"
    assert max(Counter(request.key(NAME) for request in chat.log).values()) == 1


def test_the_estimate_is_the_calls_that_are_made(bench: Workbench, chat: ScriptedChat) -> None:
    ids = begin(bench, plan(bench, "cuemem", ORACLE, judging=None))
    going(bench, ids, ask=False)
    assert chat.log == []
    told = estimate(bench.store, [opened(bench.store, run_id) for run_id in ids], models)
    assert (told.verdicts, told.kept, told.cost, told.seconds) == (0, 0, None, None)
    going(bench, ids)
    assert told.answers == len(chat.log)
    sent = sum(bench.tokens.count(message.text) for request in chat.log for message in request.messages)
    assert abs(told.tokens_in - sent) < 0.1 * sent
    assert estimate(bench.store, [opened(bench.store, run_id) for run_id in ids], models).calls == 0


def test_failures_are_counted_and_asked_again_on_request(bench: Workbench, chat: ScriptedChat) -> None:
    def fails(request: ChatRequest) -> str:
        if request.schema is None and "Question: W" in request.messages[-1].text:
            raise ChatFailure("refused", "It will not say.", tried=1)
        if request.schema is not None and chat.count(request) == 1 and len(request.messages[-1].text) % 4 == 0:
            raise ChatFailure("not JSON", "No JSON.", retryable=True, text="maybe", tried=2)
        return answer_or_judge(request)

    chat.respond = fails
    (run_id,) = begin(bench, plan(bench, "cuemem"))
    going(bench, (run_id,))
    rows = opened(bench.store, run_id).rows
    refused = [row for row in rows if row.answer and row.answer.failure]
    assert [row.question.text[0] for row in refused] == ["W"] * len(refused)
    assert 0 < len(refused) < 12
    figures = summarise_run(rows)
    outcomes = Counter(row.verdict.outcome for row in rows if row.verdict)
    total = sum(line.judged for line in figures.everything if line.name != "all answerable")
    assert total == outcomes.total() == 12
    assert sum(line.no_answer for line in figures.everything[1:]) == len(refused) == outcomes["no answer"]
    assert sum(line.unparsed for line in figures.everything[1:]) == outcomes["unparsed"] > 0
    chat.respond = answer_or_judge
    going(bench, (run_id,), retry_failed=True)
    rows = opened(bench.store, run_id).rows
    assert all(row.answer and row.answer.failure is None for row in rows)


def test_what_a_window_cut_is_not_in_the_context_until_it_is_asked_whole(
    bench: Workbench, chat: ScriptedChat
) -> None:
    ids = begin(bench, plan(bench, "full_history", judging=None))
    going(bench, ids, ask=False)
    size = opened(bench.store, ids[0]).rows[0].retrieval.tokens

    def narrow(request: ChatRequest) -> str:
        if bench.tokens.count(request.text) > size // 2:
            raise ChatFailure("context too long", "Too long.", tried=1)
        raise ChatFailure("refused", "It will not say.", tried=1)

    chat.respond = narrow
    going(bench, ids)
    rows = opened(bench.store, ids[0]).rows
    cut = [row for row in rows if row.lost and not row.question.unanswerable]
    assert cut
    assert all(row.answer and row.answer.dropped and row.retrieval.tokens < size / 2 for row in rows)
    for row in cut:
        assert row.retrieval.turn.recall == 1 - len(row.lost) / len(row.gold.turns)
        assert row.answer
        given = replace(row, answer=replace(row.answer, text="no", failure=None))
        assert propose(given, "verdicts").kind == "cut by budget"
    assert summarise_run(rows).losses["cut by window"] == sum(len(row.lost) for row in cut)
    chat.respond = answer_or_judge
    going(bench, ids, retry_failed=True)
    rows = opened(bench.store, ids[0]).rows
    assert not any(row.lost for row in rows)
    assert {row.retrieval.tokens for row in rows} == {size}


@pytest.mark.parametrize("style", ["short", "cited"])
def test_a_row_knows_the_request_that_is_made_whatever_the_window(
    bench: Workbench, chat: ScriptedChat, style: str
) -> None:
    chat.respond = lambda _request: '{"reasoning_path": "", "answer": "no"}'
    ids = begin(bench, plan(bench, "full_history", judging=None, style=style, limit=2))
    going(bench, ids, ask=False)
    size = opened(bench.store, ids[0]).rows[0].retrieval.tokens
    for window in (size + 1000, size + 2000, size + 3000):
        chat.window = window
        asked = ModelSettings(NAME, window=window)
        ids = begin(bench, plan(bench, "full_history", judging=None, style=style, limit=2, answering=asked))
        going(bench, ids)
        made = {request.key(NAME) for request in chat.log}
        assert {row.request_key for row in opened(bench.store, ids[0]).rows} <= made


def test_accepted_answers_are_matched_where_a_dataset_lists_them(bench: Workbench, chat: ScriptedChat) -> None:
    (run_id,) = begin(bench, plan(bench, "cuemem"))
    going(bench, (run_id,))
    run = opened(bench.store, run_id)
    plain = Shown("A", run_id, run.card, summarise_run(run.rows))
    assert SUBSTRING_SHORT not in answers_overview([plain]).columns
    accepted = [
        ["nobody says this"] if at % 3 else ["no", row.answer.text] for at, row in enumerate(run.rows) if row.answer
    ]
    rows = [
        replace(row, question=replace(row.question, answer=answers))
        for row, answers in zip(run.rows, accepted, strict=True)
    ]
    shown = Shown("A", run_id, run.card, summarise_run(rows))
    for table in (answers_overview([shown]), by_category(shown)):
        assert table.columns.index(SUBSTRING_SHORT) == 6
        assert {len(row) for row in table.rows} == {len(table.columns)}
    matched = [float(row.question.answer[0] == "no") for row in rows if not row.question.unanswerable]
    line = shown.summary.headline
    assert line is not None
    assert line.substring_match == pytest.approx(sum(matched) / len(matched))


def test_a_model_that_cannot_answer_stops_the_run_and_loses_nothing(bench: Workbench, chat: ScriptedChat) -> None:
    def broke(request: ChatRequest) -> str:
        if len(chat.log) > 5:
            raise ChatFailure("no credit", "The account is empty.", tried=1)
        return answer_or_judge(request)

    chat.respond = broke
    ids = begin(bench, plan(bench, "cuemem"))
    with pytest.raises(ChatFailure, match="account is empty"):
        going(bench, ids)
    answered = [row for row in opened(bench.store, ids[0]).rows if row.answer]
    assert len(answered) == 5
    assert not any(row.answer and row.answer.failure for row in answered)
    chat.respond = answer_or_judge
    going(bench, ids)
    assert listed(bench.store)[0].state == "done"


def test_what_has_changed_since_a_run_began_is_refused(bench: Workbench, chat: ScriptedChat, tmp_path: Path) -> None:
    ids = begin(bench, plan(bench, "cuemem"))
    own = tmp_path / "own"
    own.mkdir()
    (own / "answer_short.txt").write_text("# mine\n[user]\n{history}{question_date}{question}{priority}")
    with pytest.raises(BadInput, match="prompt to answer has changed"):
        go(bench, ids, models, Prompts(own))
    (key,) = [row.conversation_id for row in bench.store.conversations()]
    cue = bench.store.cues(key, "imported", "utterance")[0]
    bench.store.correct_turn(key, "imported", "utterance", cue.turn_id, ("another cue",))
    with pytest.raises(BadInput, match="cues of locomo/lakeside have changed"):
        going(bench, ids)


def test_the_controls_of_the_graph(bench: Workbench, chat: ScriptedChat) -> None:
    settings = {"w": 2, "k": 1, "m": 4}
    uses = [Contender("cuemem", settings, graph=use) for use in ("on", "off", "off at equal tokens")]  # type: ignore[arg-type]
    ids = begin(bench, plan(bench, *uses, answering=None))
    going(bench, ids)
    full, alone, equal = (opened(bench.store, run_id) for run_id in ids)
    assert [run.card.title for run in (full, alone, equal)] == [
        "CueMem",
        "CueMem, anchors only",
        "CueMem, anchors only at equal tokens",
    ]
    for row, less, same in zip(full.rows, alone.rows, equal.rows, strict=True):
        assert less.retrieval.tokens <= same.retrieval.tokens <= row.retrieval.tokens
        assert set(row.lost) == set(row.gold.turns) - {it for it in row.gold.turns if it not in row.lost}
        found = (row.retrieval.turn.recall or 0) * len(row.gold.turns)
        assert round(found) == len(row.gold.turns) - len(row.lost)
    with pytest.raises(BadSetting, match="has no graph"):
        begin(bench, plan(bench, Contender("naive_rag", graph="off")))
    with pytest.raises(BadSetting, match="no settings"):
        begin(bench, plan(bench, Contender(ORACLE, {"m": 3})))


@pytest.mark.parametrize(
    ("categories", "limit", "numbers"),
    [
        (("1",), None, {1: 13}),
        (("temporal", "abstention"), None, {2: 11, 5: 6}),
        ((), 9, {1: 2, 2: 2, 3: 1, 4: 3, 5: 1}),
        (("4 single-hop",), 3, {4: 3}),
    ],
)
def test_which_questions_are_asked(
    bench: Workbench, categories: tuple[str, ...], limit: int | None, numbers: dict[int, int] | None
) -> None:
    ids = begin(bench, plan(bench, "full_history", categories=categories, limit=limit, answering=None))
    going(bench, ids)
    rows = opened(bench.store, ids[0]).rows
    assert len(rows) == (sum(numbers.values()) if numbers else limit)
    if numbers:
        assert Counter(row.question.category_number for row in rows) == numbers
    with pytest.raises(BadInput, match="No question is of category 'magic'"):
        begin(bench, plan(bench, "full_history", categories=("magic",)))
