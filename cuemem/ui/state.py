"""The view of one browser tab: from the address when it opens, kept between pages, written back to the address.

Widgets are drawn from the view and change it in their callbacks, so none of them has state of its own that could
be lost on another page or disagree with the address.
"""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any, NoReturn
from urllib.parse import urlencode, urlsplit, urlunsplit

import streamlit as st

from cuemem.ui.view import View, parse, written

_VIEW = "cuemem.view"
_WRITTEN = "cuemem.address"
_ACTED = "cuemem.acted"
_COMPLAINTS = "cuemem.complaints"
_HOME = "home"


def begin(page: str) -> View:
    """At the start of a run: the view of this tab on this page.

    The address is read when the tab opens and when it was changed by hand or by the back button. It is not
    read in a run that a widget caused: the browser may not have followed the previous run yet.
    """
    session, params = st.session_state, st.query_params.to_dict()
    acted = session.pop(_ACTED, False)
    session[_COMPLAINTS] = ()
    view: View | None = session.get(_VIEW)
    if view is None or (params and not acted and params != session.get(_WRITTEN)):
        view, session[_COMPLAINTS] = parse(params, page)
    elif view.page != page:
        view = replace(view, page=page, extras=())
    session[_VIEW] = view
    return view


def current() -> View:
    """The view of this tab."""
    if _VIEW not in st.session_state:
        _start_over()
    view: View = st.session_state[_VIEW]
    return view


def _start_over() -> None:
    """Run app.py after all.

    A fresh server that finds a folder pages/ runs the page of the first address it is asked for by itself, until
    it has seen a call of st.navigation. The pages have the addresses that app.py gives them; the default one has
    none, so it must be the same one.
    """
    files = sorted((Path(__file__).parents[2] / "pages").glob("*.py"))
    pages = [st.Page(file, url_path=file.stem, default=file.stem == _HOME) for file in files]
    st.navigation(pages, position="hidden")
    st.rerun()


def adopt(view: View) -> None:
    """Before the sidebar is drawn: look at something else after all, as a page with wishes of its own does."""
    st.session_state[_VIEW] = view


def settle(view: View) -> None:
    """Keep the view, and make the address say it."""
    st.session_state[_VIEW] = view
    params = written(view)
    if st.query_params.to_dict() != params:
        st.query_params.from_dict(params)
    st.session_state[_WRITTEN] = params


def change(**fields: Any) -> None:
    """In a callback: look at something else."""
    st.session_state[_VIEW] = replace(current(), **fields)
    st.session_state[_ACTED] = True


def note(name: str, text: str) -> None:
    """In a callback: keep a choice of the page in its address; an empty one is dropped."""
    change(extras=current().with_extra(name, text).extras)


def touch() -> None:
    """In the callback of a widget that is no part of the view."""
    st.session_state[_ACTED] = True


def redraw() -> NoReturn:
    """Draw the whole page as it is now, whatever address the browser had when this run began."""
    touch()
    st.rerun()


def put(key: str, value: Any) -> str:
    """Show this value in the widget of this key; the view decides, whatever the widget showed before."""
    st.session_state[key] = value
    return key


def complaints() -> tuple[str, ...]:
    """What the address said that could not be followed, in sentences."""
    said: tuple[str, ...] = st.session_state.get(_COMPLAINTS, ())
    return said


def link(view: View) -> str:
    """The full address of a view, for another browser."""
    parts = urlsplit(st.context.url or "http://localhost:8501/")
    return urlunsplit((parts.scheme, parts.netloc, parts.path, urlencode(written(view), safe="/:"), ""))
