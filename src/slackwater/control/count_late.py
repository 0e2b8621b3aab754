"""Rows that come too late for their query, counted before anything is computed from them."""

from __future__ import annotations

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

from slackwater.control.clock import later
from slackwater.control.controller import Controller, Moment, Stateless
from slackwater.control.records import QueryMemory, StreamClock, Wants
from slackwater.plan.stage import QueryPlan
from slackwater.plan.state import State
from slackwater.stats.panes import PaneCount, total
from slackwater.units import upper_edge


@dataclass(frozen=True, slots=True)
class Missed:
    """Rows of a batch that a query could not, or not wholly, use."""

    late: int = 0
    dropped: int = 0
    null_time: int = 0
    far_future: int = 0
    lateness: int | None = None
    spread: tuple[tuple[int, int], ...] = ()

    def __add__(self, other: Missed) -> Missed:
        return Missed(
            self.late + other.late,
            self.dropped + other.dropped,
            self.null_time + other.null_time,
            self.far_future + other.far_future,
            later(self.lateness, other.lateness),
            tuple(sorted((Counter(dict(self.spread)) + Counter(dict(other.spread))).items())),
        )


class Late(Controller[QueryPlan, Stateless, Missed]):
    """Counts rows that came too late, exactly."""

    name = "late"
    memory = Stateless

    def parameters(self, query: QueryPlan) -> QueryPlan:
        return query

    def wants(self, params: QueryPlan, query: QueryPlan, memory: QueryMemory) -> Wants:
        """Rows of joins are kept as they are: they must be counted apart where they are late."""
        after, join = memory.watermark, query.join
        if join is None or after is None:
            return Wants()
        gone: dict[str, tuple[int, ...]] = {
            part.state.identity: (after - query.keep - join.graph.patience(part.name), after)
            for part in join.inputs
        }
        return Wants(cuts=gone)

    def step(
        self, params: QueryPlan, moment: Moment, memory: Stateless
    ) -> tuple[Missed, Stateless]:
        found = Missed()
        for number, (stream, fed) in enumerate(params.fed):
            found += _missed(moment, number, stream, fed)
        return found, memory


def _missed(moment: Moment, number: int, stream: str, fed: State) -> Missed:
    """The rows of one input that its query cannot use."""
    bound = moment.streams[stream].bound
    before = moment.before.get(stream, StreamClock()).clock
    counts = [c for c in moment.observation.panes.get(fed.identity, ()) if c.passes]
    placed = [c for c in counts if c.pane is not None and not c.is_beyond(bound)]
    late, dropped = _too_late(moment.query, number, placed, moment.memory.watermark)
    behind = [(before - c.low, c.rows) for c in late if c.low is not None and before is not None]
    spread: Counter[int] = Counter()
    for lateness, rows in behind:
        spread[upper_edge(lateness)] += rows
    return Missed(
        total(late),
        total(dropped),
        total(c for c in counts if c.pane is None),
        total(c for c in counts if c.is_beyond(bound)),
        max((lateness for lateness, _ in behind), default=None),
        tuple(sorted(spread.items())),
    )


def _too_late(
    query: QueryPlan, number: int, counts: Sequence[PaneCount], after: int | None
) -> tuple[list[PaneCount], list[PaneCount]]:
    """Rows that miss something, and of these the rows that miss everything."""
    if after is None:
        return [], []
    if query.join is not None:
        gone = after - query.keep - query.join.graph.patience(query.join.inputs[number].name)
        late = [c for c in counts if c.pane is not None and c.pane < after]
        return late, [c for c in late if c.pane is not None and c.pane < gone]
    window = query.base.window
    late = [c for c in counts if window.first_start(c.pane or 0) + window.size <= after]
    past = after - query.keep
    return late, [c for c in late if window.last_start(c.pane or 0) + window.size <= past]
