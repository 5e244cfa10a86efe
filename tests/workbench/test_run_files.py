"""Runs as files: what cannot be one is refused with its place, and what is said of a question stays text."""

from __future__ import annotations

import json
from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pytest

from cuemem.adapters.store import Store
from cuemem.errors import BadInput
from cuemem.evaluation.contrast import unlike
from cuemem.evaluation.metrics import Gold, Retrieval, Score
from cuemem.evaluation.run import Code, DataFile, QuestionSet, ResultRow, RunCard, RunConversation, as_json
from cuemem.evaluation.summary import summarise_run
from cuemem.evaluation.tables import Shown, Table, efficiency, evidence_overview
from cuemem.evaluation.written import latex, markdown
from cuemem.types import Answer, PromptVersion, Question, Usage, Verdict
from cuemem.workbench.runs import listed, opened
from cuemem.workbench.runs.files import import_runs, rows_file

NONE = Score(None, None, None, None)


def card(**more: Any) -> RunCard:
    entry = RunConversation("abc/0", "locomo/x", {"turn_unit": "utterance"})
    kept = ("oracle", "Oracle evidence", "on", "locomo", (), (entry,), QuestionSet(2, "q"), "m", "t", None, None)
    return RunCard(*kept, datetime(2026, 1, 2, tzinfo=UTC), Code("1", None), {}, **more)  # type: ignore[arg-type]


def row(index: int, **more: Any) -> ResultRow:
    question = Question(index, "What?", ["a", 2, None], "temporal", 2)
    retrieval = Retrieval(NONE, NONE, None, {5: None, 10: None, 20: None}, {5: None, 10: None, 20: None}, 0, 0)
    return ResultRow("abc/0", "locomo/x", question, Gold((), ()), retrieval, {}, **more)


def lines(*values: Any) -> str:
    return "\n".join(value if isinstance(value, str) else json.dumps(value) for value in values)


CARD, ROW = {"run_card": as_json(card())}, as_json(row(0))


@pytest.mark.parametrize(
    ("content", "said"),
    [
        (lines(ROW), "line 1, is not the card of a run"),
        (lines(CARD, ROW, ROW), "line 3, repeats question 0 of locomo/x"),
        (lines(CARD, ROW | {"conversation_id": "xyz/1"}), "which the run's card does not name"),
        (lines(CARD, ROW | {"retrieval": 3}), "line 2, is not as a run is exported: retrieval"),
        (lines(CARD, "{broken"), "line 2, is no JSON"),
        (lines(CARD, [1]), "line 2, is no JSON object"),
        (lines(CARD, "[" * 100_000), "line 2, is no JSON"),
        (lines({"run_card": {"method": "x"}}), "line 1, is not as a run is exported: title: Field required"),
        (lines({"text": "hello"}), "line 1, is not the card"),
        ("\n\n", "holds no run"),
    ],
)
def test_what_is_no_run_is_refused_with_its_place(tmp_path: Path, content: str, said: str) -> None:
    file = tmp_path / "runs.jsonl"
    file.write_text(content, encoding="utf-8")
    with Store.open(tmp_path / "store.duckdb") as store:
        with pytest.raises(BadInput) as refusal:
            import_runs(store, file)
        assert said in str(refusal.value)
        assert store.runs() == ()


def test_a_run_comes_back_as_it_was_even_with_text_that_no_store_holds(tmp_path: Path) -> None:
    file = tmp_path / "runs.jsonl"
    with Store.open(tmp_path / "store.duckdb") as store:
        file.write_text(lines(CARD, ROW | {"flag": "half \ud800 and \0"}, as_json(row(1))), encoding="utf-8")
        (done,) = import_runs(store, file)
        run = opened(store, done.run_id)
        assert (run.rows[0].flag, run.rows[1]) == ("half \ufffd and \ufffd", row(1))
        assert run.card.origin == "runs.jsonl"
        assert listed(store)[0].state == "done"
        file.write_bytes(rows_file([run], "jsonl"))
        store.remove_run(done.run_id)
        import_runs(store, file)
        assert opened(store, done.run_id) == run


def test_texts_stand_in_markdown_and_latex_as_text() -> None:
    made = Table("100 % of $x_1$", ("run", "n"), (("a | b `c` <d> & e_f", "1 – 2"),), notes=("# {note}",))
    assert markdown(made).splitlines()[4] == "| a \\| b \\`c\\` \\<d\\> & e\\_f | 1 – 2 |"
    assert "100 % of \\$x\\_1\\$" in markdown(made)
    assert r"a | b `c` \textless{}d\textgreater{} \& e\_f & 1 -- 2 \\" in latex(made)
    assert r"\caption{100 \% of \$x\_1\$. \# \{note\}}" in latex(made)


def test_runs_are_unlike_by_what_is_in_their_files_not_by_what_these_are_called() -> None:
    one, renamed, other = (DataFile(name, sha, "locomo") for name, sha in (("a", "1"), ("b", "1"), ("a", "2")))
    assert unlike(replace(card(), files=(one,)), replace(card(), files=(renamed,))) == ()
    assert unlike(replace(card(), files=(one,)), replace(card(), files=(other,)))[0].startswith(
        "The datasets differ: a (sha256 1)"
    )


def test_the_size_of_contexts_is_of_the_questions_that_the_table_names() -> None:
    """Ten answerable questions of 1 to 10 tokens; one that is scored apart and one that is flagged have a million."""
    sizes = [*range(1, 11), 10**6, 10**6]
    rows = [replace(row(at), retrieval=replace(row(at).retrieval, tokens=size)) for at, size in enumerate(sizes)]
    apart = replace(rows[10], question=replace(rows[10].question, category_number=5))
    flagged = replace(rows[11], flag="wrong answer")
    shown = Shown("A", "r", card(), summarise_run([*rows[:10], apart, flagged]))
    assert evidence_overview([shown], unflagged=True).rows[0][-2:] == ("6", "10")
    assert evidence_overview([shown]).rows[0][-1] == "500,005"


def test_the_price_of_answers_is_known_where_that_of_verdicts_is_not() -> None:
    prompt = PromptVersion("p", "h")
    answered = Answer("a", "short", prompt, True, "m", usage=Usage(1, 1, 1.0, 0.5))
    judged = Verdict("correct", "", "strict", "j", usage=Usage(1, 1, 1.0, None))
    shown = Shown("A", "r", card(), summarise_run([row(0, answer=answered, verdict=judged)]))
    assert efficiency([shown]).rows[0][-2:] == ("$0.50", "not known")
