"""Which addresses may be fetched, where a redirect may lead, and how an address is shown.

User name, password and query of an address can be secrets: they stand in no message and in no log.
"""

from __future__ import annotations

import hashlib
import logging
import re
from urllib.parse import unquote

import httpx

from cuemem.errors import BadInput

_SCHEMES = ("http", "https")
_OWN_WAY = "Download the file by other means and load it by its path."


def shown(address: str | httpx.URL) -> str:
    """The address without user name, password, query and fragment, at most 200 characters of it."""
    plain = re.split(r"[?#]", str(address), maxsplit=1)[0]
    plain = re.sub(r"^(\s*[a-zA-Z][\w+.-]*:)?//[^/]*@", r"\1//", plain)
    return plain if len(plain) <= 200 else plain[:199] + "…"


def checked(address: str) -> httpx.URL:
    """The address, if it is one that may be fetched; BadInput for anything but plain http and https."""
    try:
        url = httpx.URL(address.strip())
    except httpx.InvalidURL as error:
        raise BadInput(f"{shown(address)!r} is not a web address. It has to look like https://host/file.") from error
    if url.scheme not in _SCHEMES or not url.host:
        raise BadInput(f"{shown(address)!r} is not a web address: only http:// and https:// are fetched. {_OWN_WAY}")
    if url.userinfo:
        raise BadInput(f"{shown(address)} comes with a user name or password, which would be kept. {_OWN_WAY}")
    return url


def after_redirect(url: httpx.URL, location: str | None) -> httpx.URL:
    """Where a redirect leads: to http or https only, never from https back to http, never with a password."""
    try:
        there = url.join(location or "")
    except httpx.InvalidURL as error:
        raise BadInput(f"{shown(url)} leads on to no valid address. {_OWN_WAY}") from error
    if not location or there.scheme not in _SCHEMES or not there.host or there.userinfo:
        what = "to an address with a password" if there.userinfo else f"to {shown(there)!r}"
        raise BadInput(
            f"{shown(url)} leads on {what if location else 'to nowhere'}, which is not followed. {_OWN_WAY}"
        )
    if (url.scheme, there.scheme) == ("https", "http"):
        raise BadInput(f"{shown(url)} leads on to {shown(there)}, without encryption; not followed. {_OWN_WAY}")
    return there


def file_name(url: httpx.URL) -> str:
    """A safe name for the file at an address: the last part of its path."""
    last = unquote(url.path).rstrip("/").rpartition("/")[2]
    return re.sub(r"[^\w.() -]", "_", last)[-120:].strip(". ") or "download"


def place_of(url: httpx.URL) -> str:
    """The folder of an address in the cache, so that two files of one name do not meet."""
    return hashlib.sha256(str(url).encode()).hexdigest()[:12]


class _Unsecret(logging.Filter):
    """Shortens the addresses that httpx puts into its log lines."""

    def filter(self, record: logging.LogRecord) -> bool:
        if isinstance(record.args, tuple):
            record.args = tuple(shown(it) if isinstance(it, httpx.URL) else it for it in record.args)
        return True


logging.getLogger("httpx").addFilter(_Unsecret())
logging.getLogger("httpcore").setLevel(logging.INFO)  # below that it writes whole headers, signed addresses too
