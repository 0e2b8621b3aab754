"""Pipelines: several queries over shared sources, started as one Structured Streaming query."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.streaming.query import StreamingQuery

from slackwater.control.records import Policy, Tier
from slackwater.errors import CheckpointError, Problem, QueryError, SourceError
from slackwater.events.log import EventLog
from slackwater.execute.batch import Layout
from slackwater.execute.deliver import Outlets
from slackwater.execute.estimates.reading import Reading
from slackwater.execute.limits import Limits
from slackwater.execute.loop import Loop
from slackwater.plan.explain import explain_json, explain_text
from slackwater.plan.lookup import sources_of
from slackwater.plan.meaning import Order, words
from slackwater.plan.pace import paced
from slackwater.plan.stage import PipelinePlan, describe, lay_out
from slackwater.query.resources import Resources
from slackwater.query.schema import Column, Schema
from slackwater.query.stream import Query, Stream, StreamDef
from slackwater.runs.checkpoint import Checkpoint
from slackwater.runs.forecast import Forecast
from slackwater.runs.home import Home
from slackwater.runs.identity import Meaning
from slackwater.runs.objects.located import located
from slackwater.runs.offsets import SparkLog
from slackwater.runs.overlay import Changes, Overlay
from slackwater.spark.check import check_all, refuse_strangers
from slackwater.spark.handle import Handle
from slackwater.spark.live import AVAILABLE_NOW, Live
from slackwater.spark.prods import check_control, follow
from slackwater.spark.read.arrivals import Arrivals, Watched
from slackwater.spark.read.calls import Calling, packed
from slackwater.spark.read.plain import Plain
from slackwater.spark.read.streams import Intake
from slackwater.spark.runtime import SparkRuntime
from slackwater.spark.session import is_local, local_session, zone_of
from slackwater.spark.sources.base import Source
from slackwater.spark.sources.topics.kafka import Kafka
from slackwater.spark.sources.topics.watch import Topics
from slackwater.spark.types import shapes
from slackwater.spark.written import overlaid
from slackwater.units import SECOND, DurationLike, duration, fingerprint

TIERS = ("auto", "columnar", "spark")
_LEAVE_PRODS = "call handle.prod, or use a checkpoint folder that driver and executors share"
_STAY = 'use tier="columnar", or a checkpoint folder that driver and executors share'
_SHARE = "use a checkpoint folder that driver and executors share"


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
        A streaming DataFrame, or ``sw.kafka``, ``sw.files``, ``sw.generator``, ``sw.recording``.
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
        "give a streaming DataFrame (spark.readStream), sw.kafka, sw.files, sw.generator or "
        "sw.recording; "
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

    @property
    def interval(self) -> int | None:
        """Microseconds between two triggers, if there is such a time."""
        return None if self.trigger in (None, AVAILABLE_NOW) else duration(self.trigger)

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
        self.plan: PipelinePlan = order.arrange_streams(lay_out(checked, order.held))
        self._streams = checked.streams
        self._functions = checked.functions

    @property
    def meaning(self) -> dict[str, object]:
        """What a checkpoint of this pipeline means: the plan, and which rows the sources give."""
        sources = {
            name: {k: v for k, v in definition.source.describe().items() if k != "pace"}
            for name, definition in self._streams.items()
            if isinstance(definition.source, Source)
        }
        return {**describe(self.plan), "sources": sources}

    def known_as(self, zone: str | None = None) -> Meaning:
        """The pipeline as a checkpoint knows it; its zone is that of a session."""
        meaning = {**self.meaning, **({} if zone is None else {"zone": zone})}
        said, order = words(self.queries, meaning), Order.of_plan(self.plan)
        return Meaning(fingerprint(meaning), meaning, said, order)

    def forecast(self, checkpoint: str | Path) -> Forecast:
        """What starting this pipeline over a checkpoint would do to the queries there.

        Nothing is done, and a pipeline that runs there is not disturbed.
        """
        home = located(checkpoint)
        folder = Checkpoint(home.folder, home)
        if folder.is_copy:
            raise CheckpointError(
                "CHECKPOINT_STORE",
                f"{checkpoint} lies in an object store, where changes are not told beforehand",
                "start the pipeline: what cannot be carried is refused, and nothing is changed",
            )
        known = folder.known()
        arranged = self._going_on(folder)
        return Forecast.of(folder, arranged.known_as(known.meaning.get("zone")), arranged.plan)

    @property
    def sources(self) -> dict[str, object]:
        """What the streams are read from, by name."""
        return {name: definition.source for name, definition in self._streams.items()}

    @property
    def reads_kafka(self) -> bool:
        """Whether a session needs Spark's connector for Kafka."""
        return any(isinstance(source, Kafka) for source in self.sources.values())

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
            Folder for state, offsets and events, visible to driver and executors, or an address in
            an object store (``s3://``, ``gs://``, ``az://``; extra ``objects``). Starting again
            with the same one goes on where it stopped, on this machine or another one.
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
        paced(self.plan, options.interval)  # refused before anything is opened
        packed(self._functions)
        session = spark or SparkSession.getActiveSession() or local_session(kafka=self.reads_kafka)
        home = located(checkpoint)
        folder = Checkpoint(home.folder, home)
        if folder.is_copy:
            self._check_copied(options, session)
        handle = self._going_on(folder)._start(home, options, session)
        self._overlay(folder, keep=True)
        return handle

    def _check_copied(self, options: Options, session: SparkSession) -> None:
        """Refuse what a checkpoint in a store cannot have: only the driver has its files."""
        found = []
        if options.prods is not None:
            text = "a stream of prods keeps its offsets in a folder, which would be lost"
            found.append(Problem("CHECKPOINT_STORE", "start, prods", text, _LEAVE_PRODS))
        if any(link.effects for stream in self.plan.streams for link in stream.links):
            text = "what functions with effects gave is kept in a folder, which would be lost"
            found.append(Problem("CHECKPOINT_STORE", "start, effects", text, _SHARE))
        if self.plan.tables:
            text = "the versions of tables are kept in a folder until their batch is committed"
            found.append(Problem("CHECKPOINT_STORE", "start, tables", text, _SHARE))
        if not is_local(session):
            if options.tier != "columnar":
                text = (
                    f"executors do not see the files of a checkpoint in a store; {options.tier!r}"
                )
                text += " would let them work on state"
                found.append(Problem("CHECKPOINT_STORE", "start, tier", text, _STAY))
            late = [q.name for q in self.plan.queries if q.waiting]
            if late:
                text = f"rows of {', '.join(late)} may wait, and executors keep those that do"
                found.append(Problem("CHECKPOINT_STORE", "start, checkpoint", text, _SHARE))
        if found:
            raise QueryError(found)

    def _going_on(self, folder: Checkpoint) -> Pipeline:
        """As a checkpoint numbers streams and inputs, with the queries that were added there while
        it ran, and without those that were removed.
        """
        return self.edited(overlaid(self.queries, self._overlay(folder)), folder.order())

    def _overlay(self, folder: Checkpoint, *, keep: bool = False) -> Overlay:
        """What was changed while the pipeline ran, as far as it does not say so itself by now."""
        changes = Changes(folder.folder)
        overlay = changes.overlay().over(query.name for query in self.queries)
        if keep:
            changes.keep(overlay)
        return overlay

    def edited(self, queries: Sequence[Query], order: Order) -> Pipeline:
        """A pipeline of other queries, run alike."""
        return Pipeline(tuple(queries), order, self.resources)

    def _start(self, home: Home, options: Options, session: SparkSession) -> Handle:
        frames = self.open(session)
        zone = zone_of(frames[self.plan.streams[0].name].sparkSession)
        checkpoint = Checkpoint.open_as(home.folder, self.known_as(zone), home)
        live = Live(options, session, checkpoint)
        try:
            live.start(self, frames)
            live.tell_started()
        except BaseException:
            checkpoint.close()
            raise
        control = self._follow(options, live.loop)
        return Handle.of(live, control)

    def open(self, session: SparkSession) -> dict[str, DataFrame]:
        """The streams as DataFrames, by name."""
        return {name: _open(definition, session) for name, definition in self._streams.items()}

    def run(self, checkpoint: str, **options: Any) -> Handle:
        """Process what is available now, wait for the end, and give the handle back."""
        handle = self.start(checkpoint, trigger=AVAILABLE_NOW, **options)
        handle.await_termination()
        return handle

    def _follow(self, options: Options, loop: Loop[DataFrame]) -> StreamingQuery | None:
        """Take prods from a stream, if there is one."""
        if options.prods is None:
            return None
        names = [query.name for query in self.plan.queries if query.estimates]
        ends = options.trigger == AVAILABLE_NOW
        return follow(options.prods, loop.inbox, names, loop.checkpoint.control, ends=ends)

    def loop(
        self, options: Options, session: SparkSession, intake: Intake, folder: Checkpoint
    ) -> Loop[DataFrame]:
        """The loop that handles this pipeline's micro-batches."""
        plan = paced(self.plan, options.interval)
        stages, joins = shapes(session, plan, intake.schemas)
        pin: Tier | None = None if options.tier == "auto" else options.tier  # type: ignore[assignment]
        zone = zone_of(session)
        readings = {q.name: Reading.of(q, stages, zone) for q in plan.queries if q.stages}
        policy = Policy(plan, options.columnar_rows, zone=zone)
        log = SparkLog(folder.spark)
        arrivals = Arrivals(log, self._watched())
        sources = self.sources
        plain = None if intake.has_heartbeat else Plain.of(session, policy, sources, log)
        topics = Topics.of(log, session, sources)
        calling = Calling(intake, self._functions, zone, folder.folder)
        runtime = SparkRuntime(
            policy, intake, joins, folder.runs, session, arrivals, calling, plain, topics=topics
        )
        return Loop(
            policy=policy,
            checkpoint=folder,
            layout=Layout(plan, stages, joins, readings),
            outlets=Outlets.of(self.plan, self.queries, folder, intake.malformed),
            events=EventLog(folder.events, full=options.limits.log_bytes),
            runtime=runtime,
            pin=pin,
            on_batch=options.on_batch,
            max_state_rows=options.max_state_rows,
            limits=options.limits,
            sources=sources_of(self.queries),
        )

    def _watched(self) -> tuple[Watched, ...]:
        """The streams whose files can be looked at."""
        found = (
            Watched.of(s.name, self._streams[s.name].source, (s.time, *s.columns))
            for s in self.plan.streams
        )
        return tuple(one for one in found if one is not None)

    def beat(self, options: Options) -> int | None:
        """The period of the heartbeat that the queries or the person want."""
        if options.heartbeat is not None:
            return duration(options.heartbeat)
        quiet = any(q.idle is not None or q.costly is not None for q in self.plan.queries)
        return SECOND if quiet else None


def _open(definition: StreamDef, session: SparkSession) -> DataFrame:
    source = definition.source
    return source if isinstance(source, DataFrame) else source.open(session)
