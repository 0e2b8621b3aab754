"""Views over results: the latest known answer of every window."""

from __future__ import annotations

from collections.abc import Sequence

from pyspark.sql import DataFrame, Window
from pyspark.sql import functions as F

from slackwater.query.names import quoted


def latest(results: DataFrame, keys: Sequence[str] = ()) -> DataFrame:
    """The latest known answer of every window and group.

    A final replaces every estimate, a revision the final before it, and of estimates the newest
    counts. The results themselves are the full history.

    Parameters
    ----------
    results
        Results of one query, with ``kind`` and ``revision``.
    keys
        Its group keys.
    """
    rank = F.when(F.col("kind") == "estimate", 0).otherwise(1)
    group = Window.partitionBy("window_start", "window_end", *map(quoted, keys))
    newest = F.row_number().over(group.orderBy(rank.desc(), F.col("revision").desc()))
    return results.withColumn("__rank", newest).where("__rank = 1").drop("__rank")
