from __future__ import annotations

import pytest

from slackwater.errors import SlackwaterError
from slackwater.papers.slack_ji2018.operators.source import (
    Recorded,
    at_rate,
    monotonic_micros,
    replay,
    sleep_micros,
)
from slackwater.stats.arrival import Arrival, arrivals


class HandClock:
    """A clock moved by hand; whoever sleeps on it moves it, a little short if told so."""

    def __init__(self, short_by: int = 0) -> None:
        self.now = 1_000_000
        self.slept: list[int] = []
        self._short_by = short_by

    def __call__(self) -> int:
        return self.now

    def sleep(self, micros: int) -> None:
        self.slept.append(micros)
        self.now += max(1, micros - self._short_by)


def recording(*arrived: int) -> list[Recorded[None]]:
    ts = [40, 10, 30, 20]
    tuples = arrivals(ts[: len(arrived)])
    return [Recorded(at, arrival) for at, arrival in zip(arrived, tuples, strict=True)]


def play(
    records: list[Recorded[None]], clock: HandClock, speed: float | None = 1.0
) -> list[tuple[int, int]]:
    began = clock.now
    stream = replay(records, speed=speed, clock=clock, sleep=clock.sleep)
    return [(clock.now - began, arrival.ts) for arrival in stream]


@pytest.mark.spec("qddh:F010")
def test_tuples_come_in_arrival_order_at_the_pace_of_the_recording() -> None:
    assert play(recording(500, 700, 700, 1500), HandClock()) == [
        (0, 40),
        (200, 10),
        (200, 30),
        (1000, 20),
    ]


@pytest.mark.spec("qddh:F010")
@pytest.mark.parametrize(("speed", "last"), [(2.0, 500), (0.5, 2000), (1000.0, 1)])
def test_the_speed_stretches_all_distances(speed: float, last: int) -> None:
    played = play(recording(500, 700, 700, 1500), HandClock(), speed)
    assert played[-1] == (last, 20)
    assert [ts for _, ts in played] == [40, 10, 30, 20]


@pytest.mark.spec("qddh:F010")
def test_without_a_speed_nothing_waits() -> None:
    clock = HandClock()
    assert [ts for _, ts in play(recording(0, 10**12), clock, None)] == [40, 10]
    assert clock.slept == []


@pytest.mark.spec("qddh:F010")
def test_a_slow_consumer_does_not_shift_the_schedule() -> None:
    clock = HandClock()
    stream = replay(recording(0, 100, 200, 1000), clock=clock, sleep=clock.sleep)
    next(stream)
    clock.now += 500
    began = clock.now - 500
    assert [(clock.now - began, arrival.ts) for arrival in stream] == [
        (500, 10),
        (500, 30),
        (1000, 20),
    ]


def test_a_sleep_that_ends_early_is_continued() -> None:
    clock = HandClock(short_by=60)
    assert play(recording(0, 100), clock) == [(0, 40), (100, 10)]
    assert clock.slept[:2] == [100, 60]


def test_a_recorder_whose_clock_went_back_does_not_stop_the_replay() -> None:
    assert play(recording(500, 100, 600), HandClock()) == [(0, 40), (0, 10), (100, 30)]


@pytest.mark.spec("qddh:F010")
def test_a_stream_without_arrival_times_is_spaced_by_a_rate() -> None:
    records = at_rate(arrivals([7, 5, 6]), per_second=4)
    assert [(record.arrived, record.arrival.ts) for record in records] == [
        (0, 7),
        (250_000, 5),
        (500_000, 6),
    ]


def test_the_usual_clock_and_sleep_count_microseconds(monkeypatch: pytest.MonkeyPatch) -> None:
    slept: list[float] = []
    monkeypatch.setattr("time.monotonic_ns", lambda: 7_000_999)
    monkeypatch.setattr("time.sleep", slept.append)
    sleep_micros(250_000)
    assert (monotonic_micros(), slept) == (7_000, [0.25])


def test_a_speed_or_rate_that_is_not_positive_is_refused_before_anything_runs() -> None:
    for speed in (0.0, -1.0, float("nan")):
        with pytest.raises(SlackwaterError, match="speed is"):
            replay(recording(0), speed=speed)
    with pytest.raises(SlackwaterError, match="0 tuples per second"):
        at_rate([Arrival("s", 0, 1, None)], 0)
