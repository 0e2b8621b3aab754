"""A contract on error tried on drawn rows, without an engine: its controller and a meter.

The same controller, micro-batches and clock as in the engine. The meter compares answers as the
engine's does, every fourth batch and once stragglers are in. What is a minute there takes seconds.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field

import numpy as np

from slackwater.bench.hindsight import Given, Hindsight
from slackwater.bench.regimes import Rows
from slackwater.disorder.error_slack import (
    MEASURED_EVERY,
    ErrorSeen,
    ErrorSlackParams,
    ErrorSlackState,
    Sums,
    settled,
    step,
    unseen,
)
from slackwater.disorder.threshold import Requirement
from slackwater.query.contract import Method
from slackwater.stats.panes import PaneCount
from slackwater.units import SECOND

SIZE, SLIDE = 10 * SECOND, 5 * SECOND
CONFIDENCE = 0.95
Batch = tuple[int, tuple[PaneCount, ...], Sums]


def batches(rows: Rows) -> Iterator[Batch]:
    """The clock that each batch brings, its rows by pane, and sums of its values."""
    for low, high in zip(rows.cuts[:-1], rows.cuts[1:], strict=True):
        times, values = np.sort(rows.ts[low:high]), rows.values[low:high]
        panes, first = np.unique(times // SLIDE * SLIDE, return_index=True)
        counts = tuple(
            PaneCount(int(pane), True, part.size, int(part[0]), int(part[-1]))
            for pane, part in zip(panes, np.split(times, first[1:]), strict=True)
        )
        sums = (float(values.size), float(values.sum()), float((values**2).sum()))
        yield int(times[-1]), counts, sums


@dataclass
class Meter:
    """Answers given and measured so far, as the engine would know them."""

    past: Hindsight
    epsilon: float
    batch: int = 0
    measured: int = 0
    upto: int | None = None
    last: tuple[int, int] = (0, 0)

    def look(self, params: ErrorSlackParams, state: ErrorSlackState, marks: list[int]) -> None:
        """Measure windows whose stragglers are in; every fourth batch."""
        self.last = (0, 0)
        if self.batch % MEASURED_EVERY == 0 and marks[-1] > 0:
            clock = int(self.past.clocks[self.batch])
            self.upto = settled(params, state, self.upto, clock, marks[-1])
            until = int(np.searchsorted(self.past.ends, self.upto or 0, side="right"))
            until = max(until, self.measured)
            errors = self.past.errors(np.array(marks), self.measured, until)
            self.last = (errors.size, int((errors <= self.epsilon).sum()))
            self.measured = until
        self.batch += 1


@dataclass
class Rehearsed:
    """What came of a stream: the results, and the controller's memory after each batch."""

    given: Given
    states: list[ErrorSlackState] = field(default_factory=list)

    @property
    def is_lost(self) -> bool:
        """Whether a person was ever told that no slack keeps the promise."""
        return any(state.conformal.is_lost or state.is_capped for state in self.states)

    @property
    def deepest(self) -> float:
        """The deepest debt there was, in windows."""
        return max(0.0, -min(state.conformal.credit for state in self.states))


def params_of(epsilon: float, method: Method, at_most: int | None = None) -> ErrorSlackParams:
    """Sums over 10 s every 5 s that keep a bound."""
    requirement = Requirement("sum", epsilon, 1 - CONFIDENCE)
    granularity = SLIDE // 100
    return ErrorSlackParams(
        SIZE, SLIDE, (requirement,), granularity, method=method, at_most=at_most
    )


def rehearse(rows: Rows, past: Hindsight, params: ErrorSlackParams) -> Rehearsed:
    """The results that a controller's slack gives."""
    meter, marks = Meter(past, params.requirements[0].epsilon), [0]
    states = [ErrorSlackState()]
    clock: int | None = None
    for high, counts, sums in batches(rows):
        before, clock = clock, high if clock is None else max(clock, high)
        seen = ErrorSeen(
            before,
            clock,
            counts,
            (sums,),
            measured=meter.last[0],
            within=meter.last[1],
            unseen=unseen(params, counts, meter.upto, None),
            watermark=marks[-1] or None,
            settled=meter.upto,
        )
        state = step(params, states[-1], seen)
        marks.append(marks[-1] if state.is_endless else max(marks[-1], clock - state.slack))
        meter.look(params, state, marks[1:])
        states.append(state)
    return Rehearsed(past.judge(np.array(marks[1:])), states)
