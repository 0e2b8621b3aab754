"""The exact answer: the same query over the same tuples, without disorder.

Disorder, unlike missing or uncertain data, has a ground truth. Reference: Ji 2018, ch. 2.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

from slackwater.papers.slack_ji2018.operators.swa import SWA, SWAParams, WindowResult
from slackwater.papers.stream.baselines import NoSlack
from slackwater.stats.arrival import Arrival


def exact_results(params: SWAParams, arrivals: Iterable[Arrival[Any]]) -> list[WindowResult]:
    """The results of a sliding-window aggregate over the time-sorted stream, to its end.

    The firing rule is ``"pass"`` whatever the query says: ``"reach"`` is not exact where tuples
    share a timestamp.

    Examples
    --------
    >>> from slackwater.papers.stream.monoids import COUNT
    >>> from slackwater.papers.stream.windows import TimeWindow
    >>> from slackwater.stats.arrival import arrivals
    >>> params = SWAParams(TimeWindow(10, 10), COUNT)
    >>> [(r.end, r.value) for r in exact_results(params, arrivals([3, 11, 9, 10]))]
    [(10, 3), (20, 1)]
    """
    swa: SWA[Any] = SWA.start(replace(params, fire_on="pass"), NoSlack.start())
    ordered = sorted(arrivals, key=lambda arrival: (arrival.ts, arrival.seq))
    results = [result for arrival in ordered for result in swa.update(arrival)]
    return results + swa.finish()
