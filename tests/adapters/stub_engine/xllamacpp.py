"""Stands in for the engine in the server's process: loads any file in no time and says what it was told."""

from __future__ import annotations

import json
import threading
import time
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from pathlib import Path
from types import SimpleNamespace


class CommonParams(SimpleNamespace):
    def __init__(self) -> None:
        super().__init__(model=SimpleNamespace(), cpuparams=SimpleNamespace(), cpuparams_batch=SimpleNamespace())


class Server:
    def __init__(self, params: CommonParams) -> None:
        with Path(params.model.path).open("rb") as file:
            word = file.read(6)
        if word == b"broken":
            raise RuntimeError("failed to load model")
        if word == b"slow..":
            time.sleep(30)
        told = {
            "n_ctx": params.n_ctx,
            "threads": params.cpuparams.n_threads,
            "is_sleeping": params.sleep_idle_seconds == 1,
        }

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                body = json.dumps(told, separators=(",", ":")).encode()
                self.send_response(200)
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def do_POST(self) -> None:
                asked = json.loads(self.rfile.read(int(self.headers["Content-Length"])))
                said = asked["messages"][-1]["content"].upper()
                usage = {"prompt_tokens": 7, "completion_tokens": 2, "total_tokens": 9}
                about = {"id": "1", "created": 1, "model": "tiny", "usage": usage}
                if asked.get("stream"):
                    parts = [
                        {"choices": [{"index": 0, "delta": {"role": "assistant", "content": said}}]},
                        {"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]},
                    ]
                    lines = [f"data: {json.dumps(about | part)}\n\n" for part in parts]
                    body = "".join([*lines, "data: [DONE]\n\n"]).encode()
                else:
                    message = {"role": "assistant", "content": said}
                    choice = {"index": 0, "finish_reason": "stop", "message": message}
                    body = json.dumps(about | {"choices": [choice]}).encode()
                self.send_response(200)
                self.send_header("Content-Type", "text/event-stream" if asked.get("stream") else "application/json")
                self.send_header("Content-Length", str(len(body)))
                self.end_headers()
                self.wfile.write(body)

            def log_message(self, *_: object) -> None:
                pass

        server = ThreadingHTTPServer((params.hostnames[0], params.port), Handler)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        self.listening_address = f"http://{params.hostnames[0]}:{server.server_port}"
        print("listening", flush=True)
