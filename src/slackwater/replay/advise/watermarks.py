"""What rows and windows meet under a policy: a fixed slack, or one that changes from row to row.

Watermark = clock - slack, never moving back. Reference: Ji 2018, ch. 3 (baselines).
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from slackwater.replay.advise.stakes import Stakes
from slackwater.replay.advise.timeline import Timeline
from slackwater.stats.arrival import Instants


@dataclass(frozen=True, slots=True, eq=False)
class Watermarks:
    """A policy played over a recording.

    Parameters
    ----------
    at
        The watermark that each suspect met.
    closing
        The clock when each window with results closed, if it did.
    closed
        Whether it closed before the end of the recording.
    slack, largest
        Mean and largest slack over the rows, microseconds.
    """

    at: Instants
    closing: Instants
    closed: npt.NDArray[np.bool_]
    slack: float
    largest: int


def fixed(timeline: Timeline, stakes: Stakes, slack: int) -> Watermarks:
    """One slack for the whole stream."""
    ends = stakes.frames.ends(stakes.windows)
    rows = np.searchsorted(timeline.progress, ends + slack)
    closing, closed = _closing(timeline, rows)
    return Watermarks(stakes.suspects.clock - slack, closing, closed, float(slack), slack)


def growing(timeline: Timeline) -> Instants:
    """Max-K: before each row and after the last, the largest delay seen so far."""
    largest = np.maximum.accumulate(timeline.delays())
    return np.concatenate([[0], largest])


def varying(
    timeline: Timeline, stakes: Stakes, slacks: Instants, clock: Instants | None = None
) -> Watermarks:
    """A slack for each row, in force when it comes, and one after the last row.

    ``clock`` likewise; if left out it moves with every row.
    """
    if clock is None:
        clock = np.append(timeline.clock(), timeline.progress[-1])
    before = np.maximum.accumulate(clock - slacks)
    ends = stakes.frames.ends(stakes.windows)
    rows = np.searchsorted(before[1:], ends)
    closing, closed = _closing(timeline, rows)
    at = before[stakes.suspects.row]
    return Watermarks(at, closing, closed, float(slacks[:-1].mean()), int(slacks.max()))


def _closing(timeline: Timeline, rows: Instants) -> tuple[Instants, npt.NDArray[np.bool_]]:
    closed = rows < timeline.rows
    return timeline.progress[np.minimum(rows, timeline.rows - 1)], closed
