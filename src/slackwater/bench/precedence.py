"""Ranks under overload: how many results of each rank, all six ways on the same rows.

The loop as it is, over rows given by hand: nothing here depends on how fast the machine is but the
seconds. A query is asked to do so much of its work in a batch that all of it would be *load* times
that. A result counts if it was given within the lifespan of its newest row.
"""

from __future__ import annotations

import tempfile
import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from statistics import median
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from slackwater.bench.stocks import CONDITIONS, Input, draw
from slackwater.errors import Problem, QueryError
from slackwater.execute.sinks import MemorySink
from slackwater.papers.precedence_works2015.workload import DS1, EVEN, RATE, Mix, Setup
from slackwater.query.contract import slack
from slackwater.query.rank import PRECEDENCES, rank
from slackwater.query.stream import Query
from slackwater.testing import Settings, make_loop, micro
from slackwater.units import SECOND

LIFESPAN = 10  # seconds
ENOUGH = 10**9  # units of work: more than there is
LEVELS = (1, 2, 3)
SOON = 2  # batches in which a critical result is wanted
PLAIN = "plain"  # the query without ranks
ALL = "no limit"  # all there is: as much work as comes
BEHIND = "none, no lifespan"
_IN_TURN = ("none", *(one for one in PRECEDENCES if one != "none"))  # others are compared with it

Tell = Callable[[str], None]
Counts = npt.NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class Case:
    """Streams, so many seconds of them, and how many times too much they are; 0: not too much.

    Results count whose newest row came after ``warmup`` seconds. Seconds of the processor are the
    least of so many ``rounds``. ``is_drawn``: how long results wait is a picture, beside a query
    that gives up nothing.
    """

    label: str
    setup: Setup
    load: float
    seconds: int = 120
    warmup: int = 40
    rounds: int = 1
    is_drawn: bool = False


def _market(window: float, times: float, mix: Mix = EVEN) -> Setup:
    """Stocks, news and blogs with all sub-sectors alike: a row meets 4/3 others at each join."""
    return Setup(mix=mix, window=round(window * SECOND), rate=times * RATE)


# Each of news and blogs speaks of 40 sub-sectors in 100, so most of what one says meets nothing.
APART = Mix("apart", promising=None, covered=40)


CASES = (
    Case("2 times", _market(1, 2), 2),
    Case("4 times", _market(1, 2), 4, is_drawn=True),
    Case("4 times, streams apart", _market(1, 2, APART), 4),
    Case("8 times, streams apart", _market(1, 2, APART), 8),
    Case("4 times, many partners", Setup(mix=DS1), 4, seconds=80),
    Case("no overload", _market(0.1, 20), 0, seconds=30, warmup=5, rounds=2),
)


@dataclass(frozen=True, slots=True)
class Run:
    """One query over all batches: of each result its rank, when its newest row came, when it did
    (in batches); what it took, the work of each batch, and the results themselves.
    """

    ranks: Counts
    came: Counts
    given: Counts
    cpu_s: float
    decide_s: float
    units: tuple[int, ...]
    rows: pa.Table

    def of_level(self, level: int, warmup: int) -> Counts:
        """Batches from newest row to answer, of results of a rank."""
        meant = (self.ranks == level) & (self.came >= warmup)
        found: Counts = (self.given - self.came)[meant]
        return found

    def within(self, level: int, warmup: int, batches: int) -> int:
        return int((self.of_level(level, warmup) <= batches).sum())


@dataclass(frozen=True, slots=True)
class Waits:
    """Batches from the newest row of a level-1 result to its answer, by the batch it came in."""

    came: tuple[int, ...]
    median: tuple[float, ...]
    slowest: tuple[int, ...]

    def to_json(self) -> dict[str, Any]:
        return {"came": self.came, "median": self.median, "slowest": self.slowest}


@dataclass(frozen=True, slots=True)
class Outcome:
    """What one way gave in one case.

    ``search_s`` is what deciding takes in a batch, of which most is to look for promises;
    ``overhead_share`` the processor time beyond that of ``none``, without overload. ``soon`` is the
    share of level-1 results given within two batches, ``slowest`` the longest wait of one.
    """

    case: Case
    system: str
    levels: tuple[int, int, int]
    level1_vs_none: float | None
    search_s: float
    overhead_share: float | None
    rows_per_cpu_s: float
    soon: float | None
    slowest: int | None
    budget: int | None
    waits: Waits
    equal: bool | None = None

    def to_json(self) -> dict[str, Any]:
        named = {f"level{n}": found for n, found in zip(LEVELS, self.levels, strict=True)}
        return {
            "case": self.case.label,
            "system": self.system,
            **named,
            "level1_vs_none": self.level1_vs_none,
            "search_s": round(self.search_s, 5),
            "overhead_share": self.overhead_share,
            "rows_per_cpu_s": round(self.rows_per_cpu_s),
            "level1_within_two_batches": self.soon,
            "level1_slowest_batches": self.slowest,
            "budget": self.budget,
            "equal": self.equal,
        }


def report(outcomes: Sequence[Outcome]) -> dict[str, Any]:
    """The benchmark's JSON, and how long results waited in the case that is drawn."""
    cases = [outcome.to_json() for outcome in outcomes]
    drawn = [one for one in outcomes if one.case.is_drawn and one.system in ("prune", BEHIND)]
    waits = {one.system: one.waits.to_json() for one in drawn}
    return {"bench": "precedence", "cases": cases, **({"waits": waits} if waits else {})}


def choose(labels: Sequence[str], *, quick: bool = False) -> tuple[Case, ...]:
    """The cases with these labels, all by default; a quick run has the last overload alone."""
    known = {case.label: case for case in CASES}
    if unknown := [label for label in labels if label not in known]:
        text = f"no case {', '.join(unknown)}; there are: {', '.join(known)}"
        raise QueryError([Problem("CASE_UNKNOWN", "bench precedence", text)])
    return tuple(known[label] for label in labels or (["4 times"] if quick else known))


def measure(cases: Sequence[Case], *, tell: Tell = lambda _: None) -> Iterator[Outcome]:
    """All ways in one case after the other; ``tell`` hears of each step."""
    for case in cases:
        tell(f"{case.label}: rows")
        given = draw(case.setup, case.seconds)
        if case.load:
            yield from _overloaded(case, given, tell)
        else:
            yield from _unhurried(case, given, tell)


def run(query: tuple[Query, MemorySink], given: Input) -> Run:
    """Give all batches to one loop."""
    asked, sink = query
    reports: list[dict[str, Any]] = []
    with tempfile.TemporaryDirectory(prefix="slackwater-precedence-") as folder:
        loop = make_loop([asked], folder, Settings(on_batch=reports.append))
        try:
            cpu = time.process_time()
            for number, batch in enumerate(given.batches):
                loop.process(micro(loop, batch), number)
            cpu = time.process_time() - cpu
        finally:
            loop.close()
    shown = [_shown(number, table, given) for number, table in sorted(sink.batches.items())]
    ranks, came, answered = (np.concatenate(parts) for parts in zip(*shown, strict=True))
    decide = median(one["ms"]["decide"] for one in reports) / 1000
    rows = pa.concat_tables(sink.batches.values()).select([*_times(given), "rank"])
    return Run(ranks, came, answered, cpu, decide, tuple(map(_units, reports)), rows)


def _shown(batch: int, table: pa.Table, given: Input) -> tuple[Counts, Counts, Counts]:
    """Of the results of a batch: their rank, the batch of the newest row, and this one."""
    times = [table[name].cast(pa.int64()).to_numpy() for name in _times(given)]
    newest = np.maximum.reduce(times) // SECOND
    return table["rank"].to_numpy().astype(np.int64), newest, np.full(table.num_rows, batch)


def _times(given: Input) -> list[str]:
    """When each row of a result came, by column; no two rows of a stream came at once."""
    return [f"{name}_ts" for name in given.names]


def _units(report: dict[str, Any]) -> int:
    """The work of a batch, as it was foreseen."""
    found: int = (report["queries"]["q"].get("backlog") or {}).get("used", 0)
    return found


def _query(
    given: Input, precedence: str, budget: int, lifespan: int | None = LIFESPAN
) -> tuple[Query, MemorySink]:
    sink = MemorySink()
    ranks = rank(*CONDITIONS, budget=budget, precedence=precedence)
    return given.joined.query("q", slack(0), sink=sink, rank=ranks, lifespan=lifespan), sink


def _plain(given: Input) -> tuple[Query, MemorySink]:
    sink = MemorySink()
    return given.joined.query("q", slack(0), sink=sink), sink


def _budget(case: Case, whole: Run) -> int:
    """The units of work that a batch may do, so that all there is would be so many times that."""
    return max(1, round(float(np.mean(whole.units[case.warmup :])) / case.load))


def _overloaded(case: Case, given: Input, tell: Tell) -> Iterator[Outcome]:
    tell(f"{case.label}: {ALL}")
    whole = run(_query(given, "none", ENOUGH), given)
    budget = _budget(case, whole)
    yield _outcome(case, given, ALL, whole)
    level1: int | None = None
    ways: list[tuple[str, str, int | None]] = [(one, one, LIFESPAN) for one in _IN_TURN]
    if case.is_drawn:
        ways.append((BEHIND, "none", None))
    for name, precedence, lifespan in ways:
        tell(f"{case.label}: {name}")
        found = run(_query(given, precedence, budget, lifespan), given)
        level1 = found.within(1, case.warmup, LIFESPAN) if level1 is None else level1
        yield _outcome(case, given, name, found, budget=budget, level1=level1)


def _unhurried(case: Case, given: Input, tell: Tell) -> Iterator[Outcome]:
    """All ways by turns; the first results are compared with those of the query without ranks."""
    names = (PLAIN, *_IN_TURN)
    runs: dict[str, list[Run]] = {name: [] for name in names}
    for number in range(case.rounds):
        for name in names:
            tell(f"{case.label}: {name}, round {number + 1}")
            asked = _plain(given) if name == PLAIN else _query(given, name, ENOUGH)
            runs[name].append(run(asked, given))
    least = {name: min(done, key=lambda one: one.cpu_s) for name, done in runs.items()}
    beside, right = least["none"].cpu_s, _in_order(runs[PLAIN][0])
    level1 = least["none"].within(1, case.warmup, LIFESPAN)
    for name, found in least.items():
        yield _outcome(
            case,
            given,
            name,
            found,
            level1=level1,
            overhead=found.cpu_s / beside - 1,
            equal=all(_in_order(one).equals(right) for one in runs[name]),
        )


def _in_order(found: Run) -> pa.Table:
    """All results, whenever they were given."""
    return found.rows.sort_by([(name, "ascending") for name in found.rows.column_names])


def _outcome(
    case: Case,
    given: Input,
    system: str,
    found: Run,
    *,
    level1: int | None = None,
    budget: int | None = None,
    overhead: float | None = None,
    equal: bool | None = None,
) -> Outcome:
    first, second, third = (found.within(n, case.warmup, LIFESPAN) for n in LEVELS)
    waits = found.of_level(1, case.warmup)
    return Outcome(
        case,
        system,
        (first, second, third),
        round(first / level1, 2) if level1 else None,
        found.decide_s,
        None if overhead is None else round(overhead, 4),
        given.rows / found.cpu_s,
        round(float((waits <= SOON).mean()), 4) if waits.size else None,
        int(waits.max()) if waits.size else None,
        budget,
        _waits(found),
        equal,
    )


def _waits(found: Run) -> Waits:
    """By the batch in which the newest row of level-1 results came."""
    meant = found.ranks == 1
    came, waits = found.came[meant], (found.given - found.came)[meant]
    batches = sorted(set(came.tolist()))
    by_batch = [waits[came == batch] for batch in batches]
    return Waits(
        tuple(batches),
        tuple(float(np.median(some)) for some in by_batch),
        tuple(int(some.max()) for some in by_batch),
    )
