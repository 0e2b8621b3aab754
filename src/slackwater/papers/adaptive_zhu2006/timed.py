"""Replays in virtual time: a processor that does so many units of work a millisecond.

A tuple that arrives while it is busy waits in the input queue. Reference: Zhu 2006, ch. 8 and 16;
the source work measured a machine, here the units of its own cost model (ch. 12) are counted. So
a run depends on its tuples alone; :mod:`live` has the runs that depend on the machine.
"""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Callable, Iterable
from dataclasses import dataclass, field
from itertools import pairwise

from slackwater.papers.adaptive_zhu2006.operators.digest import Digest
from slackwater.papers.adaptive_zhu2006.operators.engine import Engine
from slackwater.papers.adaptive_zhu2006.operators.row import Single
from slackwater.papers.adaptive_zhu2006.operators.work import UnitCost

Action = Callable[[float], None]  # given the time


@dataclass(slots=True)
class TimedRun:
    """What a run showed: results by the time they were given, rows kept or waiting, the end.

    ``units`` were done in ``busy`` milliseconds of the processor. ``exhausted`` is when there were
    more rows than allowed, which ended the run; ``digest`` is of all results of the tuples that
    were ``processed``.
    """

    given: list[tuple[float, int]] = field(default_factory=list)
    memory: list[tuple[float, int]] = field(default_factory=list)
    queue: list[tuple[float, int]] = field(default_factory=list)
    end: float = 0.0
    units: float = 0.0
    busy: float = 0.0
    processed: int = 0
    exhausted: float | None = None
    digest: Digest = field(default_factory=Digest)

    def note(self, engine: Engine, arrivals: list[Single], now: float) -> None:
        """One more tuple was processed, and it is now. Results are counted, not kept."""
        if engine.results[0]:
            self.given.append((now, len(engine.results[0])))
            self.digest = self.digest.with_rows(engine.results[0])
            engine.results[0].clear()
        self.processed += 1
        arrived = bisect_right(arrivals, now, key=lambda one: one.ts)
        self.queue.append((now, max(arrived - self.processed, 0)))
        self.memory.append((now, engine.memory() + self.queue[-1][1]))
        self.end = now

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


def throughput_ratio(run: TimedRun, other: TimedRun, since: float, until: float) -> float:
    """How many results a run gave between two instants for each that the other gave."""
    return run.output_rate(since, until) / other.output_rate(since, until)


def run_timed(
    engine: Engine,
    arrivals: list[Single],
    units_per_ms: float,
    before_each: Action,
    *,
    until: float,
    most_rows: float = float("inf"),
) -> TimedRun:
    """Process tuples in their order until a time; ``before_each`` may migrate, at its cost.

    The run ends early when more than ``most_rows`` are kept or wait.
    """
    run, clock = TimedRun(), 0.0
    cost, done = UnitCost(), UnitCost().of(engine.work)
    start = done
    for single in arrivals:
        clock = max(clock, single.ts)
        if clock >= until or run.exhausted is not None:
            break
        before_each(clock)
        moved = cost.of(engine.work)
        clock += (moved - done) / units_per_ms  # a migration keeps the processor busy first
        engine.push(single)
        done = cost.of(engine.work)
        clock += (done - moved) / units_per_ms
        run.note(engine, arrivals, clock)
        if run.memory[-1][1] > most_rows:
            run.exhausted = clock
    run.units = done - start
    run.busy = run.units / units_per_ms
    return run


def check_undisturbed(runs: Iterable[TimedRun], calm: Engine, arrivals: Iterable[Single]) -> None:
    """Raise unless runs gave what a plan that nobody disturbs gives for the tuples they took."""
    wanted = [Digest()]
    for single in arrivals:
        calm.push(single)
        wanted.append(wanted[-1].with_rows(calm.results[0]))
        calm.results[0].clear()
    for run in runs:
        if run.digest != wanted[run.processed]:
            count = wanted[run.processed].count
            raise AssertionError(f"{run.digest.count} results, {count} of a plan left alone")
