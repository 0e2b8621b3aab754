"""The session both engines are measured in."""

from __future__ import annotations

import psutil
from pyspark.sql import SparkSession

from slackwater.spark.session import local_session

GIGABYTE = 1 << 30


def bench_session(*, kafka: bool = False) -> SparkSession:
    """A local Spark with room for the state of plain Spark's own operators."""
    memory = min(4, max(1, psutil.virtual_memory().total // (4 * GIGABYTE)))
    return local_session(
        "slackwater-bench", conf={"spark.driver.memory": f"{memory}g"}, kafka=kafka
    )


def own_session(spark: SparkSession) -> SparkSession:
    """A session of its own on the same Spark: same settings for both engines, all batches kept."""
    session = spark.newSession()
    session.conf.set("spark.sql.session.timeZone", "UTC")
    session.conf.set("spark.sql.streaming.numRecentProgressUpdates", "10000")
    return session
