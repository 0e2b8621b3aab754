"""Combined tuples: what joins store and give.

A combined tuple has one sub-tuple per stream it covers, each with its own event time; one as it
arrived covers a single stream. Reference: Zhu 2006; Ji 2018, ch. 4 (the delay of the raw tuple that
caused a result travels with it).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from slackwater.stats.arrival import Arrival, Delayed


@dataclass(frozen=True, slots=True)
class Combined:
    """Sub-tuples by name of their stream, and the raw tuple whose arrival brought them together."""

    parts: tuple[Arrival[Any], ...]
    trigger: Delayed[Any]
    ts: int
    oldest: int

    @classmethod
    def of(cls, delayed: Delayed[Any]) -> Combined:
        """A single tuple."""
        return cls((delayed.arrival,), delayed, delayed.ts, delayed.ts)

    @property
    def times(self) -> dict[str, int]:
        """The vector of event times."""
        return {part.stream: part.ts for part in self.parts}

    @property
    def payloads(self) -> dict[str, Any]:
        return {part.stream: part.payload for part in self.parts}

    @property
    def identity(self) -> tuple[tuple[str, int], ...]:
        """Which tuples of which streams: equal for equal results, whoever triggered them."""
        return tuple((part.stream, part.seq) for part in self.parts)

    @property
    def delay(self) -> int:
        """Delay of the raw tuple that caused this, microseconds."""
        return self.trigger.delay

    def merge(self, other: Combined) -> Combined:
        """Both together, caused by this one; its time is that of the newest sub-tuple."""
        parts = tuple(sorted((*self.parts, *other.parts), key=lambda part: part.stream))
        newest, oldest = max(self.ts, other.ts), min(self.oldest, other.oldest)
        return Combined(parts, self.trigger, newest, oldest)
