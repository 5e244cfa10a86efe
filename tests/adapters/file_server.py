"""A real HTTP server on the loopback address that gives a file as badly as a test asks it to."""

from __future__ import annotations

import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer


@dataclass
class Manners:
    """How the server behaves; tests change it between requests."""

    content: bytes = b""
    etag: str | None = '"one"'
    modified: str | None = None
    ranges: bool = True
    heeds_if_range: bool = True
    status: int = 200
    location: str | None = None
    announced: int | None = None  # the Content-Length it claims
    chunked: bool = False
    drop_after: int | None = None  # bytes, after which it closes the connection
    pause: float = 0.0  # seconds between two blocks
    block: int = 1000
    content_range: str | None = None  # the Content-Range it claims
    hang: threading.Event = field(default_factory=threading.Event)
    asked: list[tuple[str, dict[str, str]]] = field(default_factory=list)

    @property
    def ranges_asked(self) -> list[str | None]:
        return [headers.get("range") for _, headers in self.asked]


@contextmanager
def serving(manners: Manners) -> Iterator[str]:
    """The address of the running server, without a slash at its end."""

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            manners.asked.append((self.path, {name.lower(): value for name, value in self.headers.items()}))
            if manners.hang.is_set():
                time.sleep(3)
            answer(self, manners)

        def log_message(self, *_: object) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.01})
    thread.start()
    try:
        yield f"http://127.0.0.1:{server.server_port}"
    finally:
        server.shutdown()
        server.server_close()
        thread.join()


def answer(handler: BaseHTTPRequestHandler, m: Manners) -> None:
    if m.location is not None:
        handler.send_response(302)
        handler.send_header("Location", m.location)
        handler.send_header("Content-Length", "0")
        handler.end_headers()
        return
    if m.status != 200:
        handler.send_response(m.status)
        handler.send_header("Content-Length", "2")
        handler.end_headers()
        handler.wfile.write(b"no")
        return
    start = start_of(handler, m)
    if start is not None and start >= len(m.content):
        handler.send_response(416)
        handler.send_header("Content-Range", f"bytes */{len(m.content)}")
        handler.send_header("Content-Length", "0")
        handler.end_headers()
        return
    body = m.content[start or 0 :]
    handler.send_response(200 if start is None else 206)
    if m.etag:
        handler.send_header("ETag", m.etag)
    if m.modified:
        handler.send_header("Last-Modified", m.modified)
    if start is not None:
        said = m.content_range or f"bytes {start}-{len(m.content) - 1}/{len(m.content)}"
        handler.send_header("Content-Range", said)
    if m.chunked:
        handler.send_header("Transfer-Encoding", "chunked")
    else:
        handler.send_header("Content-Length", str(m.announced if m.announced is not None else len(body)))
    handler.end_headers()
    send(handler, m, body)


def start_of(handler: BaseHTTPRequestHandler, m: Manners) -> int | None:
    """From which byte the client wants the file, if it asks for a part of the version that is there."""
    asked, version = handler.headers.get("Range"), handler.headers.get("If-Range")
    changed = m.heeds_if_range and version not in (None, m.etag, m.modified)
    if not asked or not m.ranges or changed:
        return None
    return int(asked.removeprefix("bytes=").rstrip("-"))


def send(handler: BaseHTTPRequestHandler, m: Manners, body: bytes) -> None:
    if m.drop_after is not None:
        body = body[: m.drop_after]
    try:
        for at in range(0, len(body), m.block):
            block = body[at : at + m.block]
            handler.wfile.write(b"%x\r\n%s\r\n" % (len(block), block) if m.chunked else block)
            time.sleep(m.pause)
        if m.chunked and m.drop_after is None:
            handler.wfile.write(b"0\r\n\r\n")
    except (BrokenPipeError, ConnectionResetError):  # the client has had enough
        pass
    if m.drop_after is not None or m.announced is not None:
        handler.close_connection = True
