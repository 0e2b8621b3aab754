"""Estimates out of a checkpoint, from any process: no Spark, no query, nothing disturbed."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa

from slackwater.control.request import Request
from slackwater.errors import CheckpointError, QueryError
from slackwater.execute.duck import DuckEngine
from slackwater.execute.estimates.reading import Reading
from slackwater.execute.estimates.snapshot import Snapshot
from slackwater.execute.estimates.trial import problem_with
from slackwater.runs.checkpoint import Checkpoint
from slackwater.runs.files import unseal
from slackwater.runs.requests import Inbox, check_query, new_id

ATTEMPTS = 5


def read_estimates(
    checkpoint: str | Path, query: str | None = None, where: str | None = None
) -> pa.Table:
    """What the open windows of a query would say now, read from its checkpoint folder.

    The pipeline may be running, in this or another process, or have stopped.

    Parameters
    ----------
    checkpoint
        The folder given to ``start``.
    query
        Which query; may be left out if there is only one.
    where
        An SQL predicate over the result's columns.
    """
    folder = Checkpoint(Path(checkpoint).absolute())
    readings = read_readings(folder)
    reading = readings[check_query(query, readings)]
    for attempt in range(ATTEMPTS):
        snapshot = newest(folder)
        engine = DuckEngine(folder.runs, zone=reading.zone)
        try:
            return snapshot.estimate(engine, reading, where)
        except (CheckpointError, FileNotFoundError):
            # a running pipeline may drop runs of a batch that has just become old: look again
            if attempt + 1 == ATTEMPTS or newest(folder).batch == snapshot.batch:
                raise
        finally:
            engine.close()
    raise AssertionError  # the last attempt returned or raised


def prod(
    checkpoint: str | Path,
    query: str | None = None,
    where: str | None = None,
    *,
    aggressiveness: float | None = None,
    automatic: bool = False,
) -> str:
    """Leave a prod for the next batch of a running pipeline; give its id.

    With ``aggressiveness`` (or ``automatic``, to hand it back) nothing is estimated now, but
    windows are prodded earlier or later from then on. A prod that cannot be answered is refused
    with a ``QueryError`` and not left.
    """
    folder = Checkpoint(Path(checkpoint).absolute())
    readings = read_readings(folder)
    name = check_query(query, [n for n, r in readings.items() if r.is_prodded])
    request = Request(new_id(), name, where, aggressiveness, automatic)
    engine = DuckEngine(folder.runs, sketches=False)
    try:
        problem = problem_with(request, readings[name], engine)
    finally:
        engine.close()
    if problem is not None:
        raise QueryError([problem])
    return Inbox(folder.prods).put(request)


def read_readings(folder: Checkpoint) -> dict[str, Reading]:
    if not folder.readings.exists():
        raise CheckpointError(
            "CHECKPOINT_MISSING",
            f"{folder.folder} is not the checkpoint of a pipeline with aggregates",
            "give the folder that the pipeline was started with",
        )
    value = unseal(folder.readings)
    folder.check_format(value.get("format"))
    return {name: Reading.from_json(one) for name, one in value["queries"].items()}


def newest(folder: Checkpoint) -> Snapshot:
    """What the newest committed batch left behind."""
    manifest = folder.newest()
    if manifest is None:
        raise CheckpointError("CHECKPOINT_EMPTY", f"{folder.folder} has no batch yet", "try later")
    return Snapshot(manifest.batch, manifest.catalog, manifest.memory)
