"""Spark as what gives rows to the loop: one job over new rows, late rows, expensive work."""

from __future__ import annotations

from collections.abc import Callable, Collection, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from functools import reduce
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
from py4j.protocol import Py4JError
from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, SparkSession

from slackwater.control.orders import Piece
from slackwater.control.records import Policy, Tier
from slackwater.control.turn import Turn
from slackwater.errors import SlackwaterError
from slackwater.execute.delta import Delta
from slackwater.execute.duck import DuckEngine
from slackwater.execute.engine import Engine
from slackwater.execute.runtime import Asked, Seen
from slackwater.execute.shape import JoinShape
from slackwater.execute.sinks.sink import Results, TableResults
from slackwater.runs.run import Run
from slackwater.spark.failure import storage_failure
from slackwater.spark.read.arrivals import Arrivals
from slackwater.spark.read.backlog import chosen_rows
from slackwater.spark.read.observe import Observing, observed
from slackwater.spark.read.partials import Observer
from slackwater.spark.read.side_output import late_rows
from slackwater.spark.read.streams import Intake
from slackwater.spark.schemas import arrow_schema, as_frame
from slackwater.spark.session import few_cores, one_meaning
from slackwater.spark.tier.distributed import SparkEngine
from slackwater.spark.tier.parquet import write_parquet

SMALL_BATCH = 300_000  # rows; a smaller one is not worth spreading
ADAPTIVE = "spark.sql.adaptive.enabled"


@dataclass(frozen=True, slots=True)
class FrameResults:
    """Results that are a DataFrame: executors write them."""

    frame: DataFrame
    schema: pa.Schema | None = None

    @property
    def is_local(self) -> bool:
        return False

    def arrow(self) -> pa.Table:
        schema = arrow_schema(self.frame) if self.schema is None else self.schema
        return self.frame.toArrow().cast(schema)  # instants are told in UTC

    def dataframe(self) -> DataFrame:
        return self.frame

    def write_parquet(self, folder: Path, dictionaries: Collection[str] | None) -> int:
        write_parquet(self.frame, folder, repeating=dictionaries, checked=False)
        return sum(pq.read_metadata(file).num_rows for file in folder.glob("*.parquet"))


@dataclass(frozen=True, slots=True)
class DriverResults(TableResults):
    """Results that are a table in the driver of a session."""

    session: SparkSession

    def dataframe(self) -> DataFrame:
        return as_frame(self.session, self.table)


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
    opened: Callable[[], None] = lambda: None
    last_rows: int = 0
    distributed: SparkEngine | None = None
    adaptive: str | None = None
    observing: Observing = field(init=False)
    workers: dict[str, Observer] = field(init=False)

    def __post_init__(self) -> None:
        self.observing = Observing(self.policy, self.intake, self.joins)
        costly = [query for query in self.policy.plan.queries if query.costly]
        self.workers = {query.name: Observer.of(query.base.state) for query in costly}

    def engine(self, tier: Tier, driver: DuckEngine, rows: DataFrame | None) -> Engine[Any]:
        """The engine of a batch; settings are those of the stream's own session."""
        self.opened()
        if rows is not None:
            self.session = rows.sparkSession
        session = self.session
        one_meaning(session, self.policy.zone)
        if self.adaptive is None:
            self.adaptive = session.conf.get(ADAPTIVE, "true") or "true"
        is_large = tier == "spark" and not few_cores(session)
        session.conf.set(ADAPTIVE, self.adaptive if is_large else "false")  # else only planning
        if tier == "columnar":
            return driver
        if self.distributed is None or not self.distributed.is_of(session):
            if self.distributed is not None:
                self.distributed.close()
            self.distributed = SparkEngine(self.runs, session)
        self.distributed.small = self.last_rows < SMALL_BATCH and few_cores(session)
        return self.distributed

    def observe(self, engine: Engine[Any], rows: DataFrame, asked: Asked) -> Seen:
        small = self.last_rows < SMALL_BATCH
        seen = self.observing.observe(engine, rows, asked, small=small)
        streams = {state.identity: name for name, state in self.policy.plan.base_states}
        counts = {
            streams[identity]: sum(count.rows for count in delta.counts)
            for identity, delta in seen.deltas.items()
        }
        self.last_rows = sum(counts.values())
        return seen

    def work(
        self, engine: Engine[Any], turn: Turn, runs: Sequence[Run], pieces: Sequence[Piece]
    ) -> Delta:
        schema = self.intake.schemas[turn.query.stream]
        rows = chosen_rows(self.session, engine.folder, runs, pieces, schema)
        partials = self.workers[turn.query.name].partials(rows)
        return observed(engine, partials, turn.query.base.state, turn.batch, ())

    def late(self, rows: DataFrame, turn: Turn) -> Results:
        parts = [
            late_rows(self.intake.rows_of(rows, name), turn, number)
            for number, (name, _) in enumerate(turn.query.fed)
        ]
        return FrameResults(reduce(DataFrame.unionByName, parts))

    def results(self, relation: Any, schema: pa.Schema) -> Results:
        if isinstance(relation, DataFrame):
            return FrameResults(relation, schema)
        return DriverResults(relation, self.session)

    def done(self, rows: DataFrame | None) -> None:
        if rows is not None and rows.is_cached:
            rows.unpersist()

    def keep_only(self, runs: Sequence[Run], tier: Tier) -> None:
        if self.distributed is not None:
            self.distributed.keep_only(runs if tier == "spark" else ())

    def notices(self, batch: int) -> list[str]:
        return self.arrivals.notices(batch)

    def failure(self, error: BaseException, batch: int) -> SlackwaterError | None:
        return storage_failure(error, self.runs) or self.arrivals.failure(error, batch)

    def close(self) -> None:
        with suppress(Py4JError, PySparkException, OSError):  # a Spark that is gone has no settings
            self.opened()
        if self.distributed is not None:
            self.distributed.close()
