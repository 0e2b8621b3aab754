"""Time of a thread: what it waits for counts, what others take from it does not."""

from __future__ import annotations

import os
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from slackwater.execute import own_time as module
from slackwater.execute.own_time import own_time


def test_waiting_for_an_answer_counts() -> None:
    began = own_time()
    time.sleep(0.05)
    assert 0.045 < own_time() - began < 5


@pytest.mark.skipif(not os.path.exists(module.STATISTICS), reason="no such statistics here")  # noqa: PTH110 - of this thread
def test_waiting_for_a_core_does_not_count() -> None:
    """The lowest priority beside processes that take all cores: long by the clock, short in all."""

    def spin() -> tuple[float, float, float]:
        own, wall, cpu = own_time(), time.perf_counter(), time.thread_time()
        while time.thread_time() - cpu < 0.1:
            pass
        return own_time() - own, time.perf_counter() - wall, time.thread_time() - cpu

    with ThreadPoolExecutor(1) as pool:  # each thread has statistics of its own
        own, wall, cpu = pool.submit(spin).result()
    assert own <= wall
    assert own == pytest.approx(cpu, abs=0.05)


def test_without_statistics_it_is_the_clock(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "STATISTICS", "/no/such/file")
    with ThreadPoolExecutor(1) as pool:
        began = time.perf_counter()
        found = pool.submit(own_time).result()
    assert began <= found <= time.perf_counter()
