"""Contracts: what an answer must be worth, and what happens to rows that come too late."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

from slackwater.units import DurationLike

LatePolicy = Literal["drop", "side", "revise"]
LATE_POLICIES: tuple[str, ...] = get_args(LatePolicy)


@dataclass(frozen=True, slots=True)
class FixedSlack:
    """Wait a fixed time for stragglers (K in the disorder model; a fixed watermark delay)."""

    wait: DurationLike


def slack(wait: DurationLike) -> FixedSlack:
    """A fixed slack: how long, in event time, windows stay open for stragglers.

    Parameters
    ----------
    wait
        A duration such as ``"10 seconds"``; a number is seconds.

    Examples
    --------
    >>> slack("10 seconds")
    FixedSlack(wait='10 seconds')
    """
    return FixedSlack(wait)
