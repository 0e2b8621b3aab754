"""Deliver: what a batch came to goes to its sinks, prepared before the manifest, shown after it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass

from slackwater.execute.batch import Layout, Outcome, order_of
from slackwater.execute.sinks.parquet import ParquetSink
from slackwater.execute.sinks.sink import Output, Results, Sink, Target
from slackwater.plan.stage import PipelinePlan, QueryPlan
from slackwater.query.stream import Query
from slackwater.runs.checkpoint import Checkpoint


@dataclass(frozen=True, slots=True)
class Outlets:
    """Where each query's results, late rows and measurements go."""

    sinks: dict[str, Sink]
    sides: dict[str, Sink]
    meters: dict[str, Sink]

    @classmethod
    def of(cls, plan: PipelinePlan, queries: Iterable[Query], folder: Checkpoint) -> Outlets:
        """As the queries say; into the checkpoint folder where nothing was said."""
        promised = {query.name for query in plan.queries if query.promised}
        given = list(queries)
        return cls(
            {q.name: q.sink or ParquetSink(str(folder.results(q.name))) for q in given},
            {q.name: q.side or ParquetSink(str(folder.side(q.name))) for q in given},
            {
                q.name: q.quality or ParquetSink(str(folder.quality(q.name)))
                for q in given
                if q.name in promised
            },
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
            target = Target(query, output, owner=owner)
            if output == "results":
                target = _target(plans[query], layout, target)
            sink.open(target)
            sink.recover(last)

    def prepare(self, batch: int, outcome: Outcome, meters: Mapping[str, Results]) -> Delivered:
        """Store everything that a batch came to; count the rows."""
        return Delivered(
            {name: self.sinks[name].prepare(batch, one) for name, one in outcome.results.items()},
            {name: self.sides[name].prepare(batch, one) for name, one in outcome.late.items()},
            {name: self.meters[name].prepare(batch, one) for name, one in meters.items()},
        )

    def commit(self, batch: int) -> None:
        for _, _, sink in self.all():
            sink.commit(batch)


@dataclass(frozen=True, slots=True)
class Delivered:
    """Rows of a batch, by query."""

    results: dict[str, int]
    late: dict[str, int]
    meters: dict[str, int]


def _target(query: QueryPlan, layout: Layout, bare: Target) -> Target:
    """Windows and groups tell answers apart; a result of a join has nothing that does."""
    schema = layout.shown(query)
    if query.stages:
        keys = ("window_start", "window_end", *query.top.keys)
        return Target(bare.query, bare.output, schema, keys, owner=bare.owner)
    return Target(bare.query, bare.output, schema, order=order_of(query), owner=bare.owner)
