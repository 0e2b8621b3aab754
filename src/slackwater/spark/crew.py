"""Tasks on Spark's executors: one job over new rows, one for each leg over the groups."""

from __future__ import annotations

import pickle
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field, replace
from typing import Any, TypeVar

import pyarrow as pa
import pyarrow.compute as pc
from pyspark import Broadcast, TaskContext
from pyspark.sql import DataFrame, SparkSession

from slackwater.control.orders import Piece
from slackwater.control.turn import Turn
from slackwater.errors import SlackwaterError
from slackwater.execute.delta import Delta, histogram, totals
from slackwater.execute.files.feed import Feed, tables
from slackwater.execute.files.not_plain import NotPlain
from slackwater.execute.files.part import Part as FilePart
from slackwater.execute.files.part import shared
from slackwater.execute.hands import Asked, Seen
from slackwater.execute.look import Looked, gathered, look, together
from slackwater.execute.raw import RawReader
from slackwater.execute.sinks.sink import Results
from slackwater.execute.spread.ask import Answered, Inquiry, inquire
from slackwater.execute.spread.look import bring, brought, reader
from slackwater.execute.spread.parts import Part
from slackwater.execute.spread.task import Performed, Site, Work, perform
from slackwater.plan.stage import PipelinePlan, StreamPlan
from slackwater.plan.state import State
from slackwater.runs.run import Run, new_run
from slackwater.spark.read.backlog import admit, chosen_rows
from slackwater.spark.read.calls import Calling
from slackwater.spark.read.partials import Observer
from slackwater.spark.read.plain import FilesOf, Plain
from slackwater.spark.read.streams import BEAT, Intake
from slackwater.spark.results import TaskResults
from slackwater.spark.session import slots
from slackwater.spark.worker import make_ready

T = TypeVar("T")
R = TypeVar("R")
SAID = "said binary"
FEW = 1 << 20  # rows of a batch: more are better in many small tasks, which even out
Batches = Iterator[pa.RecordBatch]
Shares = list[tuple[str, FilePart]]


@dataclass(frozen=True, slots=True)
class Taken:
    """How rows of all streams, as Spark hands them over, are told apart again."""

    streams: tuple[StreamPlan, ...]
    is_tagged: bool

    def apart(self, table: pa.Table) -> tuple[dict[str, pa.Table], int | None]:
        """The rows of each stream with ``__ts``, and the newest heartbeat."""
        if not self.is_tagged:
            return {self.streams[0].name: table}, None
        found = {}
        for number, stream in enumerate(self.streams):
            mine = table.filter(pc.equal(table["__stream"], number))
            names = [*(f"s{number}_{column}" for column in stream.names), "__ts"]
            found[stream.name] = mine.select(names).rename_columns([*stream.names, "__ts"])
        if "__beat" not in table.column_names:
            return found, None
        beats = table.filter(pc.equal(table["__stream"], BEAT))
        return found, pc.max(beats["__beat"]).as_py()


@dataclass(slots=True)
class SparkCrew:
    """The executors of a session."""

    session: SparkSession
    intake: Intake
    raw: RawReader
    side: Callable[[DataFrame, Turn], Results]
    calling: Calling
    plain: Plain | None = None
    told: Broadcast[Any] | None = None
    observers: dict[str, Observer] = field(default_factory=dict)
    few: bool = True  # rows came the last time
    size: int = field(init=False)
    slots: Callable[[], int] = field(init=False)

    def __post_init__(self) -> None:
        self.slots = slots(self.session)
        self.size = self.slots()

    def look(self, site: Site, rows: DataFrame, asked: Asked) -> Seen:
        """One job over all rows, or over their files; some work is left to Spark, in another."""
        self.size = self.slots()  # executors come and go
        if self.plain is None:
            return self._look(site, rows, asked)

        def here(files: FilesOf) -> Seen:
            looked = self.read(site, files, asked, stays=True)
            return complete(together(looked, asked), site.layout.plan)

        return self.plain.seen(asked.batch, here, lambda: self._look(site, rows, asked))

    def read(
        self, site: Site, files: FilesOf, asked: Asked, *, stays: bool = False
    ) -> list[Looked]:
        """Look at files, in as many tasks as run at the same time; what is kept of them ``stays``
        where they were looked at, or comes here.
        """
        assert self.plain is not None
        shares = shared(files, self.size)
        spread = self.session.sparkContext.parallelize(shares, len(shares))
        task = _reading(self._told(site), self.plain.feeds, asked, stays=stays)
        return [_sound(pickle.loads(one)) for one in spread.mapPartitions(task).collect()]

    def _look(self, site: Site, rows: DataFrame, asked: Asked) -> Seen:
        rows = self.calling.rows(rows, asked)
        sketched = [one for one in site.layout.plan.base_states if _is_sparks(one[1])]
        if asked.again or self.raw.waiting or sketched:
            rows.persist()  # every job would read the sources again
        taken = Taken(self.intake.streams, self.intake.is_tagged)
        seen = together(self._run(rows, _looking(self._told(site), taken, asked)), asked)
        deltas = dict(seen.deltas)
        for name, state in sketched:
            deltas[state.identity] = self._sketched(site, rows, name, state, asked)
        for name, state in site.layout.plan.base_states:
            waits = self.raw.waiting.get(state.identity)
            if waits is not None:
                run = new_run(waits, asked.batch, "d")
                view, ranking = self.intake.rows_of(rows, name), asked.wants.ranked
                found = admit(view, state, run, site.runs, ranking.get(state.identity))
                deltas[state.identity] = found
        whole = Seen(deltas, seen.distinct, called=self.calling.seen)
        return complete(whole, site.layout.plan)

    def glance(self, site: Site, rows: DataFrame, asked: Asked) -> Seen:
        """One job over all rows, which look something up; what is kept of them comes here."""
        if asked.again:
            rows.persist()  # every job would read the sources again
        taken = Taken(self.intake.streams, self.intake.is_tagged)
        looked = self._run(rows, _looking(self._told(site), taken, asked, stays=False))
        return complete(together(looked, asked), site.layout.plan)

    def _sketched(
        self, site: Site, rows: DataFrame, stream: str, state: State, asked: Asked
    ) -> Delta:
        if state.identity not in self.observers:
            beats = self.intake.has_heartbeat
            self.observers[state.identity] = Observer.of(state, heartbeat=beats)
        partials = self.observers[state.identity].partials(self.intake.rows_of(rows, stream))
        found = self._run(partials, _bringing(self._told(site), state, asked.batch))
        seen = together(found, asked)
        return seen.deltas.get(state.identity, Delta(state, None, None, ()))

    def work(
        self, site: Site, turn: Turn, number: int, runs: Sequence[Run], pieces: Sequence[Piece]
    ) -> Delta:
        name, state = turn.query.fed[number]
        rows = chosen_rows(self.session, site.runs, runs, pieces, self.intake.schemas[name])
        stream = next(one for one in self.intake.streams if one.name == name)
        taken, asked = Taken((stream,), is_tagged=False), Asked(turn.batch)
        looking = _looking(self._told(site), taken, asked, state.identity)
        seen = together(self._run(rows, looking), asked)
        return seen.deltas.get(state.identity, Delta(state, None, None, ()))

    def perform(self, site: Site, works: Sequence[Work]) -> list[Performed]:
        return self._each(site, perform, works)

    def ask(self, site: Site, inquiries: Sequence[Inquiry]) -> list[Answered]:
        return self._each(site, inquire, inquiries)

    def _each(self, site: Site, do: Callable[[Site, T, str], R], things: Sequence[T]) -> list[R]:
        """A task for each of some things to do."""
        parts = [pickle.dumps(thing) for thing in things]
        spread = self.session.sparkContext.parallelize(parts, len(parts))
        found = spread.mapPartitions(_doing(self._told(site), do)).collect()
        return [_sound(pickle.loads(one)) for one in found]

    def late(self, rows: DataFrame, turn: Turn) -> Results:
        return self.side(rows, turn)

    def together(self, parts: Sequence[Part], schema: pa.Schema, order: tuple[str, ...]) -> Results:
        return TaskResults(tuple(parts), schema, order, self.session)

    def _run(self, rows: DataFrame, task: Callable[[Batches], Batches]) -> list[Looked]:
        names = rows.columns  # mapInArrow looks columns up by them, and reads "a.b" as b in a

        def named(batches: Batches) -> Batches:
            return task(batch.rename_columns(names) for batch in batches)

        if self.few:  # each task costs something: no more of them than run at the same time
            rows = rows.coalesce(self.size)
        plain = rows.toDF(*(f"c{number}" for number in range(len(names))))
        found = [_sound(pickle.loads(row.said)) for row in plain.mapInArrow(named, SAID).collect()]
        self.few = sum(one.rows for one in found) < FEW
        return found

    def _told(self, site: Site) -> Broadcast[Any]:
        """Site and reader, sent to the executors once."""
        if self.told is None:
            self.told = self.session.sparkContext.broadcast((site, self.raw))
        return self.told

    def close(self) -> None:
        """Let the executors forget what they were told."""
        if self.told is not None:
            self.told.destroy()
            self.told = None


def complete(seen: Seen, plan: PipelinePlan) -> Seen:
    """What was seen, also of states for which nothing came."""
    empty = {one.identity: Delta(one, None, None, ()) for _, one in plan.base_states}
    return replace(seen, deltas=empty | seen.deltas)


def _sound(said: Any) -> Any:
    """What a task said, unless it was why it could not."""
    if isinstance(said, SlackwaterError | NotPlain):
        raise said
    return said


def _arrive(told: Broadcast[Any]) -> tuple[Site, RawReader]:
    """What a task was told, as the first thing it does."""
    site, raw = told.value
    make_ready()
    return site, raw


def _mark(site: Site) -> str:
    """A name that no other try of any task has."""
    context = TaskContext.get()
    assert context is not None
    return f"{site.token}-{context.stageId()}-{context.taskAttemptId()}"


def _is_sparks(state: State) -> bool:
    """Whether Spark makes the partials of a state: sketches, which it makes faster."""
    return state.is_sketched and not state.lookups


def _looking(
    told: Broadcast[Any],
    taken: Taken,
    asked: Asked,
    worked: str | None = None,
    *,
    stays: bool = True,
) -> Callable[[Batches], Batches]:
    def run(batches: Batches) -> Batches:
        site, raw = _arrive(told)
        base = raw.plan.base_states if worked is None and stays else ()
        sketched = {state.identity for _, state in base if _is_sparks(state)}
        said: Looked | SlackwaterError
        for number, some in enumerate(gathered(batches)):
            try:
                tables, beat = taken.apart(pa.Table.from_batches(some))
                said = look(raw, reader(site), tables, asked, worked=worked, but=sketched)
                if stays:
                    said = brought(site, said, asked.batch, f"{_mark(site)}-{number}")
                said = said if beat is None else said.beating(beat)
            except SlackwaterError as error:
                said = error
            yield pa.record_batch({"said": [pickle.dumps(said)]})

    return run


def _reading(
    told: Broadcast[Any], feeds: dict[str, Feed], asked: Asked, *, stays: bool
) -> Callable[[Iterable[Shares]], Iterable[bytes]]:
    def run(shares: Iterable[Shares]) -> Iterable[bytes]:
        site, raw = _arrive(told)
        try:
            for share in shares:
                for number, rows in enumerate(tables(feeds, share, threads=False)):
                    said = look(raw, reader(site), rows, asked)
                    if stays:
                        said = brought(site, said, asked.batch, f"{_mark(site)}-{number}")
                    yield pickle.dumps(said)
        except (SlackwaterError, NotPlain) as error:
            yield pickle.dumps(error)

    return run


def _bringing(told: Broadcast[Any], state: State, batch: int) -> Callable[[Batches], Batches]:
    def run(batches: Batches) -> Batches:
        site, raw = _arrive(told)
        found = list(batches)
        if not found:
            return
        table = pa.Table.from_batches(found)
        counts, beat = histogram(table)
        sums = totals(table, raw.plan.value_sums.get(state.identity, ()))
        schema = raw.panes[state.identity]
        kept = table.filter(pc.is_valid(table["pane"])).select(schema.names).cast(schema)
        delta = Delta(state, kept, None, counts, beat, sums)
        brought = bring(site, delta, batch, _mark(site))
        yield pa.record_batch({"said": [pickle.dumps(Looked({state.identity: brought}))]})

    return run


def _doing(
    told: Broadcast[Any], do: Callable[[Site, T, str], R]
) -> Callable[[Iterable[bytes]], Iterable[bytes]]:
    def run(things: Iterable[bytes]) -> Iterable[bytes]:
        site, _ = _arrive(told)
        for thing in things:
            said: R | SlackwaterError
            try:
                said = do(site, pickle.loads(thing), _mark(site))
            except SlackwaterError as error:
                said = error
            yield pickle.dumps(said)

    return run
