"""Productivity: how many results a tuple gives when it reaches a join, by how late it was.

For each tuple in order the join tells ``n^×``, the size of the cross product with the current
windows, and ``n^⋈``, its results. A tuple that is still late gives none; it counts with the largest
of both seen among the tuples in order of the same interval (conservative), or with their mean. The
sums by coarse delay tell whether late tuples have more partners than others, and how many results
the interval would have had without disorder.

Reference: Ji 2018, ch. 4 (eq. 4.7, 4.8); sums start anew with every interval.
"""

from __future__ import annotations

from dataclasses import asdict, dataclass, replace
from typing import Any, Literal

import numpy as np

from slackwater.errors import check_version
from slackwater.stats.histogram import Shares, coarse

VERSION = 1

LateEstimate = Literal["max", "mean"]
Pairs = tuple[tuple[int, float], ...]


@dataclass(frozen=True, slots=True)
class ProductivityParams:
    """``granularity`` g of the coarse delays, and what a late tuple counts with."""

    granularity: int
    late: LateEstimate = "max"


@dataclass(frozen=True, slots=True)
class Profile:
    """``M^×`` and ``M^⋈`` of one interval, sparse by coarse delay.

    Examples
    --------
    >>> profile = Profile(((0, 600), (1, 200), (2, 200)), ((0, 60), (1, 30), (2, 10)))
    >>> profile.true_results, profile.ratios().tolist()
    (100, [1.0, 1.125, 1.0])
    """

    cross: Pairs
    joined: Pairs

    @property
    def true_results(self) -> float:
        """``N_true(L)``: results the interval would have had without disorder."""
        return sum(results for _, results in self.joined)

    def ratios(self) -> Shares | None:
        """``sel(K) / sel`` by K/g up to the largest delay seen; ``None`` if nothing is known.

        Where no tuple of so small a delay had a partner at all, nothing is known either: 1.
        """
        if not self.true_results:
            return None
        size = max(delay for delay, _ in self.cross) + 1
        cross, joined = _cumulative(self.cross, size), _cumulative(self.joined, size)
        known = np.divide(joined, cross, out=np.zeros(size), where=cross > 0)
        overall = joined[-1] / cross[-1]
        shares: Shares = np.where(cross > 0, known / overall, 1.0)
        return shares


def _cumulative(pairs: Pairs, size: int) -> Shares:
    dense = np.zeros(size)
    for delay, number in pairs:
        dense[delay] = number
    return np.cumsum(dense)


@dataclass(frozen=True, slots=True)
class ProductivityState:
    """One interval: sums of the tuples in order, late tuples by coarse delay, and the largest."""

    cross: Pairs = ()
    joined: Pairs = ()
    late: tuple[tuple[int, int], ...] = ()
    in_order: int = 0
    max_cross: float = 0
    max_joined: float = 0
    version: int = VERSION

    def to_json(self) -> dict[str, Any]:
        return asdict(self)

    @classmethod
    def from_json(cls, value: dict[str, Any]) -> ProductivityState:
        pairs = {key: tuple((d, n) for d, n in value[key]) for key in ("cross", "joined", "late")}
        return cls(**{**value, **pairs})


class Productivity:
    """The profiler of one join, tuple by tuple as they reach it.

    Examples
    --------
    >>> profiler = Productivity.start(ProductivityParams(granularity=10))
    >>> profiler.update(delay=0, cross=100, joined=4)
    >>> profiler.update(delay=15, cross=50, joined=6)
    >>> profiler.update_late(delay=30)
    >>> profiler.close()
    Profile(cross=((0, 100), (2, 50), (3, 100)), joined=((0, 4), (2, 6), (3, 6)))
    """

    def __init__(self, params: ProductivityParams, state: ProductivityState) -> None:
        self._params = params
        self._open(state)

    def _open(self, state: ProductivityState) -> None:
        self._cross, self._joined = dict(state.cross), dict(state.joined)
        self._late = dict(state.late)
        self._in_order = state.in_order
        self._max_cross, self._max_joined = state.max_cross, state.max_joined

    @classmethod
    def start(
        cls, params: ProductivityParams, state: ProductivityState | None = None
    ) -> Productivity:
        check_version("productivity", state, VERSION)
        return cls(params, state or ProductivityState())

    def snapshot(self) -> ProductivityState:
        cross, joined = tuple(sorted(self._cross.items())), tuple(sorted(self._joined.items()))
        late = tuple(sorted(self._late.items()))
        return ProductivityState(
            cross, joined, late, self._in_order, self._max_cross, self._max_joined
        )

    def update(self, delay: int, cross: float, joined: float) -> None:
        """A tuple that reached the join in order: its delay, ``n^×`` and ``n^⋈``."""
        self._in_order += 1
        bucket = coarse(delay, self._params.granularity)
        self._cross[bucket] = self._cross.get(bucket, 0) + cross
        self._max_cross = max(self._max_cross, cross)
        self.update_results(delay, joined, joined)

    def update_results(self, delay: int, joined: float, of_trigger: float) -> None:
        """Results that come later than their tuple, at the root of a tree of joins.

        ``of_trigger`` is how many the tuple that caused them has in all so far.
        """
        bucket = coarse(delay, self._params.granularity)
        self._joined[bucket] = self._joined.get(bucket, 0) + joined
        self._max_joined = max(self._max_joined, of_trigger)

    def update_late(self, delay: int) -> None:
        """A tuple that was still late at the join."""
        bucket = coarse(delay, self._params.granularity)
        self._late[bucket] = self._late.get(bucket, 0) + 1

    def merge(self, other: Productivity) -> Productivity:
        """What two instances of one join saw of the same interval."""
        mine, theirs = self.snapshot(), other.snapshot()
        merged = replace(
            mine,
            cross=_added(mine.cross, theirs.cross),
            joined=_added(mine.joined, theirs.joined),
            late=tuple((delay, int(rows)) for delay, rows in _added(mine.late, theirs.late)),
            in_order=mine.in_order + theirs.in_order,
            max_cross=max(mine.max_cross, theirs.max_cross),
            max_joined=max(mine.max_joined, theirs.max_joined),
        )
        return Productivity(self._params, merged)

    def get(self) -> Profile:
        """The sums so far, late tuples included."""
        cross, joined = self._for_late()
        late = self._late.items()
        return Profile(
            _added(self._cross.items(), [(delay, rows * cross) for delay, rows in late]),
            _added(self._joined.items(), [(delay, rows * joined) for delay, rows in late]),
        )

    def close(self) -> Profile:
        """End of an interval: its profile; the next one starts from nothing."""
        profile = self.get()
        self._open(ProductivityState())
        return profile

    def _for_late(self) -> tuple[float, float]:
        if self._params.late == "max" or not self._in_order:
            return self._max_cross, self._max_joined
        cross, joined = sum(self._cross.values()), sum(self._joined.values())
        return cross / self._in_order, joined / self._in_order


def _added(one: Any, other: Any) -> Pairs:
    found: dict[int, float] = dict(one)
    for delay, number in other:
        found[delay] = found.get(delay, 0) + number
    return tuple(sorted(found.items()))
