"""The periods of a recall contract: what was found of each, and when that is judged.

Rows of a join are kept for a while after answers need them, so that results which came too late
are counted: down to an instant, the *floor*, everything is known. A period is judged once the floor
has passed it. What rows before the floor, or rows set aside, would have found cannot be counted:
every period that they may belong to is *in doubt*, and counts as broken. The share of periods that
kept their recall is hence a lower bound.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, replace

from slackwater.stats.panes import PaneCount
from slackwater.units import floor_to

REMEMBERED = 1000  # periods in doubt, or broken, that are told apart

Period = tuple[int, int, int]
COUNTED = -1


@dataclass(frozen=True, slots=True)
class Found:
    """Results with event times from ``bucket`` on that needed a slack of ``step`` granules.

    ``given`` of them were given in time, the others came too late.
    """

    bucket: int
    step: int
    results: int
    given: int


@dataclass(frozen=True, slots=True)
class PeriodParams:
    """Least recall of a period, its length, and how long rows of each input wait for partners."""

    recall: float
    over: int
    windows: tuple[int, ...]

    def is_short(self, period: Period) -> bool:
        return period[2] < self.recall * period[1]


@dataclass(frozen=True, slots=True)
class Periods:
    """Periods that are counted still: start, results, results given in time.

    Those that end up to ``settled`` were judged; ``broken`` are the newest of them that count as
    broken. ``doubts`` are periods not judged yet that rows nobody could count may belong to, with
    the inputs of these rows as bits (``COUNTED`` once they count as broken).
    """

    open: tuple[Period, ...] = ()
    settled: int | None = None
    broken: tuple[int, ...] = ()
    doubts: tuple[tuple[int, int], ...] = ()


def count(params: PeriodParams, state: Periods, found: Iterable[Found]) -> Periods:
    """Results into their periods; those of a period that was judged had put it in doubt."""
    periods = {start: (results, given) for start, results, given in state.open}
    for one in found:
        start = floor_to(one.bucket, params.over)
        if state.settled is None or start >= state.settled:
            results, given = periods.get(start, (0, 0))
            periods[start] = (results + one.results, given + one.given)
    return replace(state, open=tuple((start, *periods[start]) for start in sorted(periods)))


def doubt(
    params: PeriodParams, state: Periods, lost: Iterable[Iterable[PaneCount]]
) -> tuple[Periods, int]:
    """Rows that cannot be counted, by input, put their periods in doubt; how many are broken now.

    A period still ahead is broken at once only if all its members may be lost: otherwise it needs
    rows that are not lost, and the floor will come to it.
    """
    doubts, all_inputs = dict(state.doubts), (1 << len(params.windows)) - 1
    broken, unseen = set(state.broken), 0
    for start, inputs in _touched(params, lost).items():
        if state.settled is not None and start < state.settled:
            unseen += start not in broken
            broken.add(start)
        elif doubts.get(start) != COUNTED:
            is_lost = inputs | doubts.get(start, 0) == all_inputs
            doubts[start] = COUNTED if is_lost else inputs | doubts.get(start, 0)
            unseen += is_lost
    kept = dict(sorted(doubts.items())[:REMEMBERED])
    unseen += sum(inputs != COUNTED for start, inputs in doubts.items() if start not in kept)
    return replace(state, doubts=tuple(kept.items()), broken=_newest(broken)), unseen


def settle(
    params: PeriodParams, state: Periods, floor: int | None
) -> tuple[Periods, tuple[Period, ...], int]:
    """Judge the periods that the floor has passed, and tell how many of them are in doubt only."""
    if floor is None:
        return state, (), 0
    settled = floor_to(floor, params.over)
    settled = settled if state.settled is None else max(settled, state.settled)
    done = tuple(period for period in state.open if period[0] < settled)
    short = {period[0] for period in done if params.is_short(period)}
    passed = {start: inputs for start, inputs in state.doubts if start < settled}
    unseen = sum(inputs != COUNTED for start, inputs in passed.items() if start not in short)
    after = Periods(
        tuple(period for period in state.open if period[0] >= settled),
        settled,
        _newest({*state.broken, *short, *passed}),
        tuple((start, inputs) for start, inputs in state.doubts if start >= settled),
    )
    return after, done, unseen


def _newest(starts: Iterable[int]) -> tuple[int, ...]:
    return tuple(sorted(starts)[-REMEMBERED:])


def _touched(params: PeriodParams, lost: Iterable[Iterable[PaneCount]]) -> dict[int, int]:
    """Periods that results of these rows would lie in, with the inputs concerned as bits."""
    found: dict[int, int] = {}
    for number, (counts, window) in enumerate(zip(lost, params.windows, strict=True)):
        for one in counts:
            if one.low is None or one.high is None:
                continue
            first = floor_to(one.low, params.over)
            for start in range(first, one.high + window + 1, params.over):
                found[start] = found.get(start, 0) | 1 << number
    return found
