"""A run as its events tell it: numbers over time, what happened, what is known now."""

from __future__ import annotations

import math
from collections import Counter, deque
from collections.abc import Sequence
from typing import Any

import numpy as np

from slackwater.errors import CheckpointError
from slackwater.events.schema import VERSION
from slackwater.history.balancing import BalanceCourse
from slackwater.history.controllers import Explained, newest_explained
from slackwater.history.entry import Entry, entry_of, slack_decisions
from slackwater.history.frame import Words, frame, is_batch
from slackwater.history.join_course import JoinCourse, join_frame
from slackwater.history.plan import Plan, read_plan
from slackwater.history.samples import Samples, told_samples
from slackwater.history.table import AT, BATCH, MOST, Array, Key, Table

Json = dict[str, Any]
ENTRIES = 5_000  # remembered: starts, notices, errors
_DIGITS = 4
_SAMPLES = 200  # of a query, given out at once


class History:
    """Takes in events in the order they were written.

    ``epoch`` changes whenever numbers that were already given out are no longer right (a repair,
    a plan, thinning): who has copied them must copy again.
    """

    def __init__(self, most: int = MOST) -> None:
        self.table = Table(most)
        self.words = Words()
        self.plan = Plan()
        self.entries: deque[Entry] = deque(maxlen=ENTRIES)
        self.happenings: Counter[str] = Counter()  # by kind, ever
        self.samples: dict[str, Samples] = {}
        self.explained: dict[str, Explained] = {}  # by query, what its controllers said last
        self.joins: dict[str, JoinCourse] = {}  # by query, the plans of those that join
        self.balance = BalanceCourse()
        self.gone: dict[str, None] = {}  # queries that went
        self.epoch = 0
        self.ended: str | None = None

    @property
    def told(self) -> int:
        """How many entries there ever were."""
        return self.happenings.total()

    @property
    def damaged(self) -> int:
        """Lines of the log that could not be read."""
        return self.happenings["damaged"]

    @property
    def queries(self) -> list[str]:
        """All queries: those of the plan, then others that batches tell of."""
        told = {key.owner for key in self.table.keys if key.group == "query"}
        return [*self.plan.queries, *sorted(told - self.plan.queries.keys())]

    @property
    def streams(self) -> list[str]:
        """All streams: those of the plan, then others that batches tell of."""
        planned = [node.size for node in self.plan.nodes if node.kind == "stream"]
        told = {key.owner for key in self.table.keys if key.group == "stream"}
        return [*planned, *sorted(told - {*planned})]

    def newest_named(self, group: str, owner: str) -> dict[str, float]:
        """The newest values of a group whose fields are names themselves."""
        keys = [key for key in self.table.keys if (key.group, key.owner) == (group, owner)]
        found = {key.field: self.table.last(key) for key in keys}
        return {field: value for field, value in found.items() if value is not None}

    @property
    def newest(self) -> int | None:
        """The newest batch."""
        batch = self.table.last(BATCH)
        return None if batch is None else int(batch)

    def add(self, events: Sequence[Json]) -> None:
        """Take in the next events."""
        waiting: list[Json] = []
        newest = self.newest
        for event in events:
            if event["event"] == "batch" and is_batch(event):
                if newest is not None and event["batch"] <= newest:
                    self._take(waiting)
                    waiting = []
                    self._forget(event["batch"] - 1)
                newest = event["batch"]
                waiting.append(event)
                continue
            self._take(waiting)
            waiting = []
            self._happened(event)
            newest = self.newest
        self._take(waiting)

    def _take(self, batches: list[Json]) -> None:
        if not batches:
            return
        self.ended = None
        names = {key.owner for key in self.table.keys if key.group == "query"}
        before = {name: self.table.last(Key("query", name, "watermark")) for name in names}
        columns = frame(batches, self.plan, self.words, before) | join_frame(batches, self.joins)
        if self.table.append(columns, len(batches)):
            self.epoch += 1
        self.explained |= newest_explained(batches)
        for batch in batches:
            self.balance.add(batch)
        for name, batch, told in told_samples(batches):
            self.samples.setdefault(name, Samples()).add(batch["at"], batch["batch"], told)

    def _happened(self, event: Json) -> None:
        kind = event["event"]
        if kind in ("start", "segment"):
            self._begin(event)
        elif kind == "repair" and isinstance(event.get("batch"), int):
            self._forget(event["batch"])
        elif kind in ("migration", "replan") and (join := self.joins.get(str(event.get("query")))):
            join.tell(event)
        elif kind == "change" and isinstance(event.get("plan"), dict):
            self.use_plan(event["plan"])
        elif kind == "query_removed":
            self.gone[str(event.get("query"))] = None
        elif kind == "query_added":
            self.gone.pop(str(event.get("query")), None)
        elif kind == "stop":
            self.ended = str(event.get("reason", "ended"))
        if kind != "segment":
            self.entries.append(entry_of(event, self.table.last(AT) or 0.0))
            self.happenings[kind] += 1

    def _begin(self, event: Json) -> None:
        version = event.get("schema")
        if isinstance(version, int) and version > VERSION:
            raise CheckpointError(
                "EVENTS_FORMAT",
                f"the event log has schema {version}, this version reads up to {VERSION}",
                "use the version of slackwater that wrote it, or a newer one",
            )
        start = event.get("start") if event["event"] == "segment" else event
        if isinstance(start, dict) and isinstance(start.get("plan"), dict):
            self.use_plan(start["plan"])
        if event["event"] == "start":
            self.ended = None

    def use_plan(self, value: object) -> None:
        """Read what follows by this plan."""
        plan = read_plan(value)
        if plan != self.plan:
            self.plan = plan
            self.epoch += 1

    def _forget(self, batch: int) -> None:
        """Batches after this one never happened."""
        if self.table.cut(batch):
            self.epoch += 1
            self.explained.clear()
            self.balance.cut(batch)
            for join in self.joins.values():
                join.cut(batch, self.table.last(AT) or 0.0)
            for samples in self.samples.values():
                samples.cut(batch)

    # giving out ------------------------------------------------------------------------------

    def numbers(self, points: int, low: float | None = None, high: float | None = None) -> Json:
        """All columns over a span of wall time, as so many points at most."""
        rows = self.table.between(-np.inf if low is None else low, np.inf if high is None else high)
        return nested(self.table.sampled(rows, points))

    def numbers_after(self, batch: int, points: int) -> Json:
        """All columns of the batches after one."""
        first = int(np.searchsorted(self.table.column(BATCH), batch, side="right"))
        return nested(self.table.sampled(slice(first, self.table.size), points))

    def converged(self, low: float | None = None, high: float | None = None) -> Json:
        """By query: estimates of a span of wall time on their way to their finals."""
        span = (-np.inf if low is None else low, np.inf if high is None else high)
        return {name: each.between(*span, _SAMPLES) for name, each in self.samples.items()}

    def converged_after(self, batch: int) -> Json:
        """By query: those of the batches after one."""
        return {name: each.after(batch, _SAMPLES) for name, each in self.samples.items()}

    def joined_after(self, batch: int = -1) -> Json:
        """By query: how joins ran, as far as it is new since a batch."""
        return {name: course.after(batch) for name, course in self.joins.items()}

    def happened(
        self, newest: int, until: float | None = None, since: float = -np.inf
    ) -> list[Entry]:
        """The newest entries and decisions of a span of wall time, oldest first."""
        limit = np.inf if until is None else until
        rows = self.table.between(since, limit)
        told = [entry for entry in self.entries if since <= entry.at <= limit]
        decided = slack_decisions(self.table, self.plan, self.words, rows=rows, newest=newest)
        return sorted([*told, *decided], key=lambda entry: entry.at)[-newest:]


def nested(columns: dict[Key, Array]) -> Json:
    """Columns as JSON: group, owner, field; numbers rounded, unknown ones ``None``."""
    found: Json = {}
    for key, values in columns.items():
        owners = found.setdefault(key.group, {})
        plain = [_plain(value) for value in np.round(values, _DIGITS).tolist()]
        owners.setdefault(key.owner, {})[key.field] = plain
    return found


def _plain(value: float) -> float | int | None:
    if math.isfinite(value):
        return int(value) if value == int(value) else value
    return None
