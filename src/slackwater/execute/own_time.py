"""Time as a thread has it: what passes, but for what it waits because others have the cores.

On a busy machine a call of a few milliseconds often takes three times as long, or ten, and no
average of a few calls tells that from work. Linux knows how long a thread could have run and did
not. Time that a thread waits for an answer counts.
"""

from __future__ import annotations

import os
import threading
from time import perf_counter

STATISTICS = "/proc/thread-self/schedstat"  # seconds on a core, seconds waiting for one, turns
_opened = threading.local()


def own_time() -> float:
    """Seconds since some instant, for differences within a thread."""
    return perf_counter() - _waited()


def _waited() -> float:
    """Seconds that this thread waited for a core; 0 where nobody counts them."""
    file = getattr(_opened, "file", None)
    if file is None or _opened.process != os.getpid():  # a fork has other threads
        _opened.process, _opened.file = os.getpid(), _open()
        file = _opened.file
    return int(os.pread(file, 64, 0).split()[1]) / 1e9 if file >= 0 else 0.0


def _open() -> int:
    try:
        return os.open(STATISTICS, os.O_RDONLY)
    except OSError:
        return -1
