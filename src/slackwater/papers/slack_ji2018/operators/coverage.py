"""Coverage: the share of a window's tuples that were inside when its result was given.

For every window, tuples *received* before it fired and tuples *missing* because they came after
it had fired (or were dropped). The measure starts at 1 when a window fires and decays to the true
value as stragglers show up. Reference: Ji 2018, ch. 3, 4.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Coverage:
    """Counters of one window: ``N_rcv`` and ``N_miss``."""

    received: int
    missing: int

    @property
    def share(self) -> float | None:
        """Received share of all tuples known to belong to the window, ``None`` if there is none."""
        known = self.received + self.missing
        return self.received / known if known else None


class WindowCounters:
    """Received and missing tuples by upper endpoint of the window."""

    def __init__(self, counters: Iterable[tuple[int, Coverage]] = ()) -> None:
        known = list(counters)
        self._received = Counter({end: coverage.received for end, coverage in known})
        self._missing = Counter({end: coverage.missing for end, coverage in known})

    def snapshot(self) -> tuple[tuple[int, Coverage], ...]:
        return tuple((end, self.get(end)) for end in self.ends())

    def ends(self) -> list[int]:
        """Windows with any tuple, by upper endpoint."""
        return sorted(self._received.keys() | self._missing.keys())

    def get(self, end: int) -> Coverage:
        return Coverage(self._received[end], self._missing[end])

    def receive(self, ends: Iterable[int]) -> None:
        self._received.update(ends)

    def miss(self, ends: Iterable[int]) -> None:
        self._missing.update(ends)

    def purge(self, before: int) -> None:
        """Forget windows that end before an instant; no straggler is expected for them."""
        for counters in (self._received, self._missing):
            for end in [end for end in counters if end < before]:
                del counters[end]
