"""When tables are read again: by the clock of the query, never by one on the wall."""

from __future__ import annotations

from dataclasses import dataclass, field

from slackwater.control.controller import Controller, Moment
from slackwater.control.records import Explanation
from slackwater.plan.lookup import Refreshing
from slackwater.plan.stage import QueryPlan


@dataclass(frozen=True, slots=True)
class Periods:
    """By table: the last period of its refresh that the clock was in."""

    last: dict[str, int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Refresh:
    """Read these tables again after this batch; the next one sees what they hold then."""

    tables: tuple[str, ...] = ()


class TableRefresh(Controller[Refreshing, Periods, Refresh]):
    """Reads a table again when the clock enters another period of its refresh."""

    name = "refresh"
    memory = Periods
    order = Refresh

    def parameters(self, query: QueryPlan) -> Refreshing | None:
        return query.find(Refreshing)

    def step(self, params: Refreshing, moment: Moment, memory: Periods) -> tuple[Refresh, Periods]:
        if moment.observation.ended:
            return Refresh(), memory
        clock = moment.clock
        now = {t.name: clock // t.refresh for t in params.tables if t.refresh and clock is not None}
        due = [t.name for t in params.tables if not t.refresh or _is_due(t.name, memory, now)]
        return Refresh(tuple(due)), Periods({**memory.last, **now})

    def explain(self, terms: Refresh) -> Explanation:
        return {"refresh": ", ".join(terms.tables) or None}


def _is_due(name: str, memory: Periods, now: dict[str, int]) -> bool:
    """Whether a period is over; the first one began with what was read at the start."""
    return name in now and name in memory.last and now[name] > memory.last[name]
