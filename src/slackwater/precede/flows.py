"""How many rows of which kind come to which input, whatever their ranks (spec 1.13.3)."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Hashable, Iterable, Sequence
from dataclasses import dataclass

from slackwater.precede.level import StaticLevel
from slackwater.precede.pcql import Window
from slackwater.precede.pipeline import Edge, Operator, Pipeline, stream_of
from slackwater.units import SECOND


@dataclass(frozen=True, slots=True, eq=False)
class RowClass:
    """Rows of a stream that are alike: potential static rank, join values, ``rate`` a second."""

    stream: str
    rank: int
    values: tuple[tuple[str, Hashable], ...]
    rate: float

    def value(self, attribute: str) -> Hashable | None:
        for name, value in self.values:  # asked a million times in a search
            if name == attribute:
                return value
        return None


@dataclass(frozen=True, slots=True, eq=False)
class Flow:
    """Rows of one kind on one edge. ``pairs`` are the results a second that they find.

    ``parents`` are the numbers of the flows in front of the operator that they come from.
    """

    edge: Edge
    parts: tuple[RowClass, ...]
    rate: float
    parents: tuple[int, ...] = ()
    pairs: float = 0.0

    def meets(self, level: StaticLevel) -> bool:
        return any(p.stream == level.stream and p.rank == level.rank for p in self.parts)

    def values(self, attribute: str) -> Iterable[Hashable]:
        value = self.value(attribute)
        return () if value is None else (value,)

    def value(self, attribute: str) -> Hashable | None:
        stream = stream_of(attribute)
        for part in self.parts:
            if part.stream == stream:
                return part.value(attribute)
        return None


@dataclass(frozen=True, slots=True)
class _Coming:
    """Rows on their way to an edge."""

    parts: tuple[RowClass, ...]
    rate: float
    parents: tuple[int, ...] = ()


def flows(pipeline: Pipeline, classes: Sequence[RowClass], window: Window) -> tuple[Flow, ...]:
    """All flows, those in front of an operator before those behind it."""
    coming: dict[str, list[_Coming]] = defaultdict(list)
    for one in classes:
        coming[one.stream].append(_Coming((one,), one.rate))
    found: list[Flow] = []
    for operator in pipeline.operators:
        start = len(found)
        for edge in operator.edges:
            found += [Flow(edge, c.parts, c.rate, c.parents) for c in coming[edge.source]]
        if operator.kind == "join":
            found[start:], coming[operator.name] = _joined(found, start, operator, window)
        else:
            coming[operator.name] = [
                _Coming(flow.parts, flow.rate * operator.share, (start + at,))
                for at, flow in enumerate(found[start:])
            ]
    return tuple(found)


def _joined(
    found: Sequence[Flow], start: int, join: Operator, window: Window
) -> tuple[list[Flow], list[_Coming]]:
    """The inputs of a join with the results that they find, and these results."""
    sides: tuple[list[int], list[int]] = ([], [])
    for at in range(start, len(found)):
        sides[join.inputs.index(found[at].edge.source)].append(at)
    totals = [sum(found[at].rate for at in side) for side in sides]
    meeting: dict[Hashable, list[int]] = defaultdict(list)
    for at in sides[1]:
        meeting[found[at].value(join.keys[1])].append(at)
    pairs: dict[int, float] = defaultdict(float)
    results = []
    for left in sides[0]:
        value = found[left].value(join.keys[0])
        for right in meeting[value] if value is not None else ():
            rates = (found[left].rate, found[right].rate)
            by_left = rates[0] * _held(rates[1], totals[1], window)
            by_right = rates[1] * _held(rates[0], totals[0], window)
            pairs[left] += by_left
            pairs[right] += by_right
            parts = (*found[left].parts, *found[right].parts)
            results.append(_Coming(parts, by_left + by_right, (left, right)))
    inputs = [
        Flow(flow.edge, flow.parts, flow.rate, flow.parents, pairs[start + at])
        for at, flow in enumerate(found[start:])
    ]
    return inputs, results


def _held(rate: float, total: float, window: Window) -> float:
    """Rows of a flow that are in the state: those of the window, or its share of the last n."""
    if window.rows is not None:
        return window.rows * rate / total if total else 0.0
    return rate * (window.micros or 0) / SECOND
