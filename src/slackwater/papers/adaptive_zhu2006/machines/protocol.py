"""The distribution manager's side of both ways to move partition groups: what it says, and what it
waits for.

A protocol is a generator. It yields what it waits for, a kind of message from some parties, and is
sent what they said. Reference: Zhu 2006, ch. 21 (parallel track) and 22 (moving state).
"""

from __future__ import annotations

from collections.abc import Callable, Generator, Iterable, Mapping
from dataclasses import dataclass
from typing import Literal

from slackwater.papers.adaptive_zhu2006.machines.message import MANAGER, Ids, Message, Wire

Way = Literal["parallel", "moving"]
Awaited = tuple[str, frozenset[str]]
Protocol = Generator[Awaited, list[Message], Ids]


@dataclass(frozen=True, slots=True)
class Task:
    """An amount of load goes from one machine to another; splits have to know."""

    sender: str
    receiver: str
    amount: float
    splits: tuple[str, ...]


@dataclass(slots=True)
class Desk:
    """Where the manager says something; ``now`` is when."""

    wire: Wire
    now: float = 0.0

    def tell(
        self,
        receivers: Iterable[str],
        kind: str,
        ids: Ids = (),
        value: float | None = None,
        other: str = "",
    ) -> None:
        for one in receivers:
            self.wire.send(Message(self.now, kind, MANAGER, one, ids, value, other))


def _chosen(desk: Desk, task: Task) -> Protocol:
    """Phase 1, which both have in common: the sender says which groups come to the amount."""
    desk.tell((task.sender,), "ComputePartitionsToMove", value=task.amount)
    [chosen] = yield "PartitionsToMove", frozenset((task.sender,))
    return chosen.ids


def parallel_track(desk: Desk, task: Task) -> Protocol:
    """PTLB: both machines get the rows, until the sender has none that only it got."""
    sender, splits = (task.sender,), task.splits
    ids = yield from _chosen(desk, task)
    if not ids:
        return ()
    desk.tell((*sender, *splits), "DuplicatePartitions", ids, other=task.receiver)
    yield "AllOldPurged", frozenset(sender)
    desk.tell((*sender, *splits), "DeletePartitions", ids)
    yield "PartitionDeleted", frozenset(sender)
    return ids


def moving_state(desk: Desk, task: Task) -> Protocol:
    """MSLB: the groups pause, are shipped, and go on at the receiver."""
    sender, splits = (task.sender,), task.splits
    ids = yield from _chosen(desk, task)
    if not ids:
        return ()
    desk.tell((*sender, *splits), "DeactivatePartitions", ids)
    least = yield "MinTimestamp", frozenset(splits)
    together = max(one.value for one in least if one.value is not None)
    desk.tell(splits, "SyncTime", ids, value=together)
    yield "Deactivated", frozenset(sender)
    desk.tell(sender, "SendPartitions", ids, other=task.receiver)
    yield "Received", frozenset((task.receiver,))
    desk.tell(splits, "ReactivatePartitions", ids, other=task.receiver)
    return ids


PROTOCOLS: Mapping[Way, Callable[[Desk, Task], Protocol]] = {
    "parallel": parallel_track,
    "moving": moving_state,
}
