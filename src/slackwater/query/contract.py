"""Contracts: what an answer must be worth, and what happens to rows that come too late."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal, get_args

from slackwater.units import DurationLike

LatePolicy = Literal["drop", "side", "revise"]
LATE_POLICIES: tuple[str, ...] = get_args(LatePolicy)
Method = Literal["calibrated", "conformal", "model", "feedback"]
METHODS: tuple[Method, ...] = get_args(Method)
ErrorKind = Literal[
    "count", "sum", "avg", "quantile", "heuristic"
]  # of aggregates, by their errors


@dataclass(frozen=True, slots=True)
class FixedSlack:
    """Wait a fixed time for stragglers (K in the disorder model; a fixed watermark delay)."""

    wait: DurationLike


@dataclass(frozen=True, slots=True)
class MaxError:
    """Wait as short as possible while results keep an error bound."""

    epsilon: float
    confidence: float = 0.95
    of: tuple[str, ...] = ()
    at_least: DurationLike = 0
    at_most: DurationLike | None = None
    granularity: DurationLike | None = None
    method: str = "calibrated"
    per_key: bool = False


@dataclass(frozen=True, slots=True)
class MinRecall:
    """Wait as short as possible while a join finds a share of its results."""

    gamma: float
    confidence: float = 0.95
    over: DurationLike = "1 minute"
    at_least: DurationLike = 0
    at_most: DurationLike | None = None
    granularity: DurationLike | None = None
    method: str = "calibrated"


Contract = FixedSlack | MaxError | MinRecall | tuple[MaxError, ...]


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


def max_error(
    epsilon: float,
    *,
    confidence: float = 0.95,
    of: str | Sequence[str] = (),
    at_least: DurationLike = 0,
    at_most: DurationLike | None = None,
    granularity: DurationLike | None = None,
    method: str = "calibrated",
    per_key: bool = False,
) -> MaxError:
    """A bound on the relative error of results; the engine chooses how long to wait.

    Of all emitted results, each one for a window and its keys, a share of ``confidence`` at least
    differs from the answer that all rows would have given by ``epsilon`` of it at most.

    Parameters
    ----------
    epsilon
        Largest relative error, e.g. ``0.01`` for 1 %; for percentiles an error in rank.
    confidence
        Share of results that must keep the bound (1 - δ of the source work).
    of
        The result columns meant; all aggregates of the query by default.
    at_least, at_most
        Bounds of the slack. A contract that would need more than ``at_most`` is told in a notice.
    granularity
        The slack is a multiple of this; a hundredth of the slide by default.
    method
        ``"calibrated"``: from how recent windows really filled up; ``"conformal"``: the same with
        all of the allowed risk, as measured results leave it; ``"model"``: the analytical model
        alone (AM-adt); ``"feedback"``: a PD controller (PD-adt).
    per_key
        With ``"conformal"``: the share is promised of the results of every key, not of all
        together. The slack is that of the worst key with enough results, so all wait longer.

    Examples
    --------
    >>> max_error(0.01, of="total").of
    ('total',)
    """
    names = (of,) if isinstance(of, str) else tuple(of)
    limits = (at_least, at_most, granularity)
    return MaxError(epsilon, confidence, names, *limits, method, per_key)


def min_recall(
    gamma: float,
    *,
    confidence: float = 0.95,
    over: DurationLike = "1 minute",
    at_least: DurationLike = 0,
    at_most: DurationLike | None = None,
    granularity: DurationLike | None = None,
    method: str = "calibrated",
) -> MinRecall:
    """A bound on the share of results a join finds; the engine chooses how long to wait.

    Of all periods of length ``over``, by the results' event time, a share of ``confidence`` at
    least finds in time a share of ``gamma`` at least of the results that all rows would have
    given. A single period may find less, even nothing.

    Parameters
    ----------
    gamma
        Smallest share, e.g. ``0.99`` (Γ of the source work).
    confidence
        Share of periods that must reach it.
    over
        Length of a period (P of the source work).
    at_least, at_most
        Bounds of the slack. A contract that would need more than ``at_most`` is told in a notice.
    granularity
        The slack is a multiple of this; a hundredth of the smallest join window by default.
    method
        ``"calibrated"``: from when the results of the last periods were really complete;
        ``"conformal"``: the same with all of the allowed risk; ``"model"``: the analytical recall
        model alone (AM-adt); ``"feedback"``: a PD controller (PD-adt).

    Examples
    --------
    >>> min_recall(0.99, over="1 minute").gamma
    0.99
    """
    return MinRecall(gamma, confidence, over, at_least, at_most, granularity, method)
