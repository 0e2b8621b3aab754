"""An S3 on loopback (moto), and in front of it a service that fails by a seeded script.

What the script draws for each request: nothing; an error or a demand to slow down instead of the
request; the same although it was done; no reply to what was done; the request done twice, with the
second answer; a delay; a listing of some time ago.
"""

from __future__ import annotations

import http.client
import random
import threading
import time
from collections import Counter
from collections.abc import Iterator
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import Any

import pytest
from moto.moto_server.threaded_moto_server import ThreadedMotoServer

FAULTS = ("error", "slow down", "error after all", "no reply", "twice", "delay", "old list")
CODES = {"error": (500, "InternalError"), "slow down": (503, "SlowDown")}


class FaultyStore:
    """Where it is, and what went wrong so far. ``share`` of the requests meet a fault."""

    def __init__(self, backend: tuple[str, int], seed: int, share: float) -> None:
        self.backend = backend
        self.share = share
        self.met: Counter[str] = Counter()
        self.refuses_conditions = True  # as a store must
        self._draw = random.Random(seed)
        self._lock = threading.Lock()
        self._lists: dict[str, tuple[int, dict[str, str], bytes]] = {}
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), _handler(self))
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.05,))
        self._thread.start()

    @property
    def endpoint(self) -> str:
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    def draw(self) -> str | None:
        with self._lock:
            fault = self._draw.choice(FAULTS) if self._draw.random() < self.share else None
            if fault is not None:
                self.met[fault] += 1
            return fault

    def ask(
        self, method: str, path: str, headers: dict[str, str], body: bytes
    ) -> tuple[int, dict[str, str], bytes]:
        """Do it in the store behind."""
        if not self.refuses_conditions:
            headers = {k: v for k, v in headers.items() if not k.lower().startswith("if-")}
        connection = http.client.HTTPConnection(*self.backend, timeout=20)
        try:
            connection.request(method, path, body, headers)
            reply = connection.getresponse()
            found = reply.status, dict(reply.getheaders()), reply.read()
        finally:
            connection.close()
        return found

    def listed(
        self, path: str, now: tuple[int, dict[str, str], bytes], *, old: bool
    ) -> tuple[int, dict[str, str], bytes]:
        """A listing: of now, or of the last time somebody asked."""
        with self._lock:
            before = self._lists.get(path, now)
            self._lists[path] = now
            return before if old else now

    def close(self) -> None:
        self._server.shutdown()
        self._thread.join()
        self._server.server_close()


def _handler(store: FaultyStore) -> type[BaseHTTPRequestHandler]:
    class Handler(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def log_message(self, *_: Any) -> None:
            """Nobody reads it."""

        def serve(self) -> None:
            body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
            headers = {k: v for k, v in self.headers.items() if k.lower() != "connection"}
            fault = store.draw()
            if fault == "delay":
                time.sleep(0.05)
            if fault in CODES:
                return self.fail(fault)
            reply = store.ask(self.command, self.path, headers, body)
            if fault == "twice":
                reply = store.ask(self.command, self.path, headers, body)
            if "list-type" in self.path:
                reply = store.listed(self.path, reply, old=fault == "old list")
            if fault == "error after all":
                return self.fail("error")
            if fault == "no reply":
                self.close_connection = True
                return None
            return self.answer(*reply)

        def fail(self, fault: str) -> None:
            status, code = CODES[fault]
            text = f"<Error><Code>{code}</Code><Message>{fault}</Message></Error>"
            self.answer(status, {"Content-Type": "application/xml"}, text.encode())

        def answer(self, status: int, headers: dict[str, str], body: bytes) -> None:
            self.send_response(status)
            hidden = ("connection", "transfer-encoding", "date", "server")
            if self.command != "HEAD":
                hidden += ("content-length",)
            for name, value in headers.items():
                if name.lower() not in hidden:
                    self.send_header(name, value)
            if self.command != "HEAD":
                self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            if self.command != "HEAD":
                self.wfile.write(body)

        do_GET = do_PUT = do_POST = do_DELETE = do_HEAD = serve  # noqa: N815

    return Handler


@pytest.fixture(scope="module")
def s3() -> Iterator[tuple[str, int]]:
    """An S3 that works."""
    server = ThreadedMotoServer("127.0.0.1", 0, verbose=False)
    server.start()
    yield server.get_host_and_port()
    server.stop()


@contextmanager
def faulty(
    backend: tuple[str, int], bucket: str, *, seed: int = 0, share: float = 0.0
) -> Iterator[FaultyStore]:
    """A bucket of its own behind a store that fails; the environment speaks of it."""
    store = FaultyStore(backend, seed, share)
    try:
        status, _, _ = store.ask("PUT", f"/{bucket}", {}, b"")
        assert status == 200
        with pytest.MonkeyPatch.context() as patch:
            patch.setenv("AWS_ENDPOINT_URL", store.endpoint)
            patch.setenv("AWS_ALLOW_HTTP", "true")
            patch.setenv("AWS_REGION", "us-east-1")
            patch.setenv("AWS_ACCESS_KEY_ID", "somebody")
            patch.setenv("AWS_SECRET_ACCESS_KEY", "something")
            yield store
    finally:
        store.close()
