"""Windows over a stream: which tuples are inside at a given moment.

Time windows come in two conventions. The source work uses ``(EP-W, EP]`` (``closed="right"``),
the engine and Spark use ``[start, end)`` (``closed="left"``). Time is a whole number, so
``[start, end)`` is ``(start-1, end-1]``: a tuple counts as one unit later and everything else is
computed once, in ``(EP-W, EP]`` coordinates (``position``).

Reference: Ji 2018, ch. 2, 4 (panes); Bhat 2011, ch. 2 (boundary windows).
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from math import gcd
from typing import Generic, Literal, TypeVar

from slackwater.errors import SlackwaterError
from slackwater.stats.arrival import Arrival

T = TypeVar("T")
P = TypeVar("P")

Closed = Literal["right", "left"]


@dataclass(frozen=True, slots=True)
class TimeWindow:
    """Time-based sliding window; upper endpoints are the multiples of the slide.

    Parameters
    ----------
    size
        ``W`` in microseconds of event time.
    slide
        ``β`` in microseconds; equal to the size for a tumbling window.
    closed
        Which end belongs to the window: ``"right"`` for ``(EP-W, EP]``, ``"left"`` for
        ``[EP-W, EP)``.

    Examples
    --------
    >>> list(TimeWindow(size=10, slide=5).ends_of(10))
    [10, 15]
    >>> list(TimeWindow(size=10, slide=5, closed="left").ends_of(10))
    [15, 20]
    """

    size: int
    slide: int
    closed: Closed = "right"

    def __post_init__(self) -> None:
        _check_positive("time window", size=self.size, slide=self.slide)

    @property
    def pane(self) -> int:
        """Width of a pane: the largest piece of time no window cuts, gcd of size and slide."""
        return gcd(self.size, self.slide)

    def position(self, instant: int) -> int:
        """An instant in ``(EP-W, EP]`` coordinates."""
        return instant + 1 if self.closed == "left" else instant

    def contains(self, end: int, ts: int) -> bool:
        """Whether the window with this upper endpoint has the instant in its scope."""
        return end - self.size < self.position(ts) <= end

    def ends_of(self, ts: int) -> range:
        """Upper endpoints of all windows that have the instant in their scope."""
        first = _ceil(self.position(ts), self.slide)
        return range(first, self.position(ts) + self.size, self.slide)

    def end_from(self, position: int) -> int:
        """The first upper endpoint at or after a position."""
        return _ceil(position, self.slide)

    def pane_of(self, ts: int) -> int:
        """Number of the pane of an instant: pane p covers ``((p-1)·pane, p·pane]``."""
        return _ceil(self.position(ts), self.pane) // self.pane

    def panes_of(self, end: int) -> range:
        """Numbers of the panes that make up a window."""
        return range((end - self.size) // self.pane + 1, end // self.pane + 1)

    def content(self, arrived: Iterable[Arrival[P]], end: int) -> tuple[Arrival[P], ...]:
        """The instantaneous window: what is inside, of the tuples that arrived so far."""
        return tuple(arrival for arrival in arrived if self.contains(end, arrival.ts))


@dataclass(frozen=True, slots=True)
class CountWindow:
    """Count-based sliding window: always exactly ``size`` tuples, anew every ``slide`` tuples.

    Examples
    --------
    >>> list(CountWindow(size=3, slide=2).contents("abcdef"))
    [('a', 'b', 'c'), ('c', 'd', 'e')]
    """

    size: int
    slide: int

    def __post_init__(self) -> None:
        _check_positive("count window", size=self.size, slide=self.slide)

    def contents(self, tuples: Iterable[T]) -> Iterator[tuple[T, ...]]:
        """The instantaneous windows, in the order in which they fill."""
        recent: deque[T] = deque(maxlen=self.size)
        for number, item in enumerate(tuples, start=1):
            recent.append(item)
            if number >= self.size and (number - self.size) % self.slide == 0:
                yield tuple(recent)


@dataclass(frozen=True)
class LandmarkWindow(Generic[T]):
    """A window that a tuple satisfying ``opens`` starts and one satisfying ``closes`` ends.

    Both tuples belong to the window. Without ``closes`` it never ends. While it is open,
    further opening tuples are ordinary ones; after it has closed, the next one opens a new window.

    Examples
    --------
    >>> window = LandmarkWindow(opens=lambda x: x == "(", closes=lambda x: x == ")")
    >>> ["".join(content) for content in window.contents("a(b)c")]
    ['', '(', '(b', '(b)', '']
    """

    opens: Callable[[T], bool]
    closes: Callable[[T], bool] | None = None

    def contents(self, tuples: Iterable[T]) -> Iterator[tuple[T, ...]]:
        """The instantaneous window after every tuple, empty while none is open."""
        content: tuple[T, ...] = ()
        for item in tuples:
            if content or self.opens(item):
                content = (*content, item)
            yield content
            if content and self.closes is not None and self.closes(item):
                content = ()


def _ceil(value: int, width: int) -> int:
    """Smallest multiple of ``width`` that is not before ``value``."""
    return -(-value // width) * width


def _check_positive(step: str, **lengths: int) -> None:
    for name, length in lengths.items():
        if length <= 0:
            raise SlackwaterError(
                "WINDOW_INVALID", f"{step}: {name} is {length}, it must be above 0"
            )
