"""The loop: observe, decide, apply, record, once per micro-batch."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import astuple, dataclass, field
from typing import Any

from py4j.protocol import Py4JError
from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, SparkSession

from slackwater.control.ordering import tree_of
from slackwater.control.records import (
    ControlState,
    Decision,
    Measured,
    Observation,
    Policy,
    Tier,
)
from slackwater.control.step import start, step
from slackwater.disorder.finding import Found
from slackwater.errors import SlackwaterError, StorageError
from slackwater.events.log import EventLog, last_batch
from slackwater.spark.apply import Applying, Layout, Outlets
from slackwater.spark.book import (
    Book,
    backlog_state,
    compact,
    estimate_keeping,
    estimates_state,
    keepings,
    purge,
    readers,
)
from slackwater.spark.checkpoint import FORMAT, Checkpoint, seal, write_atomically
from slackwater.spark.columnar import ColumnarEngine
from slackwater.spark.distributed import SparkEngine
from slackwater.spark.engine import Delta, Engine
from slackwater.spark.failure import storage_failure
from slackwater.spark.inbox import Inbox
from slackwater.spark.intake import few_cores
from slackwater.spark.judging import Judged
from slackwater.spark.near import Near
from slackwater.spark.observe import Observing
from slackwater.spark.quality import (
    Quality,
)
from slackwater.spark.report import Stopwatch, batch_report
from slackwater.spark.run import Run, total_rows
from slackwater.spark.snapshot import Snapshot

SMALL_BATCH = 300_000
ADAPTIVE = "spark.sql.adaptive.enabled"


@dataclass(slots=True)
class Loop:
    """One pipeline's loop: what it was told to do, what it holds, what it remembers.

    ``opened`` is called in the first batch, when the stream's sources are open.
    """

    policy: Policy
    checkpoint: Checkpoint
    layout: Layout
    outlets: Outlets
    events: EventLog
    pin: Tier | None = None
    on_batch: Callable[[dict[str, Any]], None] | None = None
    max_state_rows: int | None = None
    opened: Callable[[], None] = lambda: None
    inbox: Inbox = field(init=False)
    error: BaseException | None = None
    batch: int = -1
    sealed: bool = False
    state: ControlState = field(default_factory=ControlState)
    book: Book = field(default_factory=lambda: Book({}))
    columnar: ColumnarEngine = field(init=False)
    near: Near = field(init=False)
    distributed: SparkEngine | None = None
    last_rows: int = 0
    last_aside: int = 0
    adaptive: str | None = None
    observing: Observing = field(init=False)
    found: dict[str, tuple[Found, ...]] = field(default_factory=dict)
    measured: dict[str, Measured] = field(default_factory=dict)
    quality: dict[str, Quality] = field(default_factory=dict)
    judged: dict[str, Judged] = field(default_factory=dict)
    answered: dict[str, int] = field(default_factory=dict)
    snapshot: Snapshot = field(init=False)
    named: dict[int, set[str]] = field(default_factory=dict)
    busy: threading.Lock = field(default_factory=threading.Lock)
    halted: bool = False

    def __post_init__(self) -> None:
        self.columnar = ColumnarEngine(self.checkpoint.runs, sketches=self._has_sketches())
        self.near = Near(self.columnar)
        self.observing = Observing(self.policy, self.layout.intake, self.layout.joins)
        self.state = start(self.policy, self.pin or "columnar")
        self.inbox = Inbox(self.checkpoint.prods)
        try:
            self._resume()
            self.snapshot = self._snapshot()
            self._write_readings()
        except BaseException:
            self.close()
            raise

    def _has_sketches(self) -> bool:
        stages = [stage for query in self.policy.plan.queries for stage in query.stages]
        return any(part.is_sketch for stage in stages for part in stage.state.partials)

    def end(self, reason: str) -> None:
        """Tell that the pipeline is over, then let go; nothing if that was done."""
        if self.is_closed:
            return
        with suppress(StorageError):
            self.events.write("stop", batch=self.batch, reason=reason)
        self.close()

    @property
    def is_closed(self) -> bool:
        return self.events.is_closed

    def close(self) -> None:
        """Let go of files and memory; the checkpoint may be opened again."""
        with suppress(Py4JError, PySparkException, OSError):  # a Spark that is gone has no settings
            self.opened()
        try:
            self.events.close()
            self.columnar.close()
            if self.distributed is not None:
                self.distributed.close()
        finally:
            self.checkpoint.close()

    def _resume(self) -> None:
        """Go on from the newest manifest; whatever lies beyond it never happened."""
        batches = self.checkpoint.batches()
        if batches:
            manifest = self.checkpoint.manifest(batches[-1])
            self._take(manifest)
            self.named = {batch: self._paths(batch) for batch in batches}
            told = last_batch(self.checkpoint.events)
            if told is None or told < self.batch:
                self.events.write("batch", **manifest["report"])
        self.checkpoint.sweep(set().union(*self.named.values()))
        for query, sink in self.outlets.all:
            sink.open(query)
            sink.rollback(self.batch)

    def _write_readings(self) -> None:
        """Tell other processes how to read estimates out of this checkpoint."""
        path = self.checkpoint.readings
        queries = {name: one.to_json() for name, one in self.layout.readings.items()}
        data = seal({"format": FORMAT, "queries": queries})
        if not path.exists() or path.read_bytes() != data:
            write_atomically(path, data)

    def _snapshot(self) -> Snapshot:
        """What the last batch left behind, for readers in other threads."""
        runs = {state: list(runs) for state, runs in self.book.runs.items()}
        return Snapshot(self.batch, Book(runs), self.state, dict(self.judged))

    def _paths(self, batch: int) -> set[str]:
        return {Run.from_json(run).path for run in self.checkpoint.manifest(batch)["runs"]}

    def _take(self, manifest: dict[str, Any]) -> None:
        self.batch = manifest["batch"]
        self.sealed = manifest["sealed"]
        self.state = ControlState.from_json(manifest["control"])
        found = manifest["quality"].items()
        self.quality = {name: Quality.from_json(quality) for name, quality in found}
        self.measured = {name: quality.last for name, quality in self.quality.items()}
        self.judged = {name: Judged.from_json(one) for name, one in manifest["judged"].items()}
        self.found = {
            name: tuple(Found(*found) for found in results)
            for name, results in manifest["found"].items()
        }
        runs = [Run.from_json(run) for run in manifest["runs"]]
        self.book = Book({})
        for run in runs:
            self.book.add(run)

    def process(self, rows: DataFrame, batch: int) -> None:
        """Handle one micro-batch (the ``foreachBatch`` function)."""
        with self.busy:
            if self.halted:
                raise SlackwaterError("STOPPED", "the pipeline was stopped before this batch")
            self.opened()
            if batch <= self.batch:
                return  # its manifest exists: done before a restart
            with self._telling(batch):
                self._process(rows, rows.sparkSession, batch, ended=False)

    def halt(self) -> None:
        """Let the batch at hand finish, and begin no other."""
        with self.busy:
            self.halted = True

    def finish(self, session: SparkSession) -> None:
        """End of stream: close every open window and seal the checkpoint."""
        with self._telling(self.batch + 1):
            self._process(None, session, self.batch + 1, ended=True)

    @contextmanager
    def _telling(self, batch: int) -> Iterator[None]:
        """Remember and tell what goes wrong, by its name where it has one."""
        try:
            yield
        except BaseException as error:
            self.error = storage_failure(error, self.checkpoint.runs) or error
            with suppress(StorageError):  # what went wrong matters more than telling it
                self.events.write("error", batch=batch, error=str(self.error))
            if self.error is error:
                raise
            raise self.error from error

    def _process(
        self, rows: DataFrame | None, session: SparkSession, batch: int, *, ended: bool
    ) -> None:
        watch = Stopwatch()
        engine = self._engine(session)
        deltas = self._observe(engine, rows, batch)
        watch.lap("observe")
        decision, after = self._decide(engine, deltas, batch, ended)
        watch.lap("decide")
        applying = Applying(
            self.layout,
            self.outlets,
            engine,
            self.near,
            session,
            rows,
            self.book,
            decision,
            self.state,
            after,
            self.quality,
            ended=ended,
            judged=self.judged,
        )
        told = applying.apply(deltas)
        self.found, self.answered = applying.found, applying.answered
        watch.lap("apply")
        if rows is not None and rows.is_cached:
            rows.unpersist()
        self._record(engine, decision, after, told, watch, sealed=ended)

    def _engine(self, session: SparkSession) -> Engine[Any]:
        """The engine of this batch; settings are those of the stream's own session."""
        session.conf.set("spark.sql.ansi.enabled", "false")
        session.conf.set("spark.sql.parquet.outputTimestampType", "TIMESTAMP_MICROS")  # as Arrow
        if self.adaptive is None:
            self.adaptive = session.conf.get(ADAPTIVE, "true")
        large = self.state.tier == "spark" and not few_cores(session)
        session.conf.set(
            ADAPTIVE, (self.adaptive or "true") if large else "false"
        )  # small jobs: only planning
        if self.state.tier == "columnar":
            return self.columnar
        small = self.last_rows < SMALL_BATCH and few_cores(session)
        if self.distributed is None or not self.distributed.is_of(session):
            if self.distributed is not None:
                self.distributed.close()
            self.distributed = SparkEngine(self.checkpoint.runs, session)
        self.distributed.small = small
        return self.distributed

    def _observe(
        self, engine: Engine[Any], rows: DataFrame | None, batch: int
    ) -> dict[str, Delta[Any]]:
        if rows is None:
            return {}
        small, again = self.last_rows < SMALL_BATCH, self.last_aside > 0
        return self.observing.observe(engine, rows, batch, self.state, small=small, again=again)

    def _decide(
        self, engine: Engine[Any], deltas: dict[str, Delta[Any]], batch: int, ended: bool
    ) -> tuple[Decision, ControlState]:
        """Decide, and write it down before it is applied; a repeated batch decides the same."""
        earlier = self.checkpoint.decision(batch)
        if earlier is not None and earlier["ended"] == ended:  # else an end that was not reached
            return Decision.from_json(earlier["decision"]), ControlState.from_json(earlier["after"])
        beats = [delta.beat for delta in deltas.values() if delta.beat is not None]
        observation = Observation(
            batch=batch,
            panes={identity: delta.counts for identity, delta in deltas.items()},
            state_rows=total_rows(self.book.all()) - self._waiting_rows(),
            wall=time.time_ns() // 1000,
            now=max(beats, default=None),
            ended=ended,
            pin=self.pin,
            sums={identity: delta.sums for identity, delta in deltas.items() if delta.sums},
            measured=self.measured,
            found=self.found,
            distinct=self.observing.distinct(engine, deltas, self.state),
            requests=self.inbox.waiting(),
            accuracies={name: judged.sources for name, judged in self.judged.items()},
        )
        decision, after = step(self.policy, observation, self.state)
        written = {"decision": decision.to_json(), "after": after.to_json(), "ended": ended}
        self.checkpoint.remember(batch, written)
        return decision, after

    def _waiting_rows(self) -> int:
        """Rows that wait on disk: no engine has them."""
        names = [query.name for query in self.policy.plan.queries if query.costly]
        return sum(total_rows(self.book.of(backlog_state(name))) for name in names)

    def _gather_estimates(self, engine: Engine[Any], batch: int) -> None:
        """Merge runs of estimates that wait for their finals."""
        if engine is not self.columnar:
            self.columnar.settle()  # the newest of them may still be on its way to the disk
        for reading in self.layout.readings.values():
            runs = self.book.of(estimates_state(reading.query))
            merging = estimate_keeping(reading)
            compact(self.near.instead_of(engine, reading, runs), self.book, merging, batch)

    def _record(
        self,
        engine: Engine[Any],
        decision: Decision,
        after: ControlState,
        told: dict[str, dict[str, int]],
        watch: Stopwatch,
        *,
        sealed: bool,
    ) -> None:
        """Commit: purge and merge runs, write the manifest, then tell."""
        queries = self.policy.plan.queries
        trees = {query.name: tree_of(query, after) for query in queries if query.join}
        purge(self.book, readers(queries, decision.queries, trees))
        joins = {name: (self.layout.joins[name], tree) for name, tree in trees.items()}
        merging = keepings(engine.writer, queries, self.layout.shapes, joins)
        compact(engine, self.book, merging, decision.batch)
        self._gather_estimates(engine, decision.batch)
        self._check_size()
        self.columnar.settle()
        self.columnar.keep_only(self.book.all())
        if self.distributed is not None:
            self.distributed.keep_only(self.book.all() if engine is self.distributed else ())
        report = batch_report(decision, told, self.book, watch, self.quality, judged=self.judged)
        self.checkpoint.commit(
            decision.batch,
            {
                "batch": decision.batch,
                "sealed": sealed,
                "control": after.to_json(),
                "runs": [run.to_json() for run in self.book.all()],
                "quality": {name: q.to_json() for name, q in self.quality.items()},
                "judged": {name: judged.to_json() for name, judged in self.judged.items()},
                "found": {name: [astuple(f) for f in found] for name, found in self.found.items()},
                "report": report,
            },
        )
        self.batch, self.state, self.sealed = decision.batch, after, sealed
        self.measured = {name: quality.last for name, quality in self.quality.items()}
        self.last_rows = sum(stream.rows for stream in decision.streams.values())
        self.last_aside = sum(query["aside"] for query in told.values())
        self.snapshot = self._snapshot()
        self._sweep()
        watch.lap("record")
        self._tell(report, decision)
        self._tell_prods(decision)

    def _check_size(self) -> None:
        """Stop before a batch is committed that leaves more behind than is allowed."""
        rows, allowed = total_rows(self.book.all()), self.max_state_rows
        if allowed is not None and rows > allowed:
            raise SlackwaterError(
                "STATE_LIMIT",
                f"{rows:,} rows of state, max_state_rows allows {allowed:,}",
                "the batch was not committed and nothing is lost; start again with a higher limit, "
                "or look for a stream that holds the clock back",
            )

    def _sweep(self) -> None:
        """Remove files that no kept manifest names."""
        self.named[self.batch] = {run.path for run in self.book.all()}
        kept = set(self.checkpoint.batches())
        self.named = {batch: paths for batch, paths in self.named.items() if batch in kept}
        self.checkpoint.sweep(set().union(*self.named.values()))

    def _tell_prods(self, decision: Decision) -> None:
        """Tell people what became of their prods, and forget these."""
        prodded = {name for name, query in decision.queries.items() if query.prodding is not None}
        for request in self.inbox.waiting():
            if request.query not in prodded:
                reason = f"no query {request.query!r} with estimates"
                self._tell_prod(decision.batch, request.id, request.query, reason)
                self.inbox.remove([request.id])
        for name, query in decision.queries.items():
            if query.prodding is None:
                continue
            reasons = dict(query.prodding.refused)
            for prod in query.prodding.requests:
                self._tell_prod(decision.batch, prod, name, reasons.get(prod))
            self.inbox.remove(query.prodding.requests)

    def _tell_prod(self, batch: int, prod: str, query: str, reason: str | None) -> None:
        rows = self.answered.get(prod, 0)
        if reason is None and rows == 0 and prod in self.answered:
            reason = "no group of an open window matches"
        self.events.write("prod", batch=batch, prod=prod, query=query, rows=rows, reason=reason)

    def _tell(self, report: dict[str, Any], decision: Decision) -> None:
        self.events.write("batch", **report)
        for notice in decision.notices:
            self.events.write("notice", batch=decision.batch, text=notice)
        if decision.tier != self.state.tier:
            self.events.write(
                "tier",
                batch=decision.batch,
                tier=self.state.tier,
                was=decision.tier,
                rows=report["state"]["rows"],
                reason="size" if self.pin is None else "pinned",
            )
        if self.on_batch is not None:
            self.on_batch(report)
