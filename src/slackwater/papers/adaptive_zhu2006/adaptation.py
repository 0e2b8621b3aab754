"""The run-time experiments, ch. 16.4: an optimiser every ten seconds, with and without it."""

from __future__ import annotations

from dataclasses import dataclass, field
from random import Random
from time import process_time
from typing import Any

from slackwater.papers.adaptive_zhu2006.operators.box import Box
from slackwater.papers.adaptive_zhu2006.operators.engine import Engine
from slackwater.papers.adaptive_zhu2006.operators.heuristic import reordered, selectivities
from slackwater.papers.adaptive_zhu2006.operators.join import JoinParams
from slackwater.papers.adaptive_zhu2006.operators.moving import move_state
from slackwater.papers.adaptive_zhu2006.operators.plan import Plan, show, tree
from slackwater.papers.adaptive_zhu2006.operators.row import Single
from slackwater.papers.adaptive_zhu2006.timed import (
    TimedRun,
    check_undisturbed,
    run_timed,
    throughput_ratio,
)
from slackwater.papers.adaptive_zhu2006.workload import Load, Steps, arrivals

Row = dict[str, Any]
EVERY = 10_000  # milliseconds between two looks of the optimiser
START = tree("(A B) C")


def swapped(low: float, high: float, times: tuple[int, ...]) -> tuple[Steps, Steps]:
    """Two predicates whose selectivities change places at some times."""
    values = [(low, high) if n % 2 == 0 else (high, low) for n in range(len(times) + 1)]
    since = (0, *times)
    return (
        tuple((at, one[0]) for at, one in zip(since, values, strict=True)),
        tuple((at, one[1]) for at, one in zip(since, values, strict=True)),
    )


def idle(is_quick: bool) -> list[Row]:
    """Nothing changes, and the optimiser looks all the same (16.9)."""
    until = 30_000 if is_quick else 60_000
    return _pair(swapped(0.005, 0.02, ()), until, 9.0)


def once(is_quick: bool) -> list[Row]:
    """Selectivities swap shortly after the start (16.10, 16.11)."""
    until = 30_000 if is_quick else 60_000
    return _pair(swapped(0.005, 0.02, (4_000,)), until, 9.0)


def often(is_quick: bool) -> list[Row]:
    """They swap at random, several times (16.12, 16.13)."""
    until = 60_000 if is_quick else 160_000
    random = Random(5)
    times = tuple(sorted(random.sample(range(4_000, until - 20_000, 1_000), 2 if is_quick else 4)))
    return _pair(swapped(0.02, 0.3, times), until, 60.0)


def _pair(steps: tuple[Steps, Steps], until: int, budget: float) -> list[Row]:
    """Without an optimiser and with it; raises if the latter changes a result."""
    load = Load(5000, dict.fromkeys("ABC", ((0, 50.0),)), steps)
    stream = arrivals(load, until, 3)
    without, with_it = (_Looking(_engine(load), adapts) for adapts in (False, True))
    runs = [one.run(stream, budget, until) for one in (without, with_it)]
    check_undisturbed(runs[1:], _engine(load), stream[: runs[1].processed])
    rows = [_told(one, run, until) for one, run in zip((without, with_it), runs, strict=True)]
    rows[1]["throughput_ratio"] = throughput_ratio(runs[1], runs[0], until / 2, until)
    return rows


def _engine(load: Load) -> Engine:
    return Engine(load.query, START, joins=JoinParams("hash", charged="nested"))


@dataclass(slots=True)
class _Looking:
    """A run with an optimiser that looks every ten seconds, and what that costs.

    It is charged a unit for every value that it reads; ``looked_s`` is what its looks took of the
    ``seconds`` of the run, on the real processor.
    """

    engine: Engine
    adapts: bool
    migrations: list[tuple[float, str]] = field(default_factory=list)
    looks: int = 0
    seconds: float = 0.0
    looked_s: float = 0.0

    def run(self, stream: list[Single], budget: float, until: float) -> TimedRun:
        began = process_time()
        found = run_timed(self.engine, stream, budget, self._before_each, until=until)
        self.seconds = process_time() - began
        return found

    def _before_each(self, now: float) -> None:
        if self.adapts and now >= (self.looks + 1) * EVERY:
            self.looks += 1
            began = process_time()
            plan = self._look()
            self.looked_s += process_time() - began
            if {show(one) for one in self.engine.operators} != {show(n) for n in _joins(plan)}:
                move_state(self.engine, Box((plan,)))
                self.migrations.append((now, show(plan)))

    def _look(self) -> Plan:
        query = self.engine.query
        recent = [row.parts[s] for s, row in _kept(self.engine)]
        self.engine.work.probed += sum(len(one.values) for one in recent)
        return reordered(query, selectivities(query, recent))


def _told(one: _Looking, run: TimedRun, until: float) -> Row:
    late = [rows for when, rows in run.memory if when >= until / 2]
    return {
        "adapts": one.adapts,
        "migrations": one.migrations,
        "looks": one.looks,
        "looked_share": one.looked_s / one.seconds,
        "busy_share": run.busy / until,
        "results": run.results_until(until),
        "late_rows": sum(late) / len(late),
        "given": run.given[:: max(len(run.given) // 200, 1)],
        "rows": run.memory[:: max(len(run.memory) // 200, 1)],
    }


def _kept(engine: Engine) -> list[tuple[str, Any]]:
    """The singletons that joins keep: what statistics are taken from."""
    return [
        (next(iter(row.parts)), row)
        for one in engine.operators.values()
        for state in one.states
        for row in state
        if len(row.parts) == 1
    ]


def _joins(plan: Any) -> list[Any]:
    return [plan, plan.inputs[0]]
