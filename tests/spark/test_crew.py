"""Executors are told once what does not change, not with every batch."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from pyspark import SparkContext
from pyspark.sql import SparkSession

import slackwater as sw
from tests.spark.test_repair import write_file


def test_a_pipeline_tells_its_executors_once(
    spark: SparkSession, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    told: list[Any] = []
    broadcast = SparkContext.broadcast

    def counting(context: SparkContext, value: Any) -> Any:
        told.append(value)
        return broadcast(context, value)

    monkeypatch.setattr(SparkContext, "broadcast", counting)
    for number in range(3):
        write_file(tmp_path / "rows", number)
    rows = spark.readStream.schema(spark.read.parquet(str(tmp_path / "rows")).schema)
    frame = rows.option("maxFilesPerTrigger", 1).parquet(str(tmp_path / "rows"))
    time = next(name for name, kind in frame.dtypes if kind == "timestamp")
    counted = sw.stream("r", frame, time=time).window("4 s").aggregate(n="count(*)")
    query = counted.query("q", sw.slack("1 s"), sink=sw.memory())
    handle = sw.pipeline(query).run(str(tmp_path / "state"), tier="spark", spark=spark)
    assert len([event for event in handle.events() if event["event"] == "batch"]) >= 3
    assert len(told) == 1
