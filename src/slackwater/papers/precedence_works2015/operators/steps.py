"""The operators: selection, projection, and the symmetric hash join (spec 2.3, A5, A6).

They know nothing of queues and costs. None of the first two touches what a row carries about ranks.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Callable, Hashable, Iterable, Mapping
from dataclasses import dataclass, field, replace

from slackwater.papers.precedence_works2015.operators.meeting import Meeting
from slackwater.papers.precedence_works2015.operators.row import Row, Source
from slackwater.precede.domain import Domain
from slackwater.precede.pipeline import Operator

State = dict[Hashable, list[Row]]
PLAIN = Domain()


def project(row: Row, dropped: frozenset[str]) -> Row:
    """A copy of a row with fewer attributes."""
    parts = tuple(_without(part, dropped) for part in row.parts)
    newest = next(p for p in parts if p.number == row.newest.number)
    return replace(row, parts=parts, newest=newest)


def _without(part: Source, dropped: frozenset[str]) -> Source:
    kept = {name: value for name, value in part.values.items() if name not in dropped}
    return replace(part, values=kept)


def select(row: Row, condition: Callable[[Row], bool]) -> list[Row]:
    """The row itself, if it meets the condition."""
    return [row] if condition(row) else []


def _empty() -> State:
    return defaultdict(list)


@dataclass(slots=True)
class Join:
    """Both inputs by the value they are joined on; a set of values is found under each of them."""

    operator: Operator
    meeting: Meeting
    states: tuple[State, State] = field(default_factory=lambda: (_empty(), _empty()))

    def process(self, row: Row, side: int) -> list[Row]:
        """Keep a row, and find the rows of the other side that it meets."""
        values = self.values(row, side)
        for value in values:
            self.states[side][value].append(row)
        other = self.states[1 - side]
        if len(values) == 1:
            return self._found(row, other.get(values[0], ()))
        each = (one for value in values for one in self._found(row, other.get(value, ())))
        return list({id(one): one for one in each}.values())

    def values(self, row: Row, side: int) -> tuple[Hashable, ...]:
        key = self.operator.keys[side]
        return tuple(PLAIN.values(key, row.get(key)))

    def _found(self, row: Row, kept: Iterable[Row]) -> list[Row]:
        holds, newest = self.meeting.holds, row.newest
        return [one for one in kept if holds(newest, one.newest)]

    def purge(self, done: int) -> None:
        """Forget what only rows up to an instant could meet."""
        for state in self.states:
            for value, rows in [*state.items()]:
                left = [row for row in rows if not self.meeting.is_over(row.newest, done)]
                if left:
                    state[value] = left
                else:
                    del state[value]

    @property
    def size(self) -> int:
        return sum(len(rows) for state in self.states for rows in state.values())


Conditions = Mapping[str, Callable[[Row], bool]]
