"""The SQL of lookups: raw rows with the columns of tables beside them."""

from __future__ import annotations

from collections.abc import Sequence

from slackwater.plan.node import Lookup
from slackwater.plan.sql.statement import Statement
from slackwater.plan.sql.windows import Writer
from slackwater.query.schema import Schema


def enriched(writer: Writer, lookups: Sequence[Lookup], schema: Schema) -> Statement:
    """``input`` with what its rows find in each of the tables ``t0``, ``t1``, ...; nulls where they
    find nothing. Keys of a table are unique, so that every row stays one.
    """
    text, reads = "SELECT * FROM input", ["input"]
    for number, one in enumerate(lookups):
        table = f"t{number}"
        reads.append(table)
        on = " AND ".join(
            f"{writer.render(value, schema)} = r.{writer.name(name)}" for value, name in one.on
        )
        text = f"SELECT l.*, r.* FROM ({text}) AS l LEFT JOIN {table} AS r ON {on}"
    return Statement(text, tuple(reads))
