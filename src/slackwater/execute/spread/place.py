"""State spread over groups, advanced by tasks: who does what in a batch, and what it comes to."""

from __future__ import annotations

import shutil
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from itertools import groupby
from typing import Generic, Protocol

import pyarrow as pa

from slackwater.control.orders import Piece
from slackwater.control.records import Tier
from slackwater.control.share import Loads, Share
from slackwater.control.turn import Turn
from slackwater.disorder.periods import Found
from slackwater.execute.batch import Batch, Outcome, order_of, set_aside
from slackwater.execute.delta import Delta
from slackwater.execute.estimates.judge import enough
from slackwater.execute.hands import Asked, B, B_contra, Seen
from slackwater.execute.meter import Errors
from slackwater.execute.place import worked_on
from slackwater.execute.sinks.sink import Results
from slackwater.execute.slices import GROUPS, whole
from slackwater.execute.spread.loads import loads
from slackwater.execute.spread.parts import Part
from slackwater.execute.spread.portion import Parted, Portion
from slackwater.execute.spread.task import Handed, Performed, Site, Work, read_by, rounds
from slackwater.execute.tidy import begin
from slackwater.plan.spread import Leg
from slackwater.runs.catalog import Catalog, backlog_state, whole_states
from slackwater.runs.retention import claims, fences, purge
from slackwater.runs.run import Run


@dataclass(frozen=True, slots=True)
class Going:
    """A leg about to be done: which of all, what was brought to it or handed on."""

    legs: Mapping[str, tuple[Leg, ...]]
    leg: int
    brought: Mapping[str, tuple[Run, ...]]
    handed: Mapping[str, Handed]


class Crew(Protocol[B_contra]):
    """Who gives rows to tasks, and runs them: Spark's executors, or a test."""

    @property
    def size(self) -> int:
        """How many tasks run at the same time."""
        ...

    def look(self, site: Site, rows: B_contra, asked: Asked) -> Seen:
        """One pass over the new rows; what is kept of them is written by group."""
        ...

    def work(
        self, site: Site, turn: Turn, number: int, runs: Sequence[Run], pieces: Sequence[Piece]
    ) -> Delta:
        """Work on rows of an input (by number) of an expensive query that waited."""
        ...

    def perform(self, site: Site, works: Sequence[Work]) -> list[Performed]:
        """Do these, at the same time as far as possible."""
        ...

    def late(self, rows: B_contra, turn: Turn) -> Results:
        """The rows of a batch that a query could not use, with the reason."""
        ...

    def together(self, parts: Sequence[Part], schema: pa.Schema, order: tuple[str, ...]) -> Results:
        """Files of results as the results of a query, sorted by ``order``."""
        ...


@dataclass(frozen=True, slots=True)
class SpreadPlace(Generic[B]):
    """State by group, in files that any task can open."""

    site: Site
    crew: Crew[B]

    @property
    def tier(self) -> Tier:
        return "spark"

    def loads(self, seen: Seen, catalog: Catalog) -> Loads:
        """What the groups have to do, by the rows that came for each and those it holds."""
        fresh = [run for delta in seen.deltas.values() for run in delta.brought]
        return loads(self.site.layout.plan, self.site.spread, self.crew.size, fresh, catalog)

    def observe(self, rows: B, asked: Asked) -> Seen:
        return self.crew.look(self.site, rows, asked)

    def execute(self, batch: Batch) -> Outcome:
        """Leg by leg. A prod that fails in one task is left out in all: they do the leg again."""
        brought = {identity: one.brought for identity, one in batch.seen.deltas.items()}
        brought |= self._worked(batch)
        outcome, handed, legs = Outcome(), dict[str, Handed](), self._legs(batch)
        for leg in range(rounds(legs)):
            going = Going(legs, leg, brought if leg == 0 else {}, handed)
            done = self._performed(batch, going)
            while failed := {prod: why for one in done for prod, why in one.failed.items()}:
                outcome.failed |= failed
                batch = replace(batch, skipped=batch.skipped | failed.keys())
                done = self._performed(batch, going)
            begin(batch.catalog, batch.turns.values())
            self._keep(batch.catalog, done)
            self._add(outcome, done)
            handed = _handed(done)
        outcome.failures = _failures(batch.turns, outcome.failed)
        for turn in batch.turns.values():
            set_aside(self.crew, batch.rows, turn, outcome)
        return outcome

    def _legs(self, batch: Batch) -> Mapping[str, tuple[Leg, ...]]:
        """Joins whose groups are parted are legs of their own: others need all of a group."""
        share = batch.decision.share
        if share is None or not share.is_split:
            return self.site.spread.legs
        return self.site.spread.apart(share.divided.keys())

    def _performed(self, batch: Batch, going: Going) -> list[Performed]:
        """One leg of all queries, in all groups; nothing counts before it is kept."""
        kept = self._waiting(batch.catalog)
        runs = [run for run in batch.catalog.all() if run.state not in kept]
        share = batch.decision.share or Share.even(GROUPS, self.crew.size)
        parted = Parted.of(share, batch.turns)
        tasks = sorted({task for mine in share.tasks for task in mine})
        works = [
            Work(
                number,
                portion,
                batch.decision,
                batch.turns,
                read_by(portion, runs),
                batch.catalog.states,
                going.legs,
                going.leg,
                {identity: read_by(portion, new) for identity, new in going.brought.items()},
                batch.skipped,
                {name: one.of(portion) for name, one in going.handed.items()},
            )
            for number in tasks
            for portion in [Portion.of(number, share, parted)]
        ]
        return self.crew.perform(self.site, works)

    def _keep(self, catalog: Catalog, done: Sequence[Performed]) -> None:
        """What the tasks left is what there is."""
        left = [run for state in self._waiting(catalog) for run in catalog.at(state)]
        catalog.runs = Catalog.of([*left, *united(done)]).runs
        for one in done:
            catalog.forgotten(one.since)

    def _waiting(self, catalog: Catalog) -> list[str]:
        """States of raw rows that wait, and of tables; they are in no group."""
        return [s for s in whole_states(self.site.layout.plan.queries) if catalog.at(s)]

    def _worked(self, batch: Batch) -> dict[str, tuple[Run, ...]]:
        """Of expensive queries not the rows that came, which wait, but those worked on."""
        found: dict[str, tuple[Run, ...]] = {}
        for state, (name, number) in self.site.layout.plan.waiting.items():
            turn, pieces = batch.turns[name], worked_on(batch, state, name, number)
            runs = batch.catalog.at(backlog_state(name, number))
            found[state] = ()
            if pieces:
                found[state] = self.crew.work(self.site, turn, number, runs, pieces).brought
        return found

    def _add(self, outcome: Outcome, done: Sequence[Performed]) -> None:
        """Add what the tasks came to."""
        layout = self.site.layout
        for query in layout.plan.queries:
            name = query.name
            parts = [one.parts[name] for one in done if name in one.parts]
            if parts:
                schema, order = layout.shown(query), order_of(query)
                outcome.results[name] = self.crew.together(parts, schema, order)
            errors = [one.errors[name] for one in done if name in one.errors]
            if errors:
                told = [told for told, _ in errors]
                schema = told[0].shown.arrow().schema
                shown = self.crew.together([part for _, part in errors], schema, ())
                outcome.errors[name] = Errors.together(told, shown)
            pairs = [one.pairs[name] for one in done if name in one.pairs]
            if pairs:
                outcome.pairs[name] = enough(pa.concat_tables(pairs))
            found = [each for one in done for each in one.found.get(name, ())]
            if any(name in one.found for one in done):
                outcome.found[name] = summed(found)
            for sample in (one.joined[name] for one in done if name in one.joined):
                known = outcome.joined.get(name)
                outcome.joined[name] = sample if known is None else known + sample
            outcome.estimates |= _total(name, (one.estimates for one in done))
        outcome.spent += tuple(one.spent for one in done)
        for prod in {prod for one in done for prod in one.answered}:
            outcome.answered |= _total(prod, (one.answered for one in done))

    def tidy(self, batch: Batch) -> None:
        """Tasks have done it, but for rows that wait."""
        trees = {name: turn.trees for name, turn in batch.turns.items() if turn.trees}
        claimed = claims(self.site.layout.plan.queries, batch.decision.queries, trees)
        purge(batch.catalog, claimed, fences(batch.turns.values()))

    def release(self) -> None:
        """Sinks have what they want of the files with results."""
        shutil.rmtree(self.site.results, ignore_errors=True)


def _failures(turns: Mapping[str, Turn], failed: Collection[str]) -> dict[str, int]:
    """How many prods of each query failed."""
    return {
        name: sum(call.id in failed for call in turn.decision.prods.calls)
        for name, turn in turns.items()
        if turn.decision.prods is not None
    }


def _handed(done: Iterable[Performed]) -> dict[str, Handed]:
    """What goes on to the next leg, of all tasks."""
    found: dict[str, Handed] = {}
    for one in done:
        for name, handed in one.handed.items():
            found[name] = found.get(name, Handed()) + handed
    return found


def united(done: Iterable[Performed]) -> list[Run]:
    """The runs that tasks left, each once, with all its live slices."""
    found: dict[str, Run] = {}
    for run in (run for one in done for run in one.runs):
        known = found.get(run.path)
        if known is not None:
            slices = whole({*(known.slices or ()), *(run.slices or ())})
            run = replace(known, slices=slices, rows=sum(one.rows for one in slices))
        found[run.path] = run
    return list(found.values())


def summed(found: Iterable[Found]) -> tuple[Found, ...]:
    """Results of joins by period and slack, of all tasks."""
    ordered = sorted(found, key=lambda one: (one.bucket, one.step))
    return tuple(
        Found(bucket, step, sum(one.results for one in same), sum(one.given for one in same))
        for (bucket, step), each in groupby(ordered, key=lambda one: (one.bucket, one.step))
        for same in [list(each)]
    )


def _total(name: str, counts: Iterable[Mapping[str, int]]) -> dict[str, int]:
    found = [count[name] for count in counts if name in count]
    return {name: sum(found)} if found else {}
