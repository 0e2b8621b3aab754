"""The same by definition: one tuple after the other, in plain Python."""

from __future__ import annotations

import math
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field

from slackwater.replay.advise import Frames, Target

Row = tuple[int, int, float | None]  # event time, key, value
Group = tuple[int, int]  # end of the window, key

ROUNDING = 1e-12


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


def play(frames: Frames, rows: Sequence[Row], slacks: Sequence[int]) -> Played:
    """``slacks`` has the slack in force before each row, and after the last one."""
    played = Played()
    clock: int | None = None
    watermark: int | None = None
    for number, (ts, key, value) in enumerate(rows):
        if clock is not None:
            now = clock - slacks[number]
            watermark = now if watermark is None else max(watermark, now)
        ends = ends_of(frames, ts)
        missed = [end for end in ends if watermark is not None and watermark >= end]
        played.late += bool(missed)
        played.lost += len(missed) == len(ends)
        for end in ends:
            played.all_values.setdefault((end, key), []).append(value)
            if end not in missed:
                played.in_time.setdefault((end, key), []).append(value)
        clock = ts if clock is None else max(clock, ts)
        after = clock - slacks[number + 1]
        reached = after if watermark is None else max(watermark, after)
        for other, _, _ in rows:
            for end in ends_of(frames, other):
                if end <= reached:
                    played.closed_at.setdefault(end, clock)
    return played
