"""A plan with a placement, run: windows move, and every operator is timed by itself.

Times are of the processor: what else the machine does is not in them.
"""

from __future__ import annotations

import gc
from collections import Counter, deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from time import thread_time

import duckdb

from slackwater.hybrid.algebra import Relation, Step, Window, inputs, walk
from slackwater.hybrid.cost import Composite, Cost
from slackwater.hybrid.sql import composite
from slackwater.papers.hybrid_ji2018.operators.change import Change, Meanings, Row
from slackwater.papers.hybrid_ji2018.operators.columns import MigOperator
from slackwater.papers.hybrid_ji2018.operators.rows import RowOperator, row_operator

Feed = Callable[[int], list[Row]]
"""So many rows more of the stream."""


@dataclass(slots=True)
class Busy:
    """How long an operator took for a stretch of the stream, in seconds."""

    what: Step | Composite
    operator: RowOperator
    reads: tuple[Relation, ...]
    seconds: float = 0.0


class MovingWindow:
    """The rows of a time window, by its slides."""

    def __init__(self, window: Window) -> None:
        self.slides = round(window.size / window.slide)
        self._kept: deque[list[Row]] = deque()

    def fill(self, rows: list[Row]) -> Change:
        """A full window, all at once."""
        each = -(-len(rows) // self.slides)
        mine = [rows[n * each : (n + 1) * each] for n in range(self.slides)]
        self._kept.extend(mine)
        return Change([row for slide in mine for row in slide], [])

    def move(self, rows: list[Row]) -> Change:
        self._kept.append(rows)
        return Change(rows, self._kept.popleft())


@dataclass
class Execution:
    """One plan over one stream; all windows read the same rows."""

    root: Step
    column: frozenset[str]
    meanings: Meanings
    engine: duckdb.DuckDBPyConnection
    operators: dict[str, Busy] = field(default_factory=dict)
    result: Counter[Row] = field(default_factory=Counter)

    def __post_init__(self) -> None:
        self._windows = {
            one.name: (one, MovingWindow(one)) for one in walk(self.root) if isinstance(one, Window)
        }
        self._add(self.root)

    def _add(self, step: Relation) -> None:
        """Operators behind what they read: one for each row operator, one for each composite."""
        if isinstance(step, Window) or step.name in self.operators:
            return
        if step.name in self.column:
            moved = composite(step, self.column)
            reads, operator = moved.ports, MigOperator(moved, self.engine)
            for port in reads:
                self._add(port)
            self.operators[step.name] = Busy(moved, operator, reads)
            return
        for one in inputs(step):
            self._add(one)
        self.operators[step.name] = Busy(step, row_operator(step, self.meanings), inputs(step))

    def run(self, feed: Feed, moves: int) -> Iterator[Counter[Row]]:
        """Fill the windows, then move them; gives the result after each move, timed from there."""
        longest = max((one for one, _ in self._windows.values()), key=lambda one: one.size)
        rows = feed(round(longest.rate * longest.size))
        self._step(
            {
                name: moving.fill(rows[-round(window.rate * window.size) :])
                for name, (window, moving) in self._windows.items()
            }
        )
        for one in self.operators.values():
            one.seconds = 0.0
        gc.collect()
        for _ in range(moves):
            fresh = feed(round(longest.rate * longest.slide))
            gc.disable()  # millions of rows are looked through whenever it runs, by anybody
            self._step({name: moving.move(fresh) for name, (_, moving) in self._windows.items()})
            gc.enable()
            yield +self.result

    def _step(self, changes: dict[str, Change]) -> None:
        for name, busy in self.operators.items():
            taken = [changes[one.name] for one in busy.reads]
            began = thread_time()
            changes[name] = busy.operator.update(*taken)
            busy.seconds += thread_time() - began
        came, went = changes[self.root.name]
        self.result.update(came)
        self.result.subtract(went)

    def cost(self, seconds: float) -> Cost:
        """Measured, over so much time of the stream."""
        known = Cost()
        for one in self.operators.values():
            known = known.plus(one.seconds / seconds)
        return known
