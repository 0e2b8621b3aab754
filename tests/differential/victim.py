"""A process made to be killed: ``python -m tests.differential.victim CASE FOLDER TIER``.

CASE is ``seven``, or the seed of a case whose files lie in FOLDER already. It says ``ready``, waits
for a line that names a checkpoint, says the number of every batch it commits, and ``done``.
"""

from __future__ import annotations

import sys
from pathlib import Path

import slackwater as sw
from tests.differential.generate import make
from tests.differential.seven import seven
from tests.differential.spark import public_queries
from tests.spark.victim import say, session_on


def main(name: str, folder: str, tier: str) -> None:
    case = seven() if name == "seven" else make(name)
    session = session_on(None, Path(folder))
    session.conf.set("spark.sql.session.timeZone", case.zone)
    session.range(1).count()
    say("ready")
    checkpoint = sys.stdin.readline().rstrip("\n")
    try:
        sw.pipeline(*public_queries(case, Path(folder), case.lives[0])).run(
            checkpoint,
            tier=tier,
            flush=case.flush,
            spark=session,
            on_batch=lambda report: say(report["batch"]),
        )
    except sw.CheckpointError as error:
        if error.condition != "CHECKPOINT_SEALED":  # died after the last word
            raise
    say("done")
    session.stop()


if __name__ == "__main__":
    main(*sys.argv[1:])
