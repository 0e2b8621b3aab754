"""Deliver: what a batch came to goes to its sinks, prepared before the manifest, shown after it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, field

from slackwater.execute.batch import Layout, Outcome, order_of
from slackwater.execute.sinks import ParquetObjectsSink, ParquetSink, parquet
from slackwater.execute.sinks.sink import Closeable, Output, Results, Sink, Target
from slackwater.plan.stage import PipelinePlan, QueryPlan
from slackwater.query.stream import Query
from slackwater.runs.checkpoint import Checkpoint, Owner


@dataclass(frozen=True, slots=True)
class Outlets:
    """Where each query's results, late rows and measurements go.

    ``refuse`` is where the messages of a stream go that no row could be made of.
    """

    sinks: dict[str, Sink]
    sides: dict[str, Sink]
    meters: dict[str, Sink]
    refuse: dict[str, ParquetSink | ParquetObjectsSink] = field(default_factory=dict)

    @classmethod
    def of(
        cls,
        plan: PipelinePlan,
        queries: Iterable[Query],
        folder: Checkpoint,
        refusing: Iterable[str] = (),
    ) -> Outlets:
        """As the queries say; into the checkpoint folder where nothing was said.

        ``refusing`` names the streams that may have malformed messages.
        """
        promised = {query.name for query in plan.queries if query.promised}
        given = list(queries)
        return cls(
            {q.name: q.sink or parquet(folder.output("results", q.name)) for q in given},
            {q.name: q.side or parquet(folder.output("side", q.name)) for q in given},
            {
                q.name: q.quality or parquet(folder.output("quality", q.name))
                for q in given
                if q.name in promised
            },
            {name: parquet(folder.output("malformed", name)) for name in refusing},
        )

    def all(self) -> Iterator[tuple[Output, str, Sink]]:
        """What goes out, of which query, and where."""
        outputs: dict[Output, dict[str, Sink]] = {
            "results": self.sinks,
            "late rows": self.sides,
            "quality": self.meters,
        }
        for output, places in outputs.items():
            for query, sink in places.items():
                yield output, query, sink

    def open(self, layout: Layout, checkpoint: Checkpoint, last: int) -> None:
        """Open every sink for its target, and let it go on after batch ``last``."""
        plans = {query.name: query for query in layout.plan.queries}
        for output, query, sink in self.all():
            owner = checkpoint.owner(f"{output} of query {query!r}")
            sink.open(target_of(plans[query], layout, output, owner))
            sink.recover(last)
        for stream, sink in self.refuse.items():
            sink.open(Target(stream, "malformed"))
            sink.recover(last)

    def recover_left(self, checkpoint: Checkpoint, queries: Iterable[str], last: int) -> None:
        """Show what queries that are gone had prepared when the process died, if it is here.

        Sinks of their own went with them.
        """
        for query in queries:
            for place in (checkpoint.results, checkpoint.side, checkpoint.quality):
                if place(query).is_dir():
                    ParquetSink(str(place(query))).recover(last)

    def prepare(
        self,
        batch: int,
        outcome: Outcome,
        meters: Mapping[str, Results],
        malformed: Mapping[str, Results],
    ) -> Delivered:
        """Store everything that a batch came to, and what was no row; count the rows."""
        return Delivered(
            {name: self.sinks[name].prepare(batch, one) for name, one in outcome.results.items()},
            {name: self.sides[name].prepare(batch, one) for name, one in outcome.late.items()},
            {name: self.meters[name].prepare(batch, one) for name, one in meters.items()},
            {name: self.refuse[name].prepare(batch, one) for name, one in malformed.items()},
        )

    def commit(self, batch: int) -> None:
        for _, _, sink in self.all():
            sink.commit(batch)
        for sink in self.refuse.values():
            sink.commit(batch)

    def notices(self, delivered: Delivered) -> list[str]:
        """What a person should know of messages that could not be read."""
        return [
            f"stream {name}: {count} messages are malformed; set aside in "
            f"{self.refuse[name].path}, with their places and reasons"
            for name, count in delivered.malformed.items()
            if count
        ]

    def close(self) -> None:
        """Let sinks go that hold connections."""
        for sink in (*(sink for _, _, sink in self.all()), *self.refuse.values()):
            if isinstance(sink, Closeable):
                sink.close()


@dataclass(frozen=True, slots=True)
class Delivered:
    """Rows of a batch, by query; malformed messages by stream."""

    results: dict[str, int]
    late: dict[str, int]
    meters: dict[str, int]
    malformed: dict[str, int] = field(default_factory=dict)


def target_of(query: QueryPlan, layout: Layout, output: Output, owner: Owner | None) -> Target:
    """Windows and groups tell answers and their errors apart, periods what was measured of a join;
    a result of a join, or a late row, has nothing that does.
    """
    window = ("window_start", "window_end", *query.top.keys) if query.stages else ()
    if output == "late rows":
        return Target(query.name, output, owner=owner)
    if output == "quality":
        period = ("period_start", "period_end")
        keys = period if query.recall is not None else window
        return Target(query.name, output, keys=keys, owner=owner)
    order = () if query.stages else order_of(query)
    return Target(query.name, output, layout.shown(query), window, order, owner)
