"""What a result of a query with ranks lacks: the column ``complete``, in either place of state.

It is worked out from what the decision says of rows that were given up or wait, so a batch that is
repeated says the same.
"""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from slackwater.control.orders import Work
from slackwater.plan.names import COMPLETE
from slackwater.plan.stage import QueryPlan

FIELD = pa.field(COMPLETE, pa.int32())


def is_told(query: QueryPlan) -> bool:
    """Whether results of a query say what they lack."""
    return query.costly is not None and bool(query.costly.levels)


def with_field(query: QueryPlan, shown: pa.Schema) -> pa.Schema:
    """The columns that people see, ``complete`` among them where it is told."""
    return shown.append(FIELD) if is_told(query) else shown


def completed(shown: pa.Table, query: QueryPlan, work: Work) -> pa.Table:
    """Results with the rank up to which no row that belongs to them is missing.

    A final of a window lacks only what was given up; results of a join and estimates also what
    waits.
    """
    name = "window_start" if query.stages else "event_time"
    begin = shown[name].cast(pa.int64()).to_numpy() - reach(query)
    found = np.searchsorted(work.pending, begin, side="left")
    if query.stages:
        is_early = pc.equal(shown["kind"], "estimate").to_numpy()
        found = np.where(is_early, found, np.searchsorted(work.lost, begin, side="left"))
    return shown.append_column(FIELD, pa.array(found, pa.int32()))


def reach(query: QueryPlan) -> int:
    """How much older than its window, or than itself, the rows of a result may be."""
    below = sum(stage.window.size for stage in query.stages[:-1])
    graph = None if query.join is None else query.join.graph
    return below + (0 if graph is None else max(graph.patience(name) for name in graph.names))
