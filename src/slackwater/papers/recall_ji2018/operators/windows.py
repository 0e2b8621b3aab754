"""Which tuples may meet: windows of a join.

Two conventions, one question (:meth:`JoinWindows.allows`), asked of all sub-tuples together:

* **per stream**: for the newest sub-tuple, every other one lies within the window of its own
  stream, ``ts_j >= newest - W_j``;
* **per pair**: every two sub-tuples are at most ``W_ij`` apart. One *global* window for all pairs,
  or *local* ones: a pair without a window of its own gets the shortest path through the others.

With one size everywhere both are the same. Both survive leaving out a stream, so that an
intermediate result may be dropped as soon as it is invalid, whatever the shape of the plan.

Reference: Ji 2018, ch. 4, Zhu 2006.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from itertools import combinations
from typing import Protocol

from slackwater.errors import SlackwaterError
from slackwater.plan.graph import UNBOUND, per_pair


class JoinWindows(Protocol):
    """What a join asks of its windows."""

    @property
    def streams(self) -> tuple[str, ...]: ...
    def allows(self, times: Mapping[str, int]) -> bool: ...
    def reach(self, stream: str, partners: Iterable[str]) -> int: ...


@dataclass(frozen=True, slots=True)
class StreamWindows:
    """``W_i`` of every stream in microseconds, by name.

    Examples
    --------
    >>> windows = StreamWindows.of({"orders": 10, "payments": 3})
    >>> windows.allows({"orders": 5, "payments": 15}), windows.allows({"orders": 9, "payments": 5})
    (True, False)
    """

    sizes: tuple[tuple[str, int], ...]

    def __post_init__(self) -> None:
        if len(self.sizes) < 2 or any(size < 0 for _, size in self.sizes):
            raise SlackwaterError(
                "JOIN_WINDOWS_INVALID",
                f"join: windows are {dict(self.sizes)}",
                "a join has two streams or more, each with a window of 0 or more",
            )

    @classmethod
    def of(cls, sizes: Mapping[str, int]) -> StreamWindows:
        return cls(tuple(sizes.items()))

    @property
    def streams(self) -> tuple[str, ...]:
        return tuple(stream for stream, _ in self.sizes)

    def allows(self, times: Mapping[str, int]) -> bool:
        """Whether sub-tuples of some of the streams may stand in one result."""
        newest = max(times.values())
        return all(times[name] >= newest - size for name, size in self.sizes if name in times)

    def reach(self, stream: str, partners: Iterable[str]) -> int:  # noqa: ARG002
        """How much newer than a tuple of a stream a partner can be."""
        return dict(self.sizes)[stream]


@dataclass(frozen=True, slots=True)
class PairWindows:
    """``W_ij`` of every pair of streams, complete; names of a pair in the order of ``streams``.

    Examples
    --------
    >>> windows = PairWindows.of(("a", "b", "c"), {("a", "b"): 5, ("b", "c"): 3})
    >>> windows.size("a", "c"), windows.allows({"a": 0, "b": 4, "c": 7})
    (8, True)
    """

    streams: tuple[str, ...]
    sizes: tuple[tuple[str, str, int], ...]

    @classmethod
    def everywhere(cls, streams: Iterable[str], size: int) -> PairWindows:
        """The global window."""
        names = tuple(streams)
        return cls(names, tuple((one, other, size) for one, other in combinations(names, 2)))

    @classmethod
    def of(cls, streams: Iterable[str], sizes: Mapping[tuple[str, str], int]) -> PairWindows:
        """Local windows; the missing ones are completed by shortest paths."""
        names = tuple(streams)
        reach = per_pair(names, sizes)
        pairs = [(a, b, reach[names.index(a)][names.index(b)]) for a, b in combinations(names, 2)]
        missing = [(one, other) for one, other, size in pairs if size >= UNBOUND]
        if missing:
            raise SlackwaterError(
                "JOIN_WINDOWS_INVALID",
                f"join: no window, and no way through other windows, between {missing}",
                "give windows that connect all streams",
            )
        return cls(names, tuple(pairs))

    def size(self, one: str, other: str) -> int:
        """``W_ij`` in microseconds."""
        return next(w for a, b, w in self.sizes if {a, b} == {one, other})

    def allows(self, times: Mapping[str, int]) -> bool:
        """Whether sub-tuples of some of the streams may stand in one result."""
        return all(
            abs(times[one] - times[other]) <= size
            for one, other, size in self.sizes
            if one in times and other in times
        )

    def reach(self, stream: str, partners: Iterable[str]) -> int:
        """How much newer than a tuple of a stream a partner can be."""
        return max(self.size(stream, partner) for partner in partners)
