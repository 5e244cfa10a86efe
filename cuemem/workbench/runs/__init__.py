"""Runs over the store: planned, measured, answered, judged, taken up again, carried from machine to machine."""

from cuemem.workbench.runs.going import go, prepare
from cuemem.workbench.runs.plan import Contender, Plan, begin
from cuemem.workbench.runs.purse import Caps
from cuemem.workbench.runs.reading import Run, listed, opened
from cuemem.workbench.runs.runner import Going

__all__ = ["Caps", "Contender", "Going", "Plan", "Run", "begin", "go", "listed", "opened", "prepare"]
