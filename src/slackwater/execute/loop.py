"""The loop: observe, decide, execute, deliver, commit, tell, once per micro-batch."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import asdict, dataclass, field, replace
from typing import Any, Generic

from slackwater.control.arrival import carried, is_of
from slackwater.control.records import (
    ControlState,
    Decision,
    Explanation,
    Feedback,
    Observation,
    Policy,
    Tier,
)
from slackwater.control.share import Loads
from slackwater.control.step import (
    CONTROLLERS,
    Controllers,
    finish,
    learn,
    start,
    step,
    wants,
)
from slackwater.control.turn import Turn, turns
from slackwater.errors import CheckpointError, SlackwaterError, StorageError
from slackwater.events.log import EventLog, last_batch
from slackwater.execute.batch import Batch, Layout, Outcome
from slackwater.execute.deliver import Outlets
from slackwater.execute.duck import DuckEngine
from slackwater.execute.estimates.judge import judged
from slackwater.execute.estimates.snapshot import Snapshot
from slackwater.execute.estimates.trial import check_sources
from slackwater.execute.hands import Asked, B, Seen
from slackwater.execute.held import bytes_held
from slackwater.execute.limits import Limits
from slackwater.execute.meter import read
from slackwater.execute.place import Here, Place
from slackwater.execute.report import Done, Stopwatch, batch_report, told_changes
from slackwater.execute.requests import Desk, answers_of, changes_of
from slackwater.execute.runtime import Runtime
from slackwater.execute.slices import hashing
from slackwater.execute.store import Store
from slackwater.execute.tables import Tables, TableSource
from slackwater.runs.agreement import agree, disagreement
from slackwater.runs.catalog import Catalog
from slackwater.runs.checkpoint import FORMAT, Checkpoint
from slackwater.runs.files import seal, storage_error, write_atomically
from slackwater.runs.manifest import Begun, Manifest
from slackwater.runs.offsets import SparkLog
from slackwater.runs.requests import Inbox
from slackwater.runs.run import total_rows


@dataclass(frozen=True, slots=True)
class Decided:
    """A decision, the memory it leaves, the mark of Spark's offsets, and whether it is the end."""

    decision: Decision
    after: ControlState
    offsets: str | None
    ended: bool


@dataclass(slots=True)
class Loop(Generic[B]):
    """One pipeline's loop: what it was told to do, what it holds, what it remembers."""

    policy: Policy
    checkpoint: Checkpoint
    layout: Layout
    outlets: Outlets
    events: EventLog
    runtime: Runtime[B]
    pin: Tier | None = None
    on_batch: Callable[[dict[str, Any]], None] | None = None
    max_state_rows: int | None = None
    limits: Limits = field(default_factory=Limits)
    sources: dict[str, TableSource] = field(default_factory=dict)
    controllers: Controllers = CONTROLLERS
    log: SparkLog = field(init=False)
    disk: ThreadPoolExecutor = field(init=False)
    error: BaseException | None = None
    batch: int = -1
    sealed: bool = False
    state: ControlState = field(default_factory=ControlState)
    store: Store = field(init=False)
    driver: DuckEngine = field(init=False)
    tables: Tables = field(init=False)
    desk: Desk = field(init=False)
    aside: int = 0
    rest: float | None = None
    snapshot: Snapshot = field(init=False)
    explained: dict[str, dict[str, Explanation]] = field(default_factory=dict)
    busy: threading.Lock = field(default_factory=threading.Lock)
    halted: bool = False

    def __post_init__(self) -> None:
        self.driver = DuckEngine(
            self.checkpoint.runs, sketches=self._has_sketches(), zone=self.policy.zone
        )
        self.checkpoint.controllers = self.controllers
        self.store = Store(self.layout, self.checkpoint, self.driver, self.max_state_rows)
        self.tables = Tables(self.policy.plan.tables, self.sources, self.checkpoint.runs)
        self.state = start(self.policy, self.pin or "columnar")
        inbox = Inbox(self.checkpoint.prods)
        self.desk = Desk(inbox, self.events, self.layout.readings, self.driver)
        self.log = SparkLog(self.checkpoint.spark)
        self.disk = ThreadPoolExecutor(1, thread_name_prefix="slackwater-log")
        try:
            check_sources(self.policy.plan.queries, self.layout.readings, self.driver)
            self.snapshot = Snapshot(self.batch, Catalog(), self.state)
            self._resume()
            self.checkpoint.upgrade()
            self._write_readings()
        except BaseException:
            self.close()
            raise

    def _has_sketches(self) -> bool:
        stages = [stage for query in self.policy.plan.queries for stage in query.stages]
        return any(part.is_sketch for stage in stages for part in stage.state.partials)

    # six verbs -------------------------------------------------------------------------------

    def _process(self, rows: B | None, batch: int, *, ended: bool) -> None:
        watch = Stopwatch()
        flushed = None if ended else self.disk.submit(self.log.flush, batch)
        looked = None if ended else self.disk.submit(self.runtime.notices, batch)
        place = self._place(rows)
        seen = self._observe(place, rows, batch)
        watch.lap("observe")
        loads = place.loads(seen, self.catalog)
        decided = self._decide(seen, loads, batch, flushed, ended=ended)
        plan = turns(self.policy.plan.queries, decided.decision, self.state, decided.after)
        watch.lap("decide")
        whole = Batch(rows, seen, decided.decision, plan, self.catalog)
        outcome = place.execute(whole)
        watch.lap("execute")
        done = self._deliver(plan, decided, outcome, watch.laps["execute"] / 1000)
        place.release()
        self.runtime.done(rows)
        watch.lap("deliver")
        place.tidy(whole)
        renewed = list(self.tables.renew(decided.decision, self.catalog))
        manifest = self._commit(place.tier, done, decided, watch)
        watch.lap("commit")
        self.rest = watch.apart("execute")
        self._tell(manifest, done)
        for text in (*seen.notices, *renewed, *(looked.result() if looked is not None else ())):
            self.events.write("notice", batch=batch, text=text)

    def _place(self, rows: B | None) -> Place[B]:
        here = Here(self.layout, self.driver, self.runtime, self.limits)
        return self.runtime.place(self.state.tier, here, rows)

    def _observe(self, place: Place[B], rows: B | None, batch: int) -> Seen:
        if rows is None:
            return Seen()
        wanted = wants(self.policy, self.state, self.controllers)
        tables = self.tables.in_force(self.catalog)
        return place.observe(rows, Asked(batch, wanted, again=self.aside > 0, tables=tables))

    def _decide(
        self,
        seen: Seen,
        loads: Loads | None,
        batch: int,
        flushed: Future[str | None] | None,
        *,
        ended: bool,
    ) -> Decided:
        """Decide, and write it down before it is applied; a repeated batch decides the same."""
        offsets = None if flushed is None else self._flushed(flushed)
        earlier = self.checkpoint.begun(batch)
        if earlier is not None and earlier.ended != ended:
            raise _half_done(batch, ended=earlier.ended)
        if earlier is not None:
            known = earlier.decided(self.state, self.controllers)
            if is_of(self.policy, known[0]):
                return Decided(*known, earlier.offsets, ended=ended)
        observation = replace(self._observation(seen, batch, ended), loads=loads)
        decided = step(self.policy, observation, self.state, self.controllers)
        if earlier is not None:  # queries came or went meanwhile; for the others it stays decided
            decided = carried(*known, *decided)
            offsets = earlier.offsets
        tables = self.tables.in_force(self.catalog).values()
        self.checkpoint.begin(batch, Begun.of(*decided, offsets, ended=ended, tables=tables))
        return Decided(*decided, offsets, ended=ended)

    def _observation(self, seen: Seen, batch: int, ended: bool) -> Observation:
        deltas = seen.deltas
        beats = [delta.beat for delta in deltas.values() if delta.beat is not None]
        return Observation(
            batch=batch,
            panes={identity: delta.counts for identity, delta in deltas.items()},
            state_rows=self.store.rows,
            wall=time.time_ns() // 1000,
            now=max(beats, default=None),
            ended=ended,
            pin=self.pin,
            sums={identity: delta.sums for identity, delta in deltas.items() if delta.sums},
            distinct=seen.distinct,
            requests=self.desk.take(batch),
            held=self.store.held,
            sizes=self.store.sizes,
            values={identity: delta.values for identity, delta in deltas.items() if delta.values},
            called=seen.called,
            since={state: info.since for state, info in self.catalog.states.items()},
        )

    def _deliver(
        self, plan: dict[str, Turn], decided: Decided, outcome: Outcome, seconds: float
    ) -> Done:
        """Hand everything to its sinks, which keep it for the commit; learn what was measured."""
        self.checkpoint.settled()
        accuracy = judged(plan, outcome.pairs)
        found = Feedback(
            found=outcome.found,
            accuracy=accuracy,
            spent=outcome.spent,
            joined=outcome.joined,
            seconds=seconds,
            rest=self.rest,
        )
        left = self._left(decided, found)
        meter = read(plan, outcome.errors, left)
        refused = {} if decided.ended else self.runtime.malformed()
        delivered = self.outlets.prepare(decided.decision.batch, outcome, meter.shown, refused)
        feedback = replace(found, measured=meter.measured, found={} if left else found.found)
        memory = learn(self.policy, decided.after, feedback, self.controllers)
        return Done(decided.decision, outcome, delivered, memory, self.state)

    def _left(self, decided: Decided, found: Feedback) -> dict[str, tuple[object, ...]]:
        """At the end of the streams: what is left to be measured, by query."""
        if not decided.ended:
            return {}
        return finish(self.policy, decided.after, found, self.controllers)

    def _commit(self, tier: Tier, done: Done, decided: Decided, watch: Stopwatch) -> Manifest:
        """Write the manifest; then what was prepared is shown."""
        self.store.settle(self.batch)
        self.runtime.keep_only(self.catalog.all(), tier)
        answers = answers_of(done.decision, done.outcome)
        held = bytes_held(self.policy.plan.queries, done.memory, self.catalog)
        manifest = Manifest(
            batch=done.decision.batch,
            memory=done.memory,
            runs=tuple(self.catalog.all()),
            report=batch_report(done, self.catalog, watch, held),
            sealed=decided.ended,
            offsets=decided.offsets,
            states=self.catalog.states,
            answers=tuple(answers),
            answered=self.desk.known(answers),
            hashing=hashing(),
        )
        self.checkpoint.commit(manifest)
        self.outlets.commit(manifest.batch)
        self._take(manifest)
        self.explained = {name: q.controllers for name, q in done.decision.queries.items()}
        self.aside = sum(done.delivered.late.values())
        self.store.sweep(self.batch)
        return manifest

    def _tell(self, manifest: Manifest, done: Done) -> None:
        decision = done.decision
        self._tell_batch(manifest)
        for notice in (*decision.notices, *self.outlets.notices(done.delivered)):
            self.events.write("notice", batch=decision.batch, text=notice)
        for name, change in changes_of(decision):
            self.events.write("migration", batch=decision.batch, query=name, **asdict(change))
        if decision.tier != self.state.tier:
            self.events.write(
                "tier",
                batch=decision.batch,
                tier=self.state.tier,
                was=decision.tier,
                rows=total_rows(manifest.runs),
                reason="size" if self.pin is None else "pinned",
            )
        if self.on_batch is not None:
            self.on_batch(manifest.report)
        self.desk.tell(decision, list(manifest.answers), done.outcome.failed)

    def _tell_batch(self, manifest: Manifest) -> None:
        """The batch itself comes last: if it was told, all was."""
        for kind, change in told_changes(manifest.report):
            self.events.write(kind, **change)
        self.events.write("batch", **manifest.report)

    def _take(self, manifest: Manifest) -> None:
        """Go on from what a batch left behind."""
        self.batch, self.state, self.sealed = manifest.batch, manifest.memory, manifest.sealed
        self.desk.answered = manifest.answered
        self.store.catalog = manifest.catalog
        self.snapshot = Snapshot(self.batch, self.catalog.copy(), self.state)

    # from outside ----------------------------------------------------------------------------

    def process(self, rows: B, batch: int) -> None:
        """Handle one micro-batch."""
        with self.busy:
            if self.halted:
                raise SlackwaterError("STOPPED", "the pipeline was stopped before this batch")
            with self._telling(batch):
                if not self._is_repeat(batch):
                    self._process(rows, batch, ended=False)

    def _is_repeat(self, batch: int) -> bool:
        """Whether the manifest of a batch exists: done before a restart, on the same rows."""
        if batch == self.batch + 1:
            return False
        reason = f"Spark gives batch {batch}, the newest manifest is that of batch {self.batch}"
        if batch == self.batch:
            known = self.checkpoint.manifest(batch).offsets
            reason = self.log.lacks(batch, known) or "" if known is not None else ""
        if reason:
            raise disagreement(self.checkpoint.folder, reason)
        return True

    def halt(self) -> None:
        """Let the batch at hand finish, and begin no other."""
        with self.busy:
            self.halted = True

    def finish(self) -> None:
        """End of stream: close every open window and seal the checkpoint."""
        with self._telling(self.batch + 1):
            self._process(None, self.batch + 1, ended=True)

    def finish_begun(self) -> None:
        """Finish an end that was decided before a crash: sinks may have its answers already."""
        begun = None if self.sealed else self.checkpoint.begun(self.batch + 1)
        if begun is not None and begun.ended:
            self.finish()
            self.events.write("stop", batch=self.batch, reason="sealed")

    @contextmanager
    def _telling(self, batch: int) -> Iterator[None]:
        """Remember and tell what goes wrong, by its name where it has one."""
        try:
            yield
        except BaseException as error:
            self.error = self.runtime.failure(error, batch) or error
            with suppress(StorageError):  # what went wrong matters more than telling it
                self.events.write("error", batch=batch, error=str(self.error))
            if self.error is error:
                raise
            raise self.error from error

    def fail(self, error: BaseException) -> None:
        """Tell, by its name, what stopped the pipeline between two batches, if it has one."""
        found = self.runtime.failure(error, self.batch + 1) if self.error is None else None
        if found is not None:
            self.error = found
            with suppress(StorageError):
                self.events.write("error", batch=self.batch + 1, error=str(found))

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

    def end(self, reason: str) -> None:
        """Tell that the pipeline is over and close it; nothing if that was done."""
        if self.is_closed:
            return
        with suppress(StorageError):
            self.events.write("stop", batch=self.batch, reason=reason)
        self.close()

    @property
    def catalog(self) -> Catalog:
        return self.store.catalog

    @property
    def inbox(self) -> Inbox:
        """Where prods wait."""
        return self.desk.inbox

    @property
    def is_closed(self) -> bool:
        return self.events.is_closed

    def close(self) -> None:
        """Give files and memory back; the checkpoint may be opened again."""
        try:
            self.release()
        finally:
            self.checkpoint.close()

    def release(self) -> None:
        """Give files and memory back, and leave the checkpoint to another loop of this process."""
        self.disk.shutdown()
        self.events.close()
        self.driver.close()
        self.runtime.close()
        self.outlets.close()

    # restart ---------------------------------------------------------------------------------

    def _resume(self) -> None:
        """Go on from the newest manifest; whatever lies beyond it never happened."""
        agree(self.checkpoint)
        tables = self.store.resume()
        manifest = self.checkpoint.newest()
        if manifest is not None:
            if manifest.hashing != hashing():
                runs = tuple(run.ungrouped() for run in manifest.runs)
                manifest = replace(manifest, runs=runs)
            self._take(manifest)
            told = last_batch(self.checkpoint.events)
            if told is None or told < self.batch:
                self._tell_batch(manifest)
            self.desk.tell_left(self.batch, manifest.answers)
        self.tables.begin(self.catalog, tables)
        self.outlets.open(self.layout, self.checkpoint, self.batch)
        gone = self.state.queries.keys() - {query.name for query in self.policy.plan.queries}
        self.outlets.recover_left(self.checkpoint, gone, self.batch)
        if (other := self.checkpoint.taken_from) is not None:
            text = (
                f"taken over from {other}, which has not said that it ended: if it runs, it stops"
            )
            self.events.write("notice", batch=self.batch, text=text)

    def _write_readings(self) -> None:
        """Tell other processes how to read estimates out of this checkpoint."""
        path = self.checkpoint.readings
        queries = {name: one.to_json() for name, one in self.layout.readings.items()}
        data = seal({"format": FORMAT, "queries": queries})
        if not path.exists() or path.read_bytes() != data:
            write_atomically(path, data)


def _half_done(batch: int, *, ended: bool) -> CheckpointError:
    """A batch id means one thing only: sinks may have answers under it."""
    begun = "the end of the streams" if ended else "a batch of rows"
    return CheckpointError(
        "CHECKPOINT_HALF_DONE",
        f"batch {batch} was begun as {begun} and is not done",
        "start the pipeline again: what was begun is finished first",
    )
