"""A seeded, disordered stream of which any part can be made without the parts before it.

The rows are numbered in the order they *arrive*. Everything about row ``n`` is a function of the
workload and of ``n`` alone, so a source that restarts at offset ``n`` continues with exactly the
rows it would have given, and several readers can make disjoint ranges at once:

* the **arrival** instant is a monotone function of ``n``: the inverse of the number of rows that a
  piecewise constant rate (base rate, bursts, silent gaps) has produced. No sort is needed;
* the **delay** is drawn with a counter-based generator, and event time = arrival - delay. A stream
  disordered this way is the one of Ji 2018, ch. 4 (``T += 10 ms; ts = T - delay``);
* draws are made in fixed blocks of `BLOCK` rows, one Philox stream keyed by (seed, block). A range
  is cut from whole blocks, hence every cut gives bit-equal rows.
"""

from __future__ import annotations

from bisect import bisect_right
from dataclasses import asdict, dataclass, field
from functools import lru_cache
from typing import Any, NamedTuple

import numpy as np

from slackwater.errors import SourceError
from slackwater.stats.draws import Floats, Ints, normal, uniforms, zipf
from slackwater.stats.lateness import (
    Burst,
    Disorder,
    Gap,
    delays,
    disorder_from_json,
    failed,
    refuse,
)
from slackwater.units import SECOND

__all__ = [
    "BLOCK",
    "START",
    "VALUES",
    "Burst",
    "Disorder",
    "Gap",
    "Rows",
    "Values",
    "Workload",
    "arrival",
    "arrived",
    "rows",
]

BLOCK = 8_192
START = 1_704_067_200_000_000  # 2024-01-01T00:00:00Z

VALUES = ("constant", "uniform", "normal", "exponential", "lognormal")
_DRAWS = 6  # late, delay, delay (second of a normal pair), key, value, value (second)
_TINY = 1e-3  # microseconds; rounding must not move a row across a bound of the rate


class Rows(NamedTuple):
    """Columns of consecutive arrivals; ``time`` and ``arrival`` in microseconds since the epoch."""

    seq: Ints
    time: Ints
    arrival: Ints
    key: Ints
    value: Floats


@dataclass(frozen=True, slots=True)
class Values:
    """Distribution of the value column.

    ``constant``; ``uniform`` on mean ± spread; ``normal`` with standard deviation spread;
    ``exponential`` with that mean; ``lognormal`` with median mean and log deviation spread.
    """

    distribution: str = "normal"
    mean: float = 10.0
    spread: float = 2.0

    def __post_init__(self) -> None:
        refuse("values", _value_problems(self))


@dataclass(frozen=True, slots=True)
class Workload:
    """A whole synthetic stream; ``rows`` makes any part of it.

    Parameters
    ----------
    seed : int
        Same seed, same rows.
    rows_per_second : float
        Base rate, rows per second of event time.
    keys : int
        Keys are 0 to keys - 1.
    key_skew : float
        Zipf skew of the keys; 0 is uniform.
    values : Values
        Distribution of the values.
    start : int
        Arrival of row 0, microseconds since the epoch.
    disorder : Disorder
        Delays, bursts, gaps, regimes.
    """

    seed: int = 0
    rows_per_second: float = 1_000.0
    keys: int = 100
    key_skew: float = 0.0
    values: Values = field(default_factory=Values)
    start: int = START
    disorder: Disorder = field(default_factory=Disorder)

    def __post_init__(self) -> None:
        refuse("workload", _workload_problems(self))

    def to_json(self) -> dict[str, Any]:
        """The workload as a JSON value; `from_json` is the way back."""
        return asdict(self)

    @classmethod
    def from_json(cls, value: dict[str, Any]) -> Workload:
        """The workload of a JSON value made by `to_json`."""
        return cls(
            **{
                **value,
                "values": Values(**value["values"]),
                "disorder": disorder_from_json(value["disorder"]),
            }
        )


def rows(workload: Workload, first: int, last: int) -> Rows:
    """Rows number ``first`` to ``last - 1`` in arrival order.

    Examples
    --------
    >>> part = rows(Workload(rows_per_second=10, disorder=Disorder.of(scale="1 s")), 5, 8)
    >>> part.seq.tolist(), bool((part.time <= part.arrival).all())
    ([5, 6, 7], True)
    """
    if not 0 <= first <= last:
        raise SourceError(
            "WORKLOAD_RANGE", f"rows {first} to {last} asked for", "give 0 <= first <= last"
        )
    numbers = range(first // BLOCK, max(first, last - 1) // BLOCK + 1)
    blocks = [_block(workload, number) for number in numbers]
    base = numbers.start * BLOCK
    joined = (np.concatenate(columns) for columns in zip(*blocks, strict=True))
    return Rows(*(column[first - base : last - base] for column in joined))


def arrival(workload: Workload, number: int) -> int:
    """Arrival of row ``number``, microseconds since the epoch."""
    return workload.start + int(_arrival_offsets(workload, np.array([number]))[0])


def arrived(workload: Workload, until: int) -> int:
    """How many rows have arrived by ``until`` (microseconds since the epoch, included)."""
    since = max(until - workload.start, 0)
    rate, burst = workload.rows_per_second / SECOND, workload.disorder.burst
    most = int(_rows_by(rate, burst, np.array([since], dtype=np.float64))[0]) + 2
    return bisect_right(range(most), until, key=lambda number: arrival(workload, number))


def _block(workload: Workload, number: int) -> Rows:
    seq = np.arange(number * BLOCK, (number + 1) * BLOCK, dtype=np.int64)
    draws = uniforms(workload.seed, number, (_DRAWS, BLOCK))
    offset = _arrival_offsets(workload, seq)
    delay = delays(workload.disorder, offset, draws[:3])
    arrivals = workload.start + offset
    key = _keys(workload, draws[3])
    return Rows(seq, arrivals - delay, arrivals, key, _values(workload.values, draws[4:6]))


# Arrivals: the inverse of "rows produced by offset t".


def _arrival_offsets(workload: Workload, seq: Ints) -> Ints:
    rate, disorder = workload.rows_per_second / SECOND, workload.disorder
    numbers = seq.astype(np.float64)
    before = _skipped_rows(rate, disorder)
    if before is not None:
        starts, skipped = before
        numbers = numbers + skipped[np.searchsorted(starts, numbers, side="right")]
    return np.rint(_offset_of(rate, disorder.burst, numbers)).astype(np.int64)


@lru_cache(maxsize=64)
def _skipped_rows(rate: float, disorder: Disorder) -> tuple[Floats, Floats] | None:
    """First row number after each gap, and the rows that the gaps up to there have swallowed."""
    if not disorder.gaps:
        return None
    bounds = np.array([(g.start, g.start + g.length) for g in disorder.gaps], dtype=np.float64)
    begin, end = (_rows_by(rate, disorder.burst, column) for column in bounds.T)
    skipped = np.concatenate([[0.0], np.cumsum(end - begin)])
    return begin - skipped[:-1] - _TINY * rate, skipped


def _rows_by(rate: float, burst: Burst | None, offset: Floats) -> Floats:
    if burst is None:
        return offset * rate
    periods, phase = np.divmod(offset, burst.every)
    calm = burst.every - burst.length
    extra = (burst.factor - 1.0) * (periods * burst.length + np.maximum(phase - calm, 0.0))
    produced: Floats = (offset + extra) * rate
    return produced


def _offset_of(rate: float, burst: Burst | None, numbers: Floats) -> Floats:
    due = numbers / rate  # in microseconds at the base rate
    if burst is None:
        return due
    calm = burst.every - burst.length
    period = calm + burst.factor * burst.length
    periods = np.floor((due + _TINY) / period)
    phase = np.clip(due - periods * period, 0.0, period)
    in_burst = np.maximum(phase - calm, 0.0) / (burst.factor or 1.0)
    offset: Floats = periods * burst.every + np.minimum(phase, calm) + in_burst
    return offset


# Keys and values: by inversion from uniforms, elementwise.


def _keys(workload: Workload, draw: Floats) -> Ints:
    if workload.key_skew == 0.0:
        return (draw * workload.keys).astype(np.int64)
    return zipf(workload.keys, workload.key_skew, draw)


def _values(values: Values, draws: Floats) -> Floats:
    first: Floats = draws[0]
    second: Floats = draws[1]
    if values.distribution == "constant":
        return np.full(len(first), values.mean)
    if values.distribution == "uniform":
        return values.mean + values.spread * (2.0 * first - 1.0)
    if values.distribution == "exponential":
        return -values.mean * np.log1p(-first)
    deviation: Floats = values.spread * normal(first, second)
    if values.distribution == "lognormal":
        return values.mean * np.exp(deviation)
    return values.mean + deviation


# What may be wrong with a record; every problem is reported at once.


def _value_problems(values: Values) -> list[str]:
    return failed(
        (
            values.distribution in VALUES,
            f"distribution is {values.distribution!r}; it must be one of {', '.join(VALUES)}",
        ),
        (bool(np.isfinite(values.mean)), f"mean is {values.mean}; it must be a number"),
        (0 <= values.spread < np.inf, f"spread is {values.spread}; it must be at least 0"),
    )


def _workload_problems(workload: Workload) -> list[str]:
    return failed(
        (0 <= workload.seed < 2**63, f"seed is {workload.seed}; it must be from 0 to 2^63 - 1"),
        (
            0 < workload.rows_per_second < np.inf,
            f"rows_per_second is {workload.rows_per_second}; it must be positive",
        ),
        (
            1 <= workload.keys <= 10_000_000 or (workload.key_skew == 0 and workload.keys >= 1),
            f"keys is {workload.keys}; it must be at least 1, and at most 10000000 with a skew",
        ),
        (
            0 <= workload.key_skew < np.inf,
            f"key_skew is {workload.key_skew}; it must be at least 0",
        ),
    )
