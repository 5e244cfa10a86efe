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
        word = Path(params.model.path).read_bytes()[:6]
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

        server = ThreadingHTTPServer((params.hostnames[0], params.port), Handler)
        threading.Thread(target=server.serve_forever, daemon=True).start()
        self.listening_address = f"http://{params.hostnames[0]}:{server.server_port}"
        print("listening", flush=True)
