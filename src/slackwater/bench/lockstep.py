"""Pipelines side by side: each gets the same batch in turn, while the others have nothing to do.

Whatever disturbs the machine for longer than a batch then disturbs all of them alike, so that small
differences can be told; runs one after the other differ more among themselves.
"""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence
from pathlib import Path

from slackwater.spark.handle import Handle

POLLING = ("spark.sql.streaming.pollingDelay", "50ms")  # one that waits should not take the cores


def feed(sides: Mapping[Path, Handle], files: Sequence[Path], first: int = 0) -> None:
    """Give each file to every pipeline, by the folder it reads from, in an order drawn anew.

    Whoever comes after one that wrote much waits for the disk: no place in the order is always the
    same one's. The first file is the one of this number, from which the order follows.
    """
    for number, file in enumerate(files, first):
        for folder in random.Random(number).sample(sorted(sides), len(sides)):
            (folder / file.name).symlink_to(file)
            sides[folder].query.processAllAvailable()
