"""The SQL of results that lack inputs.

A combination of all required inputs is *settled* when the watermark passes the first instant from
which on one of its members waits for nobody any more: that instant is the event time of what is
then answered, its partners in each optional input, or null where there are none. Where every
optional input has some, the results were given before.

Nothing is remembered of what was found: the rows that are held tell it again. What was said before
this batch follows from held rows alone; where answers are revised, the difference is what to say.
"""

from __future__ import annotations

from dataclasses import dataclass

from slackwater.plan.join import JoinPlan
from slackwater.plan.sql.joins import Draft
from slackwater.plan.sql.statement import Statement
from slackwater.plan.sql.windows import Writer

FRESH, HELD = "f", "h"


@dataclass(frozen=True, slots=True)
class UnmatchedWriter:
    """Writes the statements; ``f<n>`` and ``h<n>`` are the fresh and the held rows of input n."""

    writer: Writer
    plan: JoinPlan

    def settled(self) -> Statement:
        """Results that lack inputs, of what is settled between ``after`` and ``upto``."""
        draft = _Draft(self.writer, self.plan, late=False, mixed=False)
        found = draft.lacking(FRESH + HELD, "after", "upto")
        return draft.whole(f"{draft.labelled(found)}{draft.only()}")

    def revised(self) -> Statement:
        """The same where late rows count: what is new since ``kept``, and what is taken back."""
        draft = _Draft(self.writer, self.plan, late=False, mixed=False)
        now = draft.lacking(FRESH + HELD, "kept", "upto")
        before = draft.lacking(HELD, "kept", "after")
        told = draft.labelled(f"({now}) EXCEPT ALL ({before})")
        taken = draft.labelled(f"({before}) EXCEPT ALL ({now})", withdrawn=True)
        return draft.whole(f"{told}{draft.only()} UNION ALL {taken}{draft.only()}")


@dataclass(slots=True)
class _Draft(Draft):
    """A statement while it is written."""

    def labelled(self, rows: str, *, withdrawn: bool = False) -> str:
        given = "false" if withdrawn else f"__ts >= {self.parameter('after')}"
        return f"SELECT *, {given} AS __given{self.flag(withdrawn=withdrawn)} FROM ({rows})"

    def only(self) -> str:
        conditions = self.above()
        return f" WHERE {' AND '.join(conditions)}" if conditions else ""

    def lacking(self, kinds: str, low: str, high: str) -> str:
        """Combinations settled from ``low`` to ``high`` that lack an input, among some rows."""
        graph = self.plan.graph
        whole = frozenset(graph.required)
        terms = [self._settled(name, kinds, low, high) for name in graph.required]
        columns = self._own(whole)
        owner = dict.fromkeys(columns, "r")
        rows = " UNION ALL ".join(terms)
        parts = [f"r AS MATERIALIZED (SELECT *, row_number() OVER () AS __id FROM ({rows}))"]
        joins, missing = "r", []
        for name in graph.names:
            if name not in graph.optional:
                continue
            part = f"p{graph.names.index(name)}"
            mine = self._own(frozenset({name}))
            owner |= dict.fromkeys(mine, part)
            on = " AND ".join(self._conditions(whole, frozenset({name})))
            found = ", ".join(["l.__id", *(f"r.{column}" for column in mine)])
            rows = self._rows_of(name, kinds)
            parts.append(f"{part} AS (SELECT {found} FROM r AS l JOIN ({rows}) AS r ON {on})")
            joins += f" LEFT JOIN {part} ON {part}.__id = r.__id"
            missing.append(f"{part}.__id IS NULL")
        wanted = [self._time(n) for n in graph.names]
        wanted += [self.writer.name(column) for column in self.plan.columns(frozenset(graph.names))]
        shown = ", ".join([*(f"{owner[column]}.{column}" for column in wanted), "r.__ts"])
        return f"WITH {', '.join(parts)} SELECT {shown} FROM {joins} WHERE {' OR '.join(missing)}"

    def _rows_of(self, name: str, kinds: str) -> str:
        number = self.plan.graph.names.index(name)
        return " UNION ALL ".join(self._input(name, number, kind) for kind in kinds)

    def _own(self, names: frozenset[str]) -> list[str]:
        times = [self._time(name) for name in self._ordered(names)]
        return [*times, *self._carried(names)]

    def _settled(self, first: str, kinds: str, low: str, high: str) -> str:
        """Combinations of the required inputs of which the member of ``first`` is settled first."""
        graph = self.plan.graph
        order = self._along(first)
        end = f"{self._time(first)} + {graph.patience(first)}"
        low, high = self.parameter(low), self.parameter(high)
        rows = self._rows_of(first, kinds)
        text = f"SELECT *, {end} AS __ts FROM ({rows}) WHERE {end} >= {low} AND {end} < {high}"
        bound = frozenset({first})
        for other in order:
            added = frozenset({other})
            right = self._rows_of(other, kinds)
            on = self._conditions(bound, added)
            is_before = graph.names.index(other) < graph.names.index(first)
            theirs = f"r.{self._time(other)} + {graph.patience(other)}"
            on.append(f"{theirs} {'>' if is_before else '>='} l.__ts")  # of equals the first counts
            bound |= added
            columns = ", ".join([*self._own(bound), "__ts"])
            text = f"SELECT {columns} FROM ({text}) AS l JOIN ({right}) AS r ON {' AND '.join(on)}"
        return f"SELECT {', '.join([*self._own(bound), '__ts'])} FROM ({text})"

    def _along(self, first: str) -> list[str]:
        """The other required inputs, along predicates, as listed among those."""
        left = [name for name in self.plan.graph.required if name != first]
        order: list[str] = []
        while left:
            bound = frozenset({first, *order})
            near = (n for n in left if self.plan.graph.touches(bound, frozenset({n})))
            chosen = next(near, left[0])
            left.remove(chosen)
            order.append(chosen)
        return order
