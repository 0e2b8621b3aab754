"""A Python worker of Spark, made fit for tasks of a few milliseconds.

Two habits of it cost more than such a task. The JVM sends it a task in several small packets over
TCP on loopback, and holds each back until the one before is acknowledged, which Linux puts off for
40 ms unless told otherwise. And it collects garbage after every task, among all objects of all
libraries that are loaded: 25 ms.
"""

from __future__ import annotations

import gc
import os
import socket
import stat
from contextlib import suppress
from functools import cache
from pathlib import Path

QUICKACK: int | None = getattr(socket, "TCP_QUICKACK", None)  # Linux has it
OPEN = Path("/proc/self/fd")


def make_ready() -> None:
    """To be called as every task begins: Linux forgets soon what it was told."""
    _keep_libraries()
    if QUICKACK is not None and OPEN.exists():
        for path in list(OPEN.iterdir()):
            with suppress(OSError):  # the one that the listing itself was read from is gone
                _acknowledge_at_once(int(path.name), QUICKACK)


@cache
def _keep_libraries() -> None:
    """What is loaded by now stays: no collection need look at it again."""
    gc.freeze()


def _acknowledge_at_once(number: int, option: int) -> None:
    if not stat.S_ISSOCK(os.fstat(number).st_mode):
        return
    with socket.socket(fileno=os.dup(number)) as same:
        if same.family in (socket.AF_INET, socket.AF_INET6):
            same.setsockopt(socket.IPPROTO_TCP, option, 1)
