"""A local Spark session for programs that own the screen: what the JVM says goes into a file."""

from __future__ import annotations

import atexit
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from slackwater.errors import MachineError
from slackwater.runs.files import storage_error
from slackwater.spark.session import local_session

_STREAMS = (1, 2)  # standard output and standard error, as the operating system knows them


def quiet_session(log: Path, *, kafka: bool = False) -> SparkSession:
    """A local session whose JVM, and the Python workers under it, write to ``log``."""
    try:
        log.parent.mkdir(parents=True, exist_ok=True)
        log.touch()
    except OSError as error:
        raise storage_error(error, log) from error
    try:
        with _diverted(log):
            session = local_session(kafka=kafka)
    except PySparkException as error:
        raise MachineError(
            "SPARK_START_FAILED",
            f"Spark does not start: {str(error).splitlines()[0]}",
            f"{log} has what Java said",
        ) from error
    # Extension modules complain about what is left when the interpreter ends; nobody can mend it.
    atexit.register(_divert_errors, log)
    return session


@contextmanager
def _diverted(log: Path) -> Iterator[None]:
    """Processes started meanwhile inherit the file as their output, for good."""
    sys.stdout.flush()
    sys.stderr.flush()
    saved = [(stream, os.dup(stream)) for stream in _STREAMS]
    try:
        with log.open("ab") as file:
            for stream, _ in saved:
                os.dup2(file.fileno(), stream)
        yield
    finally:
        for stream, copy in saved:
            os.dup2(copy, stream)
            os.close(copy)


def _divert_errors(log: Path) -> None:
    sys.stderr.flush()
    where = log if log.parent.exists() else Path(os.devnull)
    with where.open("ab") as file:
        os.dup2(file.fileno(), 2)
