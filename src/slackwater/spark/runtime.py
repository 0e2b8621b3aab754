"""Spark as what gives rows to the loop: one job over new rows, late rows, expensive work."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import reduce
from pathlib import Path
from typing import Any

import pyarrow as pa
from py4j.protocol import Py4JError
from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, SparkSession

from slackwater.control.orders import Piece
from slackwater.control.records import Policy, Tier
from slackwater.control.turn import Turn
from slackwater.errors import SlackwaterError
from slackwater.execute.delta import Delta
from slackwater.execute.estimates.snapshot import Question, Snapshot
from slackwater.execute.files.feed import tables
from slackwater.execute.files.part import Part
from slackwater.execute.hands import Asked, Seen
from slackwater.execute.look import look, together
from slackwater.execute.place import Here, Place
from slackwater.execute.raw import RawReader
from slackwater.execute.shape import JoinShape
from slackwater.execute.sinks.sink import Results
from slackwater.execute.spread.ask import ask
from slackwater.execute.spread.place import SpreadPlace
from slackwater.execute.spread.task import Site
from slackwater.runs.run import Run
from slackwater.spark.crew import SparkCrew, complete
from slackwater.spark.failure import storage_failure
from slackwater.spark.read.arrivals import Arrivals
from slackwater.spark.read.backlog import chosen_rows
from slackwater.spark.read.calls import Calling
from slackwater.spark.read.malformed import Sieve
from slackwater.spark.read.observe import Observing, observed
from slackwater.spark.read.partials import Observer
from slackwater.spark.read.plain import FilesOf, Plain
from slackwater.spark.read.side_output import late_rows
from slackwater.spark.read.streams import Intake
from slackwater.spark.results import DriverResults, FrameResults, TaskResults
from slackwater.spark.session import bytes_of, is_local, one_meaning
from slackwater.spark.sources.topics.watch import Topics

SMALL_BATCH = 300_000  # rows; a smaller one is not worth spreading
FEW = 1_000_000  # rows that estimates of an open window are read from in the driver
ADAPTIVE = "spark.sql.adaptive.enabled"
TASK_MEMORY = "spark.slackwater.taskMemory"


@dataclass(slots=True)
class SparkRuntime:
    """One pipeline on Spark.

    ``opened`` is called in the first batch, when the stream's sources are open. ``session`` is the
    one that batches come with; ``last_rows`` are those of the batch before.
    """

    policy: Policy
    intake: Intake
    joins: dict[str, JoinShape]
    runs: Path
    session: SparkSession
    arrivals: Arrivals
    calling: Calling
    plain: Plain | None = None
    opened: Callable[[], None] = lambda: None
    last_rows: int = 0
    site: Site | None = None
    crew: SparkCrew | None = None
    here: Here[DataFrame] | None = None
    topics: Topics | None = None
    observing: Observing = field(init=False)
    sieve: Sieve = field(init=False)
    workers: dict[str, Observer] = field(init=False)

    def __post_init__(self) -> None:
        self.sieve = Sieve(self.intake)
        self.observing = Observing(self.policy, self.intake, self.joins)
        costly = [q for q in self.policy.plan.queries if q.costly and q.join is None]
        self.workers = {query.name: Observer.of(query.base.state) for query in costly}

    def place(self, tier: Tier, here: Here[DataFrame], rows: DataFrame | None) -> Place[DataFrame]:
        """The driver, or the executors; settings are those of the stream's own session."""
        self.opened()
        self.here = here
        if rows is not None:
            self.session = rows.sparkSession
        one_meaning(self.session, self.policy.zone)
        self.session.conf.set(ADAPTIVE, "false")  # it would only plan longer
        return here if tier == "columnar" else SpreadPlace(self._site(here), self._crew(here))

    def _site(self, here: Here[DataFrame]) -> Site:
        if self.site is None:
            memory = self.session.conf.get(TASK_MEMORY, None)
            given = None if memory is None else bytes_of(memory)
            self.site = Site.of(here, self.runs, self.policy, given)
        return self.site

    def _crew(self, here: Here[DataFrame]) -> SparkCrew:
        if self.crew is None:
            layout = here.layout
            raw = RawReader.of(layout.plan, layout.shapes, layout.joins)
            self.crew = SparkCrew(
                self.session, self.intake, raw, self.late, self.calling, self.plain
            )
        self.crew.session = self.session  # every batch comes with an object of its own for it
        return self.crew

    def observe(self, rows: DataFrame, asked: Asked) -> Seen:
        if self.plain is None:
            return self._observe(rows, asked)
        return self.plain.seen(
            asked.batch,
            lambda files: self._read(files, asked),
            lambda: self._observe(rows, asked),
        )

    def _read(self, files: FilesOf, asked: Asked) -> Seen:
        """Files are read here, or on the executors if that is not the same machine."""
        assert self.plain is not None
        assert self.here is not None
        crew, plan = self._crew(self.here), self.policy.plan
        if not is_local(self.session):
            looked = crew.read(self._site(self.here), files, asked)
        else:
            whole = [(name, Part(file)) for name, file in files]
            rows = tables(self.plain.feeds, whole, threads=True)
            looked = [look(crew.raw, self.here.engine, some, asked) for some in rows]
        return complete(together(looked, asked), plan)

    def _observe(self, rows: DataFrame, asked: Asked) -> Seen:
        if asked.tables:  # tasks have DuckDB and the tables
            assert self.here is not None
            return self._crew(self.here).glance(self._site(self.here), rows, asked)
        small = self.last_rows < SMALL_BATCH
        rows = self.calling.rows(rows, asked)
        seen = self.observing.observe(rows, asked, self.runs, small=small)
        streams = {state.identity: name for name, state in self.policy.plan.base_states}
        counts = {
            streams[identity]: sum(count.rows for count in delta.counts)
            for identity, delta in seen.deltas.items()
        }
        self.last_rows = sum(counts.values())
        return replace(seen, called=self.calling.seen)

    def work(self, turn: Turn, number: int, runs: Sequence[Run], pieces: Sequence[Piece]) -> Delta:
        stream, state = turn.query.fed[number]
        rows = chosen_rows(self.session, self.runs, runs, pieces, self.intake.schemas[stream])
        if turn.query.join is not None:
            assert self.here is not None
            raw = self._crew(self.here).raw
            return raw.read(self.here.engine, rows.toArrow(), state, Asked(turn.batch))
        partials = self.workers[turn.query.name].partials(rows)
        return observed(partials, turn.query.base.state, ())

    def ask(self, snapshot: Snapshot, question: Question) -> DataFrame | None:
        """What open windows say, read by tasks; ``None`` if that is better done here."""
        here = self.here
        if snapshot.state.tier == "columnar" or here is None:
            return None
        reading = here.layout.readings[question.query]
        if snapshot.rows(reading) <= FEW or not snapshot.is_spread(reading):
            return None
        folder = self.runs.parent / "asked" / question.call.id
        try:
            parts = ask(self._site(here), self._crew(here), snapshot, question, folder)
            results = TaskResults(tuple(parts), reading.shown, (), self.session)
            return results.dataframe().localCheckpoint() if parts else None
        finally:
            shutil.rmtree(folder, ignore_errors=True)
            with suppress(OSError):  # others ask, too
                folder.parent.rmdir()

    def late(self, rows: DataFrame, turn: Turn) -> Results:
        rows = self.calling.rows(rows, Asked(turn.batch))
        parts = [
            late_rows(self.intake.rows_of(rows, name), turn, number)
            for number, (name, _) in enumerate(turn.query.fed)
        ]
        return FrameResults(reduce(DataFrame.unionByName, parts))

    def malformed(self) -> dict[str, Results]:
        return self.sieve.results()

    def results(self, relation: Any, schema: pa.Schema) -> Results:
        return DriverResults(relation, self.session)

    def done(self, rows: DataFrame | None) -> None:
        self.calling.done()
        if rows is not None and rows.is_cached:
            rows.unpersist()

    def keep_only(self, runs: Sequence[Run], tier: Tier) -> None:
        """Tasks open the runs that they are given."""

    def notices(self, batch: int) -> list[str]:
        found = self.arrivals.notices(batch)
        return found if self.topics is None else found + self.topics.notices(batch)

    def failure(self, error: BaseException, batch: int) -> SlackwaterError | None:
        found = storage_failure(error, self.runs) or self.arrivals.failure(error, batch)
        return found or (None if self.topics is None else self.topics.failure(error))

    def close(self) -> None:
        with suppress(Py4JError, PySparkException, OSError):  # a Spark that is gone has no settings
            self.opened()
            self.calling.close()
            if self.crew is not None:
                self.crew.close()
