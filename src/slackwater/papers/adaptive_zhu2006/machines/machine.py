"""A machine: an instance of the plan over some partition groups, a queue, and a processor.

All partitions with one number, of all states, are a group; rows of different groups never meet, so
that each has states of its own. Rows are taken in the order of time over all groups, each at the
cost of the work it makes. Reference: Zhu 2006, ch. 20 to 22.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from heapq import heappop, heappush

from slackwater.balance.select import select
from slackwater.papers.adaptive_zhu2006.machines.message import MANAGER, Ids, Message, Wire
from slackwater.papers.adaptive_zhu2006.operators.box import Box
from slackwater.papers.adaptive_zhu2006.operators.engine import Engine
from slackwater.papers.adaptive_zhu2006.operators.join import JoinParams
from slackwater.papers.adaptive_zhu2006.operators.moving import Moved, move_state
from slackwater.papers.adaptive_zhu2006.operators.plan import Join, Plan, inputs_of, nodes_of, show
from slackwater.papers.adaptive_zhu2006.operators.query import Query
from slackwater.papers.adaptive_zhu2006.operators.row import Row, Single
from slackwater.papers.adaptive_zhu2006.operators.work import UnitCost

PURGE_EVERY = 1_000  # milliseconds; a group of few rows would keep dead ones for long
NEW = 1  # the epoch of rows that the receiver has as well
Waiting = tuple[int, str, int, int, Single]  # time, stream, number in it, partition


@dataclass(slots=True)
class Leaving:
    """Groups that leave: which meta tuples came from which streams, and how far operators are."""

    ids: Ids
    heard: dict[str, set[str]] = field(default_factory=dict)
    checking: set[Plan] = field(default_factory=set)
    free: set[Plan] = field(default_factory=set)
    told: set[str] = field(default_factory=set)


@dataclass(slots=True)
class Machine:
    """``speed`` is units of work a millisecond; ``clock`` is until when the processor is busy."""

    name: str
    query: Query
    plan: Plan
    wire: Wire
    speed: float
    joins: JoinParams = field(default_factory=lambda: JoinParams("hash", charged="nested"))
    groups: dict[int, Engine] = field(default_factory=dict)
    clock: float = 0.0
    leaving: Leaving | None = None
    moved: list[Moved] = field(default_factory=list)
    given: list[Row] = field(default_factory=list)
    processed: Counter[int] = field(default_factory=Counter)
    arrived: Counter[str] = field(default_factory=Counter)
    _purged: int = 0
    _paused: set[int] = field(default_factory=set)  # their rows are held back
    _heap: list[Waiting] = field(default_factory=list)
    _waiting: Counter[int] = field(default_factory=Counter)
    _old: Counter[int] = field(default_factory=Counter)

    # rows ----------------------------------------------------------------------------------------

    def take(self, number: int, single: Single) -> None:
        heappush(self._heap, (single.ts, single.stream, single.seq, number, single))
        self._waiting[number] += 1
        self._old[number] += single.epoch < NEW
        self.arrived[single.stream] += 1

    def run(self, until: float, frontier: float) -> None:
        """Process rows up to the time that all splits have come to, as long as there is time."""
        while self._heap and self._heap[0][0] <= frontier and self.clock < until:
            ts, _, _, number, single = heappop(self._heap)
            self.clock = max(self.clock, ts)
            if ts - self._purged >= PURGE_EVERY:
                self._purge(ts)
            engine = self.groups.get(number) or self._opened(number)
            before = UnitCost().of(engine.work)
            engine.push(single)
            self._spend(engine, before)
            self._waiting[number] -= 1
            self._old[number] -= single.epoch < NEW
            self.processed[number] += 1
            self._give(engine)
        if self.leaving is not None:
            self._watch(self.leaving, until)

    def _purge(self, ts: int) -> None:
        """Rows come in the order of time, so one of any group shows what is dead in all of them."""
        self._purged = ts
        for engine in (one for number, one in self.groups.items() if number not in self._paused):
            before = UnitCost().of(engine.work)
            for state in (state for one in engine.running for state in one.states):
                engine.work.purged += state.purge_before(ts - self.query.windows.longest)
            self._spend(engine, before)

    def _opened(self, number: int) -> Engine:
        self.groups[number] = Engine(self.query, self.plan, joins=self.joins)
        return self.groups[number]

    def _spend(self, engine: Engine, before: float) -> None:
        self.clock += (UnitCost().of(engine.work) - before) / self.speed

    def _fit(self, engine: Engine) -> Moved:
        """Give a group the states that the plan has: those it lacks are made."""
        before = UnitCost().of(engine.work)
        moved = move_state(engine, Box((self.plan,)))
        self._spend(engine, before)
        return moved

    def _give(self, engine: Engine) -> None:
        self.given += engine.results[0]
        engine.results[0].clear()

    # measures ------------------------------------------------------------------------------------

    def held(self, number: int) -> int:
        """Rows of a group in states and waiting."""
        engine = self.groups.get(number)
        return self._waiting[number] + (engine.memory() if engine else 0)

    @property
    def units(self) -> float:
        """Work done for the groups that are here."""
        return sum(UnitCost().of(engine.work) for engine in self.groups.values())

    @property
    def kept(self) -> int:
        return sum(engine.memory() for engine in self.groups.values())

    @property
    def waiting(self) -> int:
        return len(self._heap)

    @property
    def load(self) -> int:
        """What is reported: rows in states and waiting."""
        return self.kept + self.waiting

    # a plan of its own ---------------------------------------------------------------------------

    def migrate(self, plan: Plan, now: float) -> None:
        """Another plan for all groups, by moving state; it costs what it makes."""
        self.clock = max(self.clock, now)
        self.plan = plan
        for engine in self.groups.values():
            self._fit(engine)

    # groups that leave or come -------------------------------------------------------------------

    def hear(self, message: Message) -> None:
        _HEARD[message.kind](self, message)

    def hear_meta(self, kind: str, stream: str, ids: Ids) -> None:
        """A meta tuple has come through the queue of a stream."""
        if self.leaving is None:
            self.leaving = Leaving(ids)
        self.leaving.heard.setdefault(kind, set()).add(stream)

    def _compute(self, message: Message) -> None:
        loads = {number: float(self.held(number)) for number in sorted(self.groups)}
        ids = select(loads, message.value or 0.0)
        self._say("PartitionsToMove", message.at + self.wire.latency, ids)

    def _duplicate(self, message: Message) -> None:
        """From now on results of rows that are all new are the receiver's; only the root minds."""
        for number in message.ids:
            engine = self.groups[number]
            engine.operators[engine.roots[0]].suppresses = NEW
        self.leaving = self.leaving or Leaving(message.ids)

    def _pause(self, message: Message) -> None:
        """Rows that are held back are older than others: what they will meet must stay."""
        self._paused.update(message.ids)

    def _send(self, message: Message) -> None:
        self._paused.difference_update(message.ids)
        cargo = {number: self.groups.pop(number, None) for number in message.ids}
        self.leaving = None
        at, ids = message.at + self.wire.latency, message.ids
        self.wire.send(Message(at, "ReceivePartitions", self.name, message.other, ids, cargo=cargo))

    def _receive(self, message: Message) -> None:
        """States that this plan has, too, are taken in, others dropped, missing ones made."""
        cargo = message.cargo if isinstance(message.cargo, dict) else {}
        self._paused.update(message.ids)
        self.clock = max(self.clock, message.at)
        for number, engine in cargo.items():
            if number in self.groups:
                raise AssertionError(f"{self.name} has partition {number} already")
            if engine is None:
                continue
            if engine.roots[0] != self.plan:
                self.moved.append(self._fit(engine))
            self.groups[number] = engine
        self._say("Received", message.at + self.wire.latency, message.ids)

    def resume(self, ids: Ids) -> None:
        """What was held back follows."""
        self._paused.difference_update(ids)

    def _nothing(self, message: Message) -> None:
        """What follows comes with the rows."""

    def _watch(self, leaving: Leaving, now: float) -> None:
        """Operators hand meta tuples on, lower ones first; what reaches the root is told."""
        ids, streams = leaving.ids, set(self.query.columns)
        if streams <= leaving.heard.get("CheckOld", set()) and "AllOldPurged" not in leaving.told:
            self._check(leaving, now)
        waiting = sum(self._waiting[number] for number in ids)
        if streams <= leaving.heard.get("EndOfPartition", set()) and not waiting:
            self._tell_once(leaving, "Deactivated", now)
        if streams <= leaving.heard.get("DeletePartitions", set()) and not waiting:
            for number in ids:
                self.groups.pop(number, None)
            self._tell_once(leaving, "PartitionDeleted", now)
            self.leaving = None

    def _check(self, leaving: Leaving, now: float) -> None:
        joins = [node for node in nodes_of(self.plan) if isinstance(node, Join)]
        for node in joins:
            if node not in leaving.checking:
                leaving.checking.add(node)
                self._note("CheckOld", node, leaving.ids, now)
        if any(self._old[number] for number in leaving.ids):
            return
        for node in joins:
            below = [one for one in inputs_of(node) if isinstance(one, Join)]
            is_ready = node not in leaving.free and leaving.free.issuperset(below)
            if is_ready and not any(self._holds_old(number, node) for number in leaving.ids):
                leaving.free.add(node)
                self._note("AllOldPurged", node, leaving.ids, now)
        if self.plan in leaving.free:
            self._tell_once(leaving, "AllOldPurged", now)

    def _holds_old(self, number: int, node: Plan) -> bool:
        engine = self.groups.get(number)
        return engine is not None and engine.operators[node].holds_old(NEW)

    def _note(self, kind: str, node: Plan, ids: Ids, now: float) -> None:
        self.wire.note(Message(now, kind, f"{self.name} {show(node)}", self.name, ids))

    def _tell_once(self, leaving: Leaving, kind: str, now: float) -> None:
        if kind not in leaving.told:
            leaving.told.add(kind)
            self._say(kind, now, leaving.ids)

    def _say(self, kind: str, at: float, ids: Iterable[int]) -> None:
        self.wire.send(Message(at, kind, self.name, MANAGER, tuple(ids)))


_HEARD: Mapping[str, Callable[[Machine, Message], None]] = {
    "ComputePartitionsToMove": Machine._compute,
    "DuplicatePartitions": Machine._duplicate,
    "DeletePartitions": Machine._nothing,
    "DeactivatePartitions": Machine._pause,
    "SendPartitions": Machine._send,
    "ReceivePartitions": Machine._receive,
}
