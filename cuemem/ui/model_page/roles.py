"""The models in force, role by role: what is set, where it comes from, and whether it answers."""

from __future__ import annotations

from collections.abc import Mapping

import streamlit as st

from cuemem.errors import CueMemError
from cuemem.text import duration
from cuemem.ui import models, state
from cuemem.ui.markup import Html, html, show
from cuemem.workbench.model_trial import Trial, try_out
from cuemem.workbench.model_values import ModelValues, Scope
from cuemem.workbench.models import ROLES, ModelRole, ModelSettings

NAMES: Mapping[Scope, str] = {
    "all": "Every role",
    "extractor": "Extraction",
    "answer": "Answers",
    "judge": "Judging",
}
_DOES: Mapping[ModelRole, str] = {
    "extractor": "reads turns and writes cues",
    "answer": "answers from a context",
    "judge": "says whether an answer is right",
}
_TRIALS = "cuemem.trials"


def roles(values: ModelValues) -> None:
    """A row for each role."""
    for role in ROLES:
        with st.container(border=True, key=f"models-role-{role}", gap="small"):
            try:
                settings = models.settings(role)
            except CueMemError as error:
                show(_head(role, "wrong", "cm-bad", html("{error}", error=str(error))))
                continue
            _role(role, settings, values)


def _role(role: ModelRole, settings: ModelSettings | None, values: ModelValues) -> None:
    with st.container(horizontal=True, vertical_alignment="center", gap="medium"):
        with st.container(width="stretch"):
            if settings is None:
                show(_head(role, "not set", "cm-none", Html()))
                return
            show(_head(role, "set", "cm-good", _described(role, settings, values)))
        key = f"models.try.{role}"
        pressed = st.button("Test it", key=key, on_click=state.touch, help="One tiny call to this model.")
    if pressed:
        with st.spinner(f"Asking {settings.line}", show_time=True):
            _trials()[settings] = try_out(settings)
    if found := _trials().get(settings):
        show(html('<p class="cm-notice {look}" role="status">{text}</p>', look=_look(found), text=found.sentence))


def _look(trial: Trial) -> str:
    return "cm-info" if trial.works else "cm-error"


def _trials() -> dict[ModelSettings, Trial]:
    """What came of the tests of this session, by the settings that were tested."""
    found: dict[ModelSettings, Trial] = st.session_state.setdefault(_TRIALS, {})
    return found


def _head(role: ModelRole, named: str, look: str, more: Html) -> Html:
    return html(
        '<div><span class="cm-name">{name}</span> <span class="cm-quiet">{does}</span></div>'
        '<div><span class="cm-state {look}">{named}</span>{more}</div>',
        name=NAMES[role],
        does=_DOES[role],
        look=look,
        named=named,
        more=more,
    )


def _described(role: ModelRole, settings: ModelSettings, values: ModelValues) -> Html:
    limits = settings.limits
    facts = [
        f"key {_place(values, role, 'api_key')}" if settings.api_key else "no key set here",
        f"window {settings.window:,} tokens" if settings.window else "window as the model's list says",
        f"{limits.concurrency} at once",
        f"{limits.requests_per_minute:,} requests a minute" if limits.requests_per_minute else "",
        f"{duration(limits.timeout)} time-out",
    ]
    return html(
        '<span class="cm-name">{line}</span><div class="cm-quiet">{place} · {facts}</div>',
        line=settings.line,
        place=_place(values, role, "model"),
        facts=" · ".join(filter(None, facts)),
    )


def _place(values: ModelValues, role: ModelRole, name: str) -> str:
    """Where a setting is said, in words; a key's value never."""
    found = values.source(role, name)
    if found is None:
        return "set"
    scope, origin = found
    where = {
        "environment": "in the environment",
        "secrets.toml": "in secrets.toml",
        "this session": "in this session",
    }
    whom = "for every role" if scope == "all" else "for this role"
    return f"set {where[origin]} {whom}"
