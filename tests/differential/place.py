"""Where cases run: with Spark or without it; what a run leaves behind is read alike."""

from __future__ import annotations

import shutil
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any, Protocol

import pyarrow.parquet as pq

from slackwater.control.request import Request
from slackwater.events import log
from slackwater.execute.loop import Loop
from slackwater.query.schema import Column, Schema
from slackwater.query.stream import Stream, StreamDef
from slackwater.runs.requests import Inbox, new_id
from tests.differential.case import Case, seconds
from tests.differential.terms import Row


@dataclass
class Left:
    """What a run left: by batch the report, by batch and query results and rows set aside."""

    reports: dict[int, dict[str, Any]] = field(default_factory=dict)
    results: dict[tuple[int, str], list[Row]] = field(default_factory=dict)
    sides: dict[tuple[int, str], list[Row]] = field(default_factory=dict)


class Place(Protocol):
    """Where cases run."""

    @property
    def name(self) -> str: ...

    def fitted(self, case: Case) -> Case:
        """The case with what only other places have taken out."""

    def run(self, case: Case) -> Left:
        """Run a case in a folder of its own."""


@contextmanager
def scratch(case: Case) -> Iterator[Path]:
    top = Path(tempfile.mkdtemp(prefix="differential-"))
    try:
        folder = top / case.folder
        folder.mkdir()
        yield folder
    finally:
        shutil.rmtree(top, ignore_errors=True)


def by_hand(case: Case) -> dict[str, Stream]:
    """The streams of a case without sources: their batches are handed to the loop."""
    return {
        feed.name: Stream(
            StreamDef(
                feed.name,
                Schema(tuple(Column(name, kind.sql) for name, kind in feed.columns.items())),
                feed.time,
                max_ahead=seconds(feed.max_ahead),
            )
        )
        for feed in case.feeds
    }


def request(loop: Loop[Any], case: Case, number: int) -> None:
    """Ask for the estimates that are asked for by hand in a batch."""
    for query, where in case.requests.get(number, ()):
        loop.inbox.put(Request(new_id(), query, None if where is None else where.sql))
    replan(loop.inbox, case, number)


def replan(inbox: Inbox, case: Case, number: int) -> None:
    """Ask for the trees that are asked for before a batch; asked for twice, they are the same."""
    for place, one in enumerate(case.replans.get(number, ())):
        inbox.put(Request(f"replan-{number}-{place}", one.query, tree=one.tree, how=one.how))


def replanning(checkpoint: Path, case: Case) -> Callable[[dict[str, Any]], None]:
    """Ask for trees while a pipeline runs: now what its next batch is to find, and then, to be told
    of every batch that was committed, what the one after it is.
    """
    inbox = Inbox(checkpoint / "prods")
    newest = max((int(file.stem) for file in checkpoint.glob("manifest/[0-9]*.json")), default=-1)
    replan(inbox, case, newest + 1)
    return lambda report: replan(inbox, case, report["batch"] + 1)


def migrations(checkpoint: Path) -> dict[tuple[str, int], dict[str, Any]]:
    """The newest word of each change of a tree, by query and the batch in which it began."""
    events = log.read(checkpoint / "events.jsonl") if checkpoint.exists() else ()
    told = [event for event in events if event["event"] == "migration"]
    return {(one["query"], one["since"]): one for one in told}


def is_migrating(checkpoint: Path) -> bool:
    """Whether a tree is being changed, or is to be changed by the batch at hand."""
    going = [one for one in migrations(checkpoint).values() if one["batches"] is None]
    return bool(going or list(checkpoint.glob("prods/replan-*.json")))


def left_in(checkpoint: Path, case: Case) -> Left:
    found = Left()
    for event in log.read(checkpoint / "events.jsonl"):
        if event["event"] == "batch":
            found.reports[event["batch"]] = event
    for asked in case.queries:
        for kind, into in (("results", found.results), ("side", found.sides)):
            for folder in (checkpoint / kind / asked.name).glob("batch=*"):
                rows = [
                    row
                    for file in sorted(folder.glob("*.parquet"))
                    for row in pq.ParquetFile(file).read().to_pylist()
                ]
                into[int(folder.name.removeprefix("batch=")), asked.name] = rows
    return found
