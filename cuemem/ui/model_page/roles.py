"""The models in force, role by role: what is set, where it comes from, and whether it answers."""

from __future__ import annotations

from collections.abc import Mapping

import streamlit as st

from cuemem.adapters.local import EngineSettings, local_model
from cuemem.errors import CueMemError
from cuemem.text import duration
from cuemem.ui import models, state
from cuemem.ui.markup import Html, html, join, show
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
    """The roles, those together that have the same model."""
    found: dict[ModelSettings | str | None, list[ModelRole]] = {}
    for role in ROLES:
        try:
            settings: ModelSettings | str | None = models.settings(role)
        except CueMemError as error:
            settings = str(error)
        found.setdefault(settings, []).append(role)
    for settings, same in found.items():
        with st.container(border=True, key=f"models-role-{same[0]}", gap="small"):
            if isinstance(settings, str):
                show(_head(same, "wrong", "cm-bad", html("{error}", error=settings)))
            elif settings is None:
                show(_head(same, "not set", "cm-none", Html()))
            else:
                _set(same, settings, values)


def _set(same: list[ModelRole], settings: ModelSettings, values: ModelValues) -> None:
    with st.container(horizontal=True, vertical_alignment="center", gap="medium"):
        with st.container(width="stretch"):
            show(_head(same, "set", "cm-good", _described(same[0], settings, values)))
        key = f"models.try.{same[0]}"
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


def _head(same: list[ModelRole], named: str, look: str, more: Html) -> Html:
    roles = [
        html(
            '<span class="cm-name">{name}</span> <span class="cm-quiet">{does}</span>', name=NAMES[it], does=_DOES[it]
        )
        for it in same
    ]
    return html(
        '<div class="cmm-roles">{roles}</div><div><span class="cm-state {look}">{named}</span>{more}</div>',
        roles=join([html("<div>{role}</div>", role=role) for role in roles]),
        look=look,
        named=named,
        more=more,
    )


def _described(role: ModelRole, settings: ModelSettings, values: ModelValues) -> Html:
    limits = settings.limits
    facts = [
        _key(role, settings, values),
        _window(settings),
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


def _key(role: ModelRole, settings: ModelSettings, values: ModelValues) -> str:
    """Whether there is a key, never which."""
    if settings.api_key:
        return f"key {_place(values, role, 'api_key')}"
    if local_model(settings.name):
        return "needs no key"
    return "no key set here" if settings.api_base else "no key set here: the provider's own variable counts"


def _window(settings: ModelSettings) -> str:
    """The window as it is set, or as it is for the local model; of others LiteLLM may know it."""
    window = settings.window or (EngineSettings().context if local_model(settings.name) else None)
    return f"window {window:,} tokens" if window else "window as LiteLLM knows it"


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
