"""A process made to be killed: ``python -m tests.spark.victim INPUT TIER [MASTER]``.

It starts Spark (here, or on a cluster), says ``ready``, waits for a line that names a
checkpoint, runs the story over the files of INPUT on it, says the number of every batch it commits,
and ``done`` at the end of the stream.
"""

from __future__ import annotations

import os
import sys
from pathlib import Path

from pyspark.sql import SparkSession

import slackwater as sw
from slackwater.spark.sources import files
from tests.story import queries


def session_on(master: str | None, folder: Path) -> SparkSession:
    quick = "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC"  # it lives for seconds
    java = f"{quick} {os.environ.get('VICTIM_JAVA', '')}"
    conf = {
        "spark.driver.memory": "700m",
        "spark.driver.extraJavaOptions": java,
        "spark.executor.extraJavaOptions": quick,
        "spark.executor.memory": "512m",
        "spark.executor.cores": "1",
        "spark.sql.shuffle.partitions": "2",
        "spark.sql.warehouse.dir": str(folder / "warehouse"),
        "spark.driver.host": "127.0.0.1",
        "spark.driver.bindAddress": "127.0.0.1",
        "spark.ui.enabled": "false",
        "spark.sql.session.timeZone": "UTC",
    }
    if master is None:
        return sw.local_session("victim", cores=2, conf=conf)
    builder = SparkSession.builder.appName("victim").master(master)
    for name, value in conf.items():
        builder = builder.config(name, value)
    return builder.getOrCreate()


def main(source: str, tier: str, master: str | None = None) -> None:
    session = session_on(master, Path(source).parent)
    session.range(1).count()
    say("ready")
    checkpoint = sys.stdin.readline().strip()
    rows = files(source, files_per_batch=1)
    pipeline = sw.pipeline(*queries(sw.stream("r", rows, time="ts")))
    try:
        pipeline.run(
            checkpoint,
            tier=tier,
            flush=True,
            spark=session,
            on_batch=lambda report: say(report["batch"]),
        )
    except sw.CheckpointError as error:
        if error.condition != "CHECKPOINT_SEALED":  # died after the last word
            raise
    say("done")
    session.stop()


def say(word: object) -> None:
    print(word, flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
