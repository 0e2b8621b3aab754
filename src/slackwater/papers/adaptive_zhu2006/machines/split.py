"""The split of a stream: which rows are of which partition, and to which machines they go.

Reference: Zhu 2006, ch. 20 (partition function, mapping table), 21 (rows that go to two machines)
and 22 (rows that are held back while their partition moves).
"""

from __future__ import annotations

from bisect import bisect_left
from collections import deque
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field, replace

from slackwater.papers.adaptive_zhu2006.machines.machine import NEW, Machine
from slackwater.papers.adaptive_zhu2006.machines.message import (
    MANAGER,
    Ids,
    Message,
    Wire,
    split_name,
)
from slackwater.papers.adaptive_zhu2006.operators.row import Single

Partition = Callable[[Single], int]


@dataclass(slots=True)
class Split:
    """``mapping`` has the machines of a partition: the first gets it, a second one as well while
    both do (rows for the first are marked as new then). Rows wait ``lag`` milliseconds.
    """

    stream: str
    partition: Partition
    mapping: dict[int, tuple[str, ...]]
    machines: Mapping[str, Machine]
    wire: Wire
    lag: float = 0.0
    queue: deque[Single] = field(default_factory=deque)
    buffers: dict[int, list[Single]] = field(default_factory=dict)
    last_of: dict[int, str] = field(default_factory=dict)  # who had what is held back

    def arrive(self, single: Single) -> None:
        self.queue.append(single)

    def handle(self, now: float) -> None:
        """Route what has waited long enough."""
        while self.queue and self.queue[0].ts <= now - self.lag:
            self._route(self.queue.popleft())

    def _route(self, single: Single) -> None:
        number = self.partition(single)
        if number in self.buffers:
            self.buffers[number].append(single)
            return
        first, *others = self.mapping[number]
        self.machines[first].take(number, replace(single, epoch=NEW) if others else single)
        for other in others:
            self.machines[other].take(number, single)

    def hear(self, message: Message) -> None:
        _HEARD[message.kind](self, message)

    # parallel track ------------------------------------------------------------------------------

    def _duplicate(self, message: Message) -> None:
        for number in message.ids:
            self.mapping[number] = (self.mapping[number][0], message.other)
        self._meta("CheckOld", message.at, message.ids)

    def _stop(self, message: Message) -> None:
        sender = self.mapping[message.ids[0]][0]
        for number in message.ids:
            self.mapping[number] = self.mapping[number][1:]
        self._meta("DeletePartitions", message.at, message.ids, sender)

    # moving state --------------------------------------------------------------------------------

    def _deactivate(self, message: Message) -> None:
        """In this order: remove the mapping, buffer what comes, and say what still waits."""
        for number in message.ids:
            [self.last_of[number]] = self.mapping.pop(number)
            self.buffers[number] = []
        waiting = [one.ts for one in self.queue if self.partition(one) in self.buffers]
        least = min(waiting, default=message.at)
        self._say("MinTimestamp", message.at, message.ids, float(least))

    def _synchronise(self, message: Message) -> None:
        """What is older than the common time goes to the sender; then an end of each partition."""
        [sender] = {self.last_of[number] for number in message.ids}
        until = message.value or 0.0
        ids = set(message.ids)
        early = [one for one in self.queue if one.ts < until and self.partition(one) in ids]
        held = [one for number in message.ids for one in self._taken(number, until)]
        gone = {id(one) for one in early}
        self.queue = deque(one for one in self.queue if id(one) not in gone)
        for one in sorted([*held, *early], key=lambda one: one.seq):
            self.machines[sender].take(self.partition(one), one)
        self._meta("EndOfPartition", message.at, message.ids, sender)

    def _taken(self, number: int, until: float) -> list[Single]:
        buffer = self.buffers[number]
        place = bisect_left(buffer, until, key=lambda one: one.ts)
        self.buffers[number] = buffer[place:]
        return buffer[:place]

    def _reactivate(self, message: Message) -> None:
        self.machines[message.other].resume(message.ids)
        for number in message.ids:
            self.mapping[number] = (message.other,)
            del self.last_of[number]
            for one in self.buffers.pop(number):
                self.machines[message.other].take(number, one)

    # ---------------------------------------------------------------------------------------------

    def _say(self, kind: str, at: float, ids: Ids, value: float) -> None:
        heard = at + self.wire.latency
        self.wire.send(Message(heard, kind, split_name(self.stream), MANAGER, ids, value))

    def _meta(self, kind: str, at: float, ids: Ids, sender: str = "") -> None:
        """Behind all rows that went to the sender."""
        receiver = sender or self.mapping[ids[0]][0]
        heard = at + self.wire.latency
        self.wire.note(Message(heard, kind, split_name(self.stream), receiver, ids))
        self.machines[receiver].hear_meta(kind, self.stream, ids)


_HEARD: Mapping[str, Callable[[Split, Message], None]] = {
    "DuplicatePartitions": Split._duplicate,
    "DeletePartitions": Split._stop,
    "DeactivatePartitions": Split._deactivate,
    "SyncTime": Split._synchronise,
    "ReactivatePartitions": Split._reactivate,
}
