"""Dynamic levels that there could be, from what was counted (spec precedence A11, A15, A16)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass, replace
from typing import Literal

from slackwater.precede.frequency import Frequencies
from slackwater.precede.level import DynamicLevel
from slackwater.precede.shared import Shared


def candidates(shared: Shared, counted: Frequencies) -> tuple[DynamicLevel, ...]:
    """A level for every value of a stream that meets significant rows at a join (make_DML).

    It has the most critical rank of those it meets. Rows that come to a join as a part of a
    composite are eligible if they had the value of the join from the start.
    """
    found = [
        _candidate(shared, counted, join.name, stream, value)
        for join in shared.pipeline.joins
        for stream in shared.streams(join.name)
        for value in _values(counted, join.name, stream)
    ]
    return tuple(level for level in found if level is not None)


def _values(counted: Frequencies, join: str, stream: str) -> list[Hashable]:
    return [value for at, one, value in counted.arrived if (at, one) == (join, stream)]


def _candidate(
    shared: Shared, counted: Frequencies, join: str, stream: str, value: Hashable
) -> DynamicLevel | None:
    partners = counted.partners(shared, join, stream, value)
    come = counted.come(join, stream, value)
    column = shared.column(stream, join)
    if not partners or come <= 0 or column is None:
        return None
    rank = min(partners)
    until = shared.pipeline.positions[join]
    return DynamicLevel(stream, until, rank, column, value, partners[rank] * come)


def combined(shared: Shared, counted: Frequencies) -> tuple[DynamicLevel, ...]:
    """Only levels of the last join of each run on one attribute, whose value all streams of the
    run have (combined_DML).

    What lacks in one of them gives no result there, however often the others have it. The gain is
    the one at the last join: what is significant there times what meets it there.
    """
    found = []
    for level in candidates(shared, counted):
        join = shared.pipeline.operators[level.until - 1]
        if shared.last(join) == join and _is_everywhere(shared, counted, join.name, level.value):
            found.append(replace(level, gain=_last_gain(shared, counted, join.name, level)))
    return tuple(found)


def _is_everywhere(shared: Shared, counted: Frequencies, join: str, value: Hashable) -> bool:
    run = shared.run(join)
    entering = [s for s in shared.streams(join) if shared.first_join(s) in run]
    known = {stream for stream, _, _ in counted.critical.get((join, value), ())}
    return all(counted.come(join, s, value) > 0 or s in known for s in entering)


def _last_gain(shared: Shared, counted: Frequencies, join: str, level: DynamicLevel) -> float:
    """With the rows of the stream that comes in at the last join, whatever stream the level has."""
    entering = [s for s in shared.streams(join) if shared.first_join(s) == join]
    gains = [
        counted.partners(shared, join, stream, level.value).get(level.rank, 0.0)
        * counted.come(join, stream, level.value)
        for stream in entering
    ]
    return max([gain for gain in gains if gain > 0], default=level.gain)


@dataclass(frozen=True, slots=True)
class Threshold:
    """What a level must promise to be looked at (theta of A15).

    ``absolute``: results; ``relative``: a share of the most that one of the same join and rank
    promises; ``quantile``: more than this share of all levels.
    """

    value: float = 0.1
    kind: Literal["absolute", "relative", "quantile"] = "relative"


def superior(levels: Sequence[DynamicLevel], threshold: Threshold) -> tuple[DynamicLevel, ...]:
    """Without those that promise too little: each costs search time and tests (prune_inferior)."""
    if threshold.kind == "absolute":
        return tuple(level for level in levels if level.gain >= threshold.value)
    if threshold.kind == "quantile":
        least = _quantile([level.gain for level in levels], threshold.value)
        return tuple(level for level in levels if level.gain >= least)
    most: dict[tuple[int, int], float] = defaultdict(float)
    for level in levels:
        group = (level.until, level.rank)
        most[group] = max(most[group], level.gain)
    return tuple(one for one in levels if one.gain >= threshold.value * most[one.until, one.rank])


def by_gain(levels: Iterable[DynamicLevel]) -> tuple[DynamicLevel, ...]:
    """The most promising first; equal ones in an order that does not depend on how they came."""
    return tuple(sorted(levels, key=lambda one: (-one.gain, one.until, one.stream, str(one.value))))


def _quantile(gains: Sequence[float], share: float) -> float:
    ordered = sorted(gains)
    return ordered[min(int(share * len(ordered)), len(ordered) - 1)] if ordered else 0.0
