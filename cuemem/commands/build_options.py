"""Options of ``build``, and which method they mean."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Annotated, Any

import typer

from cuemem.commands.options import NO_TYPE, TURN_UNITS, listed, one_of
from cuemem.knobs import check, source_knob, with_settings
from cuemem.methods import METHODS, method_named
from cuemem.workbench.materials import material_of, source_names, sources

_BUILT = {method.name: (method, material) for method, material in sources(METHODS)}
_LLM = "llm"

Some = Annotated[
    list[str] | None,
    typer.Argument(metavar="CONVERSATION", help="Any unambiguous end of a name that `list` shows."),
]
Everything = Annotated[bool, typer.Option("--all", metavar=NO_TYPE, help="Every conversation in the store.")]
Method = Annotated[
    str | None,
    typer.Option(
        "--method",
        help=f"{listed(_BUILT)}. Default: {next(iter(_BUILT))}, or what --units belongs to.",
        **one_of(_BUILT),
    ),
]
Cues = Annotated[
    str | None,
    typer.Option(
        "--cues",
        "--source",
        help=f"Where cues, or units, come from: {listed(source_names())}. Default: imported where a folder is named, "
        "llm with --model, else sentences.",
        **one_of(source_names()),
    ),
]
CueDir = Annotated[
    Path | None,
    typer.Option("--cue-dir", metavar="DIR", help="Folder of the imported cues, a file <sample>.jsonl each."),
]
Units = Annotated[
    Path | None,
    typer.Option(
        "--units",
        metavar="DIR",
        help="Folder of imported memory units, <sample>.units.jsonl each, with .queries.jsonl and .traces.jsonl "
        "beside; or one such file.",
    ),
]
Queries = Annotated[
    Path | None,
    typer.Option(
        "--queries",
        metavar="DIR",
        help="Folder or file of parsed questions, where they lie elsewhere than the units.",
    ),
]
Turns = Annotated[str, typer.Option("--turns", help=f"What a turn is: {listed(TURN_UNITS)}.", **one_of(TURN_UNITS))]


def chosen(
    named: str | None,
    source: str | None,
    cue_dir: Path | None,
    units: Path | None,
    queries: Path | None,
    model: str | None,
    turns: str,
    knobs: Mapping[str, Any],
) -> tuple[Any, Path | None]:
    """The method with its build-time knobs, and the files it is made from. Raises BadParameter."""
    given = {"--cue-dir": cue_dir, "--units": units, "--queries": queries}
    for option, path in given.items():
        if path is not None and not path.exists():
            raise typer.BadParameter(f"There is no folder or file {str(path)!r}.", param_hint=option)
    made_of = "unit_source" if units or queries else "cue_source"
    if named is None:
        named = next(name for name, (method, _) in _BUILT.items() if _source(method) == made_of)
    method = method_named(named)
    wanted = _source(method)
    for option, kind, path in (("--cue-dir", "cue_source", cue_dir), ("--units", "unit_source", units)):
        if path is not None and kind != wanted:
            raise typer.BadParameter(f"{named} is not built from that.", param_hint=option)
    files = cue_dir or units
    material = material_of(method)
    assert material is not None
    default = getattr(method, wanted)
    source = source or ("imported" if files else _LLM if model else default)
    if source not in material.about:
        raise typer.BadParameter(f"{named} is built from {listed(material.about)}.", param_hint="--cues")
    own = {name: value for name, value in knobs.items() if value is not None}
    method = with_settings(method, {wanted: source, "turn_unit": turns, **own})
    check(method)
    return method, files


def _source(method: Any) -> str:
    declared = source_knob(method)
    assert declared is not None
    return declared.name
