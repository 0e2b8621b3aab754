"""A channel between two operators: what is sent takes some time to arrive.

Reference: Bhat 2011, ch. 2 (pages, buffers), ch. 3 (why no fixed delay is safe).
"""

from __future__ import annotations

from collections import deque

import numpy as np

from slackwater.papers.prodding_bhat2011.operators.element import Output
from slackwater.papers.prodding_bhat2011.operators.operator import Operator


class Channel(Operator):
    """A buffer between two operators: first in, first out, each element after some time.

    ``mean`` is the mean transfer time, drawn exponentially: it depends on how operators are
    scheduled and how full buffers are.
    """

    def __init__(self, mean: float, seed: int = 1) -> None:
        self._mean = mean
        self._draws = np.random.default_rng(seed)
        self._flowing: deque[tuple[int, Output]] = deque()

    def take(self, element: Output, now: int, port: int = 0) -> list[Output]:
        if self._mean == 0:
            return [element]
        newest = self._flowing[-1][0] if self._flowing else now
        at = max(newest, now + round(float(self._draws.exponential(self._mean))))
        self._flowing.append((at, element))
        return []

    def due(self) -> int | None:
        return self._flowing[0][0] if self._flowing else None

    def fire(self, now: int) -> list[Output]:
        return [self._flowing.popleft()[1]]
