"""Two ways to run a stream: replayed by its own time, and by the wall clock."""

from __future__ import annotations

from dataclasses import asdict
from time import time_ns

import pytest

from slackwater.papers.adaptive_zhu2006.live import run_live
from slackwater.papers.adaptive_zhu2006.operators.engine import Engine
from slackwater.papers.adaptive_zhu2006.operators.plan import tree
from slackwater.papers.adaptive_zhu2006.timed import TimedRun, check_undisturbed, run_timed
from slackwater.papers.adaptive_zhu2006.workload import Load, arrivals

SEED = time_ns() % 10**9
LOAD = Load.steady(400, (20, 25, 30), (0.3, 0.3))
STREAM = arrivals(LOAD, 1_500, SEED)


class Clock:
    """Moved by hand: by who sleeps, and by so much whenever somebody looks at it."""

    def __init__(self, step: float = 0.0) -> None:
        self.now, self.step = 1000.0, step

    def __call__(self) -> float:
        self.now += self.step
        return self.now

    def sleep(self, seconds: float) -> None:
        assert seconds > 0
        self.now += seconds


def engine() -> Engine:
    return Engine(LOAD.query, tree("(A B) C"))


def replayed() -> TimedRun:
    return run_timed(engine(), STREAM, 20.0, lambda _: None, until=1e9)


@pytest.mark.spec("adaptive:SUB-05")
def test_a_replay_is_the_same_every_time_whatever_the_machine_does() -> None:
    assert asdict(replayed()) == asdict(replayed())
    assert replayed().digest.count > 0, SEED


@pytest.mark.spec("adaptive:SUB-05")
def test_by_the_wall_clock_tuples_come_when_it_is_their_time() -> None:
    clock = Clock()
    run = run_live(engine(), STREAM, clock=clock, sleep=clock.sleep)
    assert [now for now, _ in run.queue] == pytest.approx([one.ts for one in STREAM])
    assert clock.now - 1000 == pytest.approx(STREAM[-1].ts / 1000)
    assert run.busy == 0
    assert run.digest == replayed().digest, SEED


@pytest.mark.spec("adaptive:SUB-05")
def test_a_plan_that_is_too_slow_lets_tuples_wait_and_gives_the_same_results_later() -> None:
    clock = Clock(step=0.02)  # 20 ms a tuple, where one comes every 8
    run = run_live(engine(), STREAM, clock=clock, sleep=clock.sleep)
    waits = [count for _, count in run.queue]
    assert max(waits) > len(STREAM) / 3
    assert waits[-1] == 0
    assert run.end > 2 * STREAM[-1].ts
    assert run.digest == replayed().digest, SEED


@pytest.mark.spec("adaptive:SUB-05")
def test_the_real_clock_is_waited_for() -> None:
    run = run_live(engine(), STREAM, speed=20)
    check_undisturbed([run], engine(), STREAM)
    assert all(now > one.ts - 1e-6 for (now, _), one in zip(run.queue, STREAM, strict=True)), SEED
    assert 0 < run.busy <= run.end


def test_a_run_with_other_results_than_a_plan_left_alone_is_told() -> None:
    run = replayed()
    short = Engine(LOAD.query, tree("A B C"))
    with pytest.raises(AssertionError, match="of a plan left alone"):
        check_undisturbed([run], short, STREAM[1:] + STREAM[:1])
