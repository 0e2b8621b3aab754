"""Plans over windows, flat and by panes, one above the other; and running them in virtual time.

Roles of aggregates are deduced, not given (``roles``).
Reference: Bhat 2011, ch. 2, 3.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace
from math import gcd
from typing import Any

from slackwater.errors import SlackwaterError
from slackwater.papers.prodding_bhat2011.operators.aggregate import AggregateParams, WindowAggregate
from slackwater.papers.prodding_bhat2011.operators.bucket import PaneToWindow, TimeBucket
from slackwater.papers.prodding_bhat2011.operators.element import (
    TS,
    VALUE,
    DataTuple,
    Output,
    Result,
)
from slackwater.papers.prodding_bhat2011.operators.intervals import HIGHEST, LOWEST
from slackwater.papers.prodding_bhat2011.operators.operator import Chain, Operator
from slackwater.papers.prodding_bhat2011.operators.prod import Feedback
from slackwater.papers.prodding_bhat2011.operators.roles import Level, Role, Value, roles
from slackwater.papers.prodding_bhat2011.operators.sources import Timed
from slackwater.papers.prodding_bhat2011.operators.sweep import Flush, Sweep
from slackwater.papers.stream.monoids import Monoid


@dataclass(frozen=True, slots=True)
class WindowQuery:
    """``SELECT key, AGG(value) … WINDOW [RANGE size, SLIDE slide] GROUP BY key``.

    Parameters
    ----------
    algebra
        Name of the aggregate, by which it is known whether another one merges its partials.
    attribute
        The windowing attribute.
    """

    size: int
    slide: int
    monoid: Monoid[Any, Any, Any]
    value: str | None = VALUE
    key: tuple[str, ...] = ()
    algebra: str = "other"
    attribute: str = TS

    @property
    def pane(self) -> int:
        return gcd(self.size, self.slide)


def flat(query: WindowQuery, *, is_talkative: bool = False, **bucket: bool) -> list[Operator]:
    """Bucket and window aggregate."""
    params = AggregateParams(query.monoid, query.size, query.slide, query.value, query.key)
    return [
        TimeBucket(query.size, query.slide, query.attribute, **bucket),
        WindowAggregate(replace(params, is_talkative=is_talkative)),
    ]


def paned(query: WindowQuery, flush: Flush = "range", **bucket: bool) -> list[Operator]:
    """Bucket, pane aggregate, bucket, window aggregate: each tuple is touched once below."""
    return stacked([query], flush, is_paned=True, **bucket)


def stacked(
    queries: Sequence[WindowQuery],
    flush: Flush = "range",
    *,
    is_paned: bool = True,
    is_naive: bool = False,
    **bucket: bool,
) -> list[Operator]:
    """Aggregates over aggregates of the same windows, e.g. the largest of sums (Q3-4).

    Parameters
    ----------
    queries
        Bottom up. Those above the first aggregate the ``value`` of those below.
    is_paned
        Whether the first one is computed by panes.
    is_naive
        Fold what accumulating operators send on a prod in for good (a defect, to be shown).
    """
    bottom = queries[0]
    if any((query.size, query.slide) != (bottom.size, bottom.slide) for query in queries):
        raise SlackwaterError("PLAN_INVALID", "stacked aggregates must have the same windows")
    pane = bottom.pane
    sweep = Sweep(flush, bottom.size // pane, bottom.slide // pane)
    params = [
        AggregateParams(query.monoid, query.size, query.slide, query.value, query.key)
        for query in queries
    ]
    below: list[Operator] = [TimeBucket(bottom.size, bottom.slide, bottom.attribute, **bucket)]
    if is_paned:
        below = [TimeBucket(pane, pane, bottom.attribute, **bucket)]
        low = replace(params[0], size=pane, slide=pane, sweep=sweep)
        params = [low, replace(params[0], is_merging=True), *params[1:]]
    found = roles(_levels(queries, is_paned=is_paned))
    levels = [
        WindowAggregate(replace(one, role=role, is_naive=is_naive))
        for one, role in zip(params, found, strict=True)
    ]
    if is_paned:
        return [*below, levels[0], PaneToWindow(sweep.panes, sweep.step), *levels[1:]]
    return [*below, *levels]


def _levels(queries: Sequence[WindowQuery], *, is_paned: bool) -> list[Level]:
    found = []
    for number, query in enumerate(queries):
        name = f"level {number}"
        window = (query.size, query.slide)
        value = Value(VALUE, query.algebra, query.value)
        if number == 0 and is_paned:
            pane = Level("panes", (value,), frozenset(query.key), (query.pane, query.pane))
            found.append(pane)
            value = Value(VALUE, query.algebra, VALUE, is_merge=True)
        found.append(Level(name, (value,), frozenset(query.key), window))
    return found


def aggregates(operators: Iterable[Operator]) -> list[WindowAggregate]:
    """The window aggregates of a plan, bottom up."""
    return [one for one in operators if isinstance(one, WindowAggregate)]


def role_of(operators: Iterable[Operator]) -> list[Role]:
    return [one.params.role for one in aggregates(operators)]


class Plan:
    """Operators that run: elements in, results out, time moved by hand.

    Examples
    --------
    >>> from slackwater.papers.prodding_bhat2011.operators.predicate import Eq, Le
    >>> from slackwater.papers.prodding_bhat2011.operators.prod import Prod
    >>> from slackwater.papers.stream.monoids import SUM
    >>> from slackwater.papers.prodding_bhat2011.operators.element import Punctuation
    >>> plan = Plan(flat(WindowQuery(50, 50, SUM, "volume")))
    >>> for ts, volume in ((11, 40), (23, 20), (32, 30), (45, 20)):
    ...     plan.push(DataTuple({"ts": ts, "volume": volume}), ts)
    >>> plan.push(Prod(1, Eq(50)), 46)
    >>> plan.push(Punctuation(2, Le(50)), 51)
    >>> [(result.kind, result.value) for result in plan.results]
    [('early', 110), ('final', 110)]
    """

    def __init__(self, operators: Sequence[Operator], *, is_stamped: bool = False) -> None:
        self.chain = Chain(operators)
        self.results: list[Result] = []
        self.left: list[Output] = []  # what else left at the top: punctuations and prods
        self._is_stamped = is_stamped
        self._now = LOWEST

    def push(self, element: Output, now: int, port: int = 0) -> None:
        """An element arrives at the bottom; everything due before has happened."""
        self.advance(now)
        self._now = max(self._now, now)
        if self._is_stamped and isinstance(element, DataTuple) and element.arrived is None:
            element = replace(element, arrived=now)
        self._collect(self.chain.take(element, now, port))

    def advance(self, until: int) -> None:
        """Let time pass, with everything that operators do by themselves."""
        while (due := self.chain.due()) is not None and due <= until:
            self._now = max(self._now, due)  # a prodder made more eager may be late already
            self._collect(self.chain.fire(self._now))

    def feed_back(self, feedback: Feedback, now: int) -> None:
        """Send feedback from the top towards the source."""
        self.advance(now)
        self._collect(self.chain.feed_back(feedback, now))

    def run(self, stream: Iterable[Timed], until: int = HIGHEST) -> list[Result]:
        """Push a whole stream, then let time pass; give all results."""
        for at, element in stream:
            self.push(element, at)
        self.advance(until)
        return self.results

    def _collect(self, out: Iterable[Output]) -> None:
        for one in out:
            (self.results if isinstance(one, Result) else self.left).append(one)  # type: ignore[arg-type]
