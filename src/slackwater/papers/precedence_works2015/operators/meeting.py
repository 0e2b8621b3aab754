"""Which rows are in one window, whatever the order in which they are worked on (A7)."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections import defaultdict
from dataclasses import dataclass, field

from slackwater.papers.precedence_works2015.operators.row import Source
from slackwater.precede.pcql import Window


@dataclass(frozen=True, slots=True)
class Meeting:
    """A window of time or of rows. A window of rows needs to know what has arrived.

    Of composites the newest member counts.
    """

    window: Window
    numbers: dict[str, list[int]] = field(default_factory=lambda: defaultdict(list))
    times: dict[str, list[int]] = field(default_factory=lambda: defaultdict(list))

    def arrive(self, source: Source) -> None:
        self.numbers[source.stream].append(source.number)
        self.times[source.stream].append(source.ts)

    def holds(self, one: Source, other: Source) -> bool:
        """Whether the older one was still in its window when the newer one arrived."""
        if self.window.rows is None:
            return abs(one.ts - other.ts) <= (self.window.micros or 0)
        older, newer = (one, other) if one.number < other.number else (other, one)
        since = bisect_left(self.numbers[older.stream], newer.number) - older.seq
        return since <= self.window.rows

    def is_over(self, kept: Source, done: int) -> bool:
        """Whether nothing that is newer than an instant can meet a row."""
        if self.window.rows is None:
            return kept.ts + (self.window.micros or 0) < done
        since = bisect_right(self.times[kept.stream], done) - kept.seq
        return kept.ts <= done and since > self.window.rows
