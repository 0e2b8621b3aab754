"""A process made to be killed: ``python -m tests.differential.victim CASE FOLDER TIER``.

CASE is ``seven``, ``seven-still`` (no join changes its tree), or the seed of a case whose files lie
in FOLDER already. It says ``ready``, waits for a line that names a checkpoint, says the number of
every batch it commits, and ``done``.
"""

from __future__ import annotations

import sys
from functools import partial
from pathlib import Path
from typing import Any

import slackwater as sw
from tests.differential.generate import make
from tests.differential.place import replanning
from tests.differential.seven import seven
from tests.differential.spark import public_queries
from tests.spark.victim import say, session_on


def main(name: str, folder: str, tier: str) -> None:
    named = {"seven": seven, "seven-still": partial(seven, replans=False)}
    case = named[name]() if name in named else make(name)
    session = session_on(None, Path(folder))
    session.conf.set("spark.sql.session.timeZone", case.zone)
    session.range(1).count()
    say("ready")
    checkpoint = sys.stdin.readline().rstrip("\n")
    asking = replanning(Path(checkpoint), case)

    def told(report: dict[str, Any]) -> None:
        asking(report)
        say(report["batch"])

    try:
        sw.pipeline(*public_queries(case, Path(folder), case.lives[0])).run(
            checkpoint,
            tier=tier,
            flush=case.flush,
            spark=session,
            on_batch=told,
        )
    except sw.CheckpointError as error:
        if error.condition != "CHECKPOINT_SEALED":  # died after the last word
            raise
    say("done")
    session.stop()


if __name__ == "__main__":
    main(*sys.argv[1:])
