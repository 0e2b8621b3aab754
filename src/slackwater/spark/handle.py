"""A running pipeline: like Spark's ``StreamingQuery``, with events and tiers."""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

from pyspark.errors import StreamingQueryException
from pyspark.sql import SparkSession
from pyspark.sql.streaming.query import StreamingQuery

from slackwater.control.records import Tier
from slackwater.events import log
from slackwater.spark.loop import Loop
from slackwater.spark.quality import by_key

if TYPE_CHECKING:
    from slackwater.spark.pipeline import Pipeline


class Handle:
    """Stop, wait for and look into a running pipeline."""

    def __init__(
        self,
        query: StreamingQuery,
        loop: Loop,
        pipeline: Pipeline,
        session: SparkSession,
        *,
        flush: bool,
    ) -> None:
        self._query = query
        self._loop = loop
        self._pipeline = pipeline
        self._session = session
        self._flush = flush

    @property
    def is_active(self) -> bool:
        return bool(self._query.isActive)

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
        self._loop.pin = tier

    def explain(self, form: str = "text") -> str:
        """The plan as text or JSON."""
        return self._pipeline.explain(form)

    def events(self) -> Iterator[dict[str, Any]]:
        """Everything that happened so far, oldest first."""
        return log.read(self._loop.checkpoint.events)

    def quality(self) -> dict[str, dict[str, Any]]:
        """By query under an error bound: what was promised, what was measured, and the slack.

        ``fulfilment`` is the share of measured results that kept the bound so far; results are
        measured once their stragglers are in. The measured error of every result is in the
        query's quality table.
        """
        plans = {plan.name: plan for plan in self._pipeline.plan.queries}
        return {
            name: {
                "max_error": plans[name].promise.columns,  # type: ignore[union-attr]
                "confidence": plans[name].promise.confidence,  # type: ignore[union-attr]
                "measured": quality.results,
                "within": quality.within,
                "fulfilment": quality.fulfilment,
                "slack_us": self._loop.state.slacks[name].slack,
                "phase": self._loop.state.slacks[name].phase,
            }
            for name, quality in self._loop.quality.items()
        }

    def fulfilment_by_key(self, query: str) -> list[dict[str, Any]]:
        """Per key of a query: results measured and share within the bound, worst first.

        Read from the quality table in the checkpoint folder; a query that sends its quality table
        elsewhere has none here.
        """
        plan = next(plan for plan in self._pipeline.plan.queries if plan.name == query)
        return by_key(self._loop.checkpoint.quality(query), plan.base.keys)

    def await_termination(self, timeout: float | None = None) -> bool:
        """Wait for the end (or for ``timeout`` seconds); raise what stopped the pipeline.

        Returns whether the pipeline has ended.
        """
        try:
            if timeout is None:
                self._query.awaitTermination()
                ended = True
            else:
                ended = bool(self._query.awaitTermination(timeout))  # type: ignore[arg-type]
        except StreamingQueryException as error:
            self._loop.end("failed")
            if self._loop.error is not None:
                raise self._loop.error from error
            raise
        if ended:
            self._end()
        return ended

    def _end(self) -> None:
        reason = "failed"
        try:
            if self._flush and not self._loop.sealed:
                self._loop.finish(self._session.newSession())
            reason = "sealed" if self._loop.sealed else "ended"
        finally:
            self._loop.end(reason)

    def stop(self) -> None:
        """Stop after the batch at hand; a later start goes on from the checkpoint."""
        self._loop.halt()
        self._query.stop()
        self._loop.end("stopped")
