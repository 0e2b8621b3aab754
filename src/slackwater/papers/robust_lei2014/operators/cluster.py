"""A cluster that is simulated: nodes work off queues of batches, in the order in which they come.

Time is virtual. A batch takes its rows times the cost of the operator; what leaves is what the
selectivity of the moment when it came says, without chance, so that results are the same in
whatever order and however late they are made. Queues have no end. While an operator moves, its
batches wait.
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, field
from functools import partial
from heapq import heappop, heappush

from slackwater.papers.robust_lei2014.operators.token import Token
from slackwater.robust.pipeline import Order
from slackwater.robust.placement.placement import Placement

RUSTER_ROWS = 100.0  # that a batch has when it comes
NOTHING = 1e-3  # of a row: what is left of a batch then is no result


@dataclass(slots=True)
class Batch:
    """Rows on their way."""

    came: float
    rows: float
    token: Token


@dataclass(slots=True)
class Node:
    """One server, with all that waits for it."""

    waiting: deque[Batch] = field(default_factory=deque)
    is_busy: bool = False


@dataclass(frozen=True, slots=True)
class Work:
    """What operators are: seconds for a row, and what leaves of one that came at a moment."""

    costs: tuple[float, ...]
    grown: Callable[[float], Sequence[float]]


@dataclass(slots=True)
class Cluster:
    """Nodes with operators on them.

    ``busy`` counts seconds by operator since somebody last looked; ``seconds`` are those of rows in
    processing, of all that came. ``given`` are results by the minute.
    """

    work: Work
    placement: Placement
    nodes: list[Node]
    end: float
    now: float = 0.0
    busy: list[float] = field(default_factory=list)
    worked: float = 0.0
    rows: float = 0.0
    seconds: float = 0.0
    given: list[float] = field(default_factory=list)
    suspended: dict[int, list[Batch]] = field(default_factory=dict)
    moves: int = 0
    paused: float = 0.0
    _events: list[tuple[float, int, Callable[[], None]]] = field(default_factory=list)
    _count: int = 0

    def __post_init__(self) -> None:
        self.busy = [0.0] * len(self.work.costs)
        self.given = [0.0] * (int(self.end / 60) + 1)

    def at(self, when: float, do: Callable[[], None]) -> None:
        """Do something at an instant."""
        self._count += 1
        heappush(self._events, (when, self._count, do))

    def run(self) -> None:
        """Until the end; what is on its way then has been for as long as it has."""
        while self._events and self._events[0][0] < self.end:
            self.now, _, do = heappop(self._events)
            do()
        self.now = self.end

    def accept(self, rows: float, plan: Order) -> None:
        """A batch comes, with its route."""
        self.rows += rows
        # it counts as in processing until the end, and less when it is done before
        self.seconds += rows * (self.end - self.now)
        self._forward(Batch(self.now, rows, Token.of(plan)), rows)

    def move(self, operators: Iterable[int], target: Placement, seconds: Sequence[float]) -> None:
        """Suspend operators, each for the seconds that it takes, and resume them at their nodes."""
        for operator in operators:
            self.moves += 1
            self.paused += seconds[operator]
            node = self.nodes[self.placement[operator]]
            mine = [batch for batch in node.waiting if batch.token.next == operator]
            node.waiting = deque(b for b in node.waiting if b.token.next != operator)
            self.suspended[operator] = [*self.suspended.get(operator, []), *mine]
            self.placement = tuple(
                target[n] if n == operator else at for n, at in enumerate(self.placement)
            )
            self.at(self.now + seconds[operator], partial(self._resume, operator))

    @property
    def queued(self) -> list[int]:
        """Batches that wait, by node."""
        return [len(node.waiting) for node in self.nodes]

    def _resume(self, operator: int) -> None:
        for batch in self.suspended.pop(operator, []):
            self._queue(operator, batch)

    def _forward(self, batch: Batch, came: float) -> None:
        operator = batch.token.next
        if operator is None or batch.rows < NOTHING:
            self.given[int(self.now / 60)] += batch.rows if operator is None else 0.0
            self.seconds -= came * (self.end - self.now)
        elif operator in self.suspended:
            self.suspended[operator].append(batch)
        else:
            self._queue(operator, batch)

    def _queue(self, operator: int, batch: Batch) -> None:
        node = self.nodes[self.placement[operator]]
        node.waiting.append(batch)
        self._begin(node)

    def _begin(self, node: Node) -> None:
        if node.is_busy or not node.waiting:
            return
        batch, node.is_busy = node.waiting.popleft(), True
        operator = batch.token.next
        assert operator is not None  # what has no operator before it is not queued
        takes = batch.rows * self.work.costs[operator]
        self.busy[operator] += takes
        self.worked += takes
        self.at(self.now + takes, partial(self._finish, node, batch, operator))

    def _finish(self, node: Node, batch: Batch, operator: int) -> None:
        node.is_busy = False
        batch.rows *= self.work.grown(batch.came)[operator]
        batch.token = batch.token.popped(operator)
        self._forward(batch, RUSTER_ROWS)
        self._begin(node)
