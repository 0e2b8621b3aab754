"""From a topic through contracts into PostgreSQL, Kafka, Delta Lake and Iceberg at once; it may be
killed anywhere.
"""

from __future__ import annotations

import json
import sys
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import slackwater as sw
from slackwater.execute.sinks import Sink
from slackwater.query.stream import Query
from tests.services import topic_story
from tests.services.broker import Broker, committed
from tests.services.cluster import Cluster

OUTPUTS = {"sink": "results", "side": "late", "quality": "quality"}
KINDS = ("postgres", "kafka", "delta", "iceberg")
Rows = Counter[str]


@dataclass(frozen=True)
class Journey:
    """Where one run comes from and goes to; ``name`` is in all that it makes."""

    name: str
    topic: str
    servers: str
    url: str
    folder: Path

    @property
    def checkpoint(self) -> Path:
        return self.folder / self.name / "checkpoint"

    def table(self, output: str) -> str:
        return f"{self.name}_{output}"

    def sink(self, kind: str, output: str) -> Sink:
        """Results are kept as the newest of each window and key, the rest as it comes."""
        mode: Any = "latest" if output == "results" else "append"
        table, lake = self.table(output), self.folder / self.name
        if kind == "postgres":
            password = sw.secret(env="ANSWERS_PASSWORD")
            return sw.postgres(table, self.url, password=password, mode=mode)
        if kind == "kafka":
            return sw.kafka_sink(table, self.servers, mode=mode)
        if kind == "delta":
            return sw.delta(lake / "delta" / output, mode=mode)
        uri = f"sqlite:///{lake}/catalog.db"
        return sw.iceberg(f"lake.{output}", uri, warehouse=lake / "iceberg", mode=mode)

    def queries(self) -> list[Query]:
        """The same question under the same contract, one for each kind of table."""
        read = topic_story.source(self.servers, self.topic, max_rows_per_batch=120)
        counts = sw.stream("r", read, time="ts").window("5 s").group_by("k")
        asked = counts.aggregate(n="count(*)", total="sum(v)")
        return [
            asked.query(
                kind,
                sw.max_error(0.05),
                late="side",
                **{name: self.sink(kind, output) for name, output in OUTPUTS.items()},
            )
            for kind in KINDS
        ]

    def go(self, say: Callable[[dict[str, Any]], object]) -> None:
        """From where it was left to the end of the topic."""
        self.checkpoint.parent.mkdir(parents=True, exist_ok=True)
        quick = {"spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"}
        spark = sw.local_session(cores=2, kafka=True, conf=quick)
        asked = sw.pipeline(*self.queries())
        asked.run(str(self.checkpoint), flush=True, spark=spark, on_batch=say)

    def ending(self, kafka: Broker, postgres: Cluster) -> dict[str, Rows]:
        """What anybody reads at the end, without the time of emission."""
        from deltalake import DeltaTable
        from pyiceberg.catalog import load_catalog

        found: dict[str, Rows] = {}
        lake = self.folder / self.name
        catalog = load_catalog("default", uri=f"sqlite:///{lake}/catalog.db")
        for output in OUTPUTS.values():
            table = self.table(output)
            text = f"SELECT (to_jsonb(t) - 'emitted_at')::text FROM {table} AS t"
            found[f"postgres {output}"] = Counter(str(row) for (row,) in postgres.rows(text))
            told = [(one.key, json.loads(one.value or "{}")) for one in committed(kafka, table)]
            found[f"kafka {output}"] = _rows([{"key": key, **row} for key, row in told])
            made = DeltaTable(lake / "delta" / output).to_pyarrow_table()
            found[f"delta {output}"] = _rows(made.to_pylist())
            kept = catalog.load_table(f"lake.{output}").scan().to_arrow()
            found[f"iceberg {output}"] = _rows(kept.to_pylist())
        return found


def _rows(rows: list[dict[str, Any]]) -> Rows:
    return Counter(
        repr(sorted((k, str(v)) for k, v in r.items() if k != "emitted_at")) for r in rows
    )


if __name__ == "__main__":
    told = sys.argv[1:]
    journey = Journey(*told[:4], Path(told[4]))
    print("ready", flush=True)
    journey.go(lambda report: print(report["batch"], flush=True))
    print("done", flush=True)
