"""Raw rows to what is kept of them, by DuckDB: pane partials, rows of joins, and their counts."""

from __future__ import annotations

from dataclasses import dataclass

import pyarrow as pa

from slackwater.arrow_types import arrow_type
from slackwater.execute.delta import Delta, row_counts, totals
from slackwater.execute.duck import DuckReader
from slackwater.execute.engine import Wanted
from slackwater.execute.hands import Asked
from slackwater.execute.shape import JoinShape, Shapes
from slackwater.plan.sql.lookup import enriched
from slackwater.plan.sql.statement import Statement
from slackwater.plan.stage import PipelinePlan, StreamPlan
from slackwater.plan.state import State
from slackwater.runs.catalog import backlog_state
from slackwater.stats.panes import PaneCount
from slackwater.units import HOUR


@dataclass(frozen=True, slots=True)
class RawReader:
    """One pass over the rows of a batch, or of a part of it."""

    plan: PipelinePlan
    panes: dict[str, pa.Schema]
    inputs: dict[str, pa.Schema]

    @property
    def waiting(self) -> dict[str, str]:
        """Base states whose rows wait until they are worked on, each with where they do."""
        return {identity: backlog_state(*of) for identity, of in self.plan.waiting.items()}

    @classmethod
    def of(cls, plan: PipelinePlan, shapes: Shapes, joins: dict[str, JoinShape]) -> RawReader:
        panes = {
            stage.state.identity: shapes[query.name, stage.level].panes
            for query in plan.queries
            for stage in query.stages
        }
        inputs = {
            one.state.identity: shape.input(one.name)
            for shape in joins.values()
            for one in shape.plan.inputs
        }
        return cls(plan, panes, inputs)

    def read(self, duck: DuckReader, table: pa.Table, state: State, asked: Asked) -> Delta:
        """What rows (with ``__ts``) bring to a base state."""
        if state.lookups:
            table = _looked_up(duck, table, state, asked)
        if state.kind == "input":
            return self._input(duck, table, state, asked)
        return self.partials(duck, table, state)

    def partials(self, duck: DuckReader, table: pa.Table, state: State) -> Delta:
        """Pane partials of the rows that pass; of the others only how many there are, by hour."""
        partial = duck.writer.partial(state, joined=True)
        partials = duck.run(partial, self.panes[state.identity], {}, {"input": table})
        counts = tuple(_counts(duck, table, state))
        sums = totals(partials, self.plan.value_sums.get(state.identity, ()))
        return Delta(state, partials, None, counts, sums=sums)

    def _input(self, duck: DuckReader, table: pa.Table, state: State, asked: Asked) -> Delta:
        """Rows of an input of a join as they are kept."""
        writer, schema = duck.writer, self.inputs[state.identity]
        where = "true" if state.where is None else writer.render(state.where, state.input)
        columns = [
            f"{writer.render(value, state.input)} AS {writer.name(name)}"
            for name, value in state.keys
        ]
        kept = ", ".join(["__ts AS pane", *columns])
        text = f"SELECT {kept} FROM input WHERE coalesce({where}, false)"
        found = duck.ask(Statement(text, ("input",)), {"input": table})
        if "__at" in schema.names:
            instant = pa.scalar(asked.wants.instants.get(state.identity), pa.int64())
            found = found.append_column("__at", pa.repeat(instant, found.num_rows))
        found = found.cast(schema)
        counts = row_counts(found["pane"], state.pane, asked.wants.cuts.get(state.identity, ()))
        fails = [c for c in _counts(duck, table, state) if not c.passes]
        return Delta(state, found, None, (*counts, *fails))


def _looked_up(duck: DuckReader, table: pa.Table, state: State, asked: Asked) -> pa.Table:
    """Rows with what they find in the tables of this batch."""
    relations: dict[str, pa.Table | Wanted] = {"input": table}
    for number, one in enumerate(state.lookups):
        columns = [(c.name, arrow_type(c.type)) for c in state.read_of(one.table)]
        relations[f"t{number}"] = Wanted([asked.tables[one.table]], pa.schema(columns))
    return duck.ask(enriched(duck.writer, state.lookups, state.input), relations)


def _counts(duck: DuckReader, table: pa.Table, state: State) -> list[PaneCount]:
    writer = duck.writer
    where = "true" if state.where is None else writer.render(state.where, state.input)
    pane = writer.pane_of("__ts", state)
    hour = writer.quotient("__ts", HOUR)
    text = (
        f"SELECT CASE WHEN p THEN {pane} END AS pane, p, CASE WHEN NOT p THEN {hour} END AS h, "
        "count(*) AS n, min(__ts) AS low, max(__ts) AS high "
        f"FROM (SELECT __ts, coalesce({where}, false) AS p FROM input) GROUP BY 1, 2, 3"
    )
    found = duck.ask(Statement(text, ("input",)), {"input": table}).to_pylist()
    return [PaneCount(r["pane"], r["p"], r["n"], r["low"], r["high"]) for r in found]


def timed(table: pa.Table, stream: StreamPlan) -> pa.Table:
    """The columns that are read, and the event time in microseconds as ``__ts``."""
    times = table[stream.time].cast(pa.timestamp("us", table.schema.field(stream.time).type.tz))
    return table.select(stream.columns).append_column("__ts", times.cast(pa.int64()))
