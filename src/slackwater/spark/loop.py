"""The loop: observe, decide, apply, record, once per micro-batch."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, field, replace
from typing import Any

from py4j.protocol import Py4JError
from pyspark.errors import PySparkException
from pyspark.sql import DataFrame, SparkSession

from slackwater.control.join_plan import tree_of
from slackwater.control.prods import REQUEST
from slackwater.control.records import (
    ControlState,
    Decision,
    Feedback,
    Observation,
    Policy,
    Tier,
)
from slackwater.control.request import Request
from slackwater.control.saved import plain, read_after, read_decision, read_state
from slackwater.control.step import learn, start, step
from slackwater.errors import CheckpointError, Problem, SlackwaterError, StorageError
from slackwater.events.log import EventLog, last_batch
from slackwater.spark.agreement import agree, disagreement
from slackwater.spark.apply import Applying, Layout, Outlets
from slackwater.spark.arrivals import Arrivals, Watched
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
from slackwater.spark.checkpoint import (
    FORMAT,
    Checkpoint,
    seal,
    storage_error,
    write_atomically,
)
from slackwater.spark.columnar import ColumnarEngine
from slackwater.spark.control_stream import repeatable
from slackwater.spark.converging import Sample
from slackwater.spark.disk import sync_all, sync_tree
from slackwater.spark.distributed import SparkEngine
from slackwater.spark.engine import Delta, Engine
from slackwater.spark.failure import storage_failure
from slackwater.spark.inbox import Answer, Inbox
from slackwater.spark.intake import few_cores
from slackwater.spark.near import Near
from slackwater.spark.observe import Observing
from slackwater.spark.progress import SparkLog
from slackwater.spark.report import Stopwatch, batch_report
from slackwater.spark.run import Run, total_rows
from slackwater.spark.session import one_meaning
from slackwater.spark.sinks.base import OwnedSink
from slackwater.spark.snapshot import Snapshot
from slackwater.spark.trial import check_sources, problem_with

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
    watched: tuple[Watched, ...] = ()
    arrivals: Arrivals = field(init=False)
    inbox: Inbox = field(init=False)
    log: SparkLog = field(init=False)
    disk: ThreadPoolExecutor = field(init=False)
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
    samples: dict[str, Sample] = field(default_factory=dict)
    answered: dict[str, int] = field(default_factory=dict)
    failed: dict[str, Problem] = field(default_factory=dict)
    blamed: set[tuple[str, str]] = field(default_factory=set)
    answered_before: tuple[str, ...] = ()
    snapshot: Snapshot = field(init=False)
    named: dict[int, set[str]] = field(default_factory=dict)
    busy: threading.Lock = field(default_factory=threading.Lock)
    halted: bool = False

    def __post_init__(self) -> None:
        self.columnar = ColumnarEngine(
            self.checkpoint.runs, sketches=self._has_sketches(), zone=self.policy.zone
        )
        self.near = Near(self.columnar)
        self.observing = Observing(self.policy, self.layout.intake, self.layout.joins)
        self.state = start(self.policy, self.pin or "columnar")
        self.inbox = Inbox(self.checkpoint.prods)
        self.log = SparkLog(self.checkpoint.spark)
        self.arrivals = Arrivals(self.log, self.watched)
        self.disk = ThreadPoolExecutor(1, thread_name_prefix="slackwater-log")
        try:
            check_sources(self.policy.plan.queries, self.layout.readings, self.columnar)
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
            self.disk.shutdown()
            self.events.close()
            self.columnar.close()
            if self.distributed is not None:
                self.distributed.close()
        finally:
            self.checkpoint.close()

    def _resume(self) -> None:
        """Go on from the newest manifest; whatever lies beyond it never happened."""
        batches = self.checkpoint.batches()
        agree(self.checkpoint)
        if batches:
            manifest = self.checkpoint.manifest(batches[-1])
            self._take(manifest)
            self.named = {batch: self._paths(batch) for batch in batches}
            told = last_batch(self.checkpoint.events)
            if told is None or told < self.batch:
                self.events.write("batch", **manifest["report"])
            self._tell_answers(manifest)
        self.checkpoint.sweep(set().union(*self.named.values()))
        for output, query, sink in self.outlets.all:
            sink.open(query)
            if isinstance(sink, OwnedSink):
                sink.claim(self.checkpoint.owner(f"{output} of query {query!r}"))
            sink.rollback(self.batch)

    def _tell_answers(self, manifest: dict[str, Any]) -> None:
        """Tell of prods that were answered when the process died, and forget them."""
        late = [one for one in manifest["answers"] if self.inbox.has(one["prod"])]
        for answer in late:
            self.events.write("prod", batch=self.batch, **answer)
        self.inbox.remove([answer["prod"] for answer in late])

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
        return Snapshot(self.batch, Book(runs), self.state)

    def _paths(self, batch: int) -> set[str]:
        return {Run.from_json(run).path for run in self.checkpoint.manifest(batch)["runs"]}

    def _take(self, manifest: dict[str, Any]) -> None:
        self.batch = manifest["batch"]
        self.sealed = manifest["sealed"]
        self.state = read_state(manifest["control"], manifest=manifest)
        self.answered_before = tuple(manifest["answered_before"])
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
            with self._telling(batch):
                if not self._is_repeat(batch):
                    self._process(rows, rows.sparkSession, batch, ended=False)

    def _is_repeat(self, batch: int) -> bool:
        """Whether the manifest of a batch exists: done before a restart, on the same rows."""
        if batch == self.batch + 1:
            return False
        reason = f"Spark gives batch {batch}, the newest manifest is that of batch {self.batch}"
        if batch == self.batch:
            known = self.checkpoint.manifest(batch)["offsets"]
            reason = self.log.lacks(batch, known) or "" if known is not None else ""
        if reason:
            raise disagreement(self.checkpoint.folder, reason)
        return True

    def halt(self) -> None:
        """Let the batch at hand finish, and begin no other."""
        with self.busy:
            self.halted = True

    def finish(self, session: SparkSession) -> None:
        """End of stream: close every open window and seal the checkpoint."""
        with self._telling(self.batch + 1):
            self._process(None, session, self.batch + 1, ended=True)

    def finish_begun(self, session: SparkSession) -> None:
        """Finish an end that was decided before a crash: sinks may have its answers already."""
        begun = None if self.sealed else self.checkpoint.decision(self.batch + 1)
        if begun is not None and begun["ended"]:
            self.finish(session)
            self.events.write("stop", batch=self.batch, reason="sealed")

    @contextmanager
    def _telling(self, batch: int) -> Iterator[None]:
        """Remember and tell what goes wrong, by its name where it has one."""
        try:
            yield
        except BaseException as error:
            known = storage_failure(error, self.checkpoint.runs)
            self.error = known or self.arrivals.failure(error, batch) or error
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
        flushed = None if ended else self.disk.submit(self.log.flush, batch)
        looked = None if ended else self.disk.submit(self.arrivals.notices, batch)
        deltas = self._observe(engine, rows, batch)
        watch.lap("observe")
        offsets = None if flushed is None else self._flushed(flushed)
        decision, after = self._decide(engine, deltas, batch, offsets, ended)
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
            ended=ended,
        )
        told = applying.apply(deltas)
        self.answered = applying.answered
        after = self._learned(after, applying)
        self.failed, self.samples = applying.failed, applying.samples
        watch.lap("apply")
        if rows is not None and rows.is_cached:
            rows.unpersist()
        self._record(engine, decision, after, told, watch, offsets=offsets, sealed=ended)
        for text in looked.result() if looked is not None else ():
            self.events.write("notice", batch=batch, text=text)

    def _learned(self, after: ControlState, applying: Applying) -> ControlState:
        """The state with what executing the batch measured."""
        feedback = Feedback(applying.measured, applying.found, applying.accuracy)
        return learn(self.policy, after, feedback)

    def _flushed(self, mark: Future[str | None]) -> str | None:
        """The mark of Spark's offsets, now that nothing of this batch can come before them."""
        try:
            found = mark.result()
        except OSError as error:
            raise storage_error(error, self.log.folder) from error
        if found is None and self.log.is_there:
            reason = f"Spark's offsets of batch {self.batch + 1} cannot be read"
            raise disagreement(self.checkpoint.folder, reason)
        return found

    def _engine(self, session: SparkSession) -> Engine[Any]:
        """The engine of this batch; settings are those of the stream's own session."""
        one_meaning(session, self.policy.zone)
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
        self,
        engine: Engine[Any],
        deltas: dict[str, Delta[Any]],
        batch: int,
        offsets: str | None,
        ended: bool,
    ) -> tuple[Decision, ControlState]:
        """Decide, and write it down before it is applied; a repeated batch decides the same."""
        earlier = self.checkpoint.decision(batch)
        if earlier is not None and earlier["ended"] != ended:
            raise _half_done(batch, ended=earlier["ended"])
        if earlier is not None:
            return read_decision(earlier["decision"]), read_after(earlier["after"], self.state)
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
            distinct=self.observing.distinct(engine, deltas, self.state),
            requests=self._tried(self._waiting()),
        )
        decision, after = step(self.policy, observation, self.state)
        written = {"decision": plain(decision), "after": plain(after), "ended": ended}
        written["offsets"] = offsets
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
        offsets: str | None,
        sealed: bool,
    ) -> None:
        """Commit: purge and merge runs, write the manifest, then tell."""
        queries = self.policy.plan.queries
        trees = {
            query.name: tree_of(query.join, after.of(query.name)) for query in queries if query.join
        }
        purge(self.book, readers(queries, decision.queries, trees))
        joins = {name: (self.layout.joins[name], tree) for name, tree in trees.items()}
        merging = keepings(engine.writer, queries, self.layout.shapes, joins)
        compact(engine, self.book, merging, decision.batch)
        self._gather_estimates(engine, decision.batch)
        self._check_size()
        self._settle()
        self.columnar.keep_only(self.book.all())
        if self.distributed is not None:
            self.distributed.keep_only(self.book.all() if engine is self.distributed else ())
        report = batch_report(decision, told, self.book, watch, after, samples=self.samples)
        answers = self._answers(decision)
        ids = (answer.prod for answer in answers)
        known = repeatable([*self.answered_before, *ids])
        self.checkpoint.commit(
            decision.batch,
            {
                "batch": decision.batch,
                "sealed": sealed,
                "offsets": offsets,
                "control": plain(after),
                "runs": [run.to_json() for run in self.book.all()],
                "report": report,
                "answers": [asdict(answer) for answer in answers],
                "answered_before": known,
            },
        )
        self.answered_before = known
        self.batch, self.state, self.sealed = decision.batch, after, sealed
        self.last_rows = sum(stream.rows for stream in decision.streams.values())
        self.last_aside = sum(query["aside"] for query in told.values())
        self.snapshot = self._snapshot()
        self._sweep()
        watch.lap("record")
        self._tell(report, decision)
        self._tell_prods(decision, answers)

    def _settle(self) -> None:
        """Make the new runs outlive a loss of power, whoever wrote them."""
        self.columnar.settle()
        known = self.named.get(self.batch, set())
        new = [self.checkpoint.runs / run.path for run in self.book.all() if run.path not in known]
        try:
            sync_tree(*(path for path in new if path.is_dir()))
            sync_all([*(path.parent for path in new), self.checkpoint.runs])
        except OSError as error:
            raise storage_error(error, self.checkpoint.runs) from error

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

    def _answers(self, decision: Decision) -> list[Answer]:
        """What becomes of the prods that a batch took."""
        found = []
        for name, query in decision.queries.items():
            if query.prodding is None:
                continue
            reasons = dict(query.prodding.refused)
            reasons |= {prod: str(problem) for prod, problem in self.failed.items()}
            for prod in query.prodding.requests:
                rows, reason = self.answered.get(prod, 0), reasons.get(prod)
                if reason is None and rows == 0 and prod in self.answered:
                    reason = "no group of an open window matches"
                found.append(Answer(prod, name, rows, reason))
        return found

    def _tell_prods(self, decision: Decision, answers: list[Answer]) -> None:
        """Tell people what became of their prods, and forget these."""
        prodded = {name for name, query in decision.queries.items() if query.prodding is not None}
        for request in self._waiting():
            if request.query not in prodded:
                reason = f"no query {request.query!r} with estimates"
                answers = [*answers, Answer(request.id, request.query, 0, reason)]
        for answer in answers:
            self.events.write("prod", batch=decision.batch, **asdict(answer))
        self.inbox.remove([answer.prod for answer in answers])
        self._tell_failing(decision)

    def _tell_failing(self, decision: Decision) -> None:
        """Tell of sources of prods that fail: once each, they will do so again and again."""
        for name, query in decision.queries.items():
            for call in query.prodding.calls if query.prodding else ():
                known = (name, call.source) in self.blamed or call.source == REQUEST
                if call.id in self.failed and not known:
                    self.blamed.add((name, call.source))
                    text = f"estimates {call.source} are left out: {self.failed[call.id]}"
                    self.events.write("notice", batch=decision.batch, text=text)

    def _tried(self, requests: tuple[Request, ...]) -> tuple[Request, ...]:
        """The prods that wait, each with what an engine has against it."""
        return tuple(replace(request, fault=self._fault(request)) for request in requests)

    def _fault(self, request: Request) -> str | None:
        reading = self.layout.readings.get(request.query)
        if reading is None or request.where is None:
            return None
        problem = problem_with(request, reading, self.columnar)
        return None if problem is None else str(problem)

    def _waiting(self) -> tuple[Request, ...]:
        """The prods that wait; a row of their stream that comes again is none."""
        found, strange = self.inbox.look()
        for file, answer in strange.items():
            self.events.write("prod", batch=self.batch + 1, **asdict(answer))
            self.inbox.set_aside(file)
        again = [request.id for request in found if request.id in self.answered_before]
        if again:
            self.inbox.remove(again)
        return tuple(request for request in found if request.id not in again)

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


def _half_done(batch: int, *, ended: bool) -> CheckpointError:
    """A batch id means one thing only: sinks may have answers under it."""
    begun = "the end of the streams" if ended else "a batch of rows"
    return CheckpointError(
        "CHECKPOINT_HALF_DONE",
        f"batch {batch} was begun as {begun} and is not done",
        "start the pipeline again: what was begun is finished first",
    )
