"""Windows and panes: which windows hold an instant, and which panes make up a window.

A window is ``[start, end)`` with ``start`` = ``offset`` + a multiple of the slide. A *pane* is
the longest piece of time that no window cuts: its width is the greatest common divisor of size
and slide, and every window is a whole number of panes (Li et al., "No pane, no gain", SIGMOD
Record 2005).
"""

from __future__ import annotations

import math
from dataclasses import dataclass

from slackwater.units import floor_to, show_duration


@dataclass(frozen=True, slots=True)
class Window:
    """A sliding window by event time (tumbling if slide equals size); microseconds."""

    size: int
    slide: int
    offset: int = 0

    @property
    def pane(self) -> int:
        return math.gcd(self.size, self.slide)

    @property
    def is_tumbling(self) -> bool:
        return self.size == self.slide

    @property
    def overlap(self) -> int:
        """The largest number of windows that hold one instant."""
        return -(-self.size // self.slide)

    def last_start(self, instant: int) -> int:
        """Start of the latest window that holds ``instant``."""
        return floor_to(instant - self.offset, self.slide) + self.offset

    def first_start(self, instant: int) -> int:
        """Start of the earliest window that holds ``instant``."""
        return self.last_start(instant - self.size) + self.slide

    def starts(self, instant: int) -> range:
        """Starts of all windows that hold ``instant``, earliest first."""
        return range(self.first_start(instant), self.last_start(instant) + 1, self.slide)

    def ids(self, instant: int) -> tuple[int, int]:
        """First and last id of the windows that hold ``instant``.

        A window's id is the index of the last slide it covers: ``end // slide - 1``.
        """
        first, last = self.first_start(instant), self.last_start(instant)
        return (first + self.size) // self.slide - 1, (last + self.size) // self.slide - 1

    def __str__(self) -> str:
        shift = f" from {show_duration(self.offset)}" if self.offset else ""
        if self.is_tumbling:
            return f"tumbling {show_duration(self.size)}{shift}"
        return f"sliding {show_duration(self.size)} every {show_duration(self.slide)}{shift}"
