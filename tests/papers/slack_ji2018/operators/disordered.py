"""Seeded disordered streams for the tests of the Buffer Manager; values are whole numbers."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from slackwater.papers.slack_ji2018.operators.adaptation import AdaptationParams
from slackwater.papers.slack_ji2018.operators.buffer_manager import BufferManager, ManagerParams
from slackwater.papers.slack_ji2018.operators.swa import SWAParams, WindowResult
from slackwater.papers.stream.monoids import SUM
from slackwater.papers.stream.windows import TimeWindow
from slackwater.stats.arrival import Arrival, arrivals_with
from slackwater.units import SECOND

QUERY = SWAParams(TimeWindow(SECOND, SECOND // 10), SUM)


def stream(seconds: float, *, late_us: int, share: float = 0.4, seed: int = 1) -> list[int]:
    """Event times of about 500 tuples a second, some late by up to ``late_us``."""
    draws = np.random.default_rng(seed)
    count = round(seconds * 500)
    time = np.cumsum(draws.integers(1_000, 3_000, count))
    late = draws.random(count) < share
    return np.maximum(0, time - np.where(late, draws.integers(1, late_us, count), 0)).tolist()


def after(first: list[int], then: list[int]) -> list[int]:
    """One stream after the other."""
    begin = max(first)
    return first + [begin + ts for ts in then]


def tuples(ts: list[int], seed: int = 9) -> list[Arrival[int]]:
    draws = np.random.default_rng(seed)
    return arrivals_with(ts, draws.integers(1, 9, len(ts)).tolist())


def path(
    manager: BufferManager[int], stream: list[Arrival[int]]
) -> Iterator[tuple[WindowResult, int]]:
    """Every result with the slack in force when it was handed over."""
    for arrival in stream:
        for result in manager.update(arrival):
            yield result, manager.slack


def managed(policy: AdaptationParams | str | int, **options: object) -> BufferManager[int]:
    return BufferManager.start(ManagerParams(policy, **options), QUERY)  # type: ignore[arg-type]
