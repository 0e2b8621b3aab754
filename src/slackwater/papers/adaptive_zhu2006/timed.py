"""Runs in virtual time: a processor that does so many units of work a millisecond.

A tuple that arrives while it is busy waits in the input queue. Reference: Zhu 2006, ch. 16; the
source work measured a machine, here the units of its own cost model (ch. 12) are counted.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from itertools import pairwise

from slackwater.papers.adaptive_zhu2006.operators.engine import Engine
from slackwater.papers.adaptive_zhu2006.operators.row import Single
from slackwater.papers.adaptive_zhu2006.operators.work import UnitCost

Action = Callable[[float], None]  # given the time


@dataclass(slots=True)
class TimedRun:
    """What a run showed: results by the time they were given, rows kept or waiting, the end.

    ``units`` were done in ``busy`` milliseconds of the processor.
    """

    given: list[tuple[float, int]] = field(default_factory=list)
    memory: list[tuple[float, int]] = field(default_factory=list)
    end: float = 0.0
    units: float = 0.0
    busy: float = 0.0

    def results_until(self, time: float) -> int:
        return sum(count for when, count in self.given if when <= time)

    def output_rate(self, since: float, until: float) -> float:
        """Results a second between two instants."""
        given = self.results_until(until) - self.results_until(since)
        return given * 1000 / (until - since)

    def longest_gap(self, since: float, until: float) -> float:
        """The longest time without a result between two instants, milliseconds."""
        times = [since, *(when for when, _ in self.given if since < when < until), until]
        return max(b - a for a, b in pairwise(times))


def run_timed(
    engine: Engine,
    arrivals: list[Single],
    units_per_ms: float,
    before_each: Action,
    *,
    until: float,
) -> TimedRun:
    """Process tuples in their order until a time; ``before_each`` may migrate, at its cost."""
    run, clock, waiting = TimedRun(), 0.0, 0
    cost, done = UnitCost(), UnitCost().of(engine.work)
    start = done
    for number, single in enumerate(arrivals):
        clock = max(clock, single.ts)
        if clock >= until:
            break
        before_each(clock)
        before = len(engine.results[0])
        moved = cost.of(engine.work)
        clock += (moved - done) / units_per_ms  # a migration keeps the processor busy first
        engine.push(single)
        done = cost.of(engine.work)
        clock += (done - moved) / units_per_ms
        if len(engine.results[0]) > before:
            run.given.append((clock, len(engine.results[0]) - before))
        while waiting < len(arrivals) and arrivals[waiting].ts <= clock:
            waiting += 1
        run.memory.append((clock, engine.memory() + max(waiting - number - 1, 0)))
    run.end, run.units = clock, done - start
    run.busy = run.units / units_per_ms
    return run
