"""Which of two plans is better: rank by rank, what expires less (spec 1.10, Definition 5)."""

from __future__ import annotations

from collections.abc import Callable
from itertools import chain

from slackwater.precede.cost import Estimate

Key = tuple[float, ...]
Comparison = Callable[[Estimate], Key]
_DIGITS = 9  # what differs behind them is the rounding of sums, not the plan


def significant_first(estimate: Estimate) -> Key:
    """Within a rank significant rows before promising ones; equal plans by their overhead."""
    pairs = zip(estimate.significant, estimate.promising, strict=True)
    return (*map(_rounded, chain.from_iterable(pairs)), estimate.overhead)


def together(estimate: Estimate) -> Key:
    """Within a rank the sum of both; equal plans by their overhead."""
    pairs = zip(estimate.significant, estimate.promising, strict=True)
    return (*(_rounded(one + other) for one, other in pairs), estimate.overhead)


COMPARISONS: dict[str, Comparison] = {"significant_first": significant_first, "sum": together}


def _rounded(rows: float) -> float:
    return round(rows, _DIGITS)
