"""The distribution manager: whose load is moved, and which machine looks for a better plan.

Where everybody is overloaded, plans must get cheaper; moving helps nobody. A machine changes its
plan or takes part in moving a group, never both at once. Reference: Zhu 2006, ch. 20 and 23.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field

from slackwater.balance.rule import Move, Thresholds, decide
from slackwater.papers.adaptive_zhu2006.machines.machine import Machine
from slackwater.papers.adaptive_zhu2006.machines.message import Ids, Message, Wire
from slackwater.papers.adaptive_zhu2006.machines.protocol import (
    PROTOCOLS,
    Awaited,
    Desk,
    Protocol,
    Task,
    Way,
)
from slackwater.papers.adaptive_zhu2006.operators.plan import Plan, show

Best = Callable[[Machine], Plan]


@dataclass(frozen=True, slots=True)
class Setting:
    """What is done: ``local`` changes of plans, groups moved one ``way``, both, or nothing."""

    name: str
    local: bool = False
    way: Way | None = None


SETTINGS = (
    Setting("No-Adapt"),
    Setting("LM", local=True),
    Setting("PTLB", way="parallel"),
    Setting("MSLB", way="moving"),
    Setting("LM+PTLB", local=True, way="parallel"),
    Setting("LM+MSLB", local=True, way="moving"),
)


@dataclass(frozen=True, slots=True)
class Round:
    """Groups moved from one machine to another, from the first message to the last."""

    way: Way
    sender: str
    receiver: str
    ids: Ids
    began: float
    ended: float


@dataclass(frozen=True, slots=True)
class Change:
    """A machine's plan is another from now on, and its processor is busy with that until then."""

    machine: str
    plan: str
    at: float
    until: float


@dataclass(slots=True)
class Coordinator:
    """Looks every ``every`` milliseconds until it is ``closed``; moves groups from ``first`` on."""

    machines: Mapping[str, Machine]
    splits: Sequence[str]
    wire: Wire
    setting: Setting
    thresholds: Thresholds
    best: Best
    every: float = 1_000.0
    first: float = 0.0
    only_loaded: bool = False  # only the most loaded machine looks for a plan
    most_rounds: int | None = None
    rounds: list[Round] = field(default_factory=list)
    changes: list[Change] = field(default_factory=list)
    closed: bool = False
    _desk: Desk = field(init=False)
    _running: Protocol | None = None
    _awaited: Awaited = ("", frozenset())
    _heard: list[Message] = field(default_factory=list)
    _task: Task | None = None
    _began: float = 0.0
    _looked: float = 0.0

    def __post_init__(self) -> None:
        self._desk = Desk(self.wire)

    @property
    def busy(self) -> frozenset[str]:
        """Machines that take part in a move."""
        return frozenset((self._task.sender, self._task.receiver) if self._task else ())

    def hear(self, message: Message) -> None:
        if message.kind == self._awaited[0] and message.sender in self._awaited[1]:
            self._heard.append(message)

    def step(self, now: float) -> None:
        self._desk.now = now
        if self._running is not None and {m.sender for m in self._heard} == self._awaited[1]:
            self._go_on(self._running, self._heard, now)
        if now - self._looked >= self.every and not self.closed:
            self._looked = now
            if self.setting.local:
                self._optimise(now)
            if self.setting.way is not None and self._running is None and now >= self.first:
                self._balance(self.setting.way, now)

    def _balance(self, way: Way, now: float) -> None:
        if self.most_rounds is not None and len(self.rounds) >= self.most_rounds:
            return
        names = sorted(self.machines)
        loads = {number: float(self.machines[name].load) for number, name in enumerate(names)}
        move = decide(loads, self.thresholds)
        if not isinstance(move, Move):
            return
        sender, receiver = names[move.sender], names[move.receiver]
        if any(self._is_changing(name, now) for name in (sender, receiver)):
            return
        self._task, self._began = Task(sender, receiver, move.amount, tuple(self.splits)), now
        self._running = PROTOCOLS[way](self._desk, self._task)
        self._go_on(self._running, None, now)

    def _go_on(self, running: Protocol, heard: list[Message] | None, now: float) -> None:
        self._heard = []
        try:
            self._awaited = next(running) if heard is None else running.send(heard)
        except StopIteration as end:
            task, way = self._task, self.setting.way
            if task is not None and way is not None and end.value:
                done = Round(way, task.sender, task.receiver, end.value, self._began, now)
                self.rounds.append(done)
            self._running, self._task, self._awaited = None, None, ("", frozenset())

    def _is_changing(self, name: str, now: float) -> bool:
        return any(one.machine == name and one.until > now for one in self.changes)

    def _optimise(self, now: float) -> None:
        """Each machine on its own, but for those that have or get a group just now."""
        free = [one for name, one in sorted(self.machines.items()) if name not in self.busy]
        if self.only_loaded:
            most = max(self.machines.values(), key=lambda one: one.load)
            free = [one for one in free if one is most]
        for machine in free:
            plan = self.best(machine)
            if show(plan) != show(machine.plan):
                machine.migrate(plan, now)
                self.changes.append(Change(machine.name, show(plan), now, machine.clock))
            machine.arrived.clear()
