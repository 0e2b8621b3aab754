"""What a task does: looks at some of the new rows, or advances some of the groups.

The same statements as in the driver, over fewer rows. What a task writes has a name of its own;
only what it gives back says which files count.
"""

from __future__ import annotations

import os
import tempfile
import time
import uuid
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa

from slackwater.balance.cost import Spent
from slackwater.control.records import Decision, Policy
from slackwater.control.turn import Turn
from slackwater.disorder.periods import Found
from slackwater.errors import Problem
from slackwater.execute.batch import Batch, Execution, Layout, Outcome, Passed
from slackwater.execute.delta import Delta
from slackwater.execute.duck import connected
from slackwater.execute.hands import Seen
from slackwater.execute.limits import Limits
from slackwater.execute.meter import Errors
from slackwater.execute.place import Here
from slackwater.execute.sinks.sink import Results, TableResults
from slackwater.execute.spread.columns import columns_of
from slackwater.execute.spread.engine import Above, GroupEngine
from slackwater.execute.spread.parts import Part, write_part
from slackwater.execute.spread.portion import Portion
from slackwater.execute.tidy import tidy
from slackwater.optimize.facts import Sample
from slackwater.plan.spread import Leg, Spread, spread
from slackwater.plan.sql.windows import Writer
from slackwater.runs.catalog import Catalog, StateInfo
from slackwater.runs.run import Run, new_run, total_rows

# a connection takes longer to open than a batch to run
_ducks: dict[tuple[str, bool], duckdb.DuckDBPyConnection] = {}


@dataclass(frozen=True, slots=True)
class Site:
    """What all tasks of a pipeline share, and what does not change while it runs.

    ``memory`` is how many bytes DuckDB may take in a task before it goes to the disk.
    """

    layout: Layout
    spread: Spread
    runs: Path
    results: Path
    zone: str = "UTC"
    sketches: bool = True
    limits: Limits = field(default_factory=Limits)
    memory: int | None = None
    token: str = field(default_factory=lambda: uuid.uuid4().hex[:8])

    @classmethod
    def of(cls, here: Here[Any], runs: Path, policy: Policy, memory: int | None = None) -> Site:
        """The site of a pipeline whose driver is ``here``."""
        layout = here.layout
        parts = [part for q in layout.plan.queries for s in q.stages for part in s.state.partials]
        sketches = any(part.is_sketch for part in parts)
        results = runs.parent / "parts"
        return cls(
            layout, spread(layout.plan), runs, results, policy.zone, sketches, here.limits, memory
        )

    def duck(self) -> duckdb.DuckDBPyConnection:
        """The connection of this process, for this zone."""
        key = (self.zone, self.sketches)
        if key not in _ducks:
            _ducks[key] = connected(self.zone, sketches=self.sketches)
            _ducks[key].execute("SET threads = 1")  # Spark has a task for each core
            spill = Path(tempfile.gettempdir()) / f"slackwater-spill-{os.getpid()}"
            _ducks[key].execute(f"SET temp_directory = {Writer().text(str(spill))}")
        _ducks[key].execute(f"SET memory_limit = '{self.memory or fair_memory()}B'")
        return _ducks[key]


def fair_memory() -> int:
    """What a task may take of this machine, if there is one for each core: half of its share."""
    pages = os.sysconf("SC_PHYS_PAGES") * os.sysconf("SC_PAGE_SIZE")
    return pages // (2 * (os.cpu_count() or 1))


def read_by(portion: Portion, runs: Iterable[Run]) -> tuple[Run, ...]:
    """What a task reads of runs."""
    return tuple(mine for run in runs if (mine := portion.reading(run)) is not None)


@dataclass(frozen=True, slots=True)
class Handed:
    """What a leg of a query passes on, as files by the groups of the next leg."""

    results: tuple[Run, ...] = ()
    opened: tuple[Run, ...] = ()

    def of(self, portion: Portion) -> Handed:
        return Handed(read_by(portion, self.results), read_by(portion, self.opened))

    def __add__(self, other: Handed) -> Handed:
        return Handed(self.results + other.results, self.opened + other.opened)


@dataclass(frozen=True, slots=True)
class Work:
    """What one task has to do in a batch: its groups, their runs, and what is new for them.

    ``legs`` are all legs of each query, ``leg`` is the number of this one. In the first leg new
    rows were ``brought``, in others answers were ``handed`` on.
    """

    number: int
    portion: Portion
    decision: Decision
    turns: dict[str, Turn]
    runs: tuple[Run, ...]
    states: dict[str, StateInfo]
    legs: Mapping[str, tuple[Leg, ...]]
    leg: int = 0
    brought: dict[str, tuple[Run, ...]] = field(default_factory=dict)
    skipped: frozenset[str] = frozenset()
    handed: dict[str, Handed] = field(default_factory=dict)

    @property
    def current(self) -> dict[str, Leg]:
        """The leg of each query that has one now."""
        return {name: legs[self.leg] for name, legs in self.legs.items() if len(legs) > self.leg}

    @property
    def is_last(self) -> bool:
        return self.leg + 1 == rounds(self.legs)

    @property
    def fresh(self) -> int:
        """New rows, also those of the leg before."""
        new = [run for runs in self.brought.values() for run in runs]
        return total_rows([*new, *(run for one in self.handed.values() for run in one.results)])


def rounds(legs: Mapping[str, tuple[Leg, ...]]) -> int:
    """How many legs the longest query has."""
    return max(len(mine) for mine in legs.values())


@dataclass(frozen=True, slots=True)
class Performed:
    """What a task leaves behind: the live runs of its groups, and its part of the outcome.

    ``since`` says from when on states are whole, as far as the task let go of rows.
    """

    runs: tuple[Run, ...]
    parts: dict[str, Part]
    errors: dict[str, tuple[Errors, Part]]
    found: dict[str, tuple[Found, ...]]
    pairs: dict[str, pa.Table]
    estimates: dict[str, int]
    answered: dict[str, int]
    failed: dict[str, Problem]
    handed: dict[str, Handed]
    joined: dict[str, Sample]
    spent: Spent
    since: dict[str, int] = field(default_factory=dict)


class Bare:
    """A task has no rows but those brought to it, and delivers nothing."""

    def late(self, rows: Any, turn: Turn) -> Results:
        raise NotImplementedError

    def results(self, relation: Any, schema: pa.Schema) -> Results:
        return TableResults(relation.cast(schema))


def perform(site: Site, work: Work, attempt: str) -> Performed:
    """Advance some groups by one batch."""
    began, mark = time.perf_counter(), f"{work.number}-{attempt}"
    columns = columns_of(site.spread, work.turns)
    engine = GroupEngine(site.runs, site.duck(), work.portion, columns, token=site.token, mark=mark)
    try:
        catalog = Catalog.of(_at_home(engine, work.runs), work.states)
        batch = Batch(None, Seen(), work.decision, work.turns, catalog, work.skipped)
        came = _came(engine, work)
        execution = Execution(site.layout, engine, Bare(), batch, work.current, came)
        outcome = execution.run(_deltas(site, engine, work))
        if work.is_last:
            tidy(site.layout, engine, batch, site.limits)
        parts = _written(site, outcome, work.decision.batch, mark)
        errors = _measured(site, outcome, work.decision.batch, mark)
        handed = _handed(site, engine, work, outcome)
        engine.settle()
    finally:
        engine.close()
    kept = (work.portion.keeping(run) for run in catalog.all())
    return Performed(
        tuple(run for run in kept if run is not None),
        parts,
        errors,
        outcome.found,
        outcome.pairs,
        outcome.estimates,
        outcome.answered,
        outcome.failed,
        handed,
        outcome.joined,
        Spent(work.number, work.fresh, total_rows(work.runs), time.perf_counter() - began),
        catalog.since,
    )


def _at_home(engine: GroupEngine, runs: Sequence[Run]) -> Iterator[Run]:
    """The runs of the groups, by group; those that come from elsewhere are taken in first."""
    for run in runs:
        mine = run if run.is_grouped else engine.taken_in(run)
        if mine is not None:
            yield mine


def _deltas(site: Site, engine: GroupEngine, work: Work) -> dict[str, Delta | None]:
    """New rows of the groups, from the files of those who looked at them."""
    states = {state.identity: state for _, state in site.layout.plan.base_states}
    found: dict[str, Delta | None] = {}
    for identity, runs in work.brought.items():
        tables = [engine.brought(run) for run in runs]
        if tables:
            found[identity] = Delta(states[identity], pa.concat_tables(tables), None, ())
    return found


def _came(engine: GroupEngine, work: Work) -> dict[str, Passed]:
    """What the leg before handed on to the groups, by query."""
    return {
        name: Passed(whole_of(engine, one.results), whole_of(engine, one.opened))
        for name, one in work.handed.items()
    }


def whole_of(engine: GroupEngine, runs: Sequence[Run]) -> pa.Table | None:
    """Rows that were handed on, from all files."""
    return pa.concat_tables([engine.brought(run) for run in runs]) if runs else None


def _handed(site: Site, engine: GroupEngine, work: Work, outcome: Outcome) -> dict[str, Handed]:
    """What a leg passes on, written by the groups of the next one."""
    found = {}
    for query in site.layout.plan.queries:
        passed = outcome.passed.get(query.name)
        if passed is not None:
            leg = work.legs[query.name][work.leg + 1]
            above, names = Above.of(site.layout, query, leg), leg.columns[leg.first]
            results, opened = (
                engine.handed(
                    table,
                    above,
                    names,
                    new_run(f"{query.name}-handed", work.decision.batch, f"{work.leg}{kind}"),
                )
                for kind, table in (("r", passed.results), ("o", passed.opened))
            )
            found[query.name] = Handed(results, opened)
    return found


def _written(site: Site, outcome: Outcome, batch: int, mark: str) -> dict[str, Part]:
    """Results as files, by query; nothing where there are none."""
    found = {}
    for name, results in outcome.results.items():
        table = results.arrow()
        if table.num_rows:
            path = site.results / f"{batch:08d}" / "results" / name / f"{mark}.parquet"
            found[name] = write_part(table, path)
    return found


def _measured(
    site: Site, outcome: Outcome, batch: int, mark: str
) -> dict[str, tuple[Errors, Part]]:
    """Errors in brief, and one by one as files, by query."""
    found = {}
    for name, errors in outcome.errors.items():
        if errors.answers:
            path = site.results / f"{batch:08d}" / "errors" / name / f"{mark}.parquet"
            part = write_part(errors.shown.arrow(), path)
            found[name] = (replace(errors, shown=TableResults(errors.shown.arrow()[:0])), part)
    return found
