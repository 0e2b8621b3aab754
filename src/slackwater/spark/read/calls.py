"""Python functions over the rows of a batch, on the executors: once, before anything else is done.

The rows are read in the job that calls the functions, and kept with what these made of them until
the batch is done. What was measured, and what went wrong, comes back beside the rows: a task that
fails would be tried again, and would call the functions again.
"""

from __future__ import annotations

import pickle
import sys
import sysconfig
import uuid
from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass, field
from pathlib import Path
from types import ModuleType
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
from pyspark import Accumulator, AccumulatorParam, Broadcast, TaskContext, cloudpickle
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.types import StructType

from slackwater.arrow_types import arrow_type
from slackwater.control.orders import FilterOrder
from slackwater.errors import Problem, QueryError, SlackwaterError
from slackwater.execute.calls import Caller
from slackwater.execute.hands import Asked
from slackwater.plan.calls import computed
from slackwater.plan.stage import StreamPlan
from slackwater.runs.kept import Kept, forget
from slackwater.spark.read.streams import Intake
from slackwater.spark.schemas import spark_schema
from slackwater.spark.worker import make_ready
from slackwater.stats.calls import LinkSeen

Batches = Iterator[pa.RecordBatch]
PIPELINES = 4  # whose functions a worker keeps
_loaded: dict[str, Any] = {}  # in a worker: functions by pipeline, so that each is unpickled once


class _Listed(AccumulatorParam[list[bytes]]):
    """What tasks say, one after the other."""

    def zero(self, value: list[bytes]) -> list[bytes]:
        return []

    def addInPlace(self, one: list[bytes], other: list[bytes]) -> list[bytes]:
        return one + other


@dataclass(frozen=True, slots=True)
class _Told:
    """What a task is told of a batch."""

    streams: tuple[StreamPlan, ...]
    is_tagged: bool
    names: tuple[str, ...]
    zone: str
    folder: Path
    batch: int
    orders: Mapping[str, FilterOrder]

    @property
    def added(self) -> list[tuple[str, pa.DataType]]:
        """The columns that functions add to the rows of all streams."""
        return [
            (f"s{number}_{one.name}" if self.is_tagged else one.name, arrow_type(one.type))
            for number, stream in enumerate(self.streams)
            for one in computed(stream.links)
        ]


@dataclass(slots=True)
class Calling:
    """The functions of a pipeline, called once for each batch."""

    intake: Intake
    functions: Mapping[str, Callable[..., Any]]
    zone: str
    folder: Path
    token: str = field(default_factory=lambda: uuid.uuid4().hex)
    data: bytes = b""
    sent: Broadcast[bytes] | None = None
    said: Accumulator[list[bytes]] | None = None
    source: DataFrame | None = None
    frame: DataFrame | None = None
    seen: dict[str, LinkSeen] = field(default_factory=dict)

    def __post_init__(self) -> None:
        self.data = packed(self.functions)

    def rows(self, rows: DataFrame, asked: Asked) -> DataFrame:
        """The rows of a batch with the columns that functions computed."""
        if not self.functions:
            return rows
        if self.source is not rows or self.frame is None:
            self.done()
            self.source, self.frame = rows, self._called(rows, asked)
        return self.frame

    def _called(self, rows: DataFrame, asked: Asked) -> DataFrame:
        forget(self.folder, asked.batch)
        said = self._opened(rows.sparkSession)
        intake, names = self.intake, tuple(rows.columns)
        told = _Told(
            intake.streams,
            intake.is_tagged,
            names,
            self.zone,
            self.folder,
            asked.batch,
            asked.wants.filters,
        )
        added = spark_schema(pa.schema(told.added))
        plain = rows.toDF(*(f"c{number}" for number in range(len(names))))  # of any name
        schema = StructType([*plain.schema.fields, *added.fields])
        assert self.sent is not None
        task = _task(told, self.token, self.sent, said)
        frame = plain.mapInArrow(task, schema).toDF(*names, *added.names)
        frame.persist()
        frame.count()  # a job of its own: others spread their rows over fewer tasks
        self.seen = _heard(said.value)
        return frame

    def _opened(self, session: SparkSession) -> Accumulator[list[bytes]]:
        """What tasks speak into; functions are sent to the executors once."""
        context = session.sparkContext
        if self.said is None or self.sent is None:
            self.said = context.accumulator([], _Listed())
            self.sent = context.broadcast(self.data)
        self.said.value = []
        return self.said

    def done(self) -> None:
        """The rows of the batch are not read any more."""
        if self.frame is not None:
            self.frame.unpersist()
        self.source = self.frame = None
        self.seen = {}

    def close(self) -> None:
        """Let the executors forget the functions."""
        self.done()
        if self.sent is not None:
            self.sent.destroy()
            self.sent = None


def packed(functions: Mapping[str, Callable[..., Any]]) -> bytes:
    """Functions as executors get them; raises :class:`QueryError` with all that cannot be sent."""
    problems, found = [], {}
    for key, function in functions.items():
        try:
            found[key] = _pickled(function)
        except Exception as error:  # noqa: BLE001 - whatever an object says when it is pickled
            name = key.split("/")[-1]
            text = f"it cannot be sent to executors: {error}"
            hint = "open files, connections and locks inside of the function, not outside"
            problems.append(Problem("FUNCTION_UNPICKLABLE", f"function {name!r}", text, hint))
    if problems:
        raise QueryError(problems)
    return pickle.dumps(found)


def _pickled(function: Callable[..., Any]) -> bytes:
    """A function, with its module if that is a person's own: executors need not have the file."""
    module = sys.modules.get(getattr(function, "__module__", None) or "")
    if module is not None and _is_own(module):
        cloudpickle.register_pickle_by_value(module)  # type: ignore[no-untyped-call]
        try:
            return bytes(cloudpickle.dumps(function))  # type: ignore[no-untyped-call]
        except Exception:  # noqa: BLE001 - what a module holds may not be; then it is there
            pass
        finally:
            cloudpickle.unregister_pickle_by_value(module)  # type: ignore[no-untyped-call]
    return bytes(cloudpickle.dumps(function))  # type: ignore[no-untyped-call]


def _is_own(module: ModuleType) -> bool:
    """Whether a module is from a file that is not installed."""
    file = getattr(module, "__file__", None)
    if file is None or module.__name__ == "__main__":
        return False  # what is in there always goes by value
    installed = {Path(path) for path in sysconfig.get_paths().values()}
    return not any(path in installed for path in Path(file).resolve().parents)


def _heard(said: list[bytes]) -> dict[str, LinkSeen]:
    """What all tasks saw, as if one had; raises what one of them could not do."""
    found: dict[str, LinkSeen] = {}
    for one in map(pickle.loads, said):
        if isinstance(one, SlackwaterError):
            raise one
        for link, seen in one.items():
            found[link] = found[link] + seen if link in found else seen
    return found


def _task(
    told: _Told, token: str, sent: Broadcast[bytes], said: Accumulator[list[bytes]]
) -> Callable[[Batches], Batches]:
    def run(batches: Batches) -> Batches:
        make_ready()
        if token not in _loaded:
            if len(_loaded) >= PIPELINES:
                _loaded.clear()
            found = pickle.loads(sent.value)
            _loaded[token] = {key: cloudpickle.loads(one) for key, one in found.items()}
        context = TaskContext.get()
        assert context is not None
        kept = Kept(told.folder, told.batch, str(context.partitionId()))
        callers = [
            Caller(stream.links, _loaded[token], told.zone, told.orders, kept)
            for stream in told.streams
        ]
        failed: SlackwaterError | None = None
        for batch in batches:
            if failed is None:
                try:
                    yield _grown(told, callers, batch)
                    continue
                except SlackwaterError as error:
                    failed = error
            yield _with(batch, [pa.nulls(batch.num_rows, kind) for _, kind in told.added], told)
        seen = {link: one for caller in callers for link, one in caller.seen.items()}
        said.add([pickle.dumps(seen if failed is None else failed)])

    return run


def _grown(told: _Told, callers: list[Caller], batch: pa.RecordBatch) -> pa.RecordBatch:
    """Some rows with the columns of all functions; null in rows of other streams."""
    table = pa.Table.from_batches([batch.rename_columns(list(told.names))])
    if not told.is_tagged:
        grown = callers[0].add(table)
        columns = [grown[name] for name, _ in told.added]
        return _with(batch, [column.combine_chunks() for column in columns], told)
    columns = []
    for number, (stream, caller) in enumerate(zip(told.streams, callers, strict=True)):
        if not stream.links:
            continue
        is_mine = pc.equal(table["__stream"], number).combine_chunks()
        names = [*(f"s{number}_{name}" for name in stream.columns), "__ts"]
        mine = table.filter(is_mine).select(names).rename_columns([*stream.columns, "__ts"])
        grown = caller.add(mine)
        places = pc.subtract(pc.cumulative_sum(pc.cast(is_mine, pa.int64())), 1)
        spread = pc.if_else(is_mine, places, pa.scalar(None, pa.int64()))
        for one in computed(stream.links):
            columns.append(grown[one.name].combine_chunks().take(spread))
    return _with(batch, columns, told)


def _with(batch: pa.RecordBatch, columns: list[pa.Array], told: _Told) -> pa.RecordBatch:
    names = [*batch.schema.names, *(name for name, _ in told.added)]
    return pa.RecordBatch.from_arrays([*batch.columns, *columns], names=names)
