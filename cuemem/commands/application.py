"""The frame around all commands: global options, and errors as sentences with exit codes."""

from __future__ import annotations

import itertools
import os
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Annotated, Any

import typer
from typer import rich_utils
from typer.core import TyperCommand, TyperGroup
from typer.exceptions import TyperException

from cuemem import __version__
from cuemem.adapters.embed import DEFAULT_MODEL
from cuemem.commands import manual
from cuemem.commands.desk import Desk, complain
from cuemem.commands.options import NO_TYPE
from cuemem.errors import CueMemError

INTERRUPTED = 130
_WITH_VALUE = ("--store", "--embedding-model")
_FLAGS = ("--json",)

rich_utils.STYLE_HELPTEXT = ""  # the help is there to be read, not dimmed


class PlainHelp:
    """A help option without a type, which it has no need of."""

    def get_help_option(self, ctx: Any) -> Any:
        """The option that shows the help."""
        option = super().get_help_option(ctx)  # type: ignore[misc]
        if option is not None:
            option.metavar = NO_TYPE
        return option


class Page(PlainHelp, TyperCommand):
    """One command."""


class Commands(PlainHelp, TyperGroup):
    """All commands. Turns every error that the user can act on into a sentence and an exit code."""

    def main(
        self,
        args: Sequence[str] | None = None,
        prog_name: str | None = None,
        complete_var: str | None = None,
        standalone_mode: bool = True,
        windows_expand_args: bool = True,
        **extra: Any,
    ) -> Any:
        """Run a command line and exit with its code."""
        for stream in (sys.stdout, sys.stderr):
            if hasattr(stream, "reconfigure"):
                stream.reconfigure(errors="replace")  # a terminal that lacks a character is no reason to stop
        front, rest = global_options_apart(sys.argv[1:] if args is None else args)
        json = "--json" in front
        try:
            code = super().main(
                [*front, *rest], prog_name, complete_var, standalone_mode and not json, windows_expand_args, **extra
            )
        except CueMemError as error:
            complain(str(error), json=json)
            code = error.exit_code
        except TyperException as error:  # a usage error, left to us for the sake of JSON
            complain(error.format_message(), json=json)
            code = error.exit_code
        sys.exit(code if isinstance(code, int) else 0)

    def invoke(self, ctx: Any) -> Any:
        """Run the command; an interruption says what was kept."""
        try:
            return super().invoke(ctx)
        except KeyboardInterrupt:
            desk = ctx.obj
            complain(f"Interrupted. {desk.kept}", json=desk.json)
            raise typer.Exit(INTERRUPTED) from None
        except BrokenPipeError:  # `… | head` has read enough
            os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
            raise typer.Exit(1) from None


def global_options_apart(words: Sequence[str]) -> tuple[list[str], list[str]]:
    """The global options with their values, and all other words: so the options may stand anywhere."""
    front: list[str] = []
    rest: list[str] = []
    left = iter(words)
    for word in left:
        if word == "--":
            rest += [word, *left]
        elif word in _FLAGS or word.startswith(tuple(f"{name}=" for name in _WITH_VALUE)):
            front.append(word)
        elif word in _WITH_VALUE:
            front += [word, *itertools.islice(left, 1)]
        else:
            rest.append(word)
    return front, rest


def _version(wanted: bool) -> None:
    if wanted:
        typer.echo(f"CueMem Lab {__version__}")
        raise typer.Exit


def global_options(
    ctx: typer.Context,
    store: Annotated[
        Path | None,
        typer.Option(
            "--store",
            metavar="PATH",
            help="The DuckDB file that holds everything. Default: $CUEMEM_STORE, else one in the user's data folder.",
        ),
    ] = None,
    embedding_model: Annotated[
        str,
        typer.Option(
            "--embedding-model",
            metavar="NAME",
            help="A sentence-transformers model, by name or folder. Memories of different models are kept apart.",
        ),
    ] = DEFAULT_MODEL,
    json: Annotated[
        bool,
        typer.Option(
            "--json", metavar=NO_TYPE, help='One JSON document on standard output, an error as {"error": …}.'
        ),
    ] = False,
    _show_version: Annotated[
        bool,
        typer.Option(
            "--version", metavar=NO_TYPE, callback=_version, is_eager=True, help="Show the version and exit."
        ),
    ] = False,
) -> None:
    """Keep the global options for the command."""
    ctx.obj = Desk(store, embedding_model, json)


def application() -> typer.Typer:
    """The application without its commands."""
    app = typer.Typer(
        cls=Commands,
        help=manual.CUEMEM,
        add_completion=False,
        no_args_is_help=True,
        pretty_exceptions_enable=False,
        rich_markup_mode="rich",
        context_settings={"help_option_names": ["-h", "--help"]},
    )
    app.callback()(global_options)
    return app
