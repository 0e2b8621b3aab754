"""A stream of files that are read where they are worked on: tables of many rows, one by one."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from itertools import chain

import pyarrow as pa

from slackwater.execute.files.form import Form
from slackwater.execute.files.part import Part
from slackwater.execute.files.read import read
from slackwater.execute.look import gathered
from slackwater.execute.raw import timed
from slackwater.plan.stage import StreamPlan


@dataclass(frozen=True, slots=True)
class Feed:
    """A stream, and what its files are read as."""

    stream: StreamPlan
    form: Form

    @property
    def names(self) -> tuple[str, ...]:
        """The columns that are read."""
        return tuple(dict.fromkeys((*self.stream.columns, self.stream.time)))

    def tables(self, parts: Iterable[Part], *, threads: bool) -> Iterator[pa.Table]:
        """The rows of some files with ``__ts``; raises ``NotPlain`` if one is for Spark."""
        schema = self.form.schema(self.names)
        batches = (read(part, self.form, self.names, threads=threads) for part in parts)
        for some in gathered(chain.from_iterable(batches)):
            yield timed(pa.Table.from_batches(some, schema), self.stream)


def tables(
    feeds: dict[str, Feed], parts: Iterable[tuple[str, Part]], *, threads: bool
) -> Iterator[dict[str, pa.Table]]:
    """The rows of files by stream, some at a time; those of a stream stand together."""
    by: dict[str, list[Part]] = {}
    for stream, part in parts:
        by.setdefault(stream, []).append(part)
    for stream, mine in by.items():
        for table in feeds[stream].tables(mine, threads=threads):
            yield {stream: table}
