"""The command line: a face of the workbench, beside the app. Below is the only list of its commands."""

from __future__ import annotations

from cuemem.commands import (
    answer,
    batch,
    build,
    compare,
    evaluate,
    explain,
    export,
    grid,
    load,
    local_model,
    manual,
    measure,
    models,
    record,
    runs,
    shelf,
    sweep,
    trace,
)
from cuemem.commands.application import Page, application

app = application()

for _name, _help, _command in (
    ("load", manual.LOAD, load.load),
    ("build", manual.BUILD, build.build),
    ("list", manual.LIST, shelf.list_conversations),
    ("trace", manual.TRACE, trace.trace),
    ("explain", manual.EXPLAIN, explain.explain),
    ("answer", manual.ANSWER, answer.answer),
    ("retrieval", manual.RETRIEVAL, measure.retrieval),
    ("grid", manual.GRID, grid.grid),
    ("sweep", manual.SWEEP, sweep.sweep),
    ("evaluate", manual.EVALUATE, evaluate.evaluate),
    ("compare", manual.COMPARE, compare.compare),
    ("export", manual.EXPORT, export.export),
    ("prompts", manual.PROMPTS, models.prompts),
    ("extraction-quality", manual.EXTRACTION_QUALITY, models.quality),
    ("problems", manual.PROBLEMS, load.problems),
    ("remove", manual.REMOVE, shelf.remove),
    ("info", manual.INFO, shelf.info),
    ("sample", manual.SAMPLE, build.sample),
    ("record", manual.RECORD, record.record),
):
    app.command(_name, help=_help, cls=Page)(_command)
app.add_typer(runs.app, name="runs", help=runs.RUNS)
app.add_typer(batch.app, name="batch", help=batch.BATCH)
app.add_typer(local_model.app, name="model", help=local_model.MODEL)
