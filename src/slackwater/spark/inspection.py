"""Whether the sources of a pipeline could be read: asked beforehand, nothing is read."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from slackwater.errors import SlackwaterError
from slackwater.spark.pipeline import Pipeline
from slackwater.spark.quiet import quiet_session
from slackwater.spark.sources import Kafka


@dataclass(frozen=True, slots=True)
class SourceFinding:
    """What was found out about the source of a stream: that it may be read, or why not."""

    stream: str
    text: str
    error: SlackwaterError | None = None


def inspect_sources(pipeline: Pipeline) -> Iterator[SourceFinding]:
    """Ask the brokers of topics; other sources were looked at when the pipeline was made.

    Spark is started for it, since its connector is what will read, with the same options.
    """
    topics = {name: one for name, one in pipeline.sources.items() if isinstance(one, Kafka)}
    if not topics:
        return
    log = Path(tempfile.mkdtemp(prefix="slackwater-check-")) / "spark.log"
    try:
        session = quiet_session(log, kafka=True)
    except SlackwaterError as error:
        yield from (SourceFinding(name, error.message, error) for name in topics)
        return
    for name, source in topics.items():
        try:
            yield SourceFinding(name, source.check(session))
        except SlackwaterError as error:
            yield SourceFinding(name, error.message, error)
