"""What a job says of itself on a page."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime
from pathlib import Path

import pytest

from cuemem.jobs import Job
from cuemem.ui import job_panel

JOB = Job("ab12", "build", "Building lakeside", {}, "running", "", "embedding", 256, 1160, datetime.now(UTC))


@pytest.mark.parametrize(
    ("job", "words"),
    [
        (JOB, "Embedding: 256 of 1,160"),
        (replace(JOB, seconds_left=3.2), "Embedding: 256 of 1,160 · about 3 s left"),
        (replace(JOB, seconds_left=600), "Embedding: 256 of 1,160 · about 10 min left"),
        (replace(JOB, what="conversations", total=0), "Conversations: 256 so far"),
        (replace(JOB, what="reading", done=0, total=0), "Reading"),
        (replace(JOB, what=""), "starting …"),
        (replace(JOB, cancelling=True), "stopping at the next step …"),
        (replace(JOB, what="download of x.json", done=44_200_000, total=277_000_000, kind="download"),
         "Download of x.json: 44.2 MB of 277.0 MB"),
    ],
)  # fmt: skip
def test_progress_is_told_in_words(job: Job, words: str) -> None:
    assert job_panel.progress_words(job) == words


def test_a_stopped_job_says_why_and_what_can_be_done(tmp_path: Path) -> None:
    assert job_panel.stopped_because(replace(JOB, state="interrupted")) == (
        "The app was stopped at 256 of 1,160. What was done is kept; it goes on from there."
    )
    failed = replace(JOB, state="failed", message="There is no room. Make some.")
    assert job_panel.stopped_because(failed) == "Failed: There is no room. Make some."
    gone = replace(JOB, state="interrupted", details={"path": str(tmp_path / "gone.json")}, total=0)
    assert job_panel.lost_file(gone)
    assert job_panel.stopped_because(gone) == "The app was stopped. Its file is no longer here: hand it in again."


def test_a_bar_shows_text_of_the_data_as_text() -> None:
    drawn = job_panel.bar(replace(JOB, title='"><script>alert(1)</script>'))
    assert "<script" not in drawn
    assert 'value="256" max="1160"' in drawn
    assert " value=" not in job_panel.bar(replace(JOB, total=0))
