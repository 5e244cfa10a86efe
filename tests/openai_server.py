"""A server of the tests' own that speaks the OpenAI chat-completions protocol, and misbehaves on demand.

It listens on a free port of the loopback interface. What it answers is decided by a function of the request, or by a
script of acts that are played first, one a request. Every request is logged, so a test can count what really came.
"""

from __future__ import annotations

import contextlib
import json
import socket
import struct
import threading
import time
from collections import deque
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any


@dataclass(frozen=True)
class Act:
    """One reply. ``drop`` breaks it off: ``before`` anything is sent, ``amid`` the body or stream, or, for a stream
    alone, at its ``end``, which is then missing from a transfer that is whole."""

    text: str | None = ""
    status: int = 200
    finish: str = "stop"
    headers: Mapping[str, str] = field(default_factory=dict)
    body: str | None = None  # the raw body in place of a well-formed one
    refusal: str | None = None
    wait: float = 0.0
    drop: str = ""
    usage: bool = True
    gate: threading.Event | None = None  # half-way a stream waits for it


@dataclass(frozen=True)
class Request:
    """A request as it came."""

    path: str
    headers: Mapping[str, str]
    body: Mapping[str, Any]
    time: float

    @property
    def texts(self) -> list[str]:
        return [message["content"] for message in self.body["messages"]]

    @property
    def prompt(self) -> str:
        return "\n\n".join(self.texts)

    @property
    def mode(self) -> str:
        """How JSON was asked for: json_schema, json_object, or text."""
        return (self.body.get("response_format") or {}).get("type", "text")


def error(status: int, message: str, code: str | None = None, **headers: str) -> Act:
    body = json.dumps({"error": {"message": message, "type": "error", "param": None, "code": code}})
    return Act(status=status, body=body, headers={name.replace("_", "-"): value for name, value in headers.items()})


RATE_LIMITED = error(429, "Rate limit reached for requests", "rate_limit_exceeded")
NO_CREDIT = error(429, "You exceeded your current quota, please check your plan", "insufficient_quota")
SERVER_ERROR = error(500, "The server had an error while processing your request")
OVERLOADED = error(503, "Service unavailable")
BAD_KEY = error(401, "Incorrect API key provided", "invalid_api_key")
UNKNOWN_MODEL = error(404, "The model `test` does not exist", "model_not_found")
TOO_LONG = error(
    400,
    "This model's maximum context length is 512 tokens. However, your messages resulted in 9000 tokens.",
    "context_length_exceeded",
)
NO_JSON_SCHEMA = error(400, "Invalid parameter: 'response_format' of type 'json_schema' is not supported")
NO_JSON_MODE = error(400, "response_format is not supported by this model")

Responder = Callable[[Request], Act | str]


class OpenAIServer:
    """``with OpenAIServer(lambda request: "hello") as server: …`` and point a model at ``server.base``."""

    def __init__(self, respond: Responder | str = "") -> None:
        self._respond: Responder = respond if callable(respond) else lambda _request: str(respond)
        self.respond = self._respond
        self.script: deque[Act | str] = deque()
        self.log: list[Request] = []
        self.left = 0  # replies that nobody read to their end
        self.working = 0
        self.most_at_once = 0
        self._lock = threading.Lock()
        self._http = _Threads(("127.0.0.1", 0), self._handler())
        self._thread = threading.Thread(target=self._http.serve_forever, args=(0.02,), daemon=True)

    @property
    def base(self) -> str:
        return f"http://127.0.0.1:{self._http.server_address[1]}/v1"

    def then(self, *acts: Act | str) -> None:
        """Play these first."""
        self.script.extend(acts)

    def fresh(self) -> OpenAIServer:
        """As it was made, for the next test: one server does for a file."""
        self.script.clear()
        self.log.clear()
        self.respond = self._respond
        return self

    def __enter__(self) -> OpenAIServer:
        self._thread.start()
        return self

    def __exit__(self, *_exception: object) -> None:
        self._http.shutdown()
        self._http.server_close()

    def act(self, request: Request) -> Act:
        with self._lock:
            self.log.append(request)
            act: Act | str | None = self.script.popleft() if self.script else None
        if act is None:
            act = self.respond(request)
        return act if isinstance(act, Act) else Act(act)

    @contextlib.contextmanager
    def at_work(self) -> Iterator[None]:
        with self._lock:
            self.working += 1
            self.most_at_once = max(self.most_at_once, self.working)
        try:
            yield
        finally:
            with self._lock:
                self.working -= 1

    def _handler(self) -> type[BaseHTTPRequestHandler]:
        owner = self

        class Handler(BaseHTTPRequestHandler):
            protocol_version = "HTTP/1.1"

            def do_POST(self) -> None:
                length = int(self.headers.get("Content-Length") or 0)
                body = json.loads(self.rfile.read(length))
                headers = {name.lower(): value for name, value in self.headers.items()}
                with owner.at_work():
                    request = Request(self.path, headers, body, time.monotonic())
                    act = owner.act(request)
                    time.sleep(act.wait)
                    try:
                        play(self, request, act)
                    except OSError:
                        owner.left += 1

            def log_message(self, *_arguments: object) -> None:
                return

        return Handler


class _Threads(ThreadingHTTPServer):
    daemon_threads = True
    request_queue_size = 64

    def handle_error(self, *_arguments: object) -> None:
        return


def play(handler: BaseHTTPRequestHandler, request: Request, act: Act) -> None:
    if act.drop == "before":
        slam(handler)
        return
    if act.body is not None or not request.body.get("stream"):
        body = (act.body if act.body is not None else json.dumps(completion(request, act))).encode()
        handler.send_response(act.status)
        send(handler, act, {"Content-Type": "application/json", "Content-Length": str(len(body))})
        handler.wfile.write(body[: len(body) // 2] if act.drop else body)
    else:
        handler.send_response(act.status)
        send(handler, act, {"Content-Type": "text/event-stream", "Transfer-Encoding": "chunked"})
        events = list(stream(request, act))
        for number, event in enumerate(events):
            if act.gate is not None and number == len(events) // 2:
                act.gate.wait(60)
            data = f"data: {json.dumps(event)}\n\n".encode()
            handler.wfile.write(b"%x\r\n%s\r\n" % (len(data), data))
            handler.wfile.flush()
        done = b"" if act.drop else b"e\r\ndata: [DONE]\n\n\r\n"
        # Closed in order, for after a reset a client may lose what it has received already.
        handler.close_connection = True
        handler.wfile.write(b"" if act.drop == "amid" else done + b"0\r\n\r\n")
        return
    if act.drop:
        handler.wfile.flush()
        slam(handler)


def send(handler: BaseHTTPRequestHandler, act: Act, headers: Mapping[str, str]) -> None:
    for name, value in {**headers, **act.headers}.items():
        handler.send_header(name, value)
    handler.end_headers()


def slam(handler: BaseHTTPRequestHandler) -> None:
    """End the connection with a reset, as a crashed server does."""
    handler.close_connection = True
    handler.connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    handler.connection.close()


def usage(request: Request, act: Act) -> dict[str, int]:
    words = len(request.prompt.split()), len((act.text or "").split())
    return {"prompt_tokens": words[0], "completion_tokens": words[1], "total_tokens": sum(words)}


def completion(request: Request, act: Act) -> dict[str, Any]:
    message = {"role": "assistant", "content": act.text, "refusal": act.refusal}
    return {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1700000000,
        "model": request.body["model"],
        "choices": [{"index": 0, "message": message, "finish_reason": act.finish, "logprobs": None}],
        **({"usage": usage(request, act)} if act.usage else {}),
    }


def stream(request: Request, act: Act) -> Iterator[dict[str, Any]]:
    def chunk(delta: Mapping[str, Any], finish: str | None = None) -> dict[str, Any]:
        choices = [{"index": 0, "delta": delta, "finish_reason": finish}]
        head = {"id": "chatcmpl-1", "object": "chat.completion.chunk", "created": 1700000000}
        return {**head, "model": request.body["model"], "choices": choices}

    yield chunk({"role": "assistant", "content": ""})
    pieces = [word + " " for word in (act.text or "").split(" ")]
    if pieces:
        pieces[-1] = pieces[-1][:-1]
    if act.drop:
        pieces = pieces[: max(1, len(pieces) // 2)]
    yield from (chunk({"content": piece}) for piece in pieces if piece)
    if act.refusal:
        yield chunk({"refusal": act.refusal})
    if act.drop:
        return
    yield chunk({}, act.finish)
    if act.usage and (request.body.get("stream_options") or {}).get("include_usage"):
        yield {**chunk({}), "choices": [], "usage": usage(request, act)}
