"""Concurrent queries over shared chains: everything of chapter 5 together, tuple by tuple."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from functools import partial
from time import perf_counter_ns
from typing import Any, Literal

from slackwater.papers.concurrent_ji2018.operators.chain import Reuse, Suppression
from slackwater.papers.concurrent_ji2018.operators.queries import STATISTICS, Spec, opened
from slackwater.papers.concurrent_ji2018.operators.shared_tree import Predicate, SharedTree
from slackwater.papers.recall_ji2018.operators.statistics import JoinStatistics
from slackwater.share.calculator import (
    CalculatorParams,
    CalculatorState,
    Seen,
    learned,
    start,
    step,
)
from slackwater.share.change import sizes_only
from slackwater.share.selectivity import Selectivities
from slackwater.share.tree import Operator
from slackwater.stats.arrival import Arrival

Policy = Literal["managed", "none", "max"]
EVERY = 64  # arrivals between two looks at filters and buffers


@dataclass(frozen=True, slots=True)
class GlobalQueryPlan:
    """Queries, the tree behind each source, and what its filters keep."""

    name: str
    specs: tuple[Spec, ...]
    trees: Mapping[str, Operator]
    predicates: Mapping[str, Predicate]


@dataclass(frozen=True, slots=True)
class SystemParams:
    """How slacks are chosen, buffers placed, and configurations changed."""

    policy: Policy = "managed"
    calculator: CalculatorParams = field(default_factory=CalculatorParams)
    reuse: Reuse = "smart"
    by: Suppression = "stamp"


@dataclass(slots=True)
class Measured:
    """Buffered tuples now and then, and what configurations took: microseconds."""

    held: list[int] = field(default_factory=list)
    computing: list[float] = field(default_factory=list)
    resizing: list[float] = field(default_factory=list)
    moving: list[float] = field(default_factory=list)
    moved: int = 0

    @property
    def applying(self) -> list[float]:
        return self.resizing + self.moving


class System:
    """Queries of one plan; ``run`` takes the arrivals of all sources."""

    def __init__(self, plan: GlobalQueryPlan, params: SystemParams) -> None:
        self.plan, self.params = plan, params
        self.measured = Measured()
        self.joined = JoinStatistics.start(STATISTICS, tuple(plan.trees))
        is_managed = params.policy == "managed"
        self.queries = opened(plan.specs, self.joined, is_managed=is_managed)
        self._kept = Selectivities()
        self._states: dict[str, CalculatorState] = {}
        self.trees: dict[str, SharedTree] = {}
        for source, root in plan.trees.items():
            seen = self._seen(source, dict.fromkeys(root.queries, 0))
            self._states[source] = state = start(params.calculator, root, seen)
            assert state.configuration is not None
            mine = {one.name for one in root.walk()}
            tests = {name: keeps for name, keeps in plan.predicates.items() if name in mine}
            readers = {query: partial(self.queries[query].take, source) for query in root.queries}
            self.trees[source] = SharedTree(root, state.configuration, tests, readers, params.by)
        self._slacks: dict[str, int] = dict.fromkeys(self.queries, 0)

    @property
    def skipped(self) -> int:
        """Configurations that would not have paid."""
        return sum(state.skipped for state in self._states.values())

    def run(self, arrivals: Iterable[Arrival[Any]]) -> None:
        for number, arrival in enumerate(arrivals):
            self.joined.update(arrival.stream, arrival.ts)
            self.trees[arrival.stream].update(arrival)
            if self.params.policy != "none":
                self._configure()
            if number % EVERY == 0:
                self._look()
        for query in self.queries.values():
            query.settle()
        for tree in self.trees.values():
            tree.flush()
        for query in self.queries.values():
            query.finish()

    def _look(self) -> None:
        self.measured.held.append(sum(tree.held for tree in self.trees.values()))
        for tree in self.trees.values():
            self._kept = self._kept.after(tree.take_counts())

    def _reports(self) -> dict[str, int]:
        """Slacks told since this was asked last."""
        if self.params.policy == "max":
            slowest = {
                name: max(self.joined.streams[stream].max_delay for stream in query.spec.streams)
                for name, query in self.queries.items()
            }
            return {name: slack for name, slack in slowest.items() if slack != self._slacks[name]}
        found = {name: one.report for name, one in self.queries.items() if one.report is not None}
        for query in self.queries.values():
            query.report = None
        return found

    def _configure(self) -> None:
        reports = self._reports()
        self._slacks |= reports
        for source, root in self.plan.trees.items():
            mine = {query: slack for query, slack in reports.items() if query in root.queries}
            if mine:
                self._step(source, root, mine)

    def _step(self, source: str, root: Operator, reports: dict[str, int]) -> None:
        before = self._states[source]
        began = perf_counter_ns()
        change, state = step(self.params.calculator, root, self._seen(source, reports), before)
        took = (perf_counter_ns() - began) / 1000
        self._states[source] = state
        if change is None:
            if state.skipped > before.skipped:
                self.measured.computing.append(took)
            return
        self.measured.computing.append(took)
        assert before.configuration is not None
        began = perf_counter_ns()
        moved = self.trees[source].change(change.configuration, self.params.reuse)
        took = (perf_counter_ns() - began) / 1000
        if sizes_only(before.configuration, change.configuration):
            self.measured.resizing.append(took)
        else:
            self.measured.moving.append(took)
        self.measured.moved += moved
        self._states[source] = learned(state, moved, took) if moved else state

    def _seen(self, source: str, reports: Mapping[str, int]) -> Seen:
        root = self.plan.trees[source]
        filters = tuple(one.name for one in root.walk() if one.kind == "filter")
        rate = self.joined.rate(source) if source in self.joined.streams else None
        return Seen(reports, self._kept.of(filters), rate or 0.0)
