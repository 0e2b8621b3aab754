"""Pipelines: several queries over shared sources, started as one Structured Streaming query."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.streaming.query import StreamingQuery

from slackwater.control.records import Policy, Tier
from slackwater.errors import CheckpointError, Problem, QueryError, SourceError
from slackwater.events.log import EventLog
from slackwater.events.schema import VERSION
from slackwater.execute.batch import Layout
from slackwater.execute.deliver import Outlets
from slackwater.execute.estimates.reading import Reading
from slackwater.execute.limits import Limits
from slackwater.execute.loop import Loop
from slackwater.plan.explain import explain_json, explain_text, explain_value
from slackwater.plan.meaning import Order, words
from slackwater.plan.stage import PipelinePlan, describe, lay_out
from slackwater.query.resources import Resources
from slackwater.query.schema import Column, Schema
from slackwater.query.stream import Query, Stream, StreamDef
from slackwater.runs.agreement import agree
from slackwater.runs.checkpoint import Checkpoint
from slackwater.runs.heartbeat import beat_period
from slackwater.runs.offsets import SparkLog
from slackwater.runs.paths import is_remote, local_path
from slackwater.spark.check import check_all, refuse_strangers
from slackwater.spark.handle import Handle
from slackwater.spark.prods import check_control, follow
from slackwater.spark.read.arrivals import Arrivals, Watched
from slackwater.spark.read.plain import Plain
from slackwater.spark.read.streams import Intake, open_streams
from slackwater.spark.runtime import SparkRuntime
from slackwater.spark.session import direct_checkpoint_files, local_session, zone_of
from slackwater.spark.sources.base import Source
from slackwater.spark.types import shapes
from slackwater.units import SECOND, DurationLike, duration, fingerprint

TIERS = ("auto", "columnar", "spark")
AVAILABLE_NOW = "available-now"


def stream(
    name: str,
    source: DataFrame | Source,
    *,
    time: str,
    arrival: str | None = None,
    max_ahead: DurationLike | None = "1 day",
) -> Stream:
    """A stream of rows from a streaming DataFrame or a source.

    Parameters
    ----------
    name
        Names the stream in plans, events and errors.
    source
        A streaming DataFrame, or ``sw.files``, ``sw.generator``, ``sw.recording``.
    time
        The event-time column (a timestamp).
    arrival
        Where recorded: the column with the time or order of arrival, for replays.
    max_ahead
        Rows further ahead of the stream's clock than this do not move it and are set aside;
        ``None`` for no bound.

    Examples
    --------
    >>> import slackwater as sw  # doctest: +SKIP
    >>> sw.stream("readings", df, time="ts")  # doctest: +SKIP
    """
    return Stream(StreamDef(name, _schema(name, source), time, arrival, max_ahead, source))


def _schema(name: str, source: DataFrame | Source) -> Schema:
    if isinstance(source, DataFrame):
        return Schema(
            tuple(Column(f.name, f.dataType.simpleString()) for f in source.schema.fields)
        )
    if isinstance(source, Source) and not isinstance(source, type):
        return source.schema()
    kind = type(source)
    raise SourceError(
        "SOURCE_KIND",
        f"stream {name!r}: {kind.__module__}.{kind.__qualname__} is not a source of rows",
        "give a streaming DataFrame (spark.readStream), sw.files, sw.generator or sw.recording; "
        "rows in memory are written to a folder and replayed with sw.recording",
    )


def pipeline(*queries: Query, resources: Resources | None = None) -> Pipeline:
    """Check queries and join them into one pipeline; each source is read once.

    Parameters
    ----------
    queries
        What is asked.
    resources
        Limits for all joins with ``order="adaptive"`` together (``sw.resources``). Each gets an
        equal part of them, or what its own limit is if that is less, which leaves more to others.

    Raises
    ------
    QueryError
        With every problem of every query.
    """
    return Pipeline(queries, resources=resources)


@dataclass(frozen=True, slots=True)
class Options:
    """How to run a pipeline; none of it changes what the answers are."""

    trigger: DurationLike | None = None
    tier: str = "auto"
    columnar_rows: int = 5_000_000
    heartbeat: DurationLike | None = None
    flush: bool = False
    on_batch: Callable[[dict[str, Any]], None] | None = None
    max_state_rows: int | None = None
    prods: DataFrame | None = None
    limits: Limits = field(default_factory=Limits)

    def problems(self) -> list[Problem]:
        found = []
        if self.tier not in TIERS:
            allowed = ", ".join(TIERS)
            found.append(
                Problem("TIER_UNKNOWN", "start, tier", f"{self.tier!r} is not one of: {allowed}")
            )
        if self.columnar_rows < 1:
            found.append(
                Problem(
                    "OPTION_INVALID", "start, columnar_rows", f"{self.columnar_rows} is below 1"
                )
            )
        if self.max_state_rows is not None and self.max_state_rows < 1:
            text = f"{self.max_state_rows} is below 1"
            found.append(Problem("OPTION_INVALID", "start, max_state_rows", text))
        if self.prods is not None:
            found += check_control(self.prods)
        if self.flush and self.trigger != AVAILABLE_NOW:
            text = "a stream without end cannot be flushed"
            hint = f'use trigger="{AVAILABLE_NOW}" with it'
            found.append(Problem("FLUSH_ENDLESS", "start, flush", text, hint))
        return found


class Pipeline:
    """A checked set of queries, ready to be explained or started."""

    def __init__(
        self,
        queries: tuple[Query, ...],
        order: Order | None = None,
        resources: Resources | None = None,
    ) -> None:
        order = order or Order()
        refuse_strangers(queries)
        self.queries = tuple(order.arrange(query) for query in queries)
        self.resources = resources
        checked = check_all(self.queries, resources)
        self.plan: PipelinePlan = order.arrange_streams(lay_out(checked))
        self._streams = checked.streams

    @property
    def meaning(self) -> dict[str, object]:
        """What a checkpoint of this pipeline means: the plan, and which rows the sources give."""
        sources = {
            name: {k: v for k, v in definition.source.describe().items() if k != "pace"}
            for name, definition in self._streams.items()
            if isinstance(definition.source, Source)
        }
        return {**describe(self.plan), "sources": sources}

    def explain(self, form: str = "text") -> str:
        """The plan as text, or as JSON with ``form="json"``."""
        return explain_json(self.plan) if form == "json" else explain_text(self.plan)

    def start(
        self,
        checkpoint: str,
        *,
        trigger: DurationLike | None = None,
        tier: str = "auto",
        columnar_rows: int = 5_000_000,
        heartbeat: DurationLike | None = None,
        flush: bool = False,
        on_batch: Callable[[dict[str, Any]], None] | None = None,
        max_state_rows: int | None = None,
        prods: DataFrame | None = None,
        spark: SparkSession | None = None,
    ) -> Handle:
        """Start the pipeline.

        Parameters
        ----------
        checkpoint
            Folder for state, offsets and events, visible to driver and executors; starting again
            with the same folder goes on where it stopped.
        trigger
            Time between micro-batches; ``None`` for as fast as possible, ``"available-now"`` to
            process what is there and stop.
        tier
            Where state lives: ``"columnar"``, ``"spark"`` or ``"auto"`` (by size).
        columnar_rows
            With ``"auto"``: above this many rows of state the spark tier takes over.
        heartbeat
            Wall time between heartbeats that keep a quiet pipeline moving; by default one per
            second if a query has ``idle`` or is ``costly``.
        flush
            With ``"available-now"``: the streams end here; close every open window and seal the
            checkpoint.
        on_batch
            Called with the report of each batch.
        max_state_rows
            Stop with a clear error, and the batch not committed, rather than keep more rows of
            state than this; no limit by default.
        prods
            A stream whose rows are demands for estimates: columns ``query``, ``where`` and
            ``aggressiveness``, all of which may be left out. Make it from any stream by a
            ``select``. Its rows are taken in by the batch that follows.
        spark
            The session to use; the active one, or a local one, by default.
        """
        options = Options(
            trigger, tier, columnar_rows, heartbeat, flush, on_batch, max_state_rows, prods
        )
        return self.launch(checkpoint, options, spark)

    def launch(
        self, checkpoint: str, options: Options, spark: SparkSession | None = None
    ) -> Handle:
        """:meth:`start` with its options in one record."""
        if found := options.problems():
            raise QueryError(found)
        session = spark or SparkSession.getActiveSession() or local_session()
        folder = _local(checkpoint)
        known = Checkpoint(folder).order()
        return Pipeline(self.queries, known, self.resources)._start(folder, options, session)

    def _start(self, checkpoint: Path, options: Options, session: SparkSession) -> Handle:
        """Start as arranged: in the order in which the checkpoint numbers streams and inputs."""
        frames = {name: _open(definition, session) for name, definition in self._streams.items()}
        zone = zone_of(frames[self.plan.streams[0].name].sparkSession)
        meaning = {**self.meaning, "zone": zone}
        said = words(self.queries, meaning)
        folder = Checkpoint.open(checkpoint, fingerprint(meaning), meaning, said)
        try:
            return self._opened(options, session, frames, folder)
        except BaseException:
            folder.close()
            raise

    def run(self, checkpoint: str, **options: Any) -> Handle:
        """Process what is available now, wait for the end, and give the handle back."""
        handle = self.start(checkpoint, trigger=AVAILABLE_NOW, **options)
        handle.await_termination()
        return handle

    def _opened(
        self,
        options: Options,
        session: SparkSession,
        frames: dict[str, DataFrame],
        folder: Checkpoint,
    ) -> Handle:
        agree(folder)  # before the heartbeat is added to what may be half an entry
        beat = beat_period(folder.spark, self._beat(options), ends=options.trigger == AVAILABLE_NOW)
        rows, intake = open_streams(self.plan, frames, session, beat)
        loop = self.loop(options, rows.sparkSession, intake, folder)
        runtime = loop.runtime
        assert isinstance(runtime, SparkRuntime)
        try:
            runtime.session = session.newSession()
            loop.finish_begun()
            _refuse_sealed(loop)
            writer = rows.writeStream.foreachBatch(loop.process)
            writer = writer.option("checkpointLocation", f"file://{folder.spark}")
            self._tell_start(loop, options)
            runtime.opened = direct_checkpoint_files(rows.sparkSession)
            query = _triggered(writer, options.trigger).start()
        except BaseException:
            loop.close()
            raise
        control = self._follow(options, loop)
        return Handle(query, loop, runtime, self, session, flush=options.flush, control=control)

    def _follow(self, options: Options, loop: Loop[DataFrame]) -> StreamingQuery | None:
        """Take prods from a stream, if there is one."""
        if options.prods is None:
            return None
        names = [query.name for query in self.plan.queries if query.estimates]
        ends = options.trigger == AVAILABLE_NOW
        return follow(options.prods, loop.inbox, names, loop.checkpoint.control, ends=ends)

    def _tell_start(self, loop: Loop[DataFrame], options: Options) -> None:
        loop.events.write(
            "start",
            schema=VERSION,
            pipeline=self.plan.identity,
            batch=loop.batch,
            plan=explain_value(self.plan),
            trigger=None if options.trigger is None else str(options.trigger),
        )

    def loop(
        self, options: Options, session: SparkSession, intake: Intake, folder: Checkpoint
    ) -> Loop[DataFrame]:
        """The loop that handles this pipeline's micro-batches."""
        stages, joins = shapes(session, self.plan, intake.schemas)
        pin: Tier | None = None if options.tier == "auto" else options.tier  # type: ignore[assignment]
        zone = zone_of(session)
        readings = {q.name: Reading.of(q, stages, zone) for q in self.plan.queries if q.stages}
        policy = Policy(self.plan, options.columnar_rows, zone=zone)
        log = SparkLog(folder.spark)
        arrivals = Arrivals(log, self._watched())
        sources = {name: stream.source for name, stream in self._streams.items()}
        plain = None if intake.has_heartbeat else Plain.of(session, policy, sources, log)
        runtime = SparkRuntime(policy, intake, joins, folder.runs, session, arrivals, plain)
        return Loop(
            policy=policy,
            checkpoint=folder,
            layout=Layout(self.plan, stages, joins, readings),
            outlets=Outlets.of(self.plan, self.queries, folder),
            events=EventLog(folder.events, full=options.limits.log_bytes),
            runtime=runtime,
            pin=pin,
            on_batch=options.on_batch,
            max_state_rows=options.max_state_rows,
            limits=options.limits,
        )

    def _watched(self) -> tuple[Watched, ...]:
        """The streams whose files can be looked at."""
        found = (
            Watched.of(s.name, self._streams[s.name].source, (s.time, *s.columns))
            for s in self.plan.streams
        )
        return tuple(one for one in found if one is not None)

    def _beat(self, options: Options) -> int | None:
        """The period of the heartbeat that the queries or the person want."""
        if options.heartbeat is not None:
            return duration(options.heartbeat)
        quiet = any(q.idle is not None or q.costly is not None for q in self.plan.queries)
        return SECOND if quiet else None


def _open(definition: StreamDef, session: SparkSession) -> DataFrame:
    source = definition.source
    return source if isinstance(source, DataFrame) else source.open(session)


def _local(checkpoint: str | Path) -> Path:
    if is_remote(str(checkpoint)):
        raise CheckpointError(
            "CHECKPOINT_REMOTE",
            f"{checkpoint} is not a folder of this machine",
            "give a local or mounted folder that driver and executors see",
        )
    return local_path(checkpoint)


def _refuse_sealed(loop: Loop[DataFrame]) -> None:
    if loop.sealed:
        raise CheckpointError(
            "CHECKPOINT_SEALED",
            f"{loop.checkpoint.folder} was ended with flush: its streams are over",
            "use a new checkpoint folder",
        )


def _triggered(writer: Any, trigger: DurationLike | None) -> Any:
    if trigger == AVAILABLE_NOW:
        return writer.trigger(availableNow=True)
    if trigger is None:
        return writer
    return writer.trigger(processingTime=f"{duration(trigger) // 1000} milliseconds")
