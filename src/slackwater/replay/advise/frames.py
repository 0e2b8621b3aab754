"""The windows of a query over whole columns of instants.

Windows are ``[start, end)`` and start at multiples of the slide since the epoch, as in Spark. A
window is named by its number: start = number · slide.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import gcd

from slackwater.errors import SlackwaterError
from slackwater.stats.arrival import Instants
from slackwater.units import show_duration


@dataclass(frozen=True, slots=True)
class Frames:
    """Size and slide in microseconds.

    Examples
    --------
    >>> import numpy as np
    >>> frames = Frames(size=10, slide=5)
    >>> ts = np.array([12])
    >>> frames.ends(frames.first(ts)).tolist(), frames.ends(frames.last(ts)).tolist()
    ([15], [20])
    """

    size: int
    slide: int

    def __post_init__(self) -> None:
        if self.size <= 0 or self.slide <= 0:
            raise SlackwaterError(
                "WINDOW_NOT_POSITIVE",
                f"window size {show_duration(self.size)} and slide {show_duration(self.slide)} "
                "must be above 0",
            )
        if self.slide > self.size:
            raise SlackwaterError(
                "SLIDE_ABOVE_SIZE",
                f"the slide {show_duration(self.slide)} is longer than the window "
                f"{show_duration(self.size)}: rows between two windows would be in none",
                "give a slide of at most the window size",
            )

    @property
    def pane(self) -> int:
        """The longest piece of time no window cuts."""
        return gcd(self.size, self.slide)

    def first(self, instants: Instants) -> Instants:
        """The number of the oldest window that holds each instant."""
        return (instants - self.size) // self.slide + 1

    def last(self, instants: Instants) -> Instants:
        """The number of the newest window that holds each instant."""
        return instants // self.slide

    def ended(self, clock: Instants) -> Instants:
        """The number of the newest window whose end the clock has reached."""
        return (clock - self.size) // self.slide

    def ends(self, numbers: Instants) -> Instants:
        return numbers * self.slide + self.size
