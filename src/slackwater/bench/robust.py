"""A plan for each batch: robust plans against fixed ones and adaptive ones, batch by batch.

Streams swing faster than a change of plan pays. All joins, or chains of filters, get the same batch
in turn, in one process without Spark, so that whatever disturbs the machine disturbs all of them
alike. The oracle knows each batch: it takes the fixed plan that was the fastest in it. Results are
compared with DuckDB over all rows.
"""

from __future__ import annotations

import random
import tempfile
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from itertools import pairwise
from pathlib import Path
from statistics import median
from time import perf_counter, process_time
from typing import Any, Protocol

import duckdb
import pyarrow as pa

from slackwater import testing
from slackwater.bench.chain import Chain
from slackwater.bench.data import BEGIN
from slackwater.bench.swing import ARMS, HUB, KINDS, NAMES, Swing
from slackwater.control.robust import RobustMemory
from slackwater.control.robust_set import cheapest
from slackwater.errors import Problem, QueryError
from slackwater.execute.sinks import MemorySink
from slackwater.optimize.plan import Space
from slackwater.optimize.seconds import Seconds
from slackwater.query.contract import slack
from slackwater.query.join import join
from slackwater.query.stream import Query
from slackwater.testing import Settings
from slackwater.units import SECOND

ROBUST, ADAPTIVE = "robust", "adaptive"
AGAIN = 50  # choices that are timed
Tell = Callable[[str], None]


def _listed(first: int) -> str:
    """An m-way join in which the hub probes one stream first, then those that follow it."""
    return f"({' '.join((HUB, *ARMS[first:], *ARMS[:first]))})"


# the best orders of each time, and one that keeps inner results
PLANS = (*(_listed(number) for number in range(len(ARMS))), "((((h a) b) c) d)")
PERIODS = (1, 3, 10)


class Work(Protocol):
    """What swings, and is run by several plans.

    ``plans`` are the fixed ones; ``told`` reads out of what controllers explained by which one a
    batch ran, ``prepared`` how many were ready at the end.
    """

    @property
    def warm(self) -> int: ...

    @property
    def batches(self) -> int: ...

    @property
    def plans(self) -> tuple[str, ...]: ...

    def tables(self, batch: int) -> dict[str, pa.Table]: ...

    def query(self, order: str, sink: MemorySink) -> Query: ...

    def told(self, controllers: Mapping[str, Any]) -> Any: ...

    def prepared(self, controllers: Sequence[Mapping[str, Any]]) -> Any: ...

    def choosing(self, loop: Any) -> float:
        """Seconds that a batch takes to choose its plan."""
        ...

    def from_scratch(self) -> list[tuple[Any, ...]]: ...


@dataclass(frozen=True, slots=True)
class Join:
    """The join of streams that swing."""

    swing: Swing
    plans: tuple[str, ...] = PLANS

    @property
    def warm(self) -> int:
        return self.swing.warm

    @property
    def batches(self) -> int:
        return self.swing.batches

    def tables(self, batch: int) -> dict[str, pa.Table]:
        return self.swing.tables(batch)

    def query(self, order: str, sink: MemorySink) -> Query:
        return query(self.swing, order, sink)

    def told(self, controllers: Mapping[str, Any]) -> Any:
        return controllers["robust"].get("orders")

    def prepared(self, controllers: Sequence[Mapping[str, Any]]) -> Any:
        return controllers[-1]["robust"].get("plans")

    def choosing(self, loop: Any) -> float:
        return _choosing(loop)

    def from_scratch(self) -> list[tuple[Any, ...]]:
        return from_scratch(self.swing)


CASES: dict[str, Work] = {
    f"{kind}, period {period}": Join(Swing.of(kind, period)) for kind in KINDS for period in PERIODS
} | {f"filters, period {period}": Chain.of(period) for period in PERIODS}


def choose(only: Sequence[str] = (), *, quick: bool = False) -> dict[str, Work]:
    """The cases to measure; raises on a name that is none."""
    unknown = [name for name in only if name not in CASES]
    if unknown:
        text = f"no case {', '.join(unknown)}; there are: {', '.join(CASES)}"
        raise QueryError([Problem("CASE_UNKNOWN", "bench robust", text)])
    first = next(iter(CASES))
    return {
        name: work
        for name, work in CASES.items()
        if (name in only if only else name == first or not quick)
    }


@dataclass(slots=True)
class Side:
    """One plan of several: seconds of its batches, those of processors, and what its controllers
    said of them.
    """

    sink: MemorySink = field(default_factory=MemorySink)
    seconds: list[float] = field(default_factory=list)
    processor: list[float] = field(default_factory=list)
    told: list[dict[str, Any]] = field(default_factory=list)

    def hear(self, report: dict[str, Any]) -> None:
        self.seconds.append(sum(report["ms"].values()) / 1000)
        self.told.append(report["queries"]["q"]["controllers"])

    @property
    def counts(self) -> list[tuple[Any, ...]]:
        """The answers: windows with the number of results and a sum over them."""
        found = self.sink.table()
        rows = [] if found is None else found.select(["window_start", "n", "s"]).to_pylist()
        return sorted((row["window_start"], row["n"], row["s"]) for row in rows)


@dataclass(frozen=True, slots=True)
class Outcome:
    """A case measured; ``choosing_s`` is how long it takes to choose a plan of the set."""

    case: str
    work: Work
    sides: dict[str, Side]
    choosing_s: float
    equal: bool

    def total(self, name: str) -> float:
        """Seconds of the batches that count."""
        return sum(self.sides[name].seconds[self.work.warm : self.work.batches])

    @property
    def best_static_s(self) -> float:
        return min(self.total(plan) for plan in self.work.plans)

    @property
    def oracle_s(self) -> float:
        """The fastest fixed plan of each batch."""
        counted, plans = range(self.work.warm, self.work.batches), self.work.plans
        return sum(min(self.sides[plan].seconds[batch] for plan in plans) for batch in counted)

    @property
    def processor(self) -> dict[str, float]:
        """Seconds of processors, which other processes of the machine do not change."""
        counted, plans = range(self.work.warm, self.work.batches), self.work.plans
        spent = {name: side.processor for name, side in self.sides.items()}
        totals = {name: sum(spent[name][batch] for batch in counted) for name in spent}
        return {
            "robust_s": totals[ROBUST],
            "best_static_s": min(totals[plan] for plan in plans),
            "adaptive_s": totals[ADAPTIVE],
            "oracle_s": sum(min(spent[plan][batch] for plan in plans) for batch in counted),
        }

    @property
    def switches(self) -> int:
        """How often a counted batch took other orders than the one before."""
        told = self.sides[ROBUST].told[self.work.warm - 1 : self.work.batches]
        orders = [self.work.told(one) for one in told]
        return sum(one != other for one, other in pairwise(orders))

    @property
    def classify_share(self) -> float:
        batch = median(self.sides[ROBUST].seconds[self.work.warm : self.work.batches])
        return self.choosing_s / batch

    def to_json(self) -> dict[str, Any]:
        return {
            "case": self.case,
            "robust_s": round(self.total(ROBUST), 3),
            "best_static_s": round(self.best_static_s, 3),
            "adaptive_s": round(self.total(ADAPTIVE), 3),
            "oracle_s": round(self.oracle_s, 3),
            "switches": self.switches,
            "classify_share": round(self.classify_share, 5),
            "equal": self.equal,
            "plans_s": {plan: round(self.total(plan), 3) for plan in self.work.plans},
            "processor": {name: round(one, 3) for name, one in self.processor.items()},
            "plans_prepared": self.work.prepared(self.sides[ROBUST].told[: self.work.batches]),
            "batches": {
                name: [round(one, 4) for one in side.seconds] for name, side in self.sides.items()
            },
        }


def report(outcomes: Sequence[Outcome]) -> dict[str, Any]:
    """The benchmark's JSON."""
    return {"bench": "robust", "cases": [outcome.to_json() for outcome in outcomes]}


def measure(cases: Mapping[str, Work], *, tell: Tell = lambda _: None) -> Iterator[Outcome]:
    """Measure cases one after the other."""
    with tempfile.TemporaryDirectory(prefix="slackwater-robust-") as scratch:
        for number, (name, work) in enumerate(cases.items()):
            yield _measured(name, work, Path(scratch) / str(number), tell)


def query(swing: Swing, order: str, sink: MemorySink) -> Query:
    """The join by some orders, counted and summed so that results can be compared."""
    hub = testing.rows(HUB, time="ts", ts="timestamp", v="bigint", **dict.fromkeys(ARMS, "bigint"))
    arms = [testing.rows(name, time="ts", ts="timestamp", k="bigint", v="bigint") for name in ARMS]
    on = [f"{HUB}.{name} = {name}.k" for name in ARMS]
    joined = join(hub, *arms, on=on, within=f"{swing.window} seconds", order=order)
    total = " + ".join(f"{name}.v" for name in NAMES)
    counted = joined.window(f"{swing.span} seconds").aggregate(n="count(*)", s=f"sum({total})")
    return counted.query("q", slack("0 seconds"), sink=sink)


def _measured(name: str, work: Work, folder: Path, tell: Tell) -> Outcome:
    sides = {order: Side() for order in (ROBUST, ADAPTIVE, *work.plans)}
    loops = {
        order: testing.make_loop(
            (work.query(order, side.sink),),
            folder / str(number),
            Settings(tier="columnar", on_batch=side.hear),
        )
        for number, (order, side) in enumerate(sides.items())
    }
    try:
        for batch in range(work.batches):
            tell(f"{name}: batch {batch + 1} of {work.batches}")
            tables = work.tables(batch)
            for order in random.Random(batch).sample(sorted(loops), len(loops)):
                began = process_time()
                loops[order].process(testing.micro(loops[order], tables), batch)
                sides[order].processor.append(process_time() - began)
        choosing = work.choosing(loops[ROBUST])
        for loop in loops.values():
            loop.finish()
    finally:
        for loop in loops.values():
            loop.close()
    tell(f"{name}: compare")
    truth = work.from_scratch()
    return Outcome(name, work, sides, choosing, all(s.counts == truth for s in sides.values()))


def _choosing(loop: Any) -> float:
    """Seconds to choose a plan for what the newest batch was like, with nothing worked out yet."""
    memory = loop.state.of("q").find(RobustMemory)
    if memory is None or memory.prepared is None:
        return 0.0
    graph, found = loop.policy.plan.queries[0].join.graph, []
    units = memory.seconds.get(memory.place, Seconds()).units()
    for _ in range(AGAIN):
        began = perf_counter()
        cheapest(memory.prepared.plans, Space(memory.facts.newest(graph), units), None)
        found.append(perf_counter() - began)
    return median(found)


def from_scratch(swing: Swing) -> list[tuple[Any, ...]]:
    """The answers by DuckDB, which joins each batch with the one before: windows are shorter."""
    near = [
        f"abs(epoch_us({one}.ts) - epoch_us({other}.ts)) <= {swing.window * SECOND}"
        for place, one in enumerate(NAMES)
        for other in NAMES[place + 1 :]
    ]
    on = [f"{HUB}.{name} = {name}.k" for name in ARMS]
    newest = f"greatest({', '.join(f'epoch_us({name}.ts)' for name in NAMES)})"
    begin = f"{newest} // {swing.span * SECOND} * {swing.span * SECOND}"
    total = " + ".join(f"{name}.v" for name in NAMES)
    text = (
        f"SELECT make_timestamptz({begin}) AS began, count(*), sum({total})::BIGINT "
        f"FROM {', '.join(NAMES)} WHERE {' AND '.join([*on, *near])} "
        f"GROUP BY began HAVING epoch_us(began) >= $first"
    )
    found, before = [], swing.tables(0)
    with duckdb.connect() as duck:
        duck.execute("SET TimeZone = 'UTC'")
        for batch in range(swing.batches):
            tables = swing.tables(batch)
            for name in NAMES:
                both = [before[name], tables[name]] if batch else [tables[name]]
                duck.register(name, pa.concat_tables(both))
            first = BEGIN + batch * swing.span * SECOND
            found += duck.execute(text, {"first": first}).fetchall()
            before = tables
    return sorted(found)
