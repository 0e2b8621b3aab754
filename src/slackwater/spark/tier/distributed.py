"""The spark tier: DataFrames over the same runs, for state that does not fit one machine."""

from __future__ import annotations

import shutil
from collections.abc import Callable, Iterable, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from dataclasses import replace
from functools import reduce
from pathlib import Path
from typing import TypeVar

import pyarrow as pa
import pyarrow.parquet as pq
from py4j.protocol import Py4JError
from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F
from pyspark.sql.types import StructType

from slackwater.control.records import Tier
from slackwater.execute.duck import FAULTS
from slackwater.execute.engine import Faults, Wanted
from slackwater.plan.sql.statement import Statement
from slackwater.plan.sql.windows import Writer
from slackwater.query.names import quoted
from slackwater.runs.run import Run, new_run, verify
from slackwater.spark.failure import storage_failure
from slackwater.spark.schemas import as_frame, spark_schema, sql_type
from slackwater.spark.session import few_cores
from slackwater.spark.tier.parquet import described, read_runs, write_parquet

T = TypeVar("T")
U = TypeVar("U")
PLACE = "__by"
PLANNERS = 4
# Of runs that stay on the executors: where rows lie is not changed behind our back, and looking for
# patterns to compress takes longer than it saves. Rows of several inputs are written as they come,
# not sorted by input first.
SETTINGS = {
    "spark.sql.maxConcurrentOutputFileWriters": "8",
    "spark.sql.optimizer.canChangeCachedPlanOutputPartitioning": "false",
    "spark.sql.inMemoryColumnarStorage.compressed": "false",
}


class SparkEngine:
    """Runs statements as Spark jobs; runs are folders of Parquet that executors write and read.

    Runs that are joined on a key stay on the executors, until they are dropped. ``sound`` are runs
    that were written or checked since the start.
    """

    def __init__(self, folder: Path, session: SparkSession, *, small: bool = False) -> None:
        self.folder = folder
        self.session = session
        self.small = small
        self.writer = Writer("spark")
        self.sound: set[str] = set()
        kinds = (*FAULTS.kinds, PySparkException, Py4JError)
        self.faults = Faults(kinds, lambda error: storage_failure(error, folder))
        self._held: list[DataFrame] = []
        self._spreads: dict[tuple[str, str], DataFrame] = {}
        self._views: set[str] = set()
        self._planners = ThreadPoolExecutor(PLANNERS, thread_name_prefix="slackwater-plan")
        for name, value in SETTINGS.items():
            session.conf.set(name, value)
        self._places = _places(session)

    @property
    def tier(self) -> Tier:
        return "spark"

    def is_of(self, session: SparkSession) -> bool:
        """Whether this is the same session, though maybe another Python object for it."""
        return bool(self.session._jsparkSession == session._jsparkSession)

    def with_instants(self, frame: DataFrame, at: dict[int, int | None]) -> DataFrame:
        """Rows with when they came, by input; a literal would be compiled anew in each batch."""
        rows = [f"({number}, CAST(:at{number} AS BIGINT))" for number in at]
        text = f"SELECT * FROM VALUES {', '.join(rows)} AS t(__input, __at)"
        args = {f"at{number}": value for number, value in at.items()}
        return frame.join(F.broadcast(self.session.sql(text, args=args)), "__input", "left")

    def write_apart(self, frame: DataFrame, states: Sequence[str], batch: int) -> list[Run | None]:
        """Write the rows of all inputs in one job, each to its own run."""
        beside = self.folder / "inputs" / new_run(states[0], batch, "d").name
        frame = self._gathered(frame)
        write_parquet(frame, beside, apart="__input", repeating=(), checked=not self.small)
        found: list[Run | None] = []
        for number, state in enumerate(states):
            run = new_run(state, batch, "d")
            written = beside / f"__input={number}"
            shutil.rmtree(self.folder / run.path, ignore_errors=True)
            if written.exists():
                (self.folder / run.path).parent.mkdir(exist_ok=True)
                written.rename(self.folder / run.path)
            found.append(self._written(run) if (self.folder / run.path).exists() else None)
        shutil.rmtree(beside)
        return found

    def hold(self, relation: DataFrame) -> DataFrame:
        self._held.append(relation.persist())
        return relation

    def release(self) -> None:
        while self._held:
            self._held.pop().unpersist()

    def _gathered(self, relation: DataFrame) -> DataFrame:
        if not self.small:
            return relation
        cores = self.session.sparkContext.defaultParallelism
        return relation.coalesce(cores)  # a task for each core: little work is not spread further

    def run(
        self,
        statement: Statement,
        schema: pa.Schema,
        parameters: Mapping[str, int],
        relations: Mapping[str, DataFrame | Wanted],
    ) -> DataFrame:
        wanted = {name: relations[name] for name in statement.reads}
        loaded = self._load_all({n: one for n, one in wanted.items() if isinstance(one, Wanted)})
        frames = {n: one for n, one in wanted.items() if not isinstance(one, Wanted)} | loaded
        self._views.update(frames)
        self._side_by_side(lambda one: one[1].createOrReplaceTempView(one[0]), frames.items())
        taken = {name: parameters[name] for name in statement.parameters}
        text = f"SELECT {_casts(schema)} FROM ({statement.text})"
        return self._gathered(self.session.sql(text, args=taken))

    def save(self, relation: DataFrame, run: Run, time: str) -> Run | None:
        saved = self.written(relation, run)
        if saved.rows == 0:
            shutil.rmtree(self.folder / run.path)
            return None
        low, high = _bounds(self.folder / run.path, time)
        return replace(saved, low=low, high=high)

    def written(self, frame: DataFrame, run: Run) -> Run:
        """A frame as a run, whose times are not known yet."""
        write_parquet(frame, self.folder / run.path, checked=not self.small)
        return self._written(run)

    def _written(self, run: Run) -> Run:
        """A run as it was written; of small ones the checksums are made here (design note 5)."""
        self.sound.add(run.path)
        return described(run, self.folder, summed=self.small)

    def load(self, wanted: Wanted) -> DataFrame:
        schema, runs, by = spark_schema(wanted.schema), wanted.runs, wanted.by
        if not runs:
            # not createDataFrame([]): that starts Python on the executors to read nothing
            empty = [F.lit(None).cast(f.dataType).alias(f.name) for f in schema]
            return self.session.range(0).where("false").select(*empty)
        if by is not None:
            spread = self.concat([self._spread(run, schema, by) for run in runs])
            # named anew above the union: only then does Spark see that rows lie by this column
            return spread.withColumnRenamed(PLACE, by)
        if "pane" not in schema.names:
            return self._read(runs, schema)
        groups = {run.upper: [r for r in runs if r.upper == run.upper] for run in runs}
        return self.concat(
            [self._read(group, schema).where(_usable(group[0])) for group in groups.values()]
        )

    def _load_all(self, wanted: Mapping[str, Wanted]) -> dict[str, DataFrame]:
        """:meth:`load` several, side by side."""
        spreads = {
            (run.path, one.by): (run, spark_schema(one.schema), one.by)
            for one in wanted.values()
            for run in one.runs
            if one.by is not None
        }
        self._side_by_side(lambda one: self._spread(*one), spreads.values())
        found = self._side_by_side(self.load, wanted.values())
        return dict(zip(wanted, found, strict=True))

    def _side_by_side(self, do: Callable[[T], U], many: Iterable[T]) -> list[U]:
        """Spark plans in the thread that asks, while other cores have nothing to do."""
        return list(self._planners.map(do, many))

    def _spread(self, run: Run, schema: StructType, by: str) -> DataFrame:
        """A run kept on the executors, rows of one key in one place, until it is forgotten."""
        key = (run.path, by)
        if key not in self._spreads:
            rows = self._read([run], schema).where(_usable(run)).withColumnRenamed(by, PLACE)
            self._spreads[key] = rows.repartition(self._places, PLACE).persist()
        return self._spreads[key]

    def keep_only(self, runs: Sequence[Run]) -> None:
        """Take every run from the executors that is not one of these."""
        live = {run.path for run in runs}
        self.sound &= live
        for key in [key for key in self._spreads if key[0] not in live]:
            self._spreads.pop(key).unpersist()

    def close(self) -> None:
        """Give memory back, leave no view; a Spark that is gone holds none."""
        self._planners.shutdown()
        with suppress(Py4JError, PySparkException, OSError):
            self.keep_only(())
            for name in self._views:
                self.session.catalog.dropTempView(name)

    def _read(self, runs: Sequence[Run], schema: StructType) -> DataFrame:
        for run in runs:
            if run.path not in self.sound:
                verify(run, self.folder)
                self.sound.add(run.path)
        return read_runs(self.session, self.folder, runs, schema)

    def concat(self, parts: Sequence[DataFrame]) -> DataFrame:
        return reduce(DataFrame.unionByName, parts)

    def to_arrow(self, relation: DataFrame) -> pa.Table:
        return relation.toArrow()

    def from_arrow(self, table: pa.Table) -> DataFrame:
        return as_frame(self.session, table)


def _places(session: SparkSession) -> int:
    """In how many parts the runs of a join lie: as the state of Spark's own joins, or by cores."""
    places = int(session.conf.get("spark.sql.shuffle.partitions") or 200)
    cores = session.sparkContext.defaultParallelism
    return min(places, 2 * cores) if few_cores(session) else places


def _usable(run: Run) -> str:
    return "pane IS NOT NULL" if run.upper is None else f"pane <= {run.upper}"


def _casts(schema: pa.Schema) -> str:
    wanted = spark_schema(schema)
    return ", ".join(
        f"CAST({quoted(f.name)} AS {sql_type(f.dataType)}) AS {quoted(f.name)}" for f in wanted
    )


def _bounds(path: Path, column: str) -> tuple[int, int]:
    """Smallest and largest value of a column, from the statistics in the files' footers."""
    lows, highs = [], []
    for file in path.glob("*.parquet"):
        metadata = pq.read_metadata(file)
        index = metadata.schema.to_arrow_schema().get_field_index(column)
        for group in range(metadata.num_row_groups):
            statistics = metadata.row_group(group).column(index).statistics
            lows.append(statistics.min)
            highs.append(statistics.max)
    return min(lows), max(highs)
