"""Strays: rows whose event time lies far ahead of all others; one wrong clock ends no stream.

Rows of a batch are judged against the batch itself. From the stream's clock on (in a first batch
from the middle of its rows) times are followed upwards: as long as the next one is at most
``max_ahead`` away it is believed, so that a job which catches up on days in one batch loses
nothing. A group of rows beyond a wider gap needs company. It is believed with all before it if it
has

* ``many`` rows, and these are a quarter of its batch at least, or
* ``few`` rows, and these are the larger part of all rows since the first of them came: groups are
  remembered from batch to batch.

Else its rows are strays: set aside, counted, and without effect on the clock.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from slackwater.stats.panes import PaneCount, median_time

REMEMBERED = 8  # groups of strays
SHARE = 4  # many rows are at least one of so many of their batch


@dataclass(frozen=True, slots=True)
class StrayParams:
    """How far apart rows may lie, and how many keep each other company."""

    max_ahead: int
    many: int = 100
    few: int = 10


@dataclass(frozen=True, slots=True)
class Group:
    """Rows that lie close together, far ahead; ``others`` came since the first of them."""

    low: int
    high: int
    rows: int
    others: int = 0

    def is_near(self, other: Group, reach: int) -> bool:
        return self.low - reach <= other.high and other.low - reach <= self.high

    def plus(self, other: Group) -> Group:
        low, high = min(self.low, other.low), max(self.high, other.high)
        return Group(low, high, self.rows + other.rows, max(self.others, other.others))


@dataclass(frozen=True, slots=True)
class Belief:
    """The clock after a batch, the newest event time to believe, and strays to remember."""

    clock: int | None
    bound: int | None
    pending: tuple[Group, ...] = ()


def believe(
    params: StrayParams,
    clock: int | None,
    counts: Sequence[PaneCount],
    pending: tuple[Group, ...] = (),
) -> Belief:
    """Tell the rows of a batch that move the clock from strays."""
    base = clock if clock is not None else median_time(counts)
    if base is None:
        return Belief(None, None, pending)
    spans = sorted(_spans(counts))
    whole = sum(rows for _, _, rows in spans)
    reached, groups = _followed(params, base, spans)
    fresh = [_with_past(params, group, pending, whole) for group in groups]
    for number in reversed(range(len(groups))):
        if _has_company(params, groups[number], fresh[number], whole):
            reached, fresh = groups[number].high, fresh[number + 1 :]
            break
    left = [one for one in pending if one.low > reached + params.max_ahead]
    kept = [
        Group(g.low, g.high, g.rows, g.others + whole)
        for g in left
        if not any(g.is_near(one, params.max_ahead) for one in fresh)
    ]
    bound = _bound(counts, reached, reached + params.max_ahead)
    return Belief(reached, bound, (*kept, *fresh)[-REMEMBERED:])


def _bound(counts: Iterable[PaneCount], reached: int, furthest: int) -> int:
    """An instant with all believed panes before it and all others, whole, after it."""
    beyond = [
        c.pane for c in counts if c.pane is not None and c.low is not None and c.low > furthest
    ]
    return min([furthest, *(max(reached, pane - 1) for pane in beyond)])


def _spans(counts: Iterable[PaneCount]) -> Iterable[tuple[int, int, int]]:
    """Times of a batch as spans, with rows: of a pane, or of an hour if they fail a filter."""
    for count in counts:
        if count.low is not None and count.high is not None:
            yield count.low, count.high, count.rows


def _followed(
    params: StrayParams, base: int, spans: Sequence[tuple[int, int, int]]
) -> tuple[int, list[Group]]:
    """How far times can be followed from a base, and the groups beyond, lowest first."""
    reached, groups = base, list[Group]()
    for low, high, rows in spans:
        if groups and low > groups[-1].high + params.max_ahead:
            groups.append(Group(low, high, rows))
        elif groups:
            groups[-1] = groups[-1].plus(Group(low, high, rows))
        elif low > reached + params.max_ahead:
            groups.append(Group(low, high, rows))
        else:
            reached = max(reached, high)
    return reached, groups


def _with_past(params: StrayParams, group: Group, pending: Iterable[Group], whole: int) -> Group:
    """A group together with strays of earlier batches that lie near."""
    near = [one for one in pending if one.is_near(group, params.max_ahead)]
    others = whole - group.rows + max((one.others for one in near), default=0)
    for one in near:
        group = group.plus(one)
    return Group(group.low, group.high, group.rows, others)


def _has_company(params: StrayParams, now: Group, ever: Group, whole: int) -> bool:
    if now.rows >= params.many and SHARE * now.rows >= whole:
        return True
    return ever.rows >= params.few and ever.rows > ever.others
