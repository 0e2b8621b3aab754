"""The order in which a K-slack buffer of constant size releases a recorded stream, vectorised.

Same result as pushing the tuples one by one through ``KSlack``, without payloads and without a
Python loop. Reference: Ji 2018.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from slackwater.errors import SlackwaterError
from slackwater.stats.arrival import Instants, instants


@dataclass(frozen=True, slots=True, eq=False)
class ReleaseOrder:
    """When each tuple leaves.

    ``points[a]`` is the arrival that releases tuple ``a``; the number of tuples for one that
    stays until the end of the stream. ``order`` lists the tuples as they leave, flushed ones last.
    """

    order: Instants
    points: Instants

    @property
    def released(self) -> int:
        """How many tuples leave before the final flush."""
        return int((self.points < self.points.size).sum())


def release_order(ts: npt.ArrayLike, k: int) -> ReleaseOrder:
    """Release order of a stream behind a K-slack buffer.

    Parameters
    ----------
    ts
        Event times in arrival order, integer microseconds.
    k
        The slack ``K``, constant, in microseconds.

    Examples
    --------
    >>> release = release_order([1, 4, 3, 5, 7, 8, 6], k=1)
    >>> release.order.tolist(), release.points.tolist(), release.released
    ([0, 2, 1, 3, 4, 6, 5], [1, 3, 3, 4, 5, 7, 7], 5)
    """
    if k < 0:
        raise SlackwaterError("SLACK_INVALID", f"release order: k is {k}, it must be 0 or more")
    times = instants(ts)
    if times.size == 0:
        return ReleaseOrder(times, times)
    points = _release_points(times, k)
    # lexsort: last key first; it is stable, so equal ts leave in arrival order.
    return ReleaseOrder(np.lexsort((times, points)), points)


def _release_points(times: Instants, k: int) -> Instants:
    progress = np.maximum.accumulate(times)
    advances = np.flatnonzero(np.diff(progress, prepend=progress[0] - 1))
    passed = np.searchsorted(progress[advances], times + k, side="left")
    arrived = np.searchsorted(advances, np.arange(times.size), side="left")
    points: Instants = np.append(advances, times.size)[np.maximum(passed, arrived)]
    return points
