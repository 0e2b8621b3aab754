"""Messages of a batch that no row could be made of: left out, counted while the others are read,
and kept as they came.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from py4j.protocol import Py4JJavaError
from pyspark.sql import Column, DataFrame, Observation
from pyspark.sql import functions as F

from slackwater.execute.sinks.sink import Results, TableResults
from slackwater.spark.read.streams import Intake
from slackwater.spark.results import FrameResults
from slackwater.spark.sources.topics.messages import MALFORMED

FEW = 10_000  # messages that are written here sooner than by a job of Spark


@dataclass(slots=True)
class Sieve:
    """Lets the rows of each batch through, and remembers what it kept back of the newest."""

    intake: Intake
    newest: Kept | None = field(default=None, init=False)

    def before(self, process: Callable[[DataFrame, int], None]) -> Callable[[DataFrame, int], None]:
        """``process`` for batches that may have malformed messages."""
        if not self.intake.malformed:
            return process

        def sieved(batch: DataFrame, number: int) -> None:
            self.newest = Kept(batch, self._tests())
            process(self.newest.rows, number)

        return sieved

    def _tests(self) -> dict[str, Column]:
        """Which messages of a stream are malformed, by stream."""
        bad = F.col(MALFORMED).isNotNull()
        numbers = {stream.name: n for n, stream in enumerate(self.intake.streams)}
        return {
            name: bad & (F.col("__stream") == numbers[name]) if self.intake.is_tagged else bad
            for name in self.intake.malformed
        }

    def results(self) -> dict[str, Results]:
        """The malformed messages of the newest batch, by stream that has some."""
        return {} if self.newest is None else self.newest.results()


class Kept:
    """What a batch has beside rows. Its messages are read again only if there are some."""

    def __init__(self, batch: DataFrame, tests: dict[str, Column]) -> None:
        self._batch, self._tests, self._observation = batch, tests, Observation()
        observed = batch.observe(self._observation, *self._counted())
        self.rows = observed.where(F.col(MALFORMED).isNull()).drop(MALFORMED)

    def _counted(self) -> list[Column]:
        return [F.count_if(test).alias(f"n{n}") for n, test in enumerate(self._tests.values())]

    def results(self) -> dict[str, Results]:
        counts = self._counts()
        return {
            name: self._of(test, counts[f"n{n}"])
            for n, (name, test) in enumerate(self._tests.items())
            if counts.get(f"n{n}")
        }

    def _of(self, test: Column, count: int) -> Results:
        found = FrameResults(self._batch.where(test).select(f"{MALFORMED}.*"))
        return TableResults(found.arrow()) if count <= FEW else found

    def _counts(self) -> dict[str, Any]:
        """How many there are, as counted by the first job over the rows."""
        try:
            return self._observation.get
        except Py4JJavaError:  # Spark saw that no row can pass, and looked at none
            counted = self._batch.agg(*self._counted()).first()
            return {} if counted is None else counted.asDict()
