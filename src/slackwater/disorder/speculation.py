"""Answers that are given early and taken back: when they are good enough to stop.

An answer for a window is *revised* as stragglers come. By the model of expected coverage, one that
was given when the clock had passed the window by some time has as much coverage as a slack of that
length would have given it; once that reaches the threshold, a further revision is not asked for.
With a bound on the slack, what is late by less is waited for and only the rest is revised.

Reference: Ji 2018, ch. 3 (combinations with speculation, named there and not worked out).
"""

from __future__ import annotations

from slackwater.disorder.coverage import CoverageModel
from slackwater.stats.histogram import Counts


def bounded(slack: int, most: int | None) -> int:
    """The slack that quality asks for, at most ``K_ub``."""
    return slack if most is None else min(slack, most)


def is_good_enough(model: CoverageModel, counts: Counts, waited: int, threshold: float) -> bool:
    """Whether an answer given ``waited`` after its window has the coverage that is asked for.

    >>> import numpy as np
    >>> model = CoverageModel(4, granularity=1)
    >>> delays = np.array([6, 2, 1, 1])
    >>> [is_good_enough(model, delays, waited, 0.95) for waited in (0, 1, 2)]
    [False, False, True]
    """
    return model.expected_of(counts, waited) >= threshold - 1e-12
