"""One group-by below a join by a key, and the one above it that is needed until a migration ends.

Reference: Zhu 2006, ch. 14 (key/foreign-key join, grouped by the foreign key). What a time unit
gives is read as in CQL: the join of the tuples that are in the window when the unit is over, by
groups. So a pair counts while both its tuples are in the window, its oldest decides, and one
aggregate of a group's tuples below the join says as much as a group-by above it: the group has one
partner, which is in the window or is not. If a pair counted from its newest tuple on, as elsewhere
in this folder, its partner would have to be in the window when the pair was made, not now, and an
aggregate does not know that of its tuples.
"""

from __future__ import annotations

from slackwater.papers.adaptive_zhu2006.operators.grouping import WindowGroup, result
from slackwater.papers.adaptive_zhu2006.operators.join import JoinOperator, JoinParams
from slackwater.papers.adaptive_zhu2006.operators.partial import AGGREGATES, Partial, Running
from slackwater.papers.adaptive_zhu2006.operators.plan import Join, KeyJoin, streams_of
from slackwater.papers.adaptive_zhu2006.operators.query import Query
from slackwater.papers.adaptive_zhu2006.operators.row import Item, Row, Single
from slackwater.papers.adaptive_zhu2006.operators.shared_queue import Cursor
from slackwater.papers.adaptive_zhu2006.operators.work import Work

STREAM, GROUPED = 0, 1  # the inputs of a join by a key


class SlidingGroup(WindowGroup):
    """One partial aggregate of the window for each group, whenever a time unit is over."""

    def _given(self, ts: int, key: tuple[object, ...], group: Running) -> Row:
        [stream] = streams_of(self.group)
        columns = (*(column.name for column in self.group.by), self.group.value.name)
        return Row.of(Single(stream, ts, ts, columns, (*key, group.partial)))


class KeyJoinOperator(JoinOperator):
    """Finds the partner of every aggregate, if it is in the window.

    Aggregates are not kept: when the next unit is over there are new ones. What the state of their
    input holds are tuples from before a migration. Out of the plan go results, to a group-by above
    go the rows that they are made of.
    """

    def __init__(
        self, node: KeyJoin, inputs: list[Cursor], query: Query, params: JoinParams, work: Work
    ) -> None:
        super().__init__(Join(node.inputs), inputs, query, params, work)
        self.node, self._group = node, node.group
        self._window = query.windows.longest

    def take(self, port: int, row: Row) -> None:
        if port == STREAM:
            super().take(port, row)
            return
        self._purge(port, row)
        for found in self.joined(port, row):
            if found.max_ts - found.min_ts < self._window:
                self.emit(found)

    def emit(self, item: Item) -> None:
        self.output.append(item)
        for outlet in self.outlets:
            outlet.append(self._result(item) if isinstance(item, Row) else item)

    def _result(self, row: Row) -> Row:
        group = Running()
        group.add(Partial.of(self._group.value.of(row)))
        key = tuple(column.of(row) for column in self._group.by)
        return result(row.max_ts, key, AGGREGATES[self._group.aggregate](group))


class TemporaryGroup(WindowGroup):
    """Above a join by a key while old tuples are left: puts old pairs and aggregates together.

    An aggregate is of the window that has just ended, and is taken back at once.
    """

    def close_until(self, ts: float) -> None:
        super().close_until(ts)
        value = self.group.value
        self._take_back([row for row in self._kept[0] if isinstance(value.of(row), Partial)])
