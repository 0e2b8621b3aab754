"""The slack of a query under an error bound, followed tuple at a time.

The controller is the engine's own (``disorder.error_slack``); everything it is told is found here
anew from plain rows: pane counts, totals of values, errors of answers once stragglers are in.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import replace
from typing import Any

import pyarrow as pa

from slackwater.disorder.error_slack import (
    MEASURED_EVERY,
    ErrorSeen,
    ErrorSlackParams,
    ErrorSlackState,
    settled,
    step,
    unseen,
)
from slackwater.disorder.fulfilment import size_deciles
from slackwater.disorder.keys import total
from slackwater.plan.stage import QueryPlan
from slackwater.replay.evaluate import Evaluator
from slackwater.stats.panes import PaneCount
from slackwater.stats.relative_error import relative_error

Row = dict[str, Any]


class Follower:
    """Chooses the slack of one query batch by batch, and measures its answers."""

    def __init__(self, plan: QueryPlan, params: ErrorSlackParams, evaluator: Evaluator) -> None:
        assert plan.promise is not None
        self.promise = plan.promise
        self.stage = plan.base
        self.params = params
        self.state = ErrorSlackState()
        self.after: int | None = None
        self.upto: int | None = None
        self.batch = 0
        self.errors: list[Row] = []
        self.unseen = 0
        self._evaluator = evaluator
        self._said: dict[tuple[Any, ...], Row] = {}
        self._seen = ErrorSeen(None, None, ())

    def choose(
        self,
        batch: pa.Table,
        times: list[int | None],
        clocks: tuple[int | None, int | None],
        watermark: int | None,
    ) -> int | None:
        """The slack after a batch, ``None`` while the watermark is held.

        ``clocks`` are those before the batch and after it, the watermark is that before it.
        """
        rows = self._evaluator.prepare(batch, self.stage.state)
        passing = [time for time, ok in zip(times, rows["__passes"].to_pylist(), strict=True) if ok]
        totals = self._evaluator.totals(batch, self.stage.state)
        sums = tuple(
            (totals[b.sums[0]], totals[b.sums[1]], totals[b.sums[2]]) if b.sums else (0.0, 0.0, 0.0)
            for b in self.promise.bounds
        )
        counts = tuple(self._counts(time for time in passing if time is not None))
        doubt = unseen(self.params, counts, self.upto, None)
        self.unseen += doubt
        seen = replace(
            self._seen,
            before=clocks[0],
            after=clocks[1],
            counts=counts,
            sums=sums,
            unseen=doubt,
            watermark=watermark,
            settled=self.upto,
        )
        self.state = step(self.params, self.state, seen)
        return None if self.state.is_endless else self.state.slack

    def _counts(self, times: Iterable[int]) -> list[PaneCount]:
        found: dict[int, list[int]] = {}
        for time in times:
            pane = time - (time - self.stage.state.offset) % self.stage.state.pane
            found.setdefault(pane, []).append(time)
        return [PaneCount(p, True, len(t), min(t), max(t)) for p, t in sorted(found.items())]

    def settle(self, clock: int | None, watermark: int | None) -> None:
        """Which windows have their stragglers by now."""
        self.after = self.upto
        is_end = clock is not None and watermark is not None and watermark > clock
        if self.batch % MEASURED_EVERY == 0 or is_end:
            self.upto = settled(self.params, self.state, self.upto, clock, watermark)
        self.batch += 1

    def is_settling(self, end: int) -> bool:
        return (
            self.upto is not None and end <= self.upto and (self.after is None or end > self.after)
        )

    def say(self, answers: list[Row]) -> None:
        """Remember first answers."""
        for row in answers:
            if row["revision"] == 0:
                self._said[self._group(row)] = row

    def measure(self, truth: list[Row], sizes: dict[tuple[Any, ...], int]) -> None:
        """Compare what was said with what is true of the windows that settle now."""
        found = []
        for row in truth:
            said = self._said.pop(self._group(row), None)
            kept = all(
                _error(row, said, name) <= epsilon for name, epsilon in self.promise.columns.items()
            )
            found.append({**row, "within": kept, "rows": sizes[self._group(row)]})
        self.errors += found
        deciles: tuple[float, ...] = self._seen.sizes or ()
        if found:
            deciles = size_deciles([row["rows"] for row in found])
        within = sum(row["within"] for row in found)
        tallies = ((self._name(row), 1, int(row["within"])) for row in found)
        self._seen = ErrorSeen(
            None,
            None,
            (),
            (),
            deciles or None,
            len(found),
            within,
            keys=total(tallies) if self.stage.keys else (),
        )

    def _name(self, row: Row) -> str:
        return ", ".join(str(row[key]) for key in self.stage.keys)

    def _group(self, row: Row) -> tuple[Any, ...]:
        return (row["__start"], *(row[key] for key in self.stage.keys))


def _error(true: Row, said: Row | None, name: str) -> float:
    answer = None if said is None else _number(said[name])
    return relative_error(_number(true[name]), answer, is_given=said is not None)


def _number(value: Any) -> float | None:
    return None if value is None else float(value)
