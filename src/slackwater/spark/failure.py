"""What Spark says when a pipeline fails, in one sentence."""

from __future__ import annotations

import errno
import os
import re
from pathlib import Path

from py4j.protocol import Py4JError
from pyspark.errors import PySparkException

from slackwater.errors import SlackwaterError
from slackwater.runs.files import storage_error
from slackwater.runs.run import damaged

_FULL = {os.strerror(code): code for code in (errno.ENOSPC, errno.EDQUOT, errno.EFBIG)}
_UNREADABLE = ("FAILED_READ_FILE", "ChecksumException")


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


def storage_failure(error: BaseException, runs: Path) -> SlackwaterError | None:
    """The error for people, if an executor found the disk full or state that is damaged."""
    if not isinstance(error, PySparkException | Py4JError):
        return None
    story = str(error)
    for reason, code in _FULL.items():
        if reason in story:
            return storage_error(OSError(code, reason), runs.parent)
    found = re.search(rf"{re.escape(str(runs))}/[^\s:,]+", story)
    if found is not None and any(word in story for word in _UNREADABLE):
        return damaged(Path(found[0].rstrip(".")), "does not have the content that was written")
    return None
