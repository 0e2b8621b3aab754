"""Runs by the wall clock: tuples come when it is their time, however long the plan takes.

Reference: Zhu 2006, ch. 8 and 16, whose generator sends tuples while the engine works. What is late
waits. Results are the same as in a replay; when they are given depends on the machine.
"""

from __future__ import annotations

import time
from collections.abc import Callable

from slackwater.papers.adaptive_zhu2006.operators.engine import Engine
from slackwater.papers.adaptive_zhu2006.operators.row import Single
from slackwater.papers.adaptive_zhu2006.operators.work import UnitCost
from slackwater.papers.adaptive_zhu2006.timed import TimedRun


def run_live(
    engine: Engine,
    arrivals: list[Single],
    *,
    speed: float = 1.0,
    clock: Callable[[], float] = time.monotonic,
    sleep: Callable[[float], None] = time.sleep,
) -> TimedRun:
    """Process tuples in their order, none before its time; all times are those of the stream.

    Parameters
    ----------
    engine
        A plan that runs.
    arrivals
        Tuples in the order of time.
    speed
        Seconds of the stream in a second of the clock.
    clock, sleep
        The wall clock, in seconds, and how to wait.
    """
    run, start, cost = TimedRun(), clock(), UnitCost()
    before = cost.of(engine.work)
    for single in arrivals:
        wait = start + single.ts / (1000 * speed) - clock()
        if wait > 0:
            sleep(wait)
        began = clock()
        engine.push(single)
        ended = clock()
        run.busy += (ended - began) * 1000 * speed
        run.note(engine, arrivals, (ended - start) * 1000 * speed)
    run.units = cost.of(engine.work) - before
    return run
