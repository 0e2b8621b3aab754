"""What Spark says when a pipeline fails, in one sentence."""

from __future__ import annotations

from py4j.protocol import Py4JError
from pyspark.errors import PySparkException

from slackwater.errors import SlackwaterError


def spark_failure(error: Exception, log: object) -> SlackwaterError | None:
    """The error for people, if ``error`` is one of Spark's; ``log`` is where the rest is told."""
    if not isinstance(error, PySparkException | Py4JError):
        return None
    lines = [line.strip() for line in str(error).splitlines() if line.strip()]
    reason = next((line for line in lines if not line.startswith("at ")), type(error).__name__)
    return SlackwaterError(
        "SPARK_FAILED",
        f"Spark stopped the pipeline: {reason}",
        f"the whole story is in {log}; batches that were committed are safe, start again to go on",
    )
