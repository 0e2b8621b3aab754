"""What the optimiser learns of the last minutes: frequencies, and kinds of rows (2.8, A19)."""

from __future__ import annotations

from collections import Counter, defaultdict, deque
from collections.abc import Hashable, Iterable, Mapping
from dataclasses import dataclass, field
from typing import TypeVar

from slackwater.papers.precedence_works2015.operators.row import Source
from slackwater.precede.flows import RowClass
from slackwater.precede.frequency import Frequencies
from slackwater.precede.shared import Shared
from slackwater.units import SECOND

K = TypeVar("K")
Kind = tuple[str, int, tuple[tuple[str, Hashable], ...]]
"""Stream, potential static rank, values of join attributes."""


def frequent(shared: Shared, counted: Frequencies, share: float) -> Frequencies:
    """Values that have a share of their group: join, stream and rank (G17).

    The rank of a value that is not significant itself is that of the partners it meets.
    """
    groups: dict[tuple[str, str, int], dict[Hashable, float]] = defaultdict(dict)
    for (join, stream, value), count in counted.arrived.items():
        partners = counted.partners(shared, join, stream, value)
        if partners:
            groups[join, stream, min(partners)][value] = count
    arrived = {
        (join, stream, value): count
        for (join, stream, _), values in groups.items()
        for value, count in _above(values, share).items()
    }
    own: dict[tuple[str, str, int], dict[Hashable, float]] = defaultdict(dict)
    for (join, stream, rank, value), count in counted.significant.items():
        own[join, stream, rank][value] = count
    significant = {
        (*group, value): count
        for group, values in own.items()
        for value, count in _above(values, share).items()
    }
    return Frequencies(significant, arrived)


def _above(values: Mapping[Hashable, float], share: float) -> dict[Hashable, float]:
    least = share * sum(values.values())
    return {value: count for value, count in values.items() if count >= least}


def join_columns(shared: Shared) -> dict[str, tuple[str, ...]]:
    """The columns of each stream on which anything is joined."""
    found: dict[str, set[str]] = {stream: set() for stream in shared.pipeline.streams}
    for join in shared.pipeline.joins:
        for stream in found:
            column = shared.column(stream, join.name)
            found[stream] |= {column} - {None}  # type: ignore[arg-type]
    return {stream: tuple(sorted(columns)) for stream, columns in found.items()}


@dataclass(slots=True)
class Recent:
    """The last periods, each of ``period`` microseconds."""

    shared: Shared
    period: int
    share: float
    periods: int
    told: deque[tuple[Frequencies, Counter[Kind]]] = field(default_factory=deque)
    kinds: Counter[Kind] = field(default_factory=Counter)
    columns: Mapping[str, tuple[str, ...]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.columns = join_columns(self.shared)

    def arrive(self, source: Source) -> None:
        values = tuple((c, source.values[c]) for c in self.columns[source.stream])
        self.kinds[source.stream, source.level, values] += 1

    def turn(self, counted: Frequencies) -> None:
        """A period is over; ``counted`` is what all operators told of it."""
        self.told.append((frequent(self.shared, counted, self.share), self.kinds))
        self.kinds = Counter()
        while len(self.told) > self.periods:
            self.told.popleft()

    def classes(self) -> tuple[RowClass, ...]:
        total: Counter[Kind] = Counter()
        for _, kinds in self.told:
            total.update(kinds)
        seconds = len(self.told) * self.period / SECOND
        return tuple(
            RowClass(stream, level, values, count / seconds)
            for (stream, level, values), count in sorted(total.items(), key=repr)
        )

    def frequencies(self) -> Frequencies:
        known = [counted for counted, _ in self.told]
        return Frequencies(
            _sum(one.significant for one in known), _sum(one.arrived for one in known)
        )


def _sum(every: Iterable[Mapping[K, float]]) -> dict[K, float]:
    found: dict[K, float] = {}
    for one in every:
        for key, count in one.items():
            found[key] = found.get(key, 0.0) + count
    return found
