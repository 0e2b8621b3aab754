"""A pipeline that runs, and whose queries may change while it does.

Between two batches the loop is exchanged for one with other queries, over the same checkpoint: it
goes on from the newest manifest, as after a restart. Where the pass over raw rows is wide enough
Spark notices nothing. Where it is not (other columns, a heartbeat), Spark's query is stopped and
started again on the same offsets.
"""

from __future__ import annotations

import threading
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import TYPE_CHECKING, Any, Literal

from py4j.protocol import Py4JError
from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.streaming.query import StreamingQuery

from slackwater.errors import CheckpointError, QueryError, SlackwaterError, StorageError
from slackwater.events.schema import VERSION
from slackwater.execute.loop import Loop
from slackwater.plan.explain import explain_value
from slackwater.query.stream import Query
from slackwater.runs.agreement import agree
from slackwater.runs.checkpoint import Checkpoint
from slackwater.runs.heartbeat import beat_period
from slackwater.runs.overlay import Changes, Demand
from slackwater.runs.requests import check_query
from slackwater.spark.read.streams import Intake, open_streams
from slackwater.spark.runtime import SparkRuntime
from slackwater.spark.session import direct_checkpoint_files, zone_of
from slackwater.spark.written import query_of
from slackwater.units import duration

if TYPE_CHECKING:
    from slackwater.spark.pipeline import Options, Pipeline

AVAILABLE_NOW = "available-now"
How = Literal["in place", "restarted", "started", "there already"]
Edit = Callable[[Sequence[Query]], Sequence[Query]]


class Live:
    """What runs now: the pipeline, its loop, Spark's query."""

    pipeline: Pipeline
    loop: Loop[DataFrame]
    runtime: SparkRuntime
    query: StreamingQuery
    intake: Intake

    def __init__(self, options: Options, session: SparkSession, checkpoint: Checkpoint) -> None:
        self.options = options
        self.session = session
        self.checkpoint = checkpoint
        self.changes = Changes(checkpoint.folder)
        self.turning = threading.RLock()  # one change at a time
        self._between = threading.RLock()  # no batch is under way
        self.is_turning = False  # Spark's query is stopped and started again
        self._batch: int | None = None  # the thread that handles a batch
        self._taken: set[str] = set()  # demands that are carried out after a batch

    # start -----------------------------------------------------------------------------------

    def start(self, pipeline: Pipeline, frames: dict[str, DataFrame] | None = None) -> None:
        """Open the streams, if they are not, and let Spark give their batches."""
        folder, options = self.checkpoint, self.options
        agree(folder)  # before the heartbeat is added to what may be half an entry
        beat = beat_period(
            folder.spark, pipeline.beat(options), ends=options.trigger == AVAILABLE_NOW
        )
        opened = frames or pipeline.open(self.session)
        rows, self.intake = open_streams(pipeline.plan, opened, self.session, beat)
        self._take(pipeline, rows.sparkSession)
        try:
            self.loop.finish_begun()
            _refuse_sealed(self.loop)
            writer = rows.writeStream.foreachBatch(self.process)
            writer = writer.option("checkpointLocation", f"file://{folder.spark}")
            self._tell_start()
            self.runtime.opened = direct_checkpoint_files(rows.sparkSession)
            self.query = _triggered(writer, options.trigger).start()
        except BaseException:
            self.loop.close()
            raise

    def _take(self, pipeline: Pipeline, session: SparkSession) -> None:
        loop = pipeline.loop(self.options, session, self.intake, self.checkpoint)
        assert isinstance(loop.runtime, SparkRuntime)
        self.pipeline, self.loop, self.runtime = pipeline, loop, loop.runtime
        self.runtime.session = self.session.newSession()

    def _tell_start(self) -> None:
        trigger = self.options.trigger
        self.loop.events.write(
            "start",
            schema=VERSION,
            pipeline=self.pipeline.plan.identity,
            batch=self.loop.batch,
            plan=explain_value(self.loop.policy.plan),
            trigger=None if trigger is None else str(trigger),
        )

    def process(self, rows: DataFrame, batch: int) -> None:
        """Handle one micro-batch, after what people demanded was done."""
        with self._between:
            if not self.loop.halted:
                self._obey()
            self._batch = threading.get_ident()
            try:
                self.runtime.sieve.before(self.loop.process)(rows, batch)
            finally:
                self._batch = None

    # change ----------------------------------------------------------------------------------

    def change(self, edit: Edit) -> How:
        """Have other queries from the next batch on; nothing is done if that cannot be."""
        if self._batch == threading.get_ident():
            raise SlackwaterError(
                "CHANGE_WITHIN_BATCH",
                "queries change between two batches, and this is called by one",
                "call it from another thread",
            )
        if self.checkpoint.is_copy:
            raise SlackwaterError(
                "CHECKPOINT_STORE",
                "queries of a checkpoint in an object store change only between two starts",
                "stop the pipeline, and start it with other queries",
            )
        with self.turning:
            pipeline = self._edited(edit)
            if self._is_wide_enough(pipeline):
                with self._between:
                    self._exchange(pipeline)
                return "in place"
            self._restart(pipeline)
            return "restarted"

    def _edited(self, edit: Edit) -> Pipeline:
        """The pipeline with other queries, checked as at a start."""
        if self.loop.is_closed or self.loop.halted:
            raise SlackwaterError(
                "STOPPED",
                "the pipeline has ended, its queries cannot change",
                "start it with other queries",
            )
        pipeline = self.pipeline.edited(edit(self.pipeline.queries), self.checkpoint.order())
        given = pipeline.known_as(self.loop.policy.zone)
        change = self.checkpoint.would_become(given)
        if change.refused:
            raise QueryError(change.refused)
        return pipeline

    def _is_wide_enough(self, pipeline: Pipeline) -> bool:
        """Whether the pass over raw rows has all that these queries read."""
        opened = {stream.name: stream for stream in self.intake.streams}
        wanted = {stream.name: stream for stream in pipeline.plan.streams}
        if opened.keys() != wanted.keys():
            return False
        if pipeline.beat(self.options) is not None and not self.intake.has_heartbeat:
            return False
        return all(
            {*one.columns} <= {*opened[name].columns}
            and replace(one, columns=()) == replace(opened[name], columns=())
            for name, one in wanted.items()
        )

    def _exchange(self, pipeline: Pipeline) -> None:
        """Go on with another loop; with the one before if the other cannot be opened."""
        before, pin, opened = self.pipeline, self.loop.pin, self.runtime.opened
        pipeline.plan = replace(pipeline.plan, streams=self.intake.streams)
        session = self.runtime.session
        self.loop.release()
        try:
            self._become(pipeline, session)
        except BaseException:
            self.checkpoint.claim()
            self._become(before, session)
            raise
        finally:
            self.loop.pin, self.runtime.opened = pin, opened
        self._tell_change(*_names(before, self.pipeline), "in place")

    def _become(self, pipeline: Pipeline, session: SparkSession) -> None:
        self.checkpoint.become(pipeline.known_as(zone_of(session)))
        self._take(pipeline, session)

    def _restart(self, pipeline: Pipeline) -> None:
        """Stop Spark's query after the batch at hand and start it again on the same offsets."""
        before, zone = self.pipeline, self.loop.policy.zone
        self.is_turning = True
        try:
            self.loop.halt()
            self.query.stop()
            with self._between:
                self.loop.release()
            try:
                self.checkpoint.become(pipeline.known_as(zone))
                self.start(pipeline)
            except BaseException:
                self.checkpoint.claim()
                self.checkpoint.become(before.known_as(zone))
                self.start(before)
                raise
        finally:
            self.is_turning = False
        self._tell_change(*_names(before, self.pipeline), "restarted")

    def tell_started(self) -> None:
        """Tell that this start brought other queries than the one before had, if so."""
        change = self.checkpoint.change
        if not change.is_none:
            self._tell_change(change.added, change.dropped, "started")

    def _tell_change(self, added: Sequence[str], removed: Sequence[str], how: How) -> None:
        """Which queries there are from now on; with the plan, for those who look at the log."""
        plan = explain_value(self.loop.policy.plan)
        names = {"added": list(added), "removed": list(removed)}
        self.loop.events.write("change", batch=self.loop.batch, **names, how=how, plan=plan)

    # demands of people -----------------------------------------------------------------------

    def _obey(self) -> None:
        """Do what was demanded, or say why not; what needs a restart is done after this batch."""
        if not self.turning.acquire(blocking=False):  # somebody else changes them: later
            return
        try:
            for demand in self.changes.waiting():
                if demand.id not in self._taken:
                    self._look_at(demand)
        finally:
            self.turning.release()

    def _look_at(self, demand: Demand) -> None:
        edit = _edit_of(demand)
        if self._is_done(demand):
            self._answer(demand, "there already", None)
            return
        try:
            pipeline = self._edited(edit)
        except SlackwaterError as error:
            self._answer(demand, None, str(error))
            return
        if self._is_wide_enough(pipeline):
            self._carry_out(demand, edit)
        else:
            self._taken.add(demand.id)
            threading.Thread(target=self._carry_out, args=(demand, edit), daemon=True).start()

    def _is_done(self, demand: Demand) -> bool:
        """Whether it is so: done before a crash and not answered, or demanded twice."""
        overlay, name = self.changes.overlay(), demand.query
        is_here = name in {query.name for query in self.pipeline.queries}
        if demand.written is None:
            return not is_here and name in overlay.removed
        return is_here and overlay.added.get(name) == demand.written

    def _carry_out(self, demand: Demand, edit: Edit) -> None:
        """Write down what is to stay, do it, tell it."""
        with self.turning:
            overlay = self.changes.overlay()
            name, written = demand.query, demand.written
            after = overlay.removing(name) if written is None else overlay.adding(name, written)
            self.changes.keep(after)
            try:
                how = self.change(edit)
            except (SlackwaterError, OSError, Py4JError, PySparkException) as error:
                self.changes.keep(overlay)
                self._answer(demand, None, str(error))
            else:
                self._answer(demand, how, None)

    def _answer(self, demand: Demand, how: How | None, reason: str | None) -> None:
        kind = "remove" if demand.written is None else "add"
        told = {"demand": demand.id, "query": demand.query, "asked": kind}
        self.loop.events.write("demand", batch=self.loop.batch, **told, how=how, reason=reason)
        with suppress(StorageError):  # it comes again, and is done already
            self.changes.done(demand)


def _names(before: Pipeline, now: Pipeline) -> tuple[list[str], list[str]]:
    """The queries that came and those that went."""
    then, there = ([query.name for query in one.queries] for one in (before, now))
    return [n for n in there if n not in then], [n for n in then if n not in there]


def adding(query: Query) -> Edit:
    """One query more."""
    return lambda queries: (*queries, query)


def removing(name: str) -> Edit:
    """One query less."""

    def edit(queries: Sequence[Query]) -> Sequence[Query]:
        check_query(name, [query.name for query in queries])
        if len(queries) == 1:
            raise SlackwaterError(
                "QUERY_LAST",
                f"{name!r} is the only query of the pipeline",
                "stop the pipeline, or add another query before",
            )
        return [query for query in queries if query.name != name]

    return edit


def _edit_of(demand: Demand) -> Edit:
    """What is demanded; of something that is so already nothing."""
    written, name = demand.written, demand.query
    if written is None:
        return removing(name)
    return lambda queries: (*queries, query_of(written, name))


def _refuse_sealed(loop: Loop[DataFrame]) -> None:
    if loop.sealed:
        raise CheckpointError(
            "CHECKPOINT_SEALED",
            f"{loop.checkpoint.folder} was ended with flush: its streams are over",
            "use a new checkpoint folder",
        )


def _triggered(writer: Any, trigger: Any) -> Any:
    if trigger == AVAILABLE_NOW:
        return writer.trigger(availableNow=True)
    if trigger is None:
        return writer
    return writer.trigger(processingTime=f"{duration(trigger) // 1000} milliseconds")
