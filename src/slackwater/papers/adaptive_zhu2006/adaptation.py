"""The run-time experiments, ch. 16.4: an optimiser every ten seconds, with and without it."""

from __future__ import annotations

from random import Random
from typing import Any

from slackwater.papers.adaptive_zhu2006.operators.box import Box
from slackwater.papers.adaptive_zhu2006.operators.engine import Engine
from slackwater.papers.adaptive_zhu2006.operators.heuristic import reordered, selectivities
from slackwater.papers.adaptive_zhu2006.operators.join import JoinParams
from slackwater.papers.adaptive_zhu2006.operators.moving import move_state
from slackwater.papers.adaptive_zhu2006.operators.plan import show, tree
from slackwater.papers.adaptive_zhu2006.timed import run_timed
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


def once(is_quick: bool) -> list[Row]:
    """Selectivities swap shortly after the start (16.10, 16.11)."""
    until = 30_000 if is_quick else 60_000
    return [_run(swapped(0.005, 0.02, (4_000,)), until, 9.0, adapt) for adapt in (False, True)]


def often(is_quick: bool) -> list[Row]:
    """They swap at random, several times (16.12, 16.13)."""
    until = 60_000 if is_quick else 160_000
    random = Random(5)
    times = tuple(sorted(random.sample(range(4_000, until - 20_000, 1_000), 2 if is_quick else 4)))
    return [_run(swapped(0.02, 0.3, times), until, 60.0, adapt) for adapt in (False, True)]


def _run(steps: tuple[Steps, Steps], until: int, budget: float, adapt: bool) -> Row:
    load = Load(5000, dict.fromkeys("ABC", ((0, 50.0),)), steps)
    stream = arrivals(load, until, 3)
    engine = Engine(load.query, START, joins=JoinParams("hash", charged="nested"))
    migrations: list[tuple[float, str]] = []
    looked = [0.0]

    def optimise(now: float) -> None:
        if not adapt or now - looked[0] < EVERY:
            return
        looked[0] = now
        recent = [row.parts[s] for s, row in _kept(engine)]
        plan = reordered(load.query, selectivities(load.query, recent))
        if {show(one) for one in engine.operators} != {show(n) for n in _joins(plan)}:
            move_state(engine, Box((plan,)))
            migrations.append((now, show(plan)))

    run = run_timed(engine, stream, budget, optimise, until=until)
    late = [rows for when, rows in run.memory if when >= until / 2]
    return {
        "adapts": adapt,
        "migrations": migrations,
        "results": run.results_until(until),
        "late_results": run.results_until(until) - run.results_until(until / 2),
        "late_rows": sum(late) / len(late),
        "given": run.given[:: max(len(run.given) // 200, 1)],
        "rows": run.memory[:: max(len(run.memory) // 200, 1)],
    }


def _kept(engine: Engine) -> list[tuple[str, Any]]:
    """The singletons that joins keep: what statistics are taken from, for nothing."""
    return [
        (next(iter(row.parts)), row)
        for one in engine.operators.values()
        for state in one.states
        for row in state
        if len(row.parts) == 1
    ]


def _joins(plan: Any) -> list[Any]:
    return [plan, plan.inputs[0]]
