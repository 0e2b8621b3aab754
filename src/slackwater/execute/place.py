"""Where state is advanced, as the loop sees it: the port, and this process as one."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Generic, Protocol

from slackwater.control.orders import Pieces
from slackwater.control.records import Tier
from slackwater.control.share import Loads
from slackwater.execute.batch import Batch, Execution, Layout, Outcome
from slackwater.execute.delta import Delta
from slackwater.execute.duck import DuckEngine
from slackwater.execute.hands import Asked, B, B_contra, Hands, Seen
from slackwater.execute.limits import Limits
from slackwater.execute.tidy import tidy
from slackwater.runs.catalog import Catalog, backlog_state


class Place(Protocol[B_contra]):
    """Looks at new rows, advances state as decided."""

    @property
    def tier(self) -> Tier: ...

    def observe(self, rows: B_contra, asked: Asked) -> Seen:
        """One pass over the new rows: partial work and statistics together."""
        ...

    def loads(self, seen: Seen, catalog: Catalog) -> Loads | None:
        """What groups have to do in this batch, where state is spread over them."""
        ...

    def execute(self, batch: Batch) -> Outcome:
        """Advance the plan by one batch; nothing is delivered."""
        ...

    def tidy(self, batch: Batch) -> None:
        """Drop runs that nobody needs any more, merge those that have become many."""
        ...

    def release(self) -> None:
        """What the batch came to was delivered."""
        ...


def worked_on(batch: Batch, state: str, query: str, number: int) -> Pieces:
    """Which rows of an input that wait are worked on; those that came wait with them from now."""
    came, order = batch.seen.deltas.get(state), batch.turns[query].decision.work
    batch.catalog.add(None if came is None else came.run)
    return () if order is None else order.of(number)


@dataclass(frozen=True, slots=True)
class Here(Generic[B]):
    """All state in this process."""

    layout: Layout
    engine: DuckEngine
    hands: Hands[B]
    limits: Limits

    @property
    def tier(self) -> Tier:
        return "columnar"

    def observe(self, rows: B, asked: Asked) -> Seen:
        return self.hands.observe(rows, asked)

    def loads(self, _seen: Seen, _catalog: Catalog) -> None:
        """There is nobody to share with."""

    def execute(self, batch: Batch) -> Outcome:
        execution = Execution(self.layout, self.engine, self.hands, batch)
        return execution.run(batch.seen.deltas | self._worked(batch))

    def _worked(self, batch: Batch) -> dict[str, Delta | None]:
        """Of expensive queries not the rows that came, which wait, but those worked on."""
        found: dict[str, Delta | None] = {}
        for state, (name, number) in self.layout.plan.waiting.items():
            turn, pieces = batch.turns[name], worked_on(batch, state, name, number)
            runs = batch.catalog.at(backlog_state(name, number))
            found[state] = self.hands.work(turn, number, runs, pieces) if pieces else None
        return found

    def tidy(self, batch: Batch) -> None:
        tidy(self.layout, self.engine, batch, self.limits)

    def release(self) -> None:
        """Tables are in memory as long as somebody has them."""
