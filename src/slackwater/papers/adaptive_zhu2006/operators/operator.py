"""What all operators share: inputs with cursors, an output, outlets of a box, punctuations.

Reference: Zhu 2006, ch. 10 and 15. An operator hands a punctuation on when all its inputs have
brought it. An *outlet* leads out of the box that the operator is the root of; there, and only
there, an old box suppresses rows that are all new (``suppresses``).
"""

from __future__ import annotations

from slackwater.papers.adaptive_zhu2006.operators.plan import Plan
from slackwater.papers.adaptive_zhu2006.operators.row import Item, Punctuation, Row
from slackwater.papers.adaptive_zhu2006.operators.shared_queue import Cursor, SharedQueue
from slackwater.papers.adaptive_zhu2006.operators.state import State

START = float("-inf")


class Operator:
    """One node of a plan, running."""

    def __init__(self, node: Plan, inputs: list[Cursor]) -> None:
        self.node = node
        self.inputs = inputs
        self.output = SharedQueue()
        self.outlets: list[SharedQueue] = []
        self.suppresses: int | None = None
        self.suppresses_inside: int | None = None  # only to show that it loses results
        self.heard = [START for _ in inputs]
        self.passed = START
        self.is_cut = False  # has handed on the punctuation of a synchronisation

    @property
    def states(self) -> list[State]:
        """What it remembers, one per input; none if it is stateless."""
        return []

    def take(self, port: int, row: Row) -> None:
        raise NotImplementedError

    def close_until(self, ts: float) -> None:
        """All inputs have come to this time."""

    def consume(self, port: int) -> None:
        """Read one item of an input."""
        item = self.inputs[port].next()
        if isinstance(item, Row):
            self.take(port, item)
            return
        self.heard[port] = max(self.heard[port], item.ts)
        together = min(self.heard)
        if together > self.passed:
            self.passed = together
            self.close_until(together)
            self.is_cut = self.is_cut or item.is_cut
            self.emit(Punctuation(together, item.is_cut))

    def emit(self, item: Item) -> None:
        if not self._is_dropped(item, self.suppresses_inside):
            self.output.append(item)
        if not self._is_dropped(item, self.suppresses):
            for outlet in self.outlets:
                outlet.append(item)

    def holds_old(self, epoch: int) -> bool:
        """Whether a tuple from before this migration is in a state or still to be read."""
        kept = any(row.epoch < epoch for state in self.states for row in state)
        return kept or any(self._waits(cursor, epoch) for cursor in self.inputs)

    @staticmethod
    def _waits(cursor: Cursor, epoch: int) -> bool:
        if cursor.mark is not None:
            return any(
                isinstance(item, Row) and cursor.position + number < cursor.mark[0]
                for number, item in enumerate(cursor.pending())
            )
        return any(isinstance(item, Row) and item.epoch < epoch for item in cursor.pending())

    @staticmethod
    def _is_dropped(item: Item, epoch: int | None) -> bool:
        return epoch is not None and isinstance(item, Row) and item.epoch >= epoch
