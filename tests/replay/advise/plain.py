"""The same by definition: one tuple after the other, in plain Python."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

import numpy as np
import pytest
from hypothesis import strategies as st

from slackwater.replay.advise import Frames, Target, Timeline
from slackwater.replay.advise.quality import Quality

Row = tuple[int, int, float | None]  # event time, key, value
Group = tuple[int, int]  # end of the window, key

ROUNDING = 1e-12
VALUES = st.none() | st.integers(-3, 6).map(float)
ROWS = st.lists(st.tuples(st.integers(-20, 60), st.integers(0, 2), VALUES), min_size=1, max_size=40)


def aggregate(kind: str, values: Sequence[float | None]) -> float | None:
    known = [value for value in values if value is not None]
    if kind == "count":
        return float(len(known))
    if not known:
        return None
    functions: dict[str, Callable[[list[float]], float]] = {
        "sum": math.fsum,
        "avg": lambda them: math.fsum(them) / len(them),
        "min": min,
        "max": max,
    }
    return float(functions[kind](known))


def error(answer: float | None, exact: float | None) -> float:
    if answer == exact:
        return 0.0
    if answer is None or exact is None:
        return 1.0
    return abs(answer - exact) / abs(exact) if exact else math.inf


@dataclass
class Played:
    """What came of every result."""

    all_values: dict[Group, list[float | None]] = field(default_factory=dict)
    in_time: dict[Group, list[float | None]] = field(default_factory=dict)
    closed_at: dict[int, int] = field(default_factory=dict)
    late: int = 0
    lost: int = 0

    def errors(self, kind: str) -> list[float]:
        return [
            error(aggregate(kind, self.in_time[group]), aggregate(kind, values))
            if group in self.in_time
            else 1.0
            for group, values in self.all_values.items()
        ]

    def good(self, kind: str, target: Target) -> int:
        pairs = zip(self.all_values, self.errors(kind), strict=True)
        return sum(g in self.in_time and e <= target.error + ROUNDING for g, e in pairs)

    def coverages(self) -> list[float]:
        return [
            len(self.in_time.get(group, ())) / len(values)
            for group, values in self.all_values.items()
        ]

    def latencies(self) -> list[int]:
        return [self.closed_at[end] - end for end, _ in self.in_time if end in self.closed_at]


def ends_of(frames: Frames, ts: int) -> list[int]:
    last = ts - ts % frames.slide
    starts = range(last, ts - frames.size, -frames.slide)
    return [start + frames.size for start in starts]


def play(
    frames: Frames,
    rows: Sequence[Row],
    slacks: Sequence[int],
    clocks: Sequence[int | None] | None = None,
) -> Played:
    """Slack and clock before each row, and after the last; the clock moves with every row."""
    if clocks is None:
        seen = [max(ts for ts, _, _ in rows[:number]) for number in range(1, len(rows) + 1)]
        clocks = [None, *seen]
    played = Played()
    progress = rows[0][0]
    watermark: int | None = None
    for number, (ts, key, value) in enumerate(rows):
        watermark = _moved(watermark, clocks[number], slacks[number])
        ends = ends_of(frames, ts)
        missed = [end for end in ends if watermark is not None and watermark >= end]
        played.late += bool(missed)
        played.lost += len(missed) == len(ends)
        for end in ends:
            played.all_values.setdefault((end, key), []).append(value)
            if end not in missed:
                played.in_time.setdefault((end, key), []).append(value)
        progress = max(progress, ts)
        reached = _moved(watermark, clocks[number + 1], slacks[number + 1])
        for end in {end for other, _, _ in rows for end in ends_of(frames, other)}:
            if reached is not None and end <= reached:
                played.closed_at.setdefault(end, progress)
    return played


def _moved(watermark: int | None, clock: int | None, slack: int) -> int | None:
    if clock is None:
        return watermark
    return clock - slack if watermark is None else max(watermark, clock - slack)


def timeline_of(rows: list[Row]) -> Timeline:
    times, keys, values = zip(*rows, strict=True)
    column = np.array([math.nan if value is None else value for value in values])
    return Timeline.of(np.array(times), np.array(keys), column, key_count=3)


def assert_same(found: Quality, played: Played, kind: str, target: Target) -> None:
    errors = played.errors(kind)
    finite = [e for e in errors if math.isfinite(e)]
    assert found.results == len(errors)
    assert found.within == pytest.approx(played.good(kind, target) / len(errors))
    assert found.mean_error == pytest.approx(math.fsum(finite) / max(1, len(finite)))
    assert found.max_error == pytest.approx(max(errors))
    assert found.infinite == len(errors) - len(finite)
    covered = played.coverages()
    assert found.coverage == pytest.approx(math.fsum(covered) / len(covered))
    assert (found.late, found.lost) == (played.late, played.lost)
    latencies = played.latencies()
    assert found.still_open == len(played.in_time) - len(latencies)
    if latencies:
        assert found.latency == pytest.approx(sum(latencies) / len(latencies))
    else:
        assert found.latency is None
