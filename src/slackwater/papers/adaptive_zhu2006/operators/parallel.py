"""Parallel track: both boxes read the same input until the old one holds nothing old.

Reference: Zhu 2006, ch. 12. The old box gives every result with an old sub-tuple, the new one
those that are all new; only the roots of the old box suppress. New results are held back until the
old box goes (*flush*), or are given as soon as the old one can give nothing earlier (*merge*,
which keeps the order of the newest sub-tuple; the source work's argument is true of the oldest).
"""

from __future__ import annotations

from typing import Literal

from slackwater.errors import SlackwaterError
from slackwater.papers.adaptive_zhu2006.operators.box import (
    Box,
    check_equivalent,
    entries,
    exchange,
    open_outlets,
)
from slackwater.papers.adaptive_zhu2006.operators.engine import Engine
from slackwater.papers.adaptive_zhu2006.operators.operator import Operator
from slackwater.papers.adaptive_zhu2006.operators.plan import Plan
from slackwater.papers.adaptive_zhu2006.operators.row import Row
from slackwater.papers.adaptive_zhu2006.operators.shared_queue import Cursor, SharedQueue

Order = Literal["flush", "merge"]
Suppression = Literal["root", "everywhere", "nowhere"]


class ParallelTrack:
    """Two boxes at once, from when it is made until ``poll`` finds the old one finished."""

    def __init__(
        self,
        engine: Engine,
        new: Box,
        *,
        old: Box | None = None,
        order: Order = "flush",
        suppression: Suppression = "root",
    ) -> None:
        self.engine, self.new, self.order = engine, new, order
        self.old = old or Box(engine.roots)
        check_equivalent(self.old, new, engine.query)
        open_outlets(engine, self.old)
        engine.epoch += 1
        self.epoch = engine.epoch
        self.is_over = False
        self._made = self._beside()
        self._suppress(suppression)
        if order == "merge":
            engine.watchers.append(self._release)
        elif any(root not in engine.roots for root in self.old.roots):
            raise SlackwaterError(
                "MIGRATION_ORDER_LOST",
                "results held back until the end would reach the operators above out of order",
                'use order="merge" for a box that is not the whole plan',
            )

    def _beside(self) -> dict[Plan, Operator]:
        engine, inputs = self.engine, {}
        for node in self.old.inside:
            for cursor in engine.operators[node].inputs:
                cursor.mark = None
        for node, cursor in entries(engine, self.old).items():
            inputs[node] = cursor.fork(at_end=True)
        for node in self.old.inside:
            for cursor in engine.operators[node].inputs:
                if any(cursor.queue is one.queue for one in inputs.values()):
                    cursor.mark = (cursor.queue.end, self.epoch)
        for cursor in inputs.values():
            cursor.mark = (cursor.position, self.epoch)
        made: dict[Plan, Operator] = {}
        for root in self.new.roots:
            made |= engine.build(root, made, inputs)
        for cursor in inputs.values():
            cursor.close()
        self._held: list[tuple[Cursor, SharedQueue]] = []
        for before, after in zip(self.old.roots, self.new.roots, strict=True):
            for outlet in engine.operators[before].outlets:
                buffer = SharedQueue()
                self._held.append((buffer.open(), outlet))
                made[after].outlets.append(buffer)
        engine.beside = list(made.values())
        return made

    def _suppress(self, suppression: Suppression) -> None:
        if suppression == "nowhere":
            return
        for root in self.old.roots:
            self.engine.operators[root].suppresses = self.epoch
        if suppression == "everywhere":
            for node in self.old.inside:
                self.engine.operators[node].suppresses_inside = self.epoch

    def flags(self) -> dict[Plan, bool]:
        """For every operator of the old box whether it holds nothing old (``IF_FINISHED``)."""
        return {
            node: not self.engine.operators[node].holds_old(self.epoch) for node in self.old.inside
        }

    def poll(self) -> bool:
        """A scan of the monitor: all flags in one scan end the migration."""
        if not self.is_over and all(self.flags().values()):
            self.end()
        return self.is_over

    def end(self) -> None:
        """Take the old box out and give what was held back."""
        self.is_over = True
        engine = self.engine
        engine.beside = []
        engine.watchers.clear()
        for before, after in zip(self.old.roots, self.new.roots, strict=True):
            self._made[after].outlets = engine.operators[before].outlets
        for held, outlet in self._held:
            _pass(held, outlet, float("inf"))
        exchange(engine, self.old, self.new, self._made)
        for one in self._made.values():
            for cursor in one.inputs:
                if cursor.mark is not None and cursor.position >= cursor.mark[0]:
                    cursor.mark = None if not len(cursor) else cursor.mark
        engine.collect()

    def held(self) -> int:
        """Results of the new box that wait."""
        return sum(len(cursor) for cursor, _ in self._held)

    def _release(self) -> None:
        """What the old box gives from now on has the time of its next input or a later one."""
        times = [
            item.max_ts
            for one in self.engine.running
            for cursor in one.inputs
            for item in cursor.pending()
            if isinstance(item, Row)
        ]
        least = min(times, default=float("inf"))
        for held, outlet in self._held:
            _pass(held, outlet, least)


def _pass(held: Cursor, outlet: SharedQueue, until: float) -> None:
    while (item := held.front()) is not None and (
        not isinstance(item, Row) or item.max_ts < until or until == float("inf")
    ):
        held.next()
        if isinstance(item, Row):
            outlet.append(item)
