"""A stream of prods: every row of it is a demand for an estimate."""

from __future__ import annotations

from pathlib import Path

from pyspark.sql import DataFrame
from pyspark.sql.streaming.query import StreamingQuery

from slackwater.control.request import Request
from slackwater.errors import Problem, SlackwaterError
from slackwater.execute.requests import STREAM
from slackwater.runs.offsets import SparkLog
from slackwater.runs.requests import Inbox, check_query

COLUMNS = {"query": "string", "where": "string", "aggressiveness": "double"}


def check_control(prods: DataFrame) -> list[Problem]:
    """What is wrong with a stream of prods."""
    at = "start, prods"
    if not isinstance(prods, DataFrame) or not prods.isStreaming:
        return [Problem("PRODS_INVALID", at, "prods is not a streaming DataFrame")]
    kinds = {field.name: field.dataType.simpleString() for field in prods.schema}
    hint = f"columns: {', '.join(f'{n} {k}' for n, k in COLUMNS.items())}, all may be left out"
    return [
        Problem("PRODS_INVALID", at, f"column {name!r} is {kind}", hint)
        for name, kind in kinds.items()
        if COLUMNS.get(name, kind) != kind
    ]


def follow(
    prods: DataFrame, inbox: Inbox, queries: list[str], checkpoint: Path, *, ends: bool
) -> StreamingQuery:
    """Hand the rows of a stream to the next batches of a pipeline; ``ends``: those there now.

    An id tells the place in the stream, so a row read twice is still one prod; the pipeline knows
    the ids that it answered and that may come again.
    """
    log = SparkLog(checkpoint)

    def hand_over(rows: DataFrame, batch: int) -> None:
        log.flush(batch)  # the same place in the stream is the same row, after any crash
        wanted = [name for name in COLUMNS if name in rows.columns]
        for number, row in enumerate(rows.select(*wanted).toLocalIterator()):
            value = row.asDict()
            try:
                query = check_query(value.get("query"), queries)
            except SlackwaterError:  # the pipeline refuses it by its name, and tells
                query = str(value.get("query"))
            inbox.put(
                Request(
                    f"{STREAM}-{batch}-{number}",
                    query,
                    value.get("where"),
                    value.get("aggressiveness"),
                )
            )

    writer = prods.writeStream.foreachBatch(hand_over)
    writer = writer.option("checkpointLocation", f"file://{checkpoint}")
    return writer.trigger(availableNow=True).start() if ends else writer.start()
