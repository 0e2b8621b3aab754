"""From the running pipeline to the screen: a queue, so that nothing shown can hold a batch up."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from queue import Empty, SimpleQueue

import pyarrow as pa

from slackwater.execute.sinks import (
    Closeable,
    ParquetObjectsSink,
    ParquetSink,
    Results,
    Sink,
    TableResults,
    Target,
    parquet,
)
from slackwater.query.stream import Query
from slackwater.runs.checkpoint import Checkpoint
from slackwater.runs.home import Home


@dataclass(frozen=True, slots=True)
class Answers:
    """The results of one query in one batch."""

    query: str
    batch: int
    table: pa.Table


@dataclass(frozen=True, slots=True)
class Feed:
    """Answers in the order they were given; everything else is in the event log."""

    items: SimpleQueue[Answers] = field(default_factory=SimpleQueue)

    def put(self, item: Answers) -> None:
        self.items.put(item)

    def drain(self) -> Iterator[Answers]:
        """Everything that came since the last time."""
        while True:
            try:
                yield self.items.get_nowait()
            except Empty:
                return


@dataclass(frozen=True, slots=True)
class WatchedSink:
    """Passes results on to a sink and shows them to a feed.

    Results that lie on the executors are only shown if ``collect`` fetches them: some answers are
    too many for one machine.
    """

    inner: Sink
    feed: Feed
    query: str
    collect: bool = False

    def open(self, target: Target) -> None:
        self.inner.open(target)

    def prepare(self, batch: int, results: Results) -> int:
        if not results.is_local and self.collect:
            results = TableResults(results.arrow())
        rows = self.inner.prepare(batch, results)
        if results.is_local:
            self.feed.put(Answers(self.query, batch, results.arrow()))
        return rows

    def commit(self, batch: int) -> None:
        self.inner.commit(batch)

    def recover(self, last: int) -> None:
        self.inner.recover(last)

    def close(self) -> None:
        if isinstance(self.inner, Closeable):
            self.inner.close()


def watched(query: Query, home: Home, feed: Feed, *, collect: bool = False) -> Query:
    """The same query, its results shown to a feed on their way to where they go."""
    sink = query.sink or parquet(Checkpoint(home.folder, home).output("results", query.name))
    return replace(query, sink=WatchedSink(sink, feed, query.name, collect))


def place_of(given: Sink | None, otherwise: str) -> str:
    """Where an output lies, in words: where its sink puts it, or else in the checkpoint."""
    sink = given.inner if isinstance(given, WatchedSink) else given
    if sink is None:
        return otherwise
    kinds = ParquetSink | ParquetObjectsSink
    return sink.path if isinstance(sink, kinds) else type(sink).__name__
