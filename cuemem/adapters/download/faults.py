"""What goes wrong between here and a server, as sentences."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx

from cuemem.adapters.download.addresses import shown
from cuemem.errors import BadInput

_REASONS = {
    401: "asks for a login (401). Only public files are fetched; download it by other means",
    403: "may not be read by everyone (403). Only public files are fetched; download it by other means",
    404: "is not there (404). Check the address",
    410: "is not there any more (410). Look for its new address",
    429: "has been asked too often (429). Wait a while and try again",
}


def check_answer(response: httpx.Response) -> None:
    """Raise BadInput for an answer that is no file."""
    status = response.status_code
    if status in (200, 206):
        return
    reason = _REASONS.get(status)
    if reason is None and status >= 500:
        reason = f"cannot be had at the moment: its server reports an error ({status}). Try again later"
    raise BadInput(f"{shown(response.url)} {reason or f'gives no file but the answer {status}. Check the address'}.")


@contextmanager
def as_sentences(url: httpx.URL, name: str, target: Path) -> Iterator[None]:
    """Network and disk faults as sentences. What has arrived stays and is gone on with next time."""
    host = url.host
    try:
        yield
    except httpx.TimeoutException as error:
        raise BadInput(f"{host} does not answer. Try again later: what has arrived of {name} is kept.") from error
    except httpx.ConnectError as error:
        raise BadInput(f"{host} cannot be reached ({error}). Check the address and the network.") from error
    except (httpx.NetworkError, httpx.RemoteProtocolError) as error:
        raise BadInput(
            f"The connection to {host} broke off, or its answer was not proper HTTP, while {name} was under way. "
            "Start it again: what has arrived is kept."
        ) from error
    except httpx.HTTPError as error:
        raise BadInput(
            f"{shown(url)} cannot be fetched ({type(error).__name__}). Download it by other means."
        ) from error
    except OSError as error:
        raise BadInput(
            f"{target} cannot be written ({error.strerror or error}). Free space, or repair it."
        ) from error
