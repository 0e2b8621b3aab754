"""A running pipeline: like Spark's ``StreamingQuery``, with events and tiers."""

from __future__ import annotations

import json
import threading
import time
from collections.abc import Iterator
from contextlib import AbstractContextManager, nullcontext, suppress
from typing import TYPE_CHECKING, Any

from py4j.protocol import Py4JError
from pyspark.errors import PySparkException, StreamingQueryException
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql.streaming.query import StreamingQuery

from slackwater.control.accuracy import Accuracy
from slackwater.control.prods import accuracies
from slackwater.control.promises import standings
from slackwater.control.records import Tier
from slackwater.control.request import Request, problem_of
from slackwater.errors import QueryError, SlackwaterError
from slackwater.events import log
from slackwater.execute.estimates.ask import ATTEMPTS, read_estimates
from slackwater.execute.estimates.reading import Reading
from slackwater.execute.estimates.snapshot import Snapshot
from slackwater.execute.estimates.trial import problem_with
from slackwater.execute.explain import live_lines, live_value
from slackwater.execute.loop import Loop
from slackwater.execute.meter import by_key
from slackwater.execute.sinks import ParquetSink
from slackwater.query.stream import Query
from slackwater.runs.requests import check_query, new_id, put_tree
from slackwater.spark.latest import latest as newest
from slackwater.spark.live import How, Live, adding, removing
from slackwater.spark.runtime import SparkRuntime
from slackwater.spark.schemas import as_frame
from slackwater.spark.session import is_local
from slackwater.spark.sources.folder import as_glob

if TYPE_CHECKING:
    from slackwater.spark.pipeline import Pipeline


class Handle:
    """Stop, wait for and look into a running pipeline."""

    def __init__(
        self,
        query: StreamingQuery,
        loop: Loop[DataFrame],
        runtime: SparkRuntime,
        pipeline: Pipeline,
        session: SparkSession,
        *,
        flush: bool,
        control: StreamingQuery | None = None,
    ) -> None:
        self._own = (query, loop, runtime, pipeline)
        self._live: Live | None = None
        self._session = session
        self._flush = flush
        self._control = control
        self._ending = threading.Lock()

    @classmethod
    def of(cls, live: Live, control: StreamingQuery | None = None) -> Handle:
        """The handle of a pipeline whose queries may change."""
        started = (live.query, live.loop, live.runtime, live.pipeline)
        flush = live.options.flush
        made = cls(*started, live.session, flush=flush, control=control)
        made._live = live
        return made

    @property
    def _query(self) -> StreamingQuery:
        return self._own[0] if self._live is None else self._live.query

    @property
    def _loop(self) -> Loop[DataFrame]:
        return self._own[1] if self._live is None else self._live.loop

    @property
    def _runtime(self) -> SparkRuntime:
        return self._own[2] if self._live is None else self._live.runtime

    @property
    def _pipeline(self) -> Pipeline:
        return self._own[3] if self._live is None else self._live.pipeline

    @property
    def queries(self) -> tuple[str, ...]:
        """The names of the queries that there are now."""
        return tuple(query.name for query in self._pipeline.queries)

    def add(self, query: Query) -> How:
        """Have one query more from the next batch on, beside the others.

        It starts from the state that others keep under the same identity, and gives what is whole;
        from when on that is, is told by the event ``query_added``. The next start of the pipeline
        has to have it too, or it goes again.

        Returns
        -------
        str
            ``"in place"``, or ``"restarted"`` if Spark's query had to be started again on the same
            offsets, as it reads other columns now.

        Raises
        ------
        QueryError
            If its name or its sink is taken, its stream has another source, or anything else is
            wrong with it; the others go on undisturbed.
        """
        return self._changing().change(adding(query))

    def remove(self, name: str) -> How:
        """Have one query less from the next batch on; what nobody else reads of its state goes.

        What it has answered stays where it is. Prods that wait for it are answered with the reason.
        """
        return self._changing().change(removing(name))

    def _changing(self) -> Live:
        if self._live is None:
            raise SlackwaterError("STOPPED", "the pipeline does not run", "start it")
        return self._live

    @property
    def is_active(self) -> bool:
        is_turning = self._live is not None and self._live.is_turning
        return is_turning or bool(self._query.isActive)

    @property
    def last_progress(self) -> dict[str, Any] | None:
        """Spark's progress of the newest batch."""
        return self._query.lastProgress

    @property
    def query(self) -> StreamingQuery:
        """Spark's own handle."""
        return self._query

    @property
    def tier(self) -> Tier:
        """Where state is read and merged in the next batch."""
        return self._loop.state.tier

    def pin(self, tier: Tier | None) -> None:
        """Move to a tier from the next batch on; ``None`` goes back to the automatic choice."""
        if self._loop.checkpoint.is_copy and tier != "columnar" and not is_local(self._session):
            raise SlackwaterError(
                "CHECKPOINT_STORE",
                f"executors do not see the files of {self._loop.checkpoint.home.address}",
                "stay in the columnar tier, or use a checkpoint folder that all machines share",
            )
        self._loop.pin = tier

    def explain(self, form: str = "text") -> str:
        """The plan as text or JSON, with what joins hold by now and what controllers explain."""
        if form == "json":
            plan = json.loads(self._pipeline.explain(form))
            return json.dumps({**plan, "live": live_value(self._loop)}, indent=2)
        return "\n".join([self._pipeline.explain(form), *live_lines(self._loop)])

    def estimate(self, query: str | None = None, where: str | None = None) -> DataFrame:
        """What open windows would say now, without waiting for a batch and without disturbing any.

        Reads what the newest committed batch left behind. Works for every query with aggregates;
        a query with ``estimates`` also has coverage and error bands from experience.

        Parameters
        ----------
        query
            Which query; may be left out if there is only one.
        where
            An SQL predicate over the result's columns, e.g. ``"sensor = 7"`` or
            ``"window_end = TIMESTAMP '2026-01-01 00:05:00'"``.

        Returns
        -------
        DataFrame
            Computed already: batches that come later change nothing of it. In the spark tier, if it
            is read from more than a million rows, it stays on the executors until it is let go.
        """
        loop = self._loop
        name = check_query(query, loop.layout.readings)
        for attempt in range(ATTEMPTS):
            snapshot = loop.snapshot
            try:
                return self._estimate(snapshot, loop.layout.readings[name], where)
            except (SlackwaterError, OSError):
                # runs of a batch that has just become old may be gone: look again
                if attempt + 1 == ATTEMPTS or loop.snapshot is snapshot:
                    raise
        raise AssertionError  # the last attempt returned or raised

    def _estimate(self, snapshot: Snapshot, reading: Reading, where: str | None) -> DataFrame:
        loop = self._loop
        if loop.events.is_closed:  # the pipeline has ended: as any other process would
            found = read_estimates(loop.checkpoint.folder, reading.query, where)
            return as_frame(self._session, found)
        found = self._runtime.ask(snapshot, snapshot.question(reading, where))
        if found is not None:
            return found
        with loop.driver.beside() as beside:
            return as_frame(self._session, snapshot.estimate(beside, reading, where))

    def prod(self, query: str | None = None, where: str | None = None) -> str:
        """Ask for an estimate in the next batch, among the results; give the prod's id.

        What became of it is told by an event ``prod``. Use :meth:`estimate` for an answer now.

        Raises
        ------
        QueryError
            If it cannot be answered, whatever comes.
        """
        return self._put(Request(new_id(), self._estimating(query), where))

    def set_aggressiveness(self, value: float | None, query: str | None = None) -> None:
        """Prod this much of a slide before the end of windows, from the next batch on.

        ``None`` hands the choice back: to the controller, or to what the query said.
        """
        name = self._estimating(query)
        self._put(Request(new_id(), name, None, value, automatic=value is None))

    def replan(self, tree: str, query: str | None = None, *, how: str = "moving") -> str:
        """Run a join by another tree from the next batch on; give the demand's id.

        No result is lost, none comes twice. What became of it is told by an event ``replan``, and
        ``migration`` tells when the change began and when it was over.

        Parameters
        ----------
        tree
            Each input once, as in ``"((a b) c)"``; every pair of parentheses below the outermost
            keeps its combinations.
        query
            Which query; may be left out if only one joins.
        how
            ``"moving"``: what the new tree keeps and the old one did not is made from what that
            kept, in one batch. ``"parallel"``: nothing is made; both trees run side by side until
            no row of before can be part of a result.

        Raises
        ------
        SlackwaterError
            If the query does not join, or the tree does not name its inputs.
        """
        joins = {q.name: q.join.graph.names for q in self._pipeline.plan.queries if q.join}
        return put_tree(self._loop.inbox, joins, tree, query, how)

    def _put(self, request: Request) -> str:
        """Leave a request for the next batch, unless something is wrong with it."""
        loop = self._loop
        reading = loop.layout.readings[request.query]
        if loop.is_closed:  # whoever goes on with the checkpoint tries it
            problem = problem_of(request, reading.output, reading.window)
        else:
            with loop.driver.beside() as beside:
                problem = problem_with(request, reading, beside)
        if problem is not None:
            raise QueryError([problem])
        return loop.inbox.put(request)

    def accuracy(self, query: str | None = None) -> dict[str, dict[str, Any]]:
        """What estimates were worth once their finals were known; percent, by column.

        ``mean``, ``recent`` and ``worst`` over all, the same ``by_age`` (share of the window's
        span that the clock had passed) and ``by_group``.
        """
        known = accuracies(self._loop.snapshot.state)
        return known.get(self._estimating(query), Accuracy()).details()

    def results(self, query: str | None = None, *, latest: bool = False) -> DataFrame:
        """What a query has said so far: all of it, or the latest known answer of each window.

        A final replaces the estimates of its window, a revision the final. For results that are
        kept in Parquet, as they are by default; give those of other sinks to ``sw.latest``.
        """
        plans = {plan.name: plan for plan in self._pipeline.plan.queries}
        name = check_query(query, plans)
        sink = self._loop.outlets.sinks[name]
        if not isinstance(sink, ParquetSink):
            text = f"the results of query {name!r} are not kept as Parquet in a folder"
            raise SlackwaterError("RESULTS_ELSEWHERE", text, "read them where its sink puts them")
        found = self._session.read.parquet(as_glob(sink.folder))
        return newest(found, plans[name].top.keys) if latest else found

    def _estimating(self, query: str | None) -> str:
        return check_query(query, [q.name for q in self._pipeline.plan.queries if q.estimates])

    def events(self) -> Iterator[dict[str, Any]]:
        """Everything that happened so far, oldest first."""
        return log.read(self._loop.checkpoint.events)

    def quality(self) -> dict[str, dict[str, Any]]:
        """By query under a contract: what was promised, what was measured, and the slack.

        ``fulfilment`` is the share of measured results (of a join: periods) that kept the bound
        so far; they are measured once their stragglers are in. ``unseen`` results may be broken
        by rows that came even later, or were set aside; they count as broken. The error of every
        result, or the recall of every period, is in the query's quality table.
        """
        promises = {plan.name: plan.promised for plan in self._pipeline.plan.queries}
        return {
            name: {**(promise.told() if promise else {}), **found}
            for name, found in standings(self._loop.state).items()
            for promise in (promises[name],)
        }

    def fulfilment_by_key(self, query: str) -> list[dict[str, Any]]:
        """Per key of a query: results measured and share within the bound, worst first.

        Read from the quality table in the checkpoint folder; a query that sends its quality table
        elsewhere has none here.
        """
        plan = next(plan for plan in self._pipeline.plan.queries if plan.name == query)
        if self._loop.checkpoint.is_copy:
            raise SlackwaterError(
                "CHECKPOINT_STORE",
                f"the quality table is in {self._loop.checkpoint.output('quality', query)}",
                "read it there with a reader of Parquet",
            )
        return by_key(self._loop.checkpoint.quality(query), plan.base.keys)

    def await_termination(self, timeout: float | None = None) -> bool:
        """Wait for the end (or for ``timeout`` seconds); raise what stopped the pipeline.

        Returns whether the pipeline has ended.
        """
        until = None if timeout is None else time.monotonic() + timeout
        while True:
            query = self._query
            ended = self._await(query, until)
            with self._settled():  # a change may have started another query in its place
                if not ended or query is self._query:
                    break
        if ended:
            self._end()
        return ended

    def _await(self, query: StreamingQuery, until: float | None) -> bool:
        """Wait for one query of Spark's; raise what stopped the pipeline."""
        left = None if until is None else max(0.001, until - time.monotonic())
        try:
            if left is None:
                query.awaitTermination()
                return True
            return bool(query.awaitTermination(left))  # type: ignore[arg-type]
        except StreamingQueryException as error:
            with self._settled():
                if query is not self._query:
                    return True
            if self._loop.halted and self._loop.error is None:  # a batch refused after stop()
                return True
            self._stop_control()
            self._loop.fail(error)
            self._loop.end("failed")
            if self._loop.error is not None:
                raise self._loop.error from self._loop.error.__cause__ or error
            raise

    def _settled(self) -> AbstractContextManager[object]:
        """No change of queries is under way."""
        return nullcontext() if self._live is None else self._live.turning

    def _end(self) -> None:
        """Close what is to be closed: once, whoever comes first."""
        self._stop_control()
        with self._ending:
            if self._loop.is_closed:
                return
            reason = "failed"
            try:
                complete = self._has_read_all()
                if self._flush and complete and not self._loop.sealed:
                    self._runtime.session = self._session.newSession()
                    self._loop.finish()
                whole = "sealed" if self._loop.sealed else "ended"
                reason = whole if complete else "stopped"
            finally:
                self._loop.end(reason)

    def _has_read_all(self) -> bool:
        """Whether Spark looked for new rows and found none.

        That a run is over does not say so: a stop by whoever has Spark's handle, or Spark, looks
        the same from outside.
        """
        if self._loop.halted:
            return False
        with suppress(Py4JError, PySparkException):  # a Spark that is gone
            return bool(self._query._jsq.streamingQuery().noNewData())
        return False

    def _stop_control(self) -> None:
        if self._control is not None and self._control.isActive:
            self._control.stop()

    def stop(self) -> None:
        """Stop after the batch at hand; a later start goes on from the checkpoint.

        No window is closed by it, also with ``flush``: the streams are not over.
        """
        self._stop_control()
        with self._settled():
            self._loop.halt()
            self._query.stop()
        with self._ending:
            self._loop.end("stopped")
