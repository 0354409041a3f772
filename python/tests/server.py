"""A server that answers as a test says, on a port of this machine."""

from __future__ import annotations

import contextlib
import json
import threading
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any, Callable, Iterator, Optional

PREDICTION = {
    "model": "sha256:00", "device": "h100-80gb", "mode": "training", "precision": "bf16", "batch_size": 8,
    "utilization_percent": {"mean": 61.0, "lower": 50.0, "upper": 70.0, "coverage": 0.9, "calibration": {"group": "cnn", "rows": 9}},
    "peak_memory_bytes": {"mean": 3 << 30, "lower": 2 << 30, "upper": 4 << 30, "coverage": 0.9},
    "step_time_seconds": {"mean": 0.02, "lower": 0.01, "upper": 0.03, "coverage": 0.9},
    "capacity_per_second": {"mean": 400.0, "lower": 266.0, "upper": 800.0, "coverage": 0.9},
    "model_version": "forest-1", "warnings": ["outside of the training data"],
}  # fmt: skip


@dataclass
class Seen:
    method: str
    path: str
    headers: dict[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)


@dataclass
class Answer:
    status: int = 200
    document: Any = None
    headers: dict[str, str] = field(default_factory=dict)
    raw: Optional[bytes] = None
    #: Takes the place of everything else.
    act: Optional[Callable[[BaseHTTPRequestHandler], None]] = None


@dataclass
class Server:
    url: str
    seen: list[Seen]


def problem(status: int, code: str, detail: str = "what to do", **headers: str) -> Answer:
    document = {"type": "about:blank", "title": "t", "status": status, "code": code, "detail": detail}
    return Answer(status, document, {"Content-Type": "application/problem+json", **headers})


@contextlib.contextmanager
def serving(*answers: Answer) -> Iterator[Server]:
    """Gives the answers in turn, the last one from then on."""
    seen: list[Seen] = []
    ended = threading.Event()

    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"
        is_over = ended

        def answer(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            found = answers[min(len(seen), len(answers) - 1)]
            seen.append(Seen(self.command, self.path, dict(self.headers), body))
            if found.act is not None:
                found.act(self)
                return
            content = found.raw if found.raw is not None else json.dumps(found.document).encode()
            self.send_response(found.status)
            for name, value in {"Content-Type": "application/json", **found.headers}.items():
                self.send_header(name, value)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        do_GET = do_PUT = do_POST = do_DELETE = answer

        def log_message(self, *arguments: Any) -> None:
            pass

    server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
    server.daemon_threads = True
    thread = threading.Thread(target=server.serve_forever, args=(0.02,), daemon=True)
    thread.start()
    try:
        yield Server(f"http://127.0.0.1:{server.server_port}", seen)
    finally:
        ended.set()
        server.shutdown()
        server.server_close()
        thread.join()
