"""A plan that runs, under one of three execution models.

*Total*: every tuple goes from its leaf to the root before the next one starts. *Semi*: an operator
takes its inputs in the order of time and waits while one of them is empty. *None*: any operator
with something to read may run. In the last two an operator is picked at random, by a seed.
Reference: Zhu 2006, ch. 10 and 15. Equal sub-plans of several roots are one operator.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterable
from random import Random
from typing import Literal

from slackwater.papers.adaptive_zhu2006.operators.grouping import UnitGroup, WindowGroup
from slackwater.papers.adaptive_zhu2006.operators.join import JoinOperator, JoinParams
from slackwater.papers.adaptive_zhu2006.operators.key_group import (
    KeyJoinOperator,
    SlidingGroup,
    TemporaryGroup,
)
from slackwater.papers.adaptive_zhu2006.operators.operator import Operator
from slackwater.papers.adaptive_zhu2006.operators.passing import (
    Addressing,
    ProjectOperator,
    SelectOperator,
)
from slackwater.papers.adaptive_zhu2006.operators.plan import (
    Group,
    Join,
    KeyJoin,
    Plan,
    Project,
    Select,
    Source,
    inputs_of,
    schema_of,
)
from slackwater.papers.adaptive_zhu2006.operators.query import Query
from slackwater.papers.adaptive_zhu2006.operators.row import Punctuation, Row, Single, time_of
from slackwater.papers.adaptive_zhu2006.operators.shared_queue import Cursor, SharedQueue
from slackwater.papers.adaptive_zhu2006.operators.work import Work

Model = Literal["total", "semi", "none"]
END = float("inf")


class Engine:
    """Operators of one or several roots over the same streams, and what they gave.

    Parameters
    ----------
    query
        Streams, predicates and windows.
    roots
        A plan for every result.
    model
        Which tuple may be processed when.
    joins
        How joins probe and purge; without synchronisation rows are purged by both ends.
    addressing
        How projects find their columns.
    seed
        Of the order in which operators run, where the model leaves it open.
    """

    def __init__(
        self,
        query: Query,
        *roots: Plan,
        model: Model = "total",
        joins: JoinParams | None = None,
        addressing: Addressing = "id",
        seed: int = 0,
    ) -> None:
        self.query, self.model, self.addressing = query, model, addressing
        self.joins = joins or JoinParams(purge="min-max" if model == "none" else "max")
        self.work = Work()
        self.epoch = 0
        self.now = float("-inf")  # the time of the latest tuple that arrived
        self.feeds = {stream: SharedQueue() for stream in query.columns}
        self.operators: dict[Plan, Operator] = {}
        self.beside: list[Operator] = []  # those of a second box, while two run
        self.watchers: list[Callable[[], None]] = []  # told when operators have run
        self.roots = roots
        self.sinks: list[Cursor] = []
        self.results: list[list[Row]] = [[] for _ in roots]
        self._random = Random(seed)
        for root in roots:
            self.operators |= self.build(root, self.operators)
        for root in roots:
            queue = SharedQueue()
            self.sinks.append(queue.open())
            self.operators[root].outlets.append(queue)

    # ------------------------------------------------------------------------------ operators

    def build(
        self, plan: Plan, known: dict[Plan, Operator], inputs: dict[Plan, Cursor] | None = None
    ) -> dict[Plan, Operator]:
        """Operators for a plan, except those known, down to given inputs of a box."""
        made = dict(known)
        given = inputs or {}
        for node in _inside(plan, set(given)):
            if node not in made and not isinstance(node, Source):
                cursors = [self._read(one, made, given) for one in inputs_of(node)]
                made[node] = self._operator(node, cursors)
        return {node: one for node, one in made.items() if node not in known}

    def _read(self, node: Plan, made: dict[Plan, Operator], inputs: dict[Plan, Cursor]) -> Cursor:
        if node in inputs:
            cursor = inputs[node]
            other = cursor.fork(at_end=False)
            other.mark = cursor.mark
            return other
        if isinstance(node, Source):
            return self.feeds[node.stream].open()
        return made[node].output.open()

    def _operator(self, node: Plan, cursors: list[Cursor]) -> Operator:
        if isinstance(node, Join):
            return JoinOperator(node, cursors, self.query, self.joins, self.work)
        if isinstance(node, Select):
            return SelectOperator(node, cursors)
        if isinstance(node, Project):
            schema = schema_of(node.input, self.query)
            return ProjectOperator(node, cursors, schema, self.addressing)
        if isinstance(node, Group) and node.stage == "unit":
            return UnitGroup(node, cursors, self.work)
        if isinstance(node, KeyJoin):
            return KeyJoinOperator(node, cursors, self.query, self.joins, self.work)
        if isinstance(node, Group) and node.stage == "sliding":
            return SlidingGroup(node, cursors, self.work, self.query.windows.longest)
        if isinstance(node, Group) and isinstance(node.input, KeyJoin):
            return TemporaryGroup(node, cursors, self.work, self.query.windows.longest)
        if isinstance(node, Group):
            return WindowGroup(node, cursors, self.work, self.query.windows.longest)
        raise NotImplementedError(f"no operator for {node}")

    @property
    def running(self) -> list[Operator]:
        """Lower operators first, the second box's behind the first's."""
        return [*self.operators.values(), *self.beside]

    # ------------------------------------------------------------------------------ execution

    def push(self, single: Single) -> None:
        """A tuple arrives."""
        self.now = max(self.now, single.ts)
        self.feeds[single.stream].append(Row.of(single))
        if self.model == "total":
            self.settle()

    def punctuate(self, ts: float) -> None:
        """All streams have come to this time."""
        for feed in self.feeds.values():
            feed.append(Punctuation(ts))
        if self.model == "total":
            self.settle()

    def finish(self) -> None:
        """The streams end: nobody needs to wait for anybody."""
        self.punctuate(END)
        self.settle()

    def settle(self) -> None:
        """Run until no operator can."""
        if self.model == "total":
            self._run_all()
            if self.watchers:
                for tell in self.watchers:
                    tell()
                self._run_all()
        else:
            while self.step():
                pass
        self.collect()

    def _run_all(self) -> None:
        for one in self.running:
            for port, cursor in enumerate(one.inputs):
                while len(cursor):
                    one.consume(port)

    def step(self) -> bool:
        """One item, of one operator that may run; whether there was one."""
        able = [(one, port) for one in self.running for port in ready(one, self.model)]
        if not able:
            return False
        one, port = self._random.choice(able)
        one.consume(port)
        self.collect()
        return True

    def collect(self) -> None:
        for number, sink in enumerate(self.sinks):
            while len(sink):
                item = sink.next()
                if isinstance(item, Row):
                    self.results[number].append(item)

    def run(self, arrivals: Iterable[Single]) -> None:
        """Push tuples in their order, with some steps in between where the model leaves it open."""
        for single in arrivals:
            self.push(single)
            for _ in range(self._random.randrange(4) if self.model != "total" else 0):
                self.step()

    # -------------------------------------------------------------------------------- measures

    def records(self, number: int = 0) -> Counter[Hashable]:
        """The multiset of results so far."""
        return Counter(row.record for row in self.results[number])

    def state_sizes(self) -> dict[Plan, list[int]]:
        """How many rows each join keeps for each of its inputs."""
        return {
            node: [len(state) for state in one.states]
            for node, one in self.operators.items()
            if one.states
        }

    def queue_lengths(self) -> tuple[int, int]:
        """Items that wait in input queues, and between operators."""
        feeds = set(map(id, self.feeds.values()))
        outer = inner = 0
        for cursor in (cursor for one in self.running for cursor in one.inputs):
            if id(cursor.queue) in feeds:
                outer = max(outer, len(cursor))
            else:
                inner += len(cursor)
        return outer, inner

    def intermediate(self) -> int:
        """Combined rows that are kept in states or wait between operators."""
        kept = sum(
            len(state)
            for one in self.running
            for state in one.states
            if state.rows and len(state.rows[0].parts) > 1
        )
        return kept + self.queue_lengths()[1]

    def memory(self) -> int:
        """All rows kept in states, tuples."""
        return sum(len(state) for one in self.running for state in one.states)


def ready(one: Operator, model: Model) -> list[int]:
    """The inputs that an operator may read from now."""
    waiting = [port for port, cursor in enumerate(one.inputs) if len(cursor)]
    if model != "semi" or not waiting:
        return waiting
    times = {port: _front_time(one.inputs[port]) for port in waiting}
    port = min(waiting, key=lambda number: times[number])
    empty = [other for other in range(len(one.inputs)) if other not in times]
    return [port] if all(one.heard[other] >= times[port] for other in empty) else []


def _front_time(cursor: Cursor) -> float:
    item = cursor.front()
    return END if item is None else time_of(item)


def _inside(plan: Plan, inputs: set[Plan]) -> list[Plan]:
    if plan in inputs:
        return []
    below = [node for one in inputs_of(plan) for node in _inside(one, inputs)]
    return [*dict.fromkeys([*below, plan])]
