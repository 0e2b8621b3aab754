"""The executor: one plan for ranks at a time, rows worked on while there is a budget (A3, 2.2).

Work is charged in units of :class:`~slackwater.precede.cost.UnitCosts`; the clock is moved by hand.
"""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field, replace
from typing import Any, Literal

from slackwater.papers.precedence_works2015.operators.books import Books
from slackwater.papers.precedence_works2015.operators.meeting import Meeting
from slackwater.papers.precedence_works2015.operators.punctuation import Punctuations
from slackwater.papers.precedence_works2015.operators.queues import Place, Queues
from slackwater.papers.precedence_works2015.operators.row import Row, Source, merge, row_of
from slackwater.papers.precedence_works2015.operators.steps import (
    Conditions,
    Join,
    project,
    select,
)
from slackwater.precede.adaptor import Notification, Settings
from slackwater.precede.classifier import EMPTY, Assessment, JudgedRow, can_gain, classify
from slackwater.precede.cost import UnitCosts
from slackwater.precede.level import NO_RANK
from slackwater.precede.monitor import Snapshot, Watch
from slackwater.precede.pcql import Window
from slackwater.precede.pipeline import Edge, Operator, Pipeline
from slackwater.precede.standing import UNRANKED
from slackwater.units import SECOND

Schedule = Literal["rank-major", "turns"]


@dataclass(frozen=True, slots=True)
class ExecutorParams:
    """``lifespan`` and ``period`` of punctuations in microseconds; no lifespan: nothing expires.

    ``schedule`` says how ranks count: over all operators, or only within the one whose turn it is.
    ``statistics`` is how many statistics an arrival at an operator updates. With ``keeps`` results
    are kept one by one.

    With ``is_sober`` a promise ends where a row meets one that is worth nothing: a composite keeps
    it only if some member could be significant (G24). The source work has no such switch.
    """

    window: Window
    lifespan: int | None = None
    period: int = SECOND
    units: UnitCosts = field(default_factory=UnitCosts)
    schedule: Schedule = "rank-major"
    statistics: int = 0
    keeps: bool = False
    is_sober: bool = False
    conditions: Conditions = field(default_factory=dict)


class Executor:
    """Runs a pipeline. Watches, where there are some, see what comes and what expires."""

    def __init__(
        self, pipeline: Pipeline, params: ExecutorParams, watches: Mapping[str, Watch] | None = None
    ) -> None:
        self.pipeline, self.params = pipeline, params
        self.books, self.settings = Books(), Settings()
        self.queues = Queues(len(pipeline.operators))
        self.meeting = Meeting(params.window)
        self.joins = {one.name: Join(one, self.meeting) for one in pipeline.joins}
        self.punctuations = Punctuations(pipeline, params.period)
        self.given: list[tuple[tuple[str, int], ...]] = []
        self.now = 0
        self.promises = EMPTY
        self._watches = watches or {}
        self._seen: dict[str, set[int]] = defaultdict(set)
        self._control: list[Notification] = []
        self._sides = {
            edge.source: (edge, pipeline.positions[edge.operator], side)
            for operator in pipeline.operators
            for side, edge in enumerate(operator.edges)
        }

    def tell(self, notifications: Iterable[Notification]) -> None:
        """Put notifications into the control channel; they hold before the next row is touched."""
        self._control += notifications

    def promise(self, promises: Assessment) -> None:
        """Dynamic levels that there could be: rows that meet one and expire are counted (ER_p)."""
        self.promises = promises

    def _listen(self) -> None:
        if self._control:
            self.settings = self.settings.apply(self._control)
            self._control.clear()

    def arrive(self, source: Source) -> Row:
        """A row of a stream; it goes through the classifier of its leaf and waits."""
        self._listen()
        self.now = max(self.now, source.ts)
        self.meeting.arrive(source)
        self.books.rows["admitted"] += 1
        row = row_of(source)
        self._send(row, source.stream)
        return row

    def drop(self, source: Source) -> None:
        """A row that is not let in; windows of rows count it all the same."""
        self.meeting.arrive(source)

    def _send(self, row: Row, origin: str) -> None:
        """From a stream or an operator to the next one, through the classifier or around it."""
        edge, position, side = self._sides[origin]
        if origin in self.settings.used:
            self._classify(row, edge)
        self._observe(row, edge.operator)
        self.books.charge("statistics", self.params.statistics * self.params.units.statistic)
        self.queues.push(row, row.standing.queue(self.settings.last_active), position, side)

    def _observe(self, row: Row, operator: str) -> None:
        """Count members that come to an operator; each once, however many composites bring it.

        Else what is pulled forward would seem to be more frequent than what is not.
        """
        watch = self._watches.get(operator)
        if watch is None:
            return
        seen = self._seen[operator]
        fresh = tuple(part for part in row.parts if part.number not in seen)
        if fresh:
            seen.update(part.number for part in fresh)
            watch.arrive(row if len(fresh) == len(row.parts) else replace(row, parts=fresh))

    def snapshots(self, period: int) -> list[Snapshot]:
        """What all operators counted since the last time."""
        return [watch.snapshot(period) for watch in self._watches.values()]

    def _classify(self, row: Row, edge: Edge) -> None:
        at = self.settings.assessments.get(edge, EMPTY)
        if not can_gain(row.standing, at):
            self.books.tests["around"] += 1
            return
        row.standing, static, dynamic = classify(row.standing, at, JudgedRow(row))
        self.books.tests["static"] += static
        self.books.tests["dynamic"] += dynamic
        units = self.params.units
        tests = static * units.static_test + dynamic * units.dynamic_test
        self.books.charge("classification", tests)

    def work(self, budget: float) -> float:
        """Serve rows until a budget is used; the last one may exceed it. Gives what is left."""
        began = self.books.spent
        while self.books.spent - began < budget:
            self._listen()
            place = self._next()
            if place is None:
                break
            self._serve(place)
        return budget - (self.books.spent - began)

    def _next(self) -> Place | None:
        if self.settings.last_active is None:
            return self.queues.turns()
        if self.params.schedule == "turns":
            return self.queues.ranked_turns()
        return self.queues.rank_major()

    def _serve(self, place: Place) -> None:
        _, position, side = place
        row = self.queues.pop(place)
        if self._is_old(row):
            self._expire(row, position)
            return
        self.books.rows["served"] += 1
        self.books.rows["sources served"] += len(row.parts) == 1
        row.standing = row.standing.reach(position)
        operator = self.pipeline.operators[position - 1]
        if operator.kind == "join":
            self._join(row, operator, side)
        else:
            self._pass(row, operator)

    def _join(self, row: Row, operator: Operator, side: int) -> None:
        partners = self.joins[operator.name].process(row, side)
        units = self.params.units
        cost = units.queue + units.insert + units.probe + len(partners) * units.output
        self.books.charge("joins", cost)
        if operator.name not in self._sides and not self.params.keeps:
            for other in partners:
                self._count(min(row.level, other.level))
            return
        for other in partners:
            pair = (row, other) if side == 0 else (other, row)
            found = merge(*pair)
            if self.params.is_sober and found.level == NO_RANK:
                found.standing = UNRANKED
            self._give(found, operator)

    def _pass(self, row: Row, operator: Operator) -> None:
        units = self.params.units
        if operator.kind == "select":
            self.books.charge("selections", units.queue + units.select)
            for one in select(row, self.params.conditions[operator.name]):
                self._give(one, operator)
        else:
            self.books.charge("projections", units.queue + units.project)
            self._give(project(row, operator.drops), operator)

    def _give(self, row: Row, operator: Operator) -> None:
        if operator.name in self._sides:
            self._send(row, operator.name)
            return
        self._count(row.level)
        if self.params.keeps:
            self.given.append(tuple(sorted((part.stream, part.seq) for part in row.parts)))

    def _count(self, level: int) -> None:
        self.books.give(level, self.now // (10 * SECOND))

    def _is_old(self, row: Row) -> bool:
        return self.params.lifespan is not None and row.born < self.now - self.params.lifespan

    def advance(self, now: int) -> None:
        """Move the clock: rows expire, punctuations flow, states are purged."""
        self.now = now
        if self.params.lifespan is not None:
            for position, row in self.queues.expire(now - self.params.lifespan):
                self._expire(row, position)
        for position, done in self.punctuations.advance(now, self.queues):
            operator = self.pipeline.operators[position - 1]
            if operator.kind == "join":
                self.joins[operator.name].purge(done)

    def _expire(self, row: Row, position: int) -> None:
        operator = self.pipeline.operators[position - 1]
        self.books.rows["sources expired"] += len(row.parts) == 1
        if row.level != NO_RANK:
            self.books.significant[row.level] += 1
        rank = promised(self.promises, row, position)
        if rank is not None:
            self.books.promising[rank] += 1
        watch = self._watches.get(operator.name)
        if watch is not None:
            watch.expire(row)


def promised(promises: Assessment, row: Row, position: int) -> int | None:
    """The most critical rank that a row could have promised for an operator not yet passed."""
    judged: Any = JudgedRow(row)
    for rank, attributes in sorted(promises.dynamic_by_rank.items()):
        for attribute, values in attributes.items():
            if any(values.get(value, 0) >= position for value in judged.values(attribute)):
                return rank
    return None
