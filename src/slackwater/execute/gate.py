"""Of a query that came in mid-stream only what is whole is given."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.compute as pc

from slackwater.control.turn import Turn


def whole(shown: pa.Table, turn: Turn) -> pa.Table:
    """Results as people see them, without those that lack rows which came before the query."""
    after = turn.decision.whole_after
    if after is None:
        return shown
    column = shown["window_end" if turn.query.stages else "event_time"]
    return shown.filter(pc.greater(column.cast(pa.int64()), after))
