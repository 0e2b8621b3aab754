"""The streamer: a recording delivered at the pace of its application time, with delays.

Delivery must be simulated in time: fed as fast as possible, a recording tests what is right, but
says nothing about latency. Reference: Bhat 2011, ch. 4, 6.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import numpy as np
import numpy.typing as npt

from slackwater.errors import SlackwaterError
from slackwater.papers.prodding_bhat2011.operators.element import DataTuple
from slackwater.papers.prodding_bhat2011.operators.sources import Timed

Ints = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Delay:
    """How much later than due a tuple comes.

    Parameters
    ----------
    kind
        ``none``; ``uniform`` up to ``size``; ``exponential`` with mean ``size``; ``fixed``;
        ``trace``: one delay per tuple.
    """

    kind: Literal["none", "uniform", "exponential", "fixed", "trace"] = "none"
    size: float = 0
    trace: tuple[int, ...] = ()

    def draw(self, count: int, draws: np.random.Generator) -> Ints:
        """Delays of ``count`` tuples."""
        match self.kind:
            case "none":
                found = np.zeros(count)
            case "uniform":
                found = draws.uniform(0, self.size, count)
            case "exponential":
                found = draws.exponential(self.size, count)
            case "fixed":
                found = np.full(count, self.size)
            case "trace":
                if len(self.trace) != count:
                    raise SlackwaterError(
                        "DELAY_INVALID",
                        f"streamer: a trace of {len(self.trace)} delays for {count} tuples",
                    )
                found = np.asarray(self.trace)
        return np.asarray(np.rint(found), dtype=np.int64)


def stream(
    recording: Sequence[Timed],
    delay: Delay | None = None,
    *,
    order: Literal["preserve", "due"] = "preserve",
    speedup: float = 1.0,
    begin: int = 0,
    seed: int = 1,
) -> list[Timed]:
    """Deliver a recording.

    Parameters
    ----------
    delay
        Extra delay of tuples; punctuations and prods are never delayed by themselves.
    order
        ``preserve``: nobody overtakes, so a delayed tuple delays what is behind it. ``due``: each
        element comes when it is due, and overtakes others.
    speedup
        Factor by which time runs faster.
    begin
        System time at which the recording begins.
    """
    if speedup <= 0:
        raise SlackwaterError("STREAMER_INVALID", f"streamer: speedup is {speedup}")
    if not recording:
        return []
    at = np.array([timed.at for timed in recording], dtype=np.float64)
    due = np.asarray(begin + (at - at[0]) / speedup)
    is_tuple = np.array([isinstance(timed.element, DataTuple) for timed in recording])
    draws = np.random.default_rng(seed)
    due[is_tuple] += (delay or Delay()).draw(int(is_tuple.sum()), draws)
    times = np.rint(due).astype(np.int64)
    if order == "preserve":
        times = np.maximum.accumulate(times)
        ranks = range(len(recording))
    else:
        ranks = np.argsort(times, kind="stable").tolist()
    return [Timed(int(times[rank]), recording[rank].element) for rank in ranks]
