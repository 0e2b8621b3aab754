"""A process made to be killed: ``python -m tests.spark.victim INPUT CHECKPOINT TIER``.

It starts Spark, says ``ready``, waits for a line, runs the story over the files of INPUT, says the
number of every batch it commits, and ``done`` at the end of the stream.
"""

from __future__ import annotations

import sys
from pathlib import Path

import slackwater as sw
from slackwater.spark.sources import files
from tests.spark.story import queries


def main(source: str, checkpoint: str, tier: str) -> None:
    session = sw.local_session(
        "victim",
        cores=2,
        conf={
            "spark.driver.memory": "700m",
            # it lives for seconds: compile quickly, not well
            "spark.driver.extraJavaOptions": "-XX:TieredStopAtLevel=1 -XX:+UseSerialGC",
            "spark.sql.shuffle.partitions": "2",
            "spark.sql.warehouse.dir": str(Path(checkpoint).with_name("warehouse")),
        },
    )
    session.range(1).count()
    say("ready")
    sys.stdin.readline()
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


def say(word: object) -> None:
    print(word, flush=True)


if __name__ == "__main__":
    main(*sys.argv[1:])
