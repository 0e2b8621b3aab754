"""The symmetric window join: purge, join, insert; binary, or m-way with an order for every input.

A row from one input purges the states of the others, meets them one after the other in the order
of that input, and is kept in its own. What it makes on the way is thrown away; only whole results
leave. With two inputs it is the binary join. Reference: Zhu 2006, ch. 2 and 10.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Literal

from slackwater.papers.adaptive_zhu2006.operators.operator import Operator
from slackwater.papers.adaptive_zhu2006.operators.plan import Join, streams_of
from slackwater.papers.adaptive_zhu2006.operators.query import Column, Query
from slackwater.papers.adaptive_zhu2006.operators.row import Row
from slackwater.papers.adaptive_zhu2006.operators.shared_queue import Cursor
from slackwater.papers.adaptive_zhu2006.operators.state import Purge, State
from slackwater.papers.adaptive_zhu2006.operators.work import Work

Probing = Literal["nested", "hash"]


@dataclass(frozen=True, slots=True)
class JoinParams:
    """How joins probe, what a probe is charged as, and when a kept row is dead."""

    probing: Probing = "nested"
    purge: Purge = "max"
    charged: Probing | None = None  # as it probes, unless told


@dataclass(frozen=True, slots=True)
class Meeting:
    """The next state that a row meets, and the columns of both that must be equal."""

    port: int
    brought: tuple[Column, ...]
    found: tuple[Column, ...]


class JoinOperator(Operator):
    """A running join with one state per input."""

    def __init__(
        self, node: Join, inputs: list[Cursor], query: Query, params: JoinParams, work: Work
    ) -> None:
        super().__init__(node, inputs)
        self.query, self.params, self.work = query, params, work
        self._streams = [streams_of(one) for one in node.inputs]
        ports = range(len(node.inputs))
        orders = node.orders or tuple(self._default_order(port) for port in ports)
        self.orders = orders
        self._meetings = [self._meetings_of(port, orders[port]) for port in ports]
        self._states = [State() for _ in ports]
        self._passed = [float("-inf") for _ in ports]
        self._reach = [
            [query.windows.reach(self._streams[one], self._streams[other]) for other in ports]
            for one in ports
        ]

    @property
    def states(self) -> list[State]:
        return self._states

    def take(self, port: int, row: Row) -> None:
        self._purge(port, row)
        results = self.joined(port, row)
        self._states[port].insert(row)
        self.work.inserted += 1
        for result in results:
            self.emit(result)

    def _purge(self, port: int, row: Row) -> None:
        if self.params.purge == "min-max":
            self._purge_behind_all(port, row)
            return
        for other, state in enumerate(self._states):
            if other != port:
                window = self._reach[port][other]
                self.work.purged += state.purge(row, self.params.purge, window)

    def _purge_behind_all(self, port: int, row: Row) -> None:
        """Without synchronisation a kept row is dead when all other inputs have passed it.

        The lemma of the source work lets any one row purge. That is right for two inputs; with
        three, a row from one may purge what a later row from another still joins with an earlier
        one of the first.
        """
        self._passed[port] = max(self._passed[port], row.min_ts)
        for number, state in enumerate(self._states):
            times = [
                passed - self._reach[other][number]
                for other, passed in enumerate(self._passed)
                if other != number
            ]
            self.work.purged += state.purge_before(min(times))

    def joined(self, port: int, row: Row) -> list[Row]:
        """What a row of one input makes with the states of the others."""
        found = [row]
        for meeting in self._meetings[port]:
            found = [result for one in found for result in self._met(one, meeting)]
        self.work.produced += len(found)
        return found

    def content(self) -> list[Row]:
        """The join of the states as they are: no purge, window and predicates only."""
        made = [result for row in list(self._states[0]) for result in self.joined(0, row)]
        return sorted(made, key=lambda row: row.max_ts)

    def _met(self, row: Row, meeting: Meeting) -> list[Row]:
        state = self._states[meeting.port]
        values = tuple(column.of(row) for column in meeting.brought)
        found: Iterable[Row]
        if self.params.probing == "hash":
            found = list(state.find(meeting.found, values))
        else:
            found = [
                other for other in state if tuple(c.of(other) for c in meeting.found) == values
            ]
        charged = self.params.charged or self.params.probing
        self.work.probed += len(state) if charged == "nested" else len(found)
        may_join = self.query.windows.may_join
        return [row.merge(other) for other in found if may_join(row, other)]

    def _meetings_of(self, port: int, order: tuple[int, ...]) -> list[Meeting]:
        known = self._streams[port]
        meetings = []
        for other in order:
            edges = self.query.between(known, self._streams[other])
            brought = tuple(edge.side(known) for edge in edges)
            found = tuple(edge.side(self._streams[other]) for edge in edges)
            meetings.append(Meeting(other, brought, found))
            known |= self._streams[other]
        return meetings

    def _default_order(self, port: int) -> tuple[int, ...]:
        """Inputs that an edge leads to first; as written among those."""
        known, order = self._streams[port], []
        left = [other for other in range(len(self._streams)) if other != port]
        while left:
            linked = [one for one in left if self.query.between(known, self._streams[one])]
            nearest = (linked or left)[0]
            left.remove(nearest)
            order.append(nearest)
            known |= self._streams[nearest]
        return tuple(order)
