"""The loop: observe, decide, execute, deliver, commit, tell, once per micro-batch."""

from __future__ import annotations

import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import contextmanager, suppress
from dataclasses import asdict, astuple, dataclass, field
from typing import Any, Generic

from slackwater.control.ordering import undecided
from slackwater.control.records import ControlState, Decision, Observation, Policy, Tier
from slackwater.control.step import cuts, start, step
from slackwater.disorder.periods import Found
from slackwater.errors import CheckpointError, SlackwaterError, StorageError
from slackwater.events.log import EventLog, last_batch
from slackwater.execute.batch import Execution, Layout, Outcome
from slackwater.execute.compaction import compact, estimate_rule, merge_rules
from slackwater.execute.deliver import Delivered, Outlets
from slackwater.execute.duck import DuckEngine
from slackwater.execute.engine import Engine
from slackwater.execute.estimates.judge import Judged
from slackwater.execute.estimates.near import Near
from slackwater.execute.estimates.snapshot import Snapshot
from slackwater.execute.estimates.trial import check_sources
from slackwater.execute.limits import Limits
from slackwater.execute.meter import Quality, read
from slackwater.execute.report import Stopwatch, batch_report
from slackwater.execute.requests import Desk, answers_of
from slackwater.execute.runtime import Asked, B, Runtime, Seen
from slackwater.execute.sinks.sink import TableResults
from slackwater.execute.turn import Turn, turns
from slackwater.runs.agreement import agree, disagreement
from slackwater.runs.catalog import Catalog, backlog_state, estimates_state
from slackwater.runs.checkpoint import FORMAT, Checkpoint
from slackwater.runs.files import seal, storage_error, sync_all, sync_tree, write_atomically
from slackwater.runs.offsets import SparkLog
from slackwater.runs.requests import Answer, Inbox
from slackwater.runs.retention import claims, purge
from slackwater.runs.run import Run, total_rows


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
    log: SparkLog = field(init=False)
    disk: ThreadPoolExecutor = field(init=False)
    error: BaseException | None = None
    batch: int = -1
    sealed: bool = False
    state: ControlState = field(default_factory=ControlState)
    catalog: Catalog = field(default_factory=Catalog)
    driver: DuckEngine = field(init=False)
    near: Near = field(init=False)
    desk: Desk = field(init=False)
    aside: int = 0
    found: dict[str, tuple[Found, ...]] = field(default_factory=dict)
    quality: dict[str, Quality] = field(default_factory=dict)
    judged: dict[str, Judged] = field(default_factory=dict)
    snapshot: Snapshot = field(init=False)
    named: dict[int, set[str]] = field(default_factory=dict)
    busy: threading.Lock = field(default_factory=threading.Lock)
    halted: bool = False

    def __post_init__(self) -> None:
        self.driver = DuckEngine(
            self.checkpoint.runs, sketches=self._has_sketches(), zone=self.policy.zone
        )
        self.near = Near(self.driver, self.limits)
        self.state = start(self.policy, self.pin or "columnar")
        inbox = Inbox(self.checkpoint.prods)
        self.desk = Desk(inbox, self.events, self.layout.readings, self.driver)
        self.log = SparkLog(self.checkpoint.spark)
        self.disk = ThreadPoolExecutor(1, thread_name_prefix="slackwater-log")
        try:
            check_sources(self.policy.plan.queries, self.layout.readings, self.driver)
            self._resume()
            self.snapshot = self._snapshot()
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
        engine = self.runtime.engine(self.state.tier, self.driver, rows)
        seen = self._observe(engine, rows, batch)
        watch.lap("observe")
        offsets = None if flushed is None else self._flushed(flushed)
        decision, after = self._decide(seen, batch, offsets, ended)
        watch.lap("decide")
        plan = turns(self.policy.plan.queries, decision, self.state, after)
        outcome = self._execute(engine, rows, seen, decision, plan)
        watch.lap("execute")
        delivered = self._deliver(decision, plan, outcome, after, ended=ended)
        engine.release()
        self.runtime.done(rows)
        watch.lap("deliver")
        report = self._commit(
            engine, decision, after, plan, outcome, delivered, watch, offsets=offsets, sealed=ended
        )
        watch.lap("commit")
        self._tell(report, decision, outcome)
        for text in looked.result() if looked is not None else ():
            self.events.write("notice", batch=batch, text=text)

    def _observe(self, engine: Engine[Any], rows: B | None, batch: int) -> Seen:
        if rows is None:
            return Seen()
        queries = self.policy.plan.queries
        instants = {
            fed.identity: self.state.clocks.get(query.name)
            for query in queries
            if query.recall is not None
            for _, fed in query.fed
        }
        wanted = undecided(queries, self.state)
        asked = Asked(batch, cuts(self.policy, self.state), instants, wanted, self.aside > 0)
        return self.runtime.observe(engine, rows, asked)

    def _decide(
        self, seen: Seen, batch: int, offsets: str | None, ended: bool
    ) -> tuple[Decision, ControlState]:
        """Decide, and write it down before it is applied; a repeated batch decides the same."""
        earlier = self.checkpoint.decision(batch)
        if earlier is not None and earlier["ended"] != ended:
            raise _half_done(batch, ended=earlier["ended"])
        if earlier is not None:
            return Decision.from_json(earlier["decision"]), ControlState.from_json(earlier["after"])
        decision, after = step(self.policy, self._observation(seen, batch, ended), self.state)
        written = {"decision": decision.to_json(), "after": after.to_json(), "ended": ended}
        written["offsets"] = offsets
        self.checkpoint.remember(batch, written)
        return decision, after

    def _observation(self, seen: Seen, batch: int, ended: bool) -> Observation:
        deltas = seen.deltas
        beats = [delta.beat for delta in deltas.values() if delta.beat is not None]
        return Observation(
            batch=batch,
            panes={identity: delta.counts for identity, delta in deltas.items()},
            state_rows=total_rows(self.catalog.all()) - self._waiting_rows(),
            wall=time.time_ns() // 1000,
            now=max(beats, default=None),
            ended=ended,
            pin=self.pin,
            sums={identity: delta.sums for identity, delta in deltas.items() if delta.sums},
            measured={name: quality.last for name, quality in self.quality.items()},
            found=self.found,
            distinct=seen.distinct,
            requests=self.desk.take(batch),
            accuracies={name: judged.sources for name, judged in self.judged.items()},
        )

    def _waiting_rows(self) -> int:
        """Rows that wait on disk: no engine has them."""
        names = [query.name for query in self.policy.plan.queries if query.costly]
        return sum(total_rows(self.catalog.at(backlog_state(name))) for name in names)

    def _execute(
        self,
        engine: Engine[Any],
        rows: B | None,
        seen: Seen,
        decision: Decision,
        plan: dict[str, Turn],
    ) -> Outcome:
        execution = Execution(
            self.layout,
            engine,
            self.near,
            self.runtime,
            rows,
            self.catalog,
            decision,
            plan,
            self.judged,
        )
        return execution.run(seen.deltas)

    def _deliver(
        self,
        decision: Decision,
        plan: dict[str, Turn],
        outcome: Outcome,
        after: ControlState,
        *,
        ended: bool,
    ) -> Delivered:
        meter = read(plan, outcome, self.quality, after if ended else None)
        self.quality, self.found = meter.quality, outcome.found
        self.judged |= outcome.judged
        tables = {name: TableResults(table) for name, table in meter.tables.items()}
        return self.outlets.prepare(decision.batch, outcome, tables)

    def _commit(
        self,
        engine: Engine[Any],
        decision: Decision,
        after: ControlState,
        plan: dict[str, Turn],
        outcome: Outcome,
        delivered: Delivered,
        watch: Stopwatch,
        *,
        offsets: str | None,
        sealed: bool,
    ) -> dict[str, Any]:
        """Purge and merge runs, write the manifest; then what was prepared is shown."""
        self._tidy(engine, decision, plan)
        self._check_size()
        self._settle()
        self.driver.keep_only(self.catalog.all())
        self.runtime.keep_only(self.catalog.all(), engine.tier)
        report = batch_report(
            decision, outcome, delivered, self.catalog, watch, self.quality, judged=self.judged
        )
        answers = answers_of(decision, outcome)
        known = self.desk.known(answers)
        self.checkpoint.commit(
            decision.batch,
            {
                "batch": decision.batch,
                "sealed": sealed,
                "offsets": offsets,
                "control": after.to_json(),
                "runs": [run.to_json() for run in self.catalog.all()],
                "quality": {name: q.to_json() for name, q in self.quality.items()},
                "judged": {name: judged.to_json() for name, judged in self.judged.items()},
                "found": {name: [astuple(f) for f in found] for name, found in self.found.items()},
                "report": report,
                "answers": [asdict(answer) for answer in answers],
                "answered_before": known,
            },
        )
        self.outlets.commit(decision.batch)
        self.desk.answered = known
        self.batch, self.state, self.sealed = decision.batch, after, sealed
        self.aside = sum(delivered.late.values())
        self.snapshot = self._snapshot()
        self._sweep()
        return report

    def _tell(self, report: dict[str, Any], decision: Decision, outcome: Outcome) -> None:
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
        self.desk.tell(decision, answers_of(decision, outcome), outcome.failed)

    # runs ------------------------------------------------------------------------------------

    def _tidy(self, engine: Engine[Any], decision: Decision, plan: dict[str, Turn]) -> None:
        """Drop runs that nobody needs any more, merge those that have become many."""
        queries = self.policy.plan.queries
        trees = {name: turn.tree for name, turn in plan.items() if turn.tree is not None}
        purge(self.catalog, claims(queries, decision.queries, trees))
        joins = {name: (self.layout.joins[name], tree) for name, tree in trees.items()}
        rules = merge_rules(engine.writer, queries, self.layout.shapes, joins)
        fan_in = self.limits.fan_in
        compact(engine, self.catalog, rules, decision.batch, fan_in=fan_in)
        if engine is not self.driver:
            self.driver.settle()  # the newest of them may still be on its way to the disk
        for reading in self.layout.readings.values():
            runs = self.catalog.at(estimates_state(reading.query))
            near = self.near.instead_of(engine, reading, runs)
            rule = estimate_rule(reading)
            compact(near, self.catalog, rule, decision.batch, fan_in=fan_in)

    def _settle(self) -> None:
        """Make the new runs outlive a loss of power, whoever wrote them."""
        self.driver.settle()
        known, folder = self.named.get(self.batch, set()), self.checkpoint.runs
        new = [folder / run.path for run in self.catalog.all() if run.path not in known]
        try:
            sync_tree(*(path for path in new if path.is_dir()))
            sync_all([*(path.parent for path in new), folder])
        except OSError as error:
            raise storage_error(error, folder) from error

    def _check_size(self) -> None:
        """Stop before a batch is committed that leaves more behind than is allowed."""
        rows, allowed = total_rows(self.catalog.all()), self.max_state_rows
        if allowed is not None and rows > allowed:
            raise SlackwaterError(
                "STATE_LIMIT",
                f"{rows:,} rows of state, max_state_rows allows {allowed:,}",
                "the batch was not committed and nothing is lost; start again with a higher limit, "
                "or look for a stream that holds the clock back",
            )

    def _sweep(self) -> None:
        """Remove files that no kept manifest names."""
        self.named[self.batch] = {run.path for run in self.catalog.all()}
        kept = set(self.checkpoint.batches())
        self.named = {batch: paths for batch, paths in self.named.items() if batch in kept}
        self.checkpoint.sweep(set().union(*self.named.values()))

    def _snapshot(self) -> Snapshot:
        """What the last batch left behind, for readers in other threads."""
        return Snapshot(self.batch, self.catalog.copy(), self.state, dict(self.judged))

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
            known = self.checkpoint.manifest(batch)["offsets"]
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
        begun = None if self.sealed else self.checkpoint.decision(self.batch + 1)
        if begun is not None and begun["ended"]:
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
    def inbox(self) -> Inbox:
        """Where prods wait."""
        return self.desk.inbox

    @property
    def is_closed(self) -> bool:
        return self.events.is_closed

    def close(self) -> None:
        """Give files and memory back; the checkpoint may be opened again."""
        try:
            self.disk.shutdown()
            self.events.close()
            self.driver.close()
            self.runtime.close()
        finally:
            self.checkpoint.close()

    # restart ---------------------------------------------------------------------------------

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
            self.desk.tell_left(self.batch, [Answer(**one) for one in manifest["answers"]])
        self.checkpoint.sweep(set().union(*self.named.values()))
        self.outlets.open(self.layout, self.checkpoint, self.batch)

    def _take(self, manifest: dict[str, Any]) -> None:
        self.batch = manifest["batch"]
        self.sealed = manifest["sealed"]
        self.state = ControlState.from_json(manifest["control"])
        self.desk.answered = tuple(manifest["answered_before"])
        found = manifest["quality"].items()
        self.quality = {name: Quality.from_json(quality) for name, quality in found}
        self.judged = {name: Judged.from_json(one) for name, one in manifest["judged"].items()}
        self.found = {
            name: tuple(Found(*found) for found in results)
            for name, results in manifest["found"].items()
        }
        self.catalog = Catalog.of(Run.from_json(run) for run in manifest["runs"])

    def _paths(self, batch: int) -> set[str]:
        return {Run.from_json(run).path for run in self.checkpoint.manifest(batch)["runs"]}

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
