"""Group-by with an aggregate: over a sliding window, or of one time unit below a join.

Reference: Zhu 2006, ch. 2 and 14. A timestamp is the number of a time unit, and a punctuation says
that units up to its time are over; then every group of the window is given once. The state is all
rows of the window: what comes is added, what leaves the window is taken back. The group-by below a
join gives one partial aggregate for every group of a unit, so that both plans mean the same. It
keeps what is old and what is new during a migration apart.
"""

from __future__ import annotations

from collections.abc import Hashable

from slackwater.papers.adaptive_zhu2006.operators.operator import Operator
from slackwater.papers.adaptive_zhu2006.operators.partial import AGGREGATES, Partial, Running
from slackwater.papers.adaptive_zhu2006.operators.plan import GROUPS, Group, Plan, inputs_of
from slackwater.papers.adaptive_zhu2006.operators.row import Row, Single
from slackwater.papers.adaptive_zhu2006.operators.shared_queue import Cursor
from slackwater.papers.adaptive_zhu2006.operators.state import State
from slackwater.papers.adaptive_zhu2006.operators.work import Work


def result(ts: int, key: tuple[object, ...], value: float) -> Row:
    """What a group-by gives for one group of the window that ends with a unit."""
    return Row.of(Single(GROUPS, ts, ts, ("key", "value"), (key, value)))


class GroupOperator(Operator):
    """Keeps rows in one state; ``node`` says by what they are grouped."""

    def __init__(self, node: Group, inputs: list[Cursor], work: Work) -> None:
        super().__init__(node, inputs)
        self.group, self.work = node, work
        self._kept = [State()]

    @property
    def states(self) -> list[State]:
        return self._kept

    def take(self, port: int, row: Row) -> None:
        self._kept[0].insert(row)
        self.work.inserted += 1

    def key(self, row: Row) -> tuple[object, ...]:
        return tuple(column.of(row) for column in self.group.by)

    def partial(self, row: Row) -> Partial:
        return Partial.of(self.group.value.of(row))


class WindowGroup(GroupOperator):
    """One result per group whenever a time unit is over."""

    def __init__(self, node: Group, inputs: list[Cursor], work: Work, window: int) -> None:
        super().__init__(node, inputs, work)
        self._window = window
        self._groups: dict[tuple[object, ...], Running] = {}

    def take(self, port: int, row: Row) -> None:
        if self.suppresses is not None and row.epoch >= self.suppresses:
            return  # the root of an old box: what is all new is the new box's
        super().take(port, row)
        self._groups.setdefault(self.key(row), Running()).add(self.partial(row))

    def close_until(self, ts: float) -> None:
        if ts == float("inf"):
            return
        is_oldest, end = self.group.counts == "oldest", ts - self._window
        self._take_back(
            [row for row in self._kept[0] if (row.min_ts if is_oldest else row.max_ts) <= end]
        )
        for key, group in sorted(self._groups.items(), key=lambda one: repr(one[0])):
            self.emit(self._given(int(ts), key, group))

    def _take_back(self, gone: list[Row]) -> None:
        """Forget rows and what they brought to their groups."""
        for row in gone:
            group = self._groups[self.key(row)]
            group.retract(self.partial(row))
            if not group.count:
                del self._groups[self.key(row)]
        self._kept[0].remove(gone)
        self.work.purged += len(gone)

    def _given(self, ts: int, key: tuple[object, ...], group: Running) -> Row:
        return result(ts, key, AGGREGATES[self.group.aggregate](group))


class UnitGroup(GroupOperator):
    """One partial aggregate per group and time unit, when the unit is over."""

    def close_until(self, ts: float) -> None:
        over = [row for row in self._kept[0] if row.max_ts <= ts]
        self._kept[0].remove(over)
        self.work.purged += len(over)
        groups: dict[Hashable, list[Row]] = {}
        for row in over:
            groups.setdefault((row.max_ts, self.key(row), row.epoch), []).append(row)
        for rows in sorted(groups.values(), key=lambda rows: rows[0].max_ts):
            self.emit(self._one(rows))

    def _one(self, rows: list[Row]) -> Row:
        merged = self.partial(rows[0])
        for row in rows[1:]:
            merged = merged.merge(self.partial(row))
        [first] = rows[0].parts.values()
        columns = (*(column.name for column in self.group.by), self.group.value.name)
        values = (*self.key(rows[0]), merged)
        return Row.of(Single(first.stream, first.ts, first.seq, columns, values, rows[0].epoch))


def move_groups(old: dict[Plan, Operator], new: dict[Plan, Operator]) -> None:
    """Moving state for group-bys, once the states of joins are in their places.

    The group-by above takes over the rows of the old one. A group-by below a join starts empty;
    what an old one has not given yet goes to whoever reads its input now. What it has given is in
    the state of the join already, and must not be counted twice.
    """
    for node, one in old.items():
        if isinstance(one, WindowGroup):
            for other in new.values():
                if isinstance(other, WindowGroup) and _what(one) == _what(other):
                    for row in one.states[0]:
                        other.take(0, row)
        elif isinstance(one, UnitGroup):
            for reader, other in new.items():
                for port, read in enumerate(inputs_of(reader)):
                    if read == inputs_of(node)[0]:
                        for row in one.states[0]:
                            other.take(port, row)


def _what(one: GroupOperator) -> Hashable:
    return one.group.by, one.group.value, one.group.aggregate
