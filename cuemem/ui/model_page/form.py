"""Naming a model in this session: for every role, or for one."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import streamlit as st

from cuemem.adapters.local import DEFAULT_MODEL
from cuemem.errors import CueMemError
from cuemem.ui import markup, models, state
from cuemem.ui.markup import html, show
from cuemem.ui.model_page.roles import NAMES
from cuemem.workbench.model_values import FIELDS, SCOPES, ModelValues, Named, Scope, variable
from cuemem.workbench.models import NOTHING, ROLES

_PRESETS: Mapping[str, tuple[str, str]] = {
    "Local, no key": (f"local/{DEFAULT_MODEL}", ""),
    "OpenAI": ("gpt-4o-mini", ""),
    "Anthropic": ("anthropic/claude-3-5-haiku-latest", ""),
    "Ollama": ("ollama_chat/llama3.1", "http://127.0.0.1:11434"),
    "llama.cpp": ("openai/anything", "http://127.0.0.1:8080/v1"),
    "LM Studio": ("openai/NAME", "http://127.0.0.1:1234/v1"),
    "vLLM": ("openai/NAME", "http://127.0.0.1:8000/v1"),
}
_KEY, _PROBLEM = "models.form", "models.problem"
_NUMBERS = {
    "window": ("Window in tokens", "what is known of the model"),
    "concurrency": ("Calls at once", "4, or 1 for a server on this machine"),
    "requests_per_minute": ("Requests a minute", "no limit"),
    "timeout": ("Time-out in seconds", "600"),
}


def form(values: ModelValues) -> None:
    """Which role, what its model is, and how it may be called."""
    st.subheader("Name a model for this session", anchor="name")
    scope = _scope()
    _fill(scope, values)
    st.pills(
        "Fill in for",
        list(_PRESETS),
        key=f"{_KEY}.preset",
        on_change=_preset,
        help="Fills in name and address; change them as you need.",
    )
    with st.form("models.form.fields"):
        left, right = st.columns(2, gap="medium")
        left.text_input("Model, as LiteLLM names it", key=f"{_KEY}.model", placeholder=_inherits(scope))
        right.text_input("Address of its server", key=f"{_KEY}.api_base", placeholder="the provider's own")
        _key_field(scope, values)
        for column, (name, (label, usual)) in zip(st.columns(4, gap="small"), _NUMBERS.items(), strict=True):
            column.text_input(label, key=f"{_KEY}.{name}", placeholder=usual)
        st.form_submit_button("Use in this session", type="primary", on_click=_keep, args=(scope, values))
    if problem := st.session_state.pop(_PROBLEM, ""):
        markup.notice(problem, "error")
    if scope in models.session():
        about = "the setting for every role" if scope != "all" else "environment and secrets file"
        st.button("Take this back", key=f"{_KEY}.back", on_click=_take_back, args=(scope,), help=f"To {about}.")
    _for_next_time(scope)


def _scope() -> Scope:
    names = dict(NAMES)
    wanted = state.current().extra("role")
    scope = next((it for it in SCOPES if it == wanted), SCOPES[0])
    key = state.put(f"{_KEY}.scope", scope)
    st.segmented_control(
        "For",
        list(SCOPES),
        format_func=lambda name: names.get(name, name),
        key=key,
        required=True,
        on_change=lambda: state.note("role", "" if st.session_state[key] == "all" else st.session_state[key]),
    )
    return scope


def _fill(scope: Scope, values: ModelValues) -> None:
    """Show what is in force when the page is opened or another role is chosen; what was typed stays."""
    if st.session_state.get(f"{_KEY}.filled") != scope:
        st.session_state[f"{_KEY}.filled"] = scope
        _show(values.named(scope))


def _show(named: Named) -> None:
    for name in FIELDS:
        text = getattr(named, name)
        st.session_state[f"{_KEY}.{name}"] = "" if name == "api_key" or text == NOTHING else text


def _inherits(scope: Scope) -> str:
    return "gpt-4o-mini" if scope == "all" else "as for every role"


def _key_field(scope: Scope, values: ModelValues) -> None:
    held = values.named(scope).api_key not in ("", NOTHING)
    st.text_input(
        "Key",
        key=f"{_KEY}.api_key",
        type="password",
        placeholder="set; leave empty to keep it for this model and address" if held else "none",
        help="Stays in this session's memory: never in the store, a log, an export or an address.",
        autocomplete="off",
    )


def _preset() -> None:
    state.touch()
    if chosen := st.session_state[f"{_KEY}.preset"]:
        st.session_state[f"{_KEY}.model"], st.session_state[f"{_KEY}.api_base"] = _PRESETS[chosen]


def _keep(scope: Scope, values: ModelValues) -> None:
    """Keep what was typed, unless something of it cannot be."""
    state.touch()
    typed = Named(*(st.session_state[f"{_KEY}.{name}"].strip() for name in FIELDS))
    st.session_state[f"{_KEY}.api_key"] = ""
    before = values.named(scope)
    same = (typed.model, typed.api_base) == (before.model, before.api_base.replace(NOTHING, ""))
    if not typed.api_key and same:
        typed = replace(typed, api_key=before.api_key)
    if typed.api_base and not typed.api_base.lower().startswith(("http://", "https://")):
        st.session_state[_PROBLEM] = (
            "The address must begin with http:// or https://, as in http://127.0.0.1:8080/v1."
        )
        return
    held = models.session().get(scope)
    models.keep(scope, typed)
    try:
        for role in ROLES:
            models.settings(role)
    except CueMemError as error:
        models.keep(scope, held)
        st.session_state[_PROBLEM] = str(error)


def _take_back(scope: Scope) -> None:
    state.touch()
    models.keep(scope, None)
    st.session_state.pop(f"{_KEY}.filled", None)


def _for_next_time(scope: Scope) -> None:
    """The lines that keep it beyond this session, without the key."""
    said = models.session().get(scope)
    if said is None or not said.model:
        return
    with st.expander("Keep it for next time"):
        show(
            html(
                '<p class="cm-text">This lasts as long as this browser tab. These lines in '
                "<code>.streamlit/secrets.toml</code>, which is not part of the "
                "repository, keep it; or set them in the environment.</p>"
            )
        )
        lines = [
            f'{variable(scope, name)} = "{getattr(said, name)}"'
            for name in FIELDS
            if getattr(said, name) and name != "api_key"
        ]
        key = [f'{variable(scope, "api_key")} = "your key"'] if said.api_key else []
        st.code("\n".join([*lines, *key]), language="toml", wrap_lines=True)
