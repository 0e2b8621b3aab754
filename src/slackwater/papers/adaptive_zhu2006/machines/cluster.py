"""Machines, splits and the distribution manager over some streams, in virtual time.

Reference: Zhu 2006, ch. 18 to 23. Time goes on in steps; in each of them rows arrive, splits route
what has waited long enough, messages come, machines work as long as they have time, and the manager
looks. The result is the union of what all machines give.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

from slackwater.balance.rule import Thresholds
from slackwater.papers.adaptive_zhu2006.machines.coordinator import (
    Best,
    Change,
    Coordinator,
    Round,
    Setting,
)
from slackwater.papers.adaptive_zhu2006.machines.machine import Machine
from slackwater.papers.adaptive_zhu2006.machines.message import (
    MANAGER,
    Message,
    Wire,
    split_name,
)
from slackwater.papers.adaptive_zhu2006.machines.split import Partition, Split
from slackwater.papers.adaptive_zhu2006.operators.digest import Digest
from slackwater.papers.adaptive_zhu2006.operators.plan import Plan
from slackwater.papers.adaptive_zhu2006.operators.query import Query
from slackwater.papers.adaptive_zhu2006.operators.row import Single

STEP = 10.0  # milliseconds
END = float("inf")


@dataclass(frozen=True, slots=True)
class Site:
    """Machines, and who has which partition at first. ``lags``: how long rows wait at a split."""

    speed: float
    homes: Sequence[str]  # by partition
    partition: Partition
    lags: dict[str, float] = field(default_factory=dict)
    thresholds: Thresholds = field(default_factory=lambda: Thresholds(0.0, END, 1.0))
    every: float = 1_000.0
    first: float = 0.0
    only_loaded: bool = False
    most_rounds: int | None = None


@dataclass(slots=True)
class Shown:
    """What a run showed: by second results so far, the milliseconds that all of them came after
    their newest rows, rows in states, and rows kept or waiting.
    """

    results: list[tuple[float, int]] = field(default_factory=list)
    delays: list[tuple[float, float]] = field(default_factory=list)
    kept: list[tuple[float, int]] = field(default_factory=list)
    total: list[tuple[float, int]] = field(default_factory=list)
    rounds: list[Round] = field(default_factory=list)
    changes: list[Change] = field(default_factory=list)
    log: list[Message] = field(default_factory=list)
    digest: Digest = field(default_factory=Digest)

    def results_until(self, time: float) -> int:
        return max((count for at, count in self.results if at <= time), default=0)

    def mean_delay(self, since: float, until: float) -> float:
        """Milliseconds from the newest row of a result to when it was given."""
        total = dict(self.delays)
        results = self.results_until(until) - self.results_until(since)
        return (total[until] - total[since]) / results


class Cluster:
    """All of it; ``run`` until a time, then ``finish``, which takes no time."""

    def __init__(self, query: Query, plan: Plan, site: Site, setting: Setting, best: Best) -> None:
        self.wire, self.now = Wire(), 0.0
        names = dict.fromkeys(site.homes)
        self.machines = {name: Machine(name, query, plan, self.wire, site.speed) for name in names}
        homes = {number: (name,) for number, name in enumerate(site.homes)}
        self.splits = {
            stream: Split(
                stream,
                site.partition,
                dict(homes),
                self.machines,
                self.wire,
                site.lags.get(stream, 0.0),
            )
            for stream in query.columns
        }
        self.manager = Coordinator(
            self.machines,
            tuple(split_name(stream) for stream in self.splits),
            self.wire,
            setting,
            site.thresholds,
            best,
            site.every,
            site.first,
            site.only_loaded,
            site.most_rounds,
        )
        self.shown = Shown()
        self._count, self._delay = 0, 0.0
        self._parties: dict[str, Coordinator | Machine | Split] = {
            MANAGER: self.manager,
            **self.machines,
            **{split_name(stream): split for stream, split in self.splits.items()},
        }

    def run(self, arrivals: Sequence[Single], until: float) -> Shown:
        """Rows come when it is their time."""
        place = 0
        while self.now < until:
            self.now += STEP
            while place < len(arrivals) and arrivals[place].ts <= self.now:
                self.splits[arrivals[place].stream].arrive(arrivals[place])
                place += 1
            self._step(self.now - max(split.lag for split in self.splits.values()))
            if self.now % 1_000 < STEP:
                self._record()
        return self.shown

    def finish(self) -> Shown:
        """All that waits is worked off, and what is being moved arrives, without a limit."""
        self.manager.closed = True
        for machine in self.machines.values():
            machine.speed = END
        for split in self.splits.values():
            split.lag = 0.0
        for _ in range(100):
            self.now += STEP
            for machine in self.machines.values():
                machine.clock = min(machine.clock, self.now - STEP)
            self._step(END)
        if any(machine.waiting for machine in self.machines.values()):
            raise AssertionError("rows are left")
        self.shown.rounds, self.shown.changes = self.manager.rounds, self.manager.changes
        self.shown.log = self.wire.log
        return self.shown

    @property
    def units(self) -> float:
        """Work done for the groups that there are now."""
        return sum(machine.units for machine in self.machines.values())

    def _step(self, frontier: float) -> None:
        for split in self.splits.values():
            split.handle(self.now)
        for message in self.wire.due(self.now):
            self._parties[message.receiver].hear(message)
        for machine in self.machines.values():
            machine.run(self.now, frontier)
            self._count += len(machine.given)
            self._delay += sum(self.now - row.max_ts for row in machine.given)
            self.shown.digest = self.shown.digest.with_rows(machine.given)
            machine.given.clear()
        self.manager.step(self.now)

    def _record(self) -> None:
        kept = sum(machine.kept for machine in self.machines.values())
        waits = sum(machine.waiting for machine in self.machines.values())
        self.shown.results.append((self.now, self._count))
        self.shown.delays.append((self.now, self._delay))
        self.shown.kept.append((self.now, kept))
        self.shown.total.append((self.now, kept + waits))
