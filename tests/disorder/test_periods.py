"""The meter of a recall contract against all rows: a join by hand, no Spark."""

from __future__ import annotations

import random
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass, field

import pytest

from slackwater.disorder.periods import Found
from slackwater.disorder.recall_slack import (
    RecallSeen,
    RecallSlackParams,
    RecallSlackState,
    last_periods,
    step,
)
from slackwater.stats.panes import PaneCount
from slackwater.units import SECOND, floor_to

WINDOW = 3 * SECOND
PARAMS = RecallSlackParams(
    recall=0.9, over=20 * SECOND, windows=(WINDOW, WINDOW), granularity=SECOND // 10
)
Row = tuple[int, int]  # event time, key
Batch = tuple[list[Row], list[Row]]


def counts_of(rows: Iterable[Row]) -> tuple[PaneCount, ...]:
    return tuple(PaneCount(t, True, 1, t, t) for t, _ in rows)


@dataclass
class Join:
    """An immediate join that lets go of rows as the controller says, and counts as Spark does."""

    state: RecallSlackState = field(default_factory=RecallSlackState)
    clocks: list[int | None] = field(default_factory=lambda: [None, None])
    kept: tuple[list[Row], list[Row]] = field(default_factory=lambda: ([], []))
    found: tuple[Found, ...] = ()
    given: Counter[int] = field(default_factory=Counter)
    results: Counter[int] = field(default_factory=Counter)
    measured: dict[int, tuple[int, int]] = field(default_factory=dict)
    unseen: int = 0

    @property
    def clock(self) -> int | None:
        known = [clock for clock in self.clocks if clock is not None]
        return min(known) if len(known) == len(self.clocks) else None

    def feed(self, batch: Batch, strays: Batch = ([], [])) -> None:
        before = self.clock
        for number, rows in enumerate(batch):
            times = [t for t, _ in rows] + [c for c in [self.clocks[number]] if c is not None]
            self.clocks[number] = max(times, default=None)
        spoken = max((c for c in self.clocks if c is not None), default=None)
        seen = RecallSeen(
            before,
            self.clock,
            (counts_of(batch[0]), counts_of(batch[1])),
            self.found,
            watermark=self.state.watermark,
            spoken=spoken,
            strays=(counts_of(strays[0]), counts_of(strays[1])),
        )
        after = self.state.watermark
        self.state, judged = step(PARAMS, self.state, seen)
        self._judged(judged.periods, judged.unseen)
        self.found = self._join(batch, before, after)
        floor = self.state.floor
        for rows in self.kept if floor is not None else ():
            rows[:] = [row for row in rows if row[0] >= floor - WINDOW]

    def end(self) -> None:
        judged = last_periods(PARAMS, self.state, self.found, self.clock)
        self._judged(judged.periods, judged.unseen)

    def _judged(self, periods: tuple[tuple[int, int, int], ...], unseen: int) -> None:
        for start, results, given in periods:
            assert start not in self.measured
            self.measured[start] = (results, given)
        self.unseen += unseen

    def _join(self, batch: Batch, before: int | None, after: int | None) -> tuple[Found, ...]:
        found: Counter[tuple[int, int, bool]] = Counter()
        for number, rows in enumerate(batch):
            for time, key in rows:
                for other, same in self.kept[1 - number]:
                    if key == same and abs(time - other) <= WINDOW:
                        found[self._result(min(time, other), max(time, other), before, after)] += 1
            self.kept[number].extend(rows)
        return tuple(
            Found(bucket, slack, n, n if is_given else 0)
            for (bucket, slack, is_given), n in found.items()
        )

    def _result(
        self, oldest: int, newest: int, before: int | None, after: int | None
    ) -> tuple[int, int, bool]:
        is_given = after is None or oldest >= after - WINDOW
        self.results[floor_to(newest, PARAMS.over)] += 1
        self.given[floor_to(newest, PARAMS.over)] += is_given
        needed = 0 if before is None else max(0, before - oldest - WINDOW)
        return floor_to(newest, PARAMS.bucket), -(-needed // PARAMS.granularity), is_given

    @property
    def told(self) -> float:
        """The fulfilment that is published."""
        kept = sum(given >= PARAMS.recall * n for n, given in self.measured.values())
        return max(0, kept - self.unseen) / len(self.measured)


def truth(batches: list[Batch]) -> Counter[int]:
    """Results of all rows, by period."""
    found: Counter[int] = Counter()
    right = [row for batch in batches for row in batch[1]]
    for time, key in (row for batch in batches for row in batch[0]):
        for other, same in right:
            if key == same and abs(time - other) <= WINDOW:
                found[floor_to(max(time, other), PARAMS.over)] += 1
    return found


def drawn(draw: random.Random, seconds: int, tail: float) -> tuple[list[Batch], list[Batch]]:
    """Rows by arrival, a batch a second, and strays that are set aside; delays of a Pareto law."""
    size = seconds + 400
    batches: list[Batch] = [([], []) for _ in range(size)]
    strays: list[Batch] = [([], []) for _ in range(size)]
    for number in range(2 * seconds):
        for side in (0, 1):
            time, key = number * SECOND // 2 + draw.randrange(1000), draw.randint(0, 1)
            late = min(300.0, draw.paretovariate(tail) - 1) if draw.random() < 0.3 else 0.0
            at = number // 2 + int(late)
            target = strays if draw.random() < 0.002 else batches
            target[at][side].append((time, key))
    return batches, strays


@pytest.mark.parametrize("tail", [0.7, 1.3, 3.0])
def test_the_share_of_periods_told_as_kept_is_never_too_large(tail: float) -> None:
    seed = random.randrange(1 << 30)
    batches, strays = drawn(random.Random(seed), 300, tail)
    join = Join()
    for batch, aside in zip(batches, strays, strict=True):
        join.feed(batch, aside)
    join.end()
    known = truth([(b[0] + s[0], b[1] + s[1]) for b, s in zip(batches, strays, strict=True)])
    kept = [join.given[start] >= PARAMS.recall * n for start, n in known.items()]
    assert join.told <= sum(kept) / len(kept), f"seed {seed}"
    for start, (results, given) in join.measured.items():
        assert given <= results <= known[start], f"seed {seed}"


def test_without_rows_beyond_its_horizon_the_meter_is_exact() -> None:
    seed = random.randrange(1 << 30)
    batches, strays = drawn(random.Random(seed), 200, 50.0)
    join = Join()
    for batch, aside in zip(batches, strays, strict=True):
        join.feed((batch[0] + aside[0], batch[1] + aside[1]))
    join.end()
    known = truth([(b[0] + s[0], b[1] + s[1]) for b, s in zip(batches, strays, strict=True)])
    assert {start: results for start, (results, _) in join.measured.items()} == known, f"{seed=}"
    assert join.unseen == 0, f"{seed=}"
