"""How long a join stands still while its tree is changed: about a million rows held.

Three streams through Spark; a join is changed to and fro by hand, by moving state and by a parallel
track, beside one that is left alone and gets the same batches in turn. A pause is what the batch of
a change takes more than the same batch of the one left alone.

    python benchmarks/pause.py [ROWS] [--json FILE]     # rows of a stream and batch; 20,000
"""

from __future__ import annotations

import json
import sys
import tempfile
from pathlib import Path
from statistics import median
from typing import Any

from slackwater.bench import lockstep
from slackwater.bench.adapt import AdaptCase, Truth, build
from slackwater.bench.data import files_of
from slackwater.bench.drift import Drift, Phase, prepare
from slackwater.bench.measured import batch_times
from slackwater.bench.session import own_session
from slackwater.spark.session import local_session

WINDOW = 16  # batches
TREES = ("((a b) c)", "(a (b c))")
FIRST, APART = 20, 20  # batches before the first change, and between two: a track takes a window
Seconds = tuple[float, ...]
CHANGES = ("moving", "parallel") * 2


def case_of(rows: int) -> AdaptCase:
    """Every row meets about one of each other stream, so that inner states are as large."""
    batches = FIRST + APART * len(CHANGES)
    values = rows * WINDOW
    return AdaptCase("pause", Drift((Phase(batches, (rows,) * 3, j=values, k=values),)))


def measure(rows: int) -> dict[str, Any]:
    case, spark = case_of(rows), own_session(local_session())
    spark.conf.set(*lockstep.POLLING)
    with tempfile.TemporaryDirectory(prefix="slackwater-pause-") as scratch:
        data, handles, sides = prepare(case.drift, Path(scratch) / "data"), {}, {}
        for side in ("changed", "left alone"):
            here = Path(scratch) / side.replace(" ", "-")
            (here / "input").mkdir(parents=True)
            ready = build(spark, case, here / "input", here / "results", TREES[0])
            handles[side] = ready.start(str(here / "checkpoint"), spark=spark)
            sides[here / "input"] = handles[side]
        asked: dict[int, str] = {}
        for number, file in enumerate(files_of(data)):
            turn, rest = divmod(number - FIRST, APART)
            if not rest and 0 <= turn < len(CHANGES):
                asked[number] = CHANGES[turn]
                handles["changed"].replan(TREES[(turn + 1) % 2], how=CHANGES[turn])
            lockstep.feed(sides, [file], first=number)
        seconds = {side: batch_times(handle.query)[0] for side, handle in handles.items()}
        events = list(handles["changed"].events())
        for handle in handles.values():
            handle.stop()
        with Truth(case, data) as truth:
            equal = all(truth.is_right(folder.parent / "results") for folder in sides)
    changed, alone = seconds["changed"], seconds["left alone"]
    batches = [event for event in events if event["event"] == "batch"]
    return {
        "bench": "pause",
        "state_rows": max(batches[n]["state"]["rows"] for n in asked),
        "batch_s": round(median(alone[FIRST:-1]), 3),
        "changes": [
            {"batch": n, "how": how, "pause_s": round(changed[n] - alone[n], 3)}
            for n, how in asked.items()
        ],
        "while_parallel_s": round(_beside(changed, alone, asked), 3),
        "equal": equal,
    }


def _beside(changed: Seconds, alone: Seconds, asked: dict[int, str]) -> float:
    """What two trees take more than one, a batch in the middle."""
    spans = [range(n, n + WINDOW) for n, how in asked.items() if how == "parallel"]
    return median(changed[n] - alone[n] for span in spans for n in span)


def main() -> None:
    words = sys.argv[1:]
    file = words.pop(words.index("--json") + 1) if "--json" in words else None
    words = [word for word in words if word != "--json"]
    found = measure(int(words[0]) if words else 20_000)
    print(json.dumps(found))
    if file is not None:
        Path(file).write_text(json.dumps(found, indent=1))


if __name__ == "__main__":
    main()
