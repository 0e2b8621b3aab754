"""Topics that are watched while they are read: what is gone from them, and why reading failed."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

from py4j.protocol import Py4JError
from pyspark.errors import PySparkException
from pyspark.sql import SparkSession

from slackwater.errors import SlackwaterError, SourceError
from slackwater.runs.offsets import SparkLog
from slackwater.secrets import concealed
from slackwater.spark.sources.topics.broker import first_offsets, meaning
from slackwater.spark.sources.topics.kafka import Kafka

SHOWN = 300  # letters of what Spark says


@dataclass(slots=True)
class Topics:
    """The streams of a pipeline that are topics of Kafka."""

    log: SparkLog
    session: SparkSession
    sources: dict[str, Kafka]
    told: set[str] = field(default_factory=set)

    @classmethod
    def of(cls, log: SparkLog, session: SparkSession, sources: Mapping[str, object]) -> Topics:
        mine = {name: one for name, one in sources.items() if isinstance(one, Kafka)}
        return cls(log, session, mine)

    def notices(self, batch: int) -> list[str]:
        """Messages that were gone before a batch could read them, where that is to be told."""
        tolerant = {n: one for n, one in self.sources.items() if one.on_data_loss == "tell"}
        found = []
        for name, one in tolerant.items():
            try:
                found += self._lost(name, one, batch)
            except (SlackwaterError, Py4JError, ValueError, KeyError) as error:
                text = error.message if isinstance(error, SlackwaterError) else str(error)[:SHOWN]
                text = f"stream {name!r}: whether messages were lost is not known: {text}"
                found += [] if text in self.told else [concealed(text, *one.hidden())]
                self.told.add(text)
        return found

    def _lost(self, name: str, one: Kafka, batch: int) -> list[str]:
        begun, ends = (self._positions(one, number) for number in (batch - 1, batch))
        wanted = [place for place in ends if place in begun and begun[place] != ends[place]]
        if not wanted:
            return []
        first = first_offsets(self.session, one.client(), sorted(wanted))
        return [
            f"stream {name!r}: {min(first[place], ends[place]) - begun[place]} messages of "
            f"{place[0]}, partition {place[1]}, from offset {begun[place]} on, were removed by "
            "Kafka before they could be read"
            for place in sorted(wanted)
            if begun[place] < min(first[place], ends[place])
        ]

    def _positions(self, one: Kafka, batch: int) -> dict[tuple[str, int], int]:
        """Where a batch ends, by topic and partition, as Spark wrote it down."""
        return {
            (topic, int(partition)): offset
            for position in self.log.positions(batch)
            if isinstance(position, dict) and set(position) <= set(one.topics)
            for topic, partitions in position.items()
            for partition, offset in partitions.items()
        }

    def failure(self, error: BaseException) -> SlackwaterError | None:
        """The error for people, if reading a topic failed."""
        if not self.sources or not isinstance(error, PySparkException | Py4JError):
            return None
        lines = _of_kafka(str(error))
        found = meaning("\n".join(lines))
        if found is None:
            return None
        condition, text, hint = found
        names = ", ".join(
            f"{name!r} ({', '.join(self.sources[name].topics)})" for name in self.sources
        )
        reason = self._concealed(lines[-1].rpartition("Exception: ")[2][:SHOWN])
        return SourceError(condition, f"stream {names}: {text}: {reason}", hint)

    def _concealed(self, text: str) -> str:
        return concealed(text, *(value for one in self.sources.values() for value in one.hidden()))


def _of_kafka(story: str) -> list[str]:
    """The lines that speak of Kafka, without those that only say where; causes come last."""
    lines = (line.strip() for line in story.splitlines())
    said = (line for line in lines if not line.startswith("at "))
    return [line for line in said if "kafka" in line.lower() or "Cannot fetch record" in line]
