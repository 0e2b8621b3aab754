"""A plan whose operators lie on several machines is changed: what is said, and what is shipped.

Reference: Zhu 2006, ch. 19. *Moving state*: all machines come to one time, get their part of the
new plan, and fetch or make the states that they own then. *Parallel track*: both boxes read the
same input until every machine has nothing old. The operators run in one engine here; a table says
which machine each of them is on.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Literal

from slackwater.papers.adaptive_zhu2006.machines.message import MANAGER, Message, Wire
from slackwater.papers.adaptive_zhu2006.operators.box import Box
from slackwater.papers.adaptive_zhu2006.operators.engine import Engine
from slackwater.papers.adaptive_zhu2006.operators.matching import Place, by_meaning, states_of
from slackwater.papers.adaptive_zhu2006.operators.moving import Moved, move_state
from slackwater.papers.adaptive_zhu2006.operators.parallel import ParallelTrack
from slackwater.papers.adaptive_zhu2006.operators.plan import Join, Plan, Source, inputs_of
from slackwater.papers.adaptive_zhu2006.operators.row import Row
from slackwater.papers.adaptive_zhu2006.operators.synchronising import synchronise

Homes = Mapping[Plan, str]  # the distribution table: the machine of each join


@dataclass(slots=True)
class Shipped:
    """Rows that went from machine to machine: states that both plans have, inputs of those made."""

    states: int = 0
    inputs: int = 0
    moved: Moved = field(default_factory=Moved)

    @property
    def rows(self) -> int:
        return self.states + self.inputs


class Talk:
    """The manager and the machines of a plan, before and after."""

    def __init__(self, wire: Wire, *tables: Homes) -> None:
        self.wire = wire
        self.machines = sorted({home for table in tables for home in table.values()})
        self._now = 0.0

    def all_told(self, question: str, answer: str, machines: Iterable[str] | None = None) -> None:
        """The manager says something, and hears from everybody before it goes on."""
        asked = self.machines if machines is None else sorted(machines)
        for machine in asked:
            self.say(question, MANAGER, machine)
        for machine in asked:
            self.say(answer, machine, MANAGER)

    def say(self, kind: str, sender: str, receiver: str, value: float | None = None) -> None:
        self._now += self.wire.latency
        self.wire.note(Message(self._now, kind, sender, receiver, value=value))


def moving_state(engine: Engine, homes: Homes, new: Plan, new_homes: Homes, wire: Wire) -> Shipped:
    """Exchange the whole plan; the result says what had to be shipped for it."""
    talk = Talk(wire, homes, new_homes)
    for machine in talk.machines:
        talk.say("RequestSyncTime", MANAGER, machine)
    for machine in talk.machines:
        talk.say("SyncTime", machine, MANAGER, _unprocessed(engine, homes, machine))
    if engine.model != "total":  # there everything is processed already
        synchronise(engine, is_smallest=True)
    talk.all_told("GlobalSyncTime", "ExecutionSynced")
    talk.all_told("Deactivate", "Deactivated", {homes[node] for node in homes})
    talk.all_told("NewSubplan", "Installed", set(new_homes.values()))
    old, box = Box(engine.roots), Box((new,))
    matches = by_meaning(old, box, engine.query)
    holders = {place: homes[match.old.node] for place, match in matches.items()}
    sizes = {
        place: len(engine.operators[match.old.node].states[match.old.port])
        for place, match in matches.items()
    }
    shipped = Shipped(moved=move_state(engine, box))
    for place in states_of(box):
        home = new_homes[place.node]
        if place in holders:
            if holders[place] != home:
                shipped.states += sizes[place]
                talk.say("RequestState", home, holders[place])
                talk.say("State", holders[place], home, float(sizes[place]))
        else:
            shipped.inputs += _inputs_shipped(engine, place, new_homes, talk)
    talk.all_told("OwnStates", "StateFilled", set(new_homes.values()))
    talk.all_told("Activate", "Activated", set(new_homes.values()))
    talk.all_told("Resume", "Resumed")
    return shipped


def _unprocessed(engine: Engine, homes: Homes, machine: str) -> float:
    """The smallest timestamp that waits at a machine; now, if nothing does."""
    times = [
        item.max_ts
        for node, one in engine.operators.items()
        if homes.get(node) == machine
        for cursor in one.inputs
        for item in cursor.pending()
        if isinstance(item, Row)
    ]
    return float(min(times, default=engine.now))


def _inputs_shipped(engine: Engine, place: Place, homes: Homes, talk: Talk) -> int:
    """Rows that a machine needs of others to make a state: what the join below it keeps."""
    child, home = place.child, homes[place.node]
    if not isinstance(child, Join) or homes[child] == home:
        return 0
    rows = sum(len(state) for state in engine.operators[child].states)
    talk.say("RequestInputs", home, homes[child])
    talk.say("Inputs", homes[child], home, float(rows))
    return rows


class DistributedTrack:
    """Both boxes run, on the machines that the tables say, until ``poll`` finds nothing old."""

    def __init__(
        self, engine: Engine, homes: Homes, new: Plan, new_homes: Homes, wire: Wire
    ) -> None:
        self.talk, self._homes = Talk(wire, homes, new_homes), dict(homes)
        self.crossing = frozenset(_crossing(homes) | _crossing(new_homes))
        self.talk.all_told("Deactivate", "Deactivated", set(homes.values()))
        self.talk.all_told("NewBox", "Connected", set(new_homes.values()))
        self.track = ParallelTrack(engine, Box((new,)))
        self.talk.all_told("Start", "Started")
        self._told: set[str] = set()

    def poll(self) -> bool:
        """Each machine tells when its operators of the old box are free of old rows."""
        flags = {} if self.track.is_over else self.track.flags()
        for machine in sorted(set(self._homes.values()) - self._told):
            mine = [flags.get(node, True) for node, home in self._homes.items() if home == machine]
            if all(mine):
                self._told.add(machine)
                self.talk.say("OldPurged", machine, MANAGER)
        if self._told == set(self._homes.values()) and self.track.poll():
            self.talk.all_told("RemoveOldBox", "Removed")
            return True
        return False


def _crossing(homes: Homes) -> set[tuple[str, str]]:
    """Connections between joins that lie on two machines."""
    return {
        (homes[below], homes[node])
        for node in homes
        for below in inputs_of(node)
        if not isinstance(below, Source) and homes[below] != homes[node]
    }


def by_network(
    ship_rows: int, rates: Mapping[str, float], window: int
) -> Literal["moving", "parallel"]:
    """Where the network is what is short: states to ship against two windows of new rows.

    ``rates`` in rows a second, ``window`` in milliseconds.
    """
    fresh = 2 * window / 1_000 * sum(rates.values())
    return "moving" if ship_rows <= fresh else "parallel"
