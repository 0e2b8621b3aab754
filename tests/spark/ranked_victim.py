"""A process made to be killed amid a backlog by rank, on Spark:
``python -m tests.spark.ranked_victim INPUT TIER``, which behaves like ``tests.spark.victim``.
"""

from __future__ import annotations

import sys
from pathlib import Path

import slackwater as sw
from slackwater.spark.sources import files
from tests.execute.overload import WITHIN, queries, say
from tests.spark.victim import session_on


def main(source: str, tier: str) -> None:
    session = session_on(None, Path(source).parent)
    session.range(1).count()
    say("ready")
    checkpoint = sys.stdin.readline().strip()
    streams = (
        sw.stream(name, files(f"{source}/{name}", files_per_batch=1), time="ts") for name in "ab"
    )
    pipeline = sw.pipeline(*queries(sw.join(*streams, on="k", within=WITHIN)))
    pipeline.run(checkpoint, tier=tier, spark=session, on_batch=lambda told: say(told["batch"]))
    say("done")
    session.stop()


if __name__ == "__main__":
    main(*sys.argv[1:])
