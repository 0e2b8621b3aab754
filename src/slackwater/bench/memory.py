"""How much memory the driver takes while something runs in it."""

from __future__ import annotations

import threading
from types import TracebackType

import psutil

EVERY = 0.05  # seconds


class Peak:
    """The most memory that this process had at once inside a ``with`` block, in bytes."""

    def __init__(self) -> None:
        self.bytes = 0
        self._over = threading.Event()
        self._watch = threading.Thread(target=self._look, daemon=True)

    def __enter__(self) -> Peak:
        self._watch.start()
        return self

    def __exit__(
        self,
        kind: type[BaseException] | None,
        error: BaseException | None,
        trace: TracebackType | None,
    ) -> None:
        self._over.set()
        self._watch.join()

    def _look(self) -> None:
        process = psutil.Process()
        while True:
            self.bytes = max(self.bytes, int(process.memory_info().rss))
            if self._over.wait(EVERY):
                return
