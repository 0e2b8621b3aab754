"""A topic in, windowed sums out: both engines read the same messages by the same connector."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import Any
from uuid import uuid4

from pyspark.sql import SparkSession
from pyspark.sql import functions as F

from slackwater.bench import native, ours
from slackwater.bench.answer import Answers
from slackwater.bench.cases import Case, choose
from slackwater.bench.data import DDL, files_of, prepare
from slackwater.bench.measured import Measured
from slackwater.bench.session import own_session
from slackwater.bench.windows import Outcome, Tell, judge
from slackwater.query.schema import Schema
from slackwater.spark.sources import Kafka, kafka

CASES = ("tumbling-200k-1k-columnar", "sliding-10-200k-1k-columnar")
_STAMP = "yyyy-MM-dd'T'HH:mm:ss.SSSSSSXXX"
_SPLIT = {"minPartitions": "2"}  # one partition keeps batches alike; both cores read it


def cases(*, quick: bool = False) -> list[Case]:
    """Tumbling windows, and sliding ones of ten slides."""
    return choose(CASES, quick=quick)


def report(outcomes: Sequence[Outcome]) -> dict[str, Any]:
    """The benchmark's JSON."""
    return {"bench": "kafka", "cases": [outcome.to_json() for outcome in outcomes]}


def measure(
    spark: SparkSession,
    chosen: Sequence[Case],
    servers: str,
    *,
    cache: Path | None = None,
    tell: Tell = lambda _: None,
) -> Iterator[Outcome]:
    """Measure cases one after the other, in topics that are made for it and removed."""
    session = own_session(spark)
    with tempfile.TemporaryDirectory(
        prefix="slackwater-bench-", ignore_cleanup_errors=True
    ) as scratch:
        for number, case in enumerate(chosen):
            tell(f"{case.label}: input")
            data = prepare(case.workload, cache or Path(scratch) / "data")
            topic = _Topic(session, servers, data)
            try:
                topic.fill()
                if number == 0:
                    tell(f"{case.label}: warm up")
                    _native(session, case, topic, Path(scratch) / "warm-native", case.stores[0])
                    _ours(session, case, topic, Path(scratch) / "warm-ours")
                yield _measure_case(session, case, topic, Path(scratch) / f"run-{number}", tell)
            finally:
                topic.remove()


def _measure_case(
    spark: SparkSession, case: Case, topic: _Topic, scratch: Path, tell: Tell
) -> Outcome:
    tell(f"{case.label}: from scratch in DuckDB")
    with Answers(case, topic.data) as answers:
        plain: dict[str, list[Measured]] = {}
        mine: list[Measured] = []
        for number, store in enumerate(case.stores):  # plain, ours, plain, ours
            tell(f"{case.label}: plain Spark, {store} store")
            run = _native(spark, case, topic, scratch / f"native-{number}", store)
            plain.setdefault(store, []).append(run)
            tell(f"{case.label}: Slackwater")
            mine.append(_ours(spark, case, topic, scratch / f"ours-{number}"))
        tell(f"{case.label}: compare {answers.rows:,} results")
        return judge(case, plain, mine, answers)


def _native(spark: SparkSession, case: Case, topic: _Topic, folder: Path, store: str) -> Measured:
    """As people write it: the text of each message, read by a schema."""
    given = {
        "kafka.bootstrap.servers": topic.servers,
        "kafka.isolation.level": "read_committed",
        "subscribe": topic.name,
        "startingOffsets": "earliest",
        "maxOffsetsPerTrigger": str(case.rows),
        **_SPLIT,
    }
    read = spark.readStream.format("kafka").options(**given).load()
    parsed = read.select(F.from_json(F.col("value").cast("string"), DDL).alias("row"))
    rows = parsed.select("row.*")
    return native.drain(spark, native.query(rows, case), folder, store, tuned=False)


def _ours(spark: SparkSession, case: Case, topic: _Topic, folder: Path) -> Measured:
    results = folder / "results"
    asked = ours.over(topic.source(case), case, results)
    handle = asked.run(str(folder / "checkpoint"), tier=case.tier, spark=spark)
    return ours.measured(handle, results)


class _Topic:
    """A topic of one partition with the rows of a workload, in their order."""

    def __init__(self, spark: SparkSession, servers: str, data: Path) -> None:
        self.spark, self.servers, self.data = spark, servers, data
        self.name = f"slackwater-bench-{uuid4().hex[:8]}"
        jvm: Any = spark.sparkContext._jvm
        told = jvm.java.util.Properties()
        told.put("bootstrap.servers", servers)
        self._admin = jvm.org.apache.kafka.clients.admin.AdminClient.create(told)
        one, several = jvm.java.util.Optional.of(1), jvm.java.util.Optional.empty()
        made = jvm.org.apache.kafka.clients.admin.NewTopic(self.name, one, several)
        self._admin.createTopics(jvm.java.util.List.of(made)).all().get()
        self._names = jvm.java.util.List.of(self.name)

    def fill(self) -> None:
        """Send the rows of all files as JSON."""
        said = F.to_json(F.struct("ts", "key", "v"), {"timestampFormat": _STAMP})
        for file in files_of(self.data):
            rows = self.spark.read.schema(DDL).parquet(f"file://{file}").coalesce(1)
            sent = rows.select(said.alias("value")).write.format("kafka")
            sent.option("kafka.bootstrap.servers", self.servers).option("topic", self.name).save()

    def source(self, case: Case) -> Kafka:
        columns = Schema.of(ts="timestamp", key="bigint", v="bigint")
        return kafka(
            self.name,
            servers=self.servers,
            schema=columns,
            max_rows_per_batch=case.rows,
            options=_SPLIT,
        )

    def remove(self) -> None:
        self._admin.deleteTopics(self._names).all().get()
        self._admin.close()
