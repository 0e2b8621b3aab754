"""The window aggregate: prods and punctuations make it speak.

Its role decides what a prod does to its state (rule R1): the top answers and keeps; an incremental
one sends what it has and forgets; an accumulating one sends its full value, marked as provisional,
and keeps. Provisional tuples are set apart per prod and gone once that prod has passed, so that
finals never see them. Panes are aggregated by the same operator, one level below.

Reference: Bhat 2011, ch. 3.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, Literal

from slackwater.papers.prodding_bhat2011.operators.element import (
    FROM,
    ID,
    PARTIAL,
    TO,
    TS,
    VALUE,
    DataTuple,
    Ident,
    Output,
    Punctuation,
    Result,
)
from slackwater.papers.prodding_bhat2011.operators.intervals import IntervalSet, intervals_of
from slackwater.papers.prodding_bhat2011.operators.operator import Operator
from slackwater.papers.prodding_bhat2011.operators.partial import Partial, merge
from slackwater.papers.prodding_bhat2011.operators.predicate import (
    Anything,
    Eq,
    In,
    Le,
    Predicate,
    Range,
)
from slackwater.papers.prodding_bhat2011.operators.prod import Prod
from slackwater.papers.prodding_bhat2011.operators.roles import Role
from slackwater.papers.prodding_bhat2011.operators.sweep import Sweep
from slackwater.papers.stream.monoids import Monoid

Group = tuple[Any, ...]
Table = dict[int, dict[Group, Partial]]
Kind = Literal["early", "final", "change"]


@dataclass(frozen=True, slots=True)
class AggregateParams:
    """What a window aggregate computes and what it is in its plan.

    Parameters
    ----------
    monoid, value
        The aggregate and the attribute it is taken of; ``None`` to count tuples.
    size, slide
        Of its windows (or panes).
    key
        Grouping attributes.
    role
        See :mod:`slackwater.papers.prodding_bhat2011.operators.roles`.
    is_merging
        Its input are partials of the same aggregate: a window above its panes.
    sweep
        How far a prod reaches, for an operator below the top.
    is_naive
        The defect of the source work: what an accumulating operator sends is folded in above for
        good. To show what goes wrong.
    is_talkative
        Tell every change at once, as engines in update mode do (a baseline).
    """

    monoid: Monoid[Any, Any, Any]
    size: int
    slide: int
    value: str | None = VALUE
    key: tuple[str, ...] = ()
    role: Role = Role.TOP
    is_merging: bool = False
    sweep: Sweep = field(default_factory=Sweep)
    is_naive: bool = False
    is_talkative: bool = False


@dataclass(slots=True)
class Counters:
    """What happened to prods here."""

    prods: int = 0
    mistimed_early: int = 0
    mistimed_late: int = 0
    widened: int = 0


class WindowAggregate(Operator):
    """A table of partials by window and group, answered for by role."""

    def __init__(self, params: AggregateParams) -> None:
        self.params = params
        self.state: Table = {}
        self.counters = Counters()
        self._lent: dict[Ident, Table] = {}
        self._closed: dict[tuple[tuple[str, Predicate], ...], IntervalSet] = {}
        self._revisions: dict[tuple[int, Group], int] = {}

    def take(self, element: Output, now: int, port: int = 0) -> list[Output]:
        match element:
            case DataTuple():
                return self._fold(element, now)
            case Punctuation():
                return [*self._close(element, now), element]
            case Prod():
                asked = self._known_part(element)
                return [*self._answer(asked, now), asked]
        return [element]

    # --- tuples

    def _fold(self, element: DataTuple, now: int) -> list[Output]:
        row, lender = element.row, element.provisional
        table = self.state if lender is None else self._lent.setdefault(lender, {})
        group = tuple(row[name] for name in self.params.key)
        part = self._lift(element)
        for window in range(row[FROM], row[TO] + 1):
            groups = table.setdefault(window, {})
            known = groups.get(group)
            groups[group] = part if known is None else merge(self.params.monoid, known, part)
        if not self.params.is_talkative or lender is not None:
            return []
        return [
            self._result("change", (window, group), table[window][group], now, None)
            for window in range(row[FROM], row[TO] + 1)
        ]

    def _lift(self, element: DataTuple) -> Partial:
        params, row = self.params, element.row
        below: Partial | None = row.get(PARTIAL)
        if below is not None and params.is_merging:
            return below
        state = params.monoid.lift(None if params.value is None else row[params.value])
        if below is not None:
            return below._replace(state=state)
        arrived = element.arrived or 0
        slide = row[FROM]
        return Partial(state, 1, arrived, row.get(TS, 0), slide, arrived)

    # --- punctuations

    def _close(self, punctuation: Punctuation, now: int) -> Iterator[Output]:
        if any(name not in self.params.key for name, _ in punctuation.attributes):
            return  # it speaks of a part of what is in the entries
        known = self._closed.setdefault(punctuation.attributes, IntervalSet())
        for low, high in intervals_of(punctuation.time):
            known.add(low, high)
        for window, group in self._matching(self.state, punctuation.time, punctuation):
            part = self.state[window].pop(group)
            if not self.state[window]:
                del self.state[window]
            if self.params.role is Role.TOP:
                yield self._result("final", (window, group), part, now, None)
                self._revisions.pop((window, group), None)
            else:
                yield self._row(window, group, part, None)

    # --- prods

    def _known_part(self, prod: Prod) -> Prod:
        """The prod without what it says of attributes that are aggregated away here."""
        for name, _ in prod.attributes:
            if name not in self.params.key:
                self.counters.widened += 1
                prod = prod.without(name)
        return prod

    def _answer(self, prod: Prod, now: int) -> list[Output]:
        self.counters.prods += 1
        reach = self.params.sweep.reach(prod.time) if self._is_below else prod.time
        lent = self._lent.pop(prod.id, {})
        keys = {*self._matching(self.state, reach, prod), *self._matching(lent, reach, prod)}
        if not keys:
            self._count_mistimed(prod)
        out: list[Output] = []
        for window, group in sorted(keys, key=lambda key: (key[0], repr(key[1]))):
            own = self.state.get(window, {}).get(group)
            borrowed = lent.get(window, {}).get(group)
            out += self._speak(prod, (window, group), own, borrowed, now)
        return out

    @property
    def _is_below(self) -> bool:
        return self.params.role is not Role.TOP

    def _speak(
        self,
        prod: Prod,
        entry: tuple[int, Group],
        own: Partial | None,
        borrowed: Partial | None,
        now: int,
    ) -> Iterator[Output]:
        window, group = entry
        if self.params.role is Role.INCREMENTAL:
            if own is not None:
                yield self._row(window, group, own, None)
                del self.state[window][group]
                if not self.state[window]:
                    del self.state[window]
            if borrowed is not None:
                yield self._row(window, group, borrowed, prod.id)
            return
        both = own or borrowed
        assert both is not None
        if own is not None and borrowed is not None:
            both = merge(self.params.monoid, own, borrowed)
        if self.params.role is Role.TOP:
            yield self._result("early", entry, both, now, prod)
        else:
            yield self._row(window, group, both, None if self.params.is_naive else prod.id)

    def _count_mistimed(self, prod: Prod) -> None:
        newest = _newest(prod.time)
        closings = ((), prod.attributes)
        is_late = newest is not None and any(
            newest in self._closed.get(attributes, ()) for attributes in closings
        )
        self.counters.mistimed_late += is_late
        self.counters.mistimed_early += not is_late

    # --- what is in the table, what goes out

    def _matching(
        self, table: Table, time: Predicate, pattern: Punctuation | Prod
    ) -> list[tuple[int, Group]]:
        if isinstance(time, Eq) and isinstance(time.value, int):
            windows = [time.value] if time.value in table else []  # the usual case, no scan
        else:
            windows = sorted(window for window in table if time.matches(window))
        return [
            (window, group)
            for window in windows
            for group in sorted(table[window], key=repr)
            if not pattern.attributes
            or pattern.matches(dict(zip(self.params.key, group, strict=True)))
        ]

    def _row(self, window: int, group: Group, part: Partial, prod: Ident | None) -> DataTuple:
        row = dict(zip(self.params.key, group, strict=True))
        value = self.params.monoid.get(part.state)
        end = (window + 1) * self.params.slide
        row |= {ID: window, FROM: window, TO: window, TS: end - 1, VALUE: value, PARTIAL: part}
        return DataTuple(row, part.first_arrival, prod)

    def _result(
        self, kind: Kind, entry: tuple[int, Group], part: Partial, now: int, prod: Prod | None
    ) -> Result:
        revision = self._revisions.get(entry, 0) + 1
        self._revisions[entry] = revision
        window, group = entry
        end = (window + 1) * self.params.slide
        return Result(
            kind,
            window,
            end - self.params.size,
            end,
            group,
            self.params.monoid.get(part.state),
            part.rows,
            part.first_arrival,
            part.slide_arrival,
            part.oldest,
            now,
            prod=None if prod is None else prod.id,
            source=None if prod is None else prod.source,
            revision=revision,
            is_widened=prod is not None and prod.is_widened,
        )


def _newest(time: Predicate) -> int | None:
    """The newest window that is asked for, ``None`` if no window is named."""
    match time:
        case Eq(value) | Le(value):
            return None if value is None else int(value)
        case Range(_, high):
            return int(high)
        case In(values) if values:
            return max(int(value) for value in values if value is not None)
        case Anything() | In():
            return None
