"""The share that was promised comes out right for any sequence, also for one chosen to hurt."""

from __future__ import annotations

import json
from collections.abc import Callable
from dataclasses import dataclass, field

import numpy as np
import pytest
from msgspec import convert, to_builtins

from slackwater.disorder import conformal
from slackwater.disorder.conformal import Came, ConformalParams, ConformalState
from slackwater.disorder.slack import GRAIN, Promise, least_steps

PARAMS = ConformalParams(0.05)
REMEMBERED = 100

Needed = Callable[[int, int], int]  # by number and the slack in force: it may be chosen to hurt
Delay = Callable[[int, int], int]  # how many spans later an answer is judged


@dataclass
class Played:
    """A slack that follows quantiles of what answers needed, judged late."""

    missed: list[bool] = field(default_factory=list)
    slacks: list[int] = field(default_factory=list)
    states: list[ConformalState] = field(default_factory=list)

    @property
    def share(self) -> float:
        return 1 - float(np.mean(self.missed))

    def worst(self, over: int) -> float:
        """The smallest share of any stretch of a length."""
        sums = np.cumsum([0, *self.missed])
        return 1 - float((sums[over:] - sums[:-over]).max()) / over


def quantile(needed: list[int], risk: float) -> int:
    recent = np.array(needed[-REMEMBERED:], dtype=np.int64)
    steps = np.unique(np.r_[0, recent])
    kept = recent[:, None] <= steps[None, :]
    ages = np.arange(recent.size)[::-1]
    return least_steps(Promise(kept, steps, ages, risk), np.ones(recent.size, bool), 25, risk)


def play(
    needed: Needed, spans: int = 3000, delay: Delay = lambda _, __: 5, at_most: int | None = None
) -> Played:
    played, state = Played(), ConformalState()
    known: list[int] = []
    waiting: dict[int, list[int]] = {}
    pending = 0
    for number in range(spans):
        due = waiting.pop(number, [])
        pending -= len(due)
        broken = sum(one < 0 for one in due)
        known += [abs(one) - 1 for one in due]
        came = Came(len(due), broken, (PARAMS.risk,) * pending, given=1)
        state = conformal.step(PARAMS, state, came)
        steps = quantile(known, state.level or PARAMS.risk) if known else 0
        slack = conformal.stretched(state, steps, GRAIN)
        slack = slack if at_most is None else min(slack, at_most)
        wanted = needed(number, slack)
        is_missed = wanted > slack
        at = number + 1 + delay(number, wanted)
        waiting.setdefault(at, []).append(-1 - wanted if is_missed else 1 + wanted)
        pending += 1
        played.missed.append(is_missed)
        played.slacks.append(slack)
        played.states.append(state)
    return played


DRAWS = np.random.default_rng(1).pareto(1.3, 8000)
STREAMS: dict[str, Needed] = {
    "calm": lambda n, _: int(DRAWS[n] * 10) % 50,
    "heavy tail": lambda n, _: int(DRAWS[n] * 10),
    "alternating": lambda n, _: 500 if n // 30 % 2 else 1,
    "short bursts": lambda n, _: 500 if n % 40 < 4 else n % 5,
    "an outlier an hour": lambda n, _: 100_000 if n % 360 == 359 else 3,
    "longer than the slack whenever it may": lambda _, slack: 1000 if slack < 1000 else 0,
    "one granule more than the slack": lambda n, slack: slack + 1 if n % 3 == 0 else 0,
    "growing for ever": lambda n, _: 10 + n // 4,
    "growing faster and faster": lambda n, _: int(1.004**n),
}
BOUNDED = [name for name in STREAMS if name != "one granule more than the slack"]


@pytest.mark.parametrize("name", BOUNDED)
@pytest.mark.parametrize("delay", [0, 5, 30])
def test_the_share_comes_to_what_was_promised_whatever_the_stream_does(
    name: str, delay: int
) -> None:
    played = play(STREAMS[name], delay=lambda _, __: delay)
    deepest = 2 * PARAMS.allowed + 3 * delay  # in flight while the first misses are judged
    assert sum(played.missed) <= PARAMS.risk * len(played.missed) + deepest
    assert min(state.credit for state in played.states) >= -deepest


@pytest.mark.parametrize("name", ["calm", "heavy tail", "short bursts"])
def test_no_more_is_kept_than_was_promised_where_a_shorter_slack_can_break_it(name: str) -> None:
    assert play(STREAMS[name]).share <= 0.962


@pytest.mark.parametrize("name", ["calm", "heavy tail", "an outlier an hour", "short bursts"])
def test_a_stretch_that_people_look_at_keeps_nearly_as_much(name: str) -> None:
    assert play(STREAMS[name]).worst(200) >= 0.91


def test_judgement_may_come_ever_later_as_long_as_that_is_a_vanishing_share() -> None:
    """An answer is judged once what it needed has passed: here ever more, but ever more slowly."""

    def needed(number: int, _: int) -> int:
        return 10 + int(number**0.5)

    played = play(needed, spans=6000, delay=lambda _, wanted: wanted)
    deepest = 2 * PARAMS.allowed + needed(6000, 0)
    assert sum(played.missed) <= PARAMS.risk * 6000 + deepest


def test_where_no_slack_can_hold_it_the_debt_says_so() -> None:
    played = play(STREAMS["heavy tail"], at_most=2)
    assert played.share < 0.9
    assert played.states[-1].credit < -10 * PARAMS.allowed


def test_a_burst_of_misses_is_answered_within_as_many_windows() -> None:
    """Two misses more than expected halve the planned risk; from the seventh on, slacks double."""
    state = conformal.step(PARAMS, ConformalState(), Came(30))
    assert state.planned(PARAMS) == pytest.approx(1.0)
    two = conformal.step(PARAMS, state, Came(2, 2))
    assert 0.4 < two.planned(PARAMS) < 0.6
    ten = conformal.step(PARAMS, state, Came(10, 10))
    assert ten.planned(PARAMS) == pytest.approx(PARAMS.least)
    assert ten.doublings > 3


def test_an_answer_that_has_failed_costs_before_it_is_judged_and_once_only() -> None:
    state = conformal.step(PARAMS, ConformalState(), Came(30))
    failed = conformal.step(PARAMS, state, Came(pending=(1.0,)))
    judged = conformal.step(PARAMS, failed, Came(1, 1))
    assert failed.credit == state.credit
    assert failed.expected == judged.expected == pytest.approx(0.55)


def test_a_long_calm_earns_no_more_credit_than_a_stretch_may_spend() -> None:
    state = ConformalState()
    for _ in range(10_000):
        state = conformal.step(PARAMS, state, Came(1, given=1))
    assert state.credit == PARAMS.most
    hurt = conformal.step(PARAMS, state, Came(6, 6))
    assert hurt.planned(PARAMS) <= 1


def test_a_slack_of_nothing_grows_in_debt() -> None:
    deep = conformal.step(PARAMS, ConformalState(), Came(20, 20))
    assert conformal.stretched(deep, 0, GRAIN) > GRAIN
    assert conformal.stretched(ConformalState(), 0, GRAIN) == 0


def test_the_state_is_plain() -> None:
    state = conformal.step(PARAMS, ConformalState(), Came(3, 1, (0.5,), 2))
    assert convert(json.loads(json.dumps(to_builtins(state))), ConformalState) == state
