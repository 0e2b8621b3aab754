"""Arrival curves: when the rows of each recent window came, counted from the window's end.

On micro-batches the stream's clock moves once per batch. A row that comes in a batch which began
at clock ``c`` is missing from a window ending at ``e`` exactly if the slack is at most ``c - e``,
whatever its own event time is. So the rows of a batch by pane, and the clock, tell for every past
window what coverage *any* slack would have given it: no model, no assumption.

Rows are kept by step: step 0 is in time without slack, step j needs a slack of ``j·g``.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from slackwater.stats.panes import PaneCount

Steps = npt.NDArray[np.int64]
Array = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Curves:
    """Rows by window end and step, oldest window first."""

    windows: tuple[tuple[int, tuple[tuple[int, int], ...]], ...] = ()


@dataclass(frozen=True, slots=True)
class CurveParams:
    """Which windows are followed.

    Parameters
    ----------
    size, slide, offset
        The windows, microseconds.
    granularity
        ``g``: width of a step.
    longest
        At most so many windows are kept, the newest ones.
    """

    size: int
    slide: int
    offset: int
    granularity: int
    longest: int = 160

    @property
    def stride(self) -> int:
        """Every how many windows one is followed: heavily overlapping ones tell the same."""
        return max(1, self.size // self.slide // 8)

    def ends(self, pane: int) -> Iterable[int]:
        """Ends of the followed windows that hold a pane."""
        last = pane - (pane - self.offset) % self.slide
        for start in range(last, pane - self.size, -self.slide):
            if ((start - self.offset) // self.slide) % self.stride == 0:
                yield start + self.size


def update(
    params: CurveParams, curves: Curves, counts: Iterable[PaneCount], clock: int | None
) -> Curves:
    """The curves after a batch that began at ``clock``."""
    found = {end: dict(steps) for end, steps in curves.windows}
    for count in counts:
        if count.pane is None:
            continue
        for end in params.ends(count.pane):
            after = -1 if clock is None else clock - end
            step = after // params.granularity + 1 if after >= 0 else 0
            steps = found.setdefault(end, {})
            steps[step] = steps.get(step, 0) + count.rows
    kept = sorted(found)[-params.longest :]
    return Curves(tuple((end, tuple(sorted(found[end].items()))) for end in kept))


def since(curves: Curves, instant: int, at_least: int = 0) -> Curves:
    """Only the windows that end after an instant; the newest ``at_least`` stay in any case."""
    later = [window for window in curves.windows if window[0] > instant]
    return Curves(curves.windows[-max(len(later), at_least) :] if later or at_least else ())


@dataclass(frozen=True, slots=True)
class Table:
    """Coverage of each window under each slack worth looking at.

    ``coverage[w, k]`` is that of window ``ends[w]`` with a slack of ``steps[k]`` granules.
    """

    ends: Steps
    steps: Steps
    rows: Array
    coverage: Array


def table(curves: Curves, most: int = 256) -> Table:
    """The coverages of all followed windows, as one array."""
    flat = np.array([pair for _, steps in curves.windows for pair in steps], dtype=np.int64)
    steps, counts = flat.reshape(-1, 2).T
    candidates: Steps = _thinned(np.union1d(steps, [0]), most)
    ends = np.array([end for end, _ in curves.windows], dtype=np.int64)
    numbers = np.repeat(np.arange(ends.size), [len(steps) for _, steps in curves.windows])
    places = numbers * candidates.size + np.searchsorted(candidates, steps)
    size = ends.size * candidates.size
    arrived = np.bincount(places, counts, size).reshape(ends.size, candidates.size)
    inside: Array = np.cumsum(arrived, axis=1, dtype=np.float64)
    rows = inside[:, -1] if inside.size else np.zeros(0)
    coverage = inside / np.maximum(rows, 1)[:, None]
    return Table(ends, candidates, rows, coverage)


def _thinned(steps: Steps, most: int) -> Steps:
    """At most ``most`` of the steps; the largest stays, dropped ones round up to a later one."""
    if steps.size <= most:
        return steps
    picked = np.unique(np.linspace(0, steps.size - 1, most).round().astype(int))
    return np.asarray(steps[picked])
