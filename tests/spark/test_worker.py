"""A worker acknowledges what it is sent at once, and does not look at libraries for garbage."""

from __future__ import annotations

import gc
import socket
from collections.abc import Iterator

import pytest

from slackwater.spark import worker

QUICKACK = (socket.IPPROTO_TCP, worker.QUICKACK or 0)


@pytest.fixture(autouse=True)
def _as_it_was() -> Iterator[None]:
    worker._keep_libraries.cache_clear()
    yield
    gc.unfreeze()


@pytest.fixture
def connection() -> Iterator[socket.socket]:
    with (
        socket.create_server(("127.0.0.1", 0)) as server,
        socket.create_connection(server.getsockname()) as sent,
    ):
        accepted, _ = server.accept()
        with accepted:
            sent.sendall(b"task")
            yield accepted


@pytest.mark.skipif(worker.QUICKACK is None, reason="only Linux puts acknowledgements off")
def test_what_is_sent_is_acknowledged_at_once(connection: socket.socket) -> None:
    connection.setsockopt(*QUICKACK, 0)
    assert connection.getsockopt(*QUICKACK) == 0
    worker.make_ready()
    assert connection.getsockopt(*QUICKACK) == 1
    assert connection.recv(4) == b"task"  # the connection itself is left alone


def test_libraries_are_set_aside_once(monkeypatch: pytest.MonkeyPatch) -> None:
    frozen: list[int] = []
    monkeypatch.setattr(gc, "freeze", lambda: frozen.append(1))
    for _ in range(3):
        worker.make_ready()
    assert frozen == [1]


def test_a_machine_that_knows_no_such_option_is_left_alone(
    monkeypatch: pytest.MonkeyPatch, connection: socket.socket
) -> None:
    monkeypatch.setattr(worker, "QUICKACK", None)
    connection.setsockopt(*QUICKACK, 0)
    worker.make_ready()
    assert connection.getsockopt(*QUICKACK) == 0
