"""A window join with two inputs or more: purge, probe, insert.

A tuple in order drops from the *other* windows what has expired, probes them one after the other
in the ordering of its input, and is inserted into its own. Intermediate steps of the probe are
thrown away. A tuple that is late, behind the newest one seen, gives no result; it is inserted if a
future tuple can still meet it. So results leave in event-time order.

With two inputs this is the symmetric binary window join, with all streams of a query the m-way
join (mjoin, MSWJ); inputs may be results of other joins.

Reference: Ji 2018, ch. 4 (the late test includes the bound), Zhu 2006. Purging by the newest
sub-tuple is the faithful default, by the oldest the tight one.
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal, NamedTuple

from slackwater.errors import SlackwaterError, check_version
from slackwater.papers.recall_ji2018.operators.combined import Combined
from slackwater.papers.recall_ji2018.operators.condition import Equal, Term, closed
from slackwater.papers.recall_ji2018.operators.state import WindowState
from slackwater.papers.recall_ji2018.operators.windows import JoinWindows

VERSION = 1

Probing = Literal["hash", "nested"]
Purge = Literal["newest", "tight"]
Orderings = tuple[tuple[int, ...], ...]


@dataclass(frozen=True, slots=True)
class JoinParams:
    """A join operator.

    Parameters
    ----------
    inputs
        The streams that each input covers.
    windows
        Which tuples may meet.
    terms
        The join condition; terms about streams that this operator has not are left out.
    orderings
        For each input, the other inputs in the order in which its tuples probe them. By default
        an input linked by a key comes before one that is not.
    probing
        Through a hash index where there is a key, or always by scan.
    purge
        When a combined tuple leaves a window: with its newest or its oldest sub-tuple.
    """

    inputs: tuple[tuple[str, ...], ...]
    windows: JoinWindows
    terms: tuple[Term, ...] = ()
    orderings: Orderings | None = None
    probing: Probing = "hash"
    purge: Purge = "newest"

    def __post_init__(self) -> None:
        ports = range(len(self.inputs))
        wanted = [sorted(set(ports) - {port}) for port in ports]
        given = wanted if self.orderings is None else [sorted(o) for o in self.orderings]
        if len(self.inputs) < 2 or given != wanted:
            raise SlackwaterError(
                "JOIN_INVALID",
                f"join of {list(self.inputs)}: orderings are {self.orderings}",
                "two inputs or more, and for each the numbers of all the others",
            )


class JoinStep(NamedTuple):
    """What a tuple gave: results, ``n^×`` (unknown if late), and whether it was late."""

    results: tuple[Combined, ...]
    cross: int | None
    is_late: bool


@dataclass(frozen=True, slots=True)
class JoinState:
    """Progress of the operator, and each window with the last instant of its tuples."""

    time: int | None = None
    windows: tuple[tuple[tuple[int, Combined], ...], ...] = ()
    version: int = VERSION


class JoinOperator:
    """The operator; ``update`` takes the tuples of all inputs as they come.

    Examples
    --------
    >>> from slackwater.papers.recall_ji2018.operators.condition import same_key
    >>> from slackwater.papers.recall_ji2018.operators.windows import StreamWindows
    >>> from slackwater.stats.arrival import Arrival, Delayed
    >>> windows = StreamWindows.of({"a": 5, "b": 5})
    >>> join = JoinOperator.start(JoinParams((("a",), ("b",)), windows, same_key("ab")))
    >>> for port, ts in ((0, 1), (1, 4), (1, 9), (0, 9)):
    ...     row = Combined.of(Delayed(Arrival("ab"[port], 0, ts, "key"), 0))
    ...     print([sorted(result.times.items()) for result in join.update(port, row).results])
    []
    [[('a', 1), ('b', 4)]]
    []
    [[('a', 9), ('b', 4)], [('a', 9), ('b', 9)]]
    """

    def __init__(self, params: JoinParams, state: JoinState) -> None:
        self.params = params
        self._time = state.time
        self._states = [WindowState(items) for items in state.windows]
        self._states += [WindowState() for _ in params.inputs[len(self._states) :]]
        streams = {stream for names in params.inputs for stream in names}
        self._terms = closed(t for t in params.terms if streams.issuperset(t.streams))
        self._orderings = params.orderings or tuple(
            self._linked_first(port) for port in range(len(params.inputs))
        )
        self._reaches = [
            [params.windows.reach(stream, streams.difference(names)) for stream in names]
            for names in params.inputs
        ]

    @classmethod
    def start(cls, params: JoinParams, state: JoinState | None = None) -> JoinOperator:
        check_version("join", state, VERSION)
        return cls(params, state or JoinState())

    def snapshot(self) -> JoinState:
        return JoinState(self._time, tuple(state.snapshot() for state in self._states))

    @property
    def time(self) -> int | None:
        """``T_x``: the largest event time received."""
        return self._time

    @property
    def sizes(self) -> tuple[int, ...]:
        """Tuples in each window."""
        return tuple(len(state) for state in self._states)

    def update(self, port: int, item: Combined) -> JoinStep:
        """Take in the next tuple of an input."""
        last = self._last(port, item)
        if self._time is not None and item.ts < self._time:
            if last >= self._time:
                self._states[port].insert(item, last)
            return JoinStep((), None, is_late=True)
        self._time = item.ts
        for other in self._orderings[port]:
            self._states[other].purge(item.ts)
        found = [item]
        for other in self._orderings[port]:
            found = [wider for partial in found for wider in self._probe(partial, other)]
        self._states[port].insert(item, last)
        cross = math.prod(len(self._states[other]) for other in self._orderings[port])
        return JoinStep(tuple(found), cross, is_late=False)

    def _last(self, port: int, item: Combined) -> int:
        """The last instant at which a tuple can still meet another one."""
        if self.params.purge == "newest":
            return item.ts + max(self._reaches[port])
        times = item.times
        reaches = zip(self.params.inputs[port], self._reaches[port], strict=True)
        return min(times[stream] + reach for stream, reach in reaches)

    def _probe(self, partial: Combined, port: int) -> Iterable[Combined]:
        names = self.params.inputs[port]
        payloads = partial.payloads
        links, others = self._between(frozenset(payloads), port)
        for item in self._candidates(payloads, port, links):
            wider = partial.merge(item)
            if not self.params.windows.allows(wider.times):
                continue
            known = payloads | {name: item.payloads[name] for name in names}
            if all(term.holds(known) for term in others):
                yield wider

    def _candidates(
        self, payloads: dict[str, object], port: int, links: tuple[Equal, ...]
    ) -> Iterable[Combined]:
        if not links:
            return list(self._states[port])

        def key_of(item: Combined) -> tuple[object, ...]:
            own = item.payloads
            return tuple(link.key_of(own) for link in links)

        key = tuple(link.key_of(payloads) for link in links)
        return self._states[port].matching(links, key_of, key)

    def _between(
        self, bound: frozenset[str], port: int
    ) -> tuple[tuple[Equal, ...], tuple[Term, ...]]:
        """Terms that become decidable with an input: those a hash answers, and the rest."""
        new = frozenset(self.params.inputs[port])
        due = [t for t in self._terms if new & set(t.streams) and bound & set(t.streams)]
        due = [term for term in due if (bound | new).issuperset(term.streams)]
        links = tuple(t for t in due if isinstance(t, Equal) and self.params.probing == "hash")
        return links, tuple(term for term in due if term not in links)

    def _linked_first(self, port: int) -> tuple[int, ...]:
        bound, ordering = set(self.params.inputs[port]), list[int]()
        left = [other for other in range(len(self.params.inputs)) if other != port]
        while left:
            links = [bool(self._between(frozenset(bound), other)[0]) for other in left]
            ordering.append(left.pop(links.index(True) if any(links) else 0))
            bound.update(self.params.inputs[ordering[-1]])
        return tuple(ordering)
