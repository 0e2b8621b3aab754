"""Where rows wait: in front of every input a queue for each rank, and one for the rest (2.2)."""

from __future__ import annotations

from collections import defaultdict, deque
from collections.abc import Iterator
from dataclasses import dataclass, field

from slackwater.papers.precedence_works2015.operators.row import Row
from slackwater.precede.level import NO_RANK

Place = tuple[int, int, int]
"""Queue (a rank, or ``NO_RANK``), position of the operator, side."""


@dataclass(slots=True)
class Queues:
    """All queues of a pipeline of so many operators.

    Three ways to say which queue is next; in each the oldest row of a queue comes first.
    """

    operators: int
    lines: dict[int, dict[tuple[int, int], deque[Row]]] = field(
        default_factory=lambda: defaultdict(lambda: defaultdict(deque))
    )
    count: dict[int, int] = field(default_factory=lambda: defaultdict(int))
    arrivals: int = 0
    turn: int = 0

    def push(self, row: Row, queue: int, position: int, side: int) -> None:
        self.arrivals += 1
        row.arrival = self.arrivals
        self.lines[queue][position, side].append(row)
        self.count[queue] += 1

    def pop(self, place: Place) -> Row:
        queue, position, side = place
        self.count[queue] -= 1
        return self.lines[queue][position, side].popleft()

    def rank_major(self) -> Place | None:
        """The most critical rank, in it the operator furthest along, in it the oldest (A3)."""
        for queue in sorted(queue for queue, count in self.count.items() if count):
            for position in range(self.operators, 0, -1):
                found = self._oldest(position, (queue,))
                if found is not None:
                    return found
        return None

    def turns(self) -> Place | None:
        """One operator after the other, each its oldest row: first come, first served."""
        return self._in_turn(is_ranked=False)

    def ranked_turns(self) -> Place | None:
        """One operator after the other, each the oldest row of its most critical queue."""
        return self._in_turn(is_ranked=True)

    def _in_turn(self, *, is_ranked: bool) -> Place | None:
        queues = tuple(sorted(queue for queue, count in self.count.items() if count))
        for _ in range(self.operators):
            self.turn = self.turn % self.operators + 1
            for some in ((queue,) for queue in queues) if is_ranked else (queues,):
                found = self._oldest(self.turn, some)
                if found is not None:
                    return found
        return None

    def _oldest(self, position: int, queues: tuple[int, ...]) -> Place | None:
        found: Place | None = None
        oldest = NO_RANK * NO_RANK
        for queue in queues:
            lines = self.lines[queue]
            for side in (0, 1):
                line = lines.get((position, side))
                if line and line[0].arrival < oldest:
                    found, oldest = (queue, position, side), line[0].arrival
        return found

    def at(self, position: int) -> Iterator[Row]:
        """All that waits in front of an operator."""
        for lines in self.lines.values():
            for (where, _), line in lines.items():
                if where == position:
                    yield from line

    def length(self, position: int) -> int:
        return sum(
            len(line)
            for lines in self.lines.values()
            for (where, _), line in lines.items()
            if where == position
        )

    def expire(self, before: int) -> list[tuple[int, Row]]:
        """Take out what was born before an instant, with the position where it waited."""
        gone: list[tuple[int, Row]] = []
        for queue, lines in self.lines.items():
            for (position, _), line in lines.items():
                if any(row.born < before for row in line):
                    old = [(position, row) for row in line if row.born < before]
                    kept = [row for row in line if row.born >= before]
                    line.clear()
                    line.extend(kept)
                    self.count[queue] -= len(old)
                    gone += old
        return gone
