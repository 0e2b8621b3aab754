"""What stands behind the K-slack buffers: joins, each with a synchronisation buffer of its own.

Three ways to compute one join query, all by the operator of Ji 2018, ch. 4:

* :class:`OneJoin`: one m-way operator;
* :class:`SyncedTree`: a tree of operators. Results between them are ordered and need no slack; the
  raw tuple that caused a result travels with it;
* :class:`ParallelJoin`: several m-way operators, each for a part of the keys.

They tell what happens as outcomes: a raw tuple reached its first operator, or results left the
last one. Where the windows are spread over operators the cross product is unknown.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Hashable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any, Protocol
from zlib import crc32

from slackwater.papers.recall_ji2018.operators.combined import Combined
from slackwater.papers.recall_ji2018.operators.condition import Term
from slackwater.papers.recall_ji2018.operators.operator import (
    JoinOperator,
    JoinParams,
    JoinState,
    Probing,
)
from slackwater.papers.recall_ji2018.operators.sync import SyncBuffer, SyncParams, SyncState
from slackwater.papers.recall_ji2018.operators.tree import JoinTree, Node, TreeParams, build
from slackwater.papers.recall_ji2018.operators.windows import StreamWindows
from slackwater.stats.arrival import Delayed


@dataclass(frozen=True, slots=True)
class JoinQuery:
    """Windows of the streams in microseconds, and the join condition."""

    windows: StreamWindows
    terms: tuple[Term, ...] = ()
    probing: Probing = "hash"


@dataclass(frozen=True, slots=True)
class Outcome:
    """Something that happened at a raw tuple or because of it.

    Parameters
    ----------
    trigger
        The raw tuple.
    time
        Progress of the output when it happened, ``T_x``; ``None`` if unknown.
    has_entered
        The raw tuple reached its first operator just now; else only results left.
    is_late
        Whether it was late there.
    cross
        ``n^×``, ``None`` if unknown.
    results
        Results that left.
    of_trigger
        How many the raw tuple has caused in all.
    """

    trigger: Delayed[Any]
    time: int | None
    has_entered: bool
    is_late: bool
    cross: int | None
    results: tuple[Combined, ...]
    of_trigger: int


@dataclass(frozen=True, slots=True)
class EngineState:
    """A synchronisation buffer and an operator per join, children before parents."""

    syncs: tuple[SyncState[Combined], ...]
    operators: tuple[JoinState, ...]
    caused: tuple[tuple[tuple[str, int], int], ...] = ()
    caused_at: int | None = None


class Engine(Protocol):
    """Tuples of the K-slack buffers in, outcomes out."""

    @property
    def time(self) -> int | None: ...
    def snapshot(self) -> EngineState: ...
    def update(self, delayed: Delayed[Any]) -> list[Outcome]: ...
    def flush(self) -> list[Outcome]: ...


class OneJoin:
    """A synchronisation buffer and one m-way operator."""

    def __init__(self, query: JoinQuery, state: EngineState | None = None) -> None:
        streams = query.windows.streams
        inputs = tuple((stream,) for stream in streams)
        params = JoinParams(inputs, query.windows, query.terms, probing=query.probing)
        self._ports = {stream: port for port, stream in enumerate(streams)}
        sync, operator = (state.syncs[0], state.operators[0]) if state else (None, None)
        self.operator = JoinOperator.start(params, operator)
        self.sync = SyncBuffer[Combined].start(SyncParams(streams), sync)

    def snapshot(self) -> EngineState:
        return EngineState((self.sync.snapshot(),), (self.operator.snapshot(),))

    @property
    def time(self) -> int | None:
        return self.operator.time

    def update(self, delayed: Delayed[Any]) -> list[Outcome]:
        released = self.sync.update(delayed.arrival.stream, Combined.of(delayed))
        return [self._take(stream, item) for stream, item in released]

    def flush(self) -> list[Outcome]:
        return [self._take(stream, item) for stream, item in self.sync.flush()]

    def _take(self, stream: str, item: Combined) -> Outcome:
        results, cross, is_late = self.operator.update(self._ports[stream], item)
        time, size = self.operator.time, len(results)
        return Outcome(item.trigger, time, True, is_late, cross, results, size)


class SyncedTree:
    """A tree of operators with a synchronisation buffer in front of each."""

    def __init__(self, query: JoinQuery, tree: JoinTree, state: EngineState | None = None) -> None:
        params = TreeParams(tree, query.windows, query.terms, query.probing)
        self.nodes, self._leaves = build(params, state.operators if state else ())
        saved = state.syncs if state else [None] * len(self.nodes)
        self._syncs = [
            SyncBuffer[Combined].start(_ports(node), known)
            for node, known in zip(self.nodes, saved, strict=True)
        ]
        # results at the root by their cause; all causes of one instant, none of the past
        self._caused = Counter[tuple[str, int]](dict(state.caused) if state else {})
        self._caused_at = state.caused_at if state else None

    def snapshot(self) -> EngineState:
        return EngineState(
            tuple(sync.snapshot() for sync in self._syncs),
            tuple(node.operator.snapshot() for node in self.nodes),
            tuple(self._caused.items()),
            self._caused_at,
        )

    @property
    def time(self) -> int | None:
        """Progress of the root."""
        return self.nodes[-1].operator.time

    def update(self, delayed: Delayed[Any]) -> list[Outcome]:
        number, port = self._leaves[delayed.arrival.stream]
        return list(self._push(number, port, Combined.of(delayed)))

    def flush(self) -> list[Outcome]:
        """Children come before parents, so that their last results still get through."""
        return [
            outcome
            for number, sync in enumerate(self._syncs)
            for port, item in sync.flush()
            for outcome in self._take(number, int(port), item)
        ]

    def _push(self, number: int, port: int, item: Combined) -> Iterator[Outcome]:
        for released, one in self._syncs[number].update(str(port), item):
            yield from self._take(number, int(released), one)

    def _take(self, number: int, port: int, item: Combined) -> Iterator[Outcome]:
        node = self.nodes[number]
        results, _, is_late = node.operator.update(port, item)
        left = results if node.parent is None else ()
        caused = self._count(item, len(left)) if left else 0
        has_entered = len(item.parts) == 1
        if has_entered or left:
            yield Outcome(item.trigger, self.time, has_entered, is_late, None, left, caused)
        yield from self._pass_on(node, results)

    def _count(self, item: Combined, results: int) -> int:
        """Results leave in order: those of an earlier instant are complete."""
        if item.ts != self._caused_at:
            self._caused.clear()
            self._caused_at = item.ts
        cause = (item.trigger.arrival.stream, item.trigger.arrival.seq)
        self._caused[cause] += results
        return self._caused[cause]

    def _pass_on(self, node: Node, results: tuple[Combined, ...]) -> Iterator[Outcome]:
        if node.parent is not None:
            for result in results:
                yield from self._push(*node.parent, result)


def _ports(node: Node) -> SyncParams:
    return SyncParams(tuple(map(str, range(len(node.operator.params.inputs)))))


class ParallelJoin:
    """Instances of one join, each with the tuples whose key falls to it.

    The condition must imply that the keys of all members are equal.
    """

    def __init__(
        self,
        query: JoinQuery,
        keys: Mapping[str, Callable[[Any], Hashable]],
        instances: int,
        state: EngineState | None = None,
    ) -> None:
        self._keys = dict(keys)
        saved = list(zip(state.syncs, state.operators, strict=True)) if state else []
        known = [EngineState((sync,), (operator,)) for sync, operator in saved]
        self.instances = [OneJoin(query, known[n] if known else None) for n in range(instances)]

    def snapshot(self) -> EngineState:
        parts = [instance.snapshot() for instance in self.instances]
        return EngineState(
            tuple(part.syncs[0] for part in parts), tuple(part.operators[0] for part in parts)
        )

    @property
    def time(self) -> int | None:
        """Progress of the slowest instance."""
        times = [instance.time for instance in self.instances]
        known = [time for time in times if time is not None]
        return min(known) if len(known) == len(times) else None

    def update(self, delayed: Delayed[Any]) -> list[Outcome]:
        key = self._keys[delayed.arrival.stream](delayed.arrival.payload)
        number = crc32(repr(key).encode()) % len(self.instances)
        return self._told(self.instances[number].update(delayed))

    def flush(self) -> list[Outcome]:
        return [outcome for one in self.instances for outcome in self._told(one.flush())]

    def _told(self, outcomes: list[Outcome]) -> list[Outcome]:
        return [
            Outcome(o.trigger, self.time, True, o.is_late, None, o.results, o.of_trigger)
            for o in outcomes
        ]
