"""``record``: what a real model replies to questions on the bundled conversations, for the app to replay."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from cuemem.commands.desk import Desk
from cuemem.commands.display import facts
from cuemem.commands.model_options import ApiBase, Model, OwnPrompts, prompts_of, required, settings_of
from cuemem.workbench.recording import record as record_replies
from cuemem.workbench.samples import REPLIES

Out = Annotated[
    Path, typer.Option("--out", metavar="FILE", help="Where to write them.", dir_okay=False, show_default=False)
]


def record(
    ctx: typer.Context, model: Model = None, api_base: ApiBase = None, own: OwnPrompts = None, out: Out = REPLIES
) -> None:
    """Record a model's memory units, answers and verdicts on the bundled conversations."""
    desk: Desk = ctx.obj
    settings = required(settings_of("answer", model=model, api_base=api_base))
    with desk.workbench(create=True) as workbench:
        desk.kept = "Every reply that came is kept; the same command asks only for the others."
        with desk.progress(f"Asking {settings.name}", long=True) as progress:
            made = record_replies(workbench, settings, prompts_of(own), out, progress)
    told = {
        "units": made.units,
        "units failed": made.units_failed,
        "answers": made.answers,
        "failed": made.failed,
        "verdicts": made.verdicts,
        "unparsed": made.unparsed,
    }
    desk.emit(made, facts(told | {"file": str(made.file)}))
