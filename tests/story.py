"""One small disordered stream, four queries over it, and how to judge what they left.

Kill, fault and cluster tests tell this story again and again and compare the endings.
"""

from __future__ import annotations

import json
import random
from collections import Counter
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq

import slackwater as sw
from slackwater.events import log
from slackwater.query.stream import Query, Stream
from tests.driver import batch

FAR = 40 * 24 * 3600  # seconds; beyond max_ahead
Row = tuple[float | None, int | None, int | None]


def batches(count: int = 12, rows: int = 14, seed: int = 7) -> list[pa.Table]:
    """Micro-batches that move on by about 4 s each; a third of the rows comes up to 16 s late."""
    draw = random.Random(seed)
    found = []
    for number in range(count):
        part: list[Row] = [_row(draw, number) for _ in range(rows)]
        if number % 3 == 1:
            part += [(None, 1, 5), (FAR + number, 2, 6)]
        found.append(batch(*part))
    return found


def _row(draw: random.Random, number: int) -> Row:
    late = draw.choice([0, 0, 0, 0, draw.uniform(0, 6), draw.uniform(0, 16)])
    time = 100 + 4 * number + draw.uniform(0, 4) - late
    key = draw.choice([0, 1, 2, 3, None])
    return round(time, 3), key, draw.choice([draw.randint(-9, 30), None])


def queries(stream: Stream) -> tuple[Query, ...]:
    """Late rows set aside, late rows folded into revisions, a slack chosen by an error bound, and
    a join that keeps inner results, under a recall contract.

    The first two have two levels; the first three share one base state, and the first estimates.
    """
    often = [sw.estimates(every="4 s"), sw.estimates(accuracy=0.8, where="odd = 1")]
    small = (
        stream.where("v IS NULL OR v > -8")
        .window("4 s", "2 s")
        .group_by("k")
        .aggregate(n="count(*)", s="sum(v)", top="max(v)")
    )
    large = small.window("12 s", "4 s").group_by("k % 2 AS odd")
    above = large.aggregate(windows="count(*)", rows="sum(n)", total="sum(s)", best="max(top)")
    joined = sw.join(
        stream.named("x"),
        stream.named("y").where("v > 0"),
        stream.named("z").where("v > 10"),
        on="k",
        within={"x": "3 s", "y": "2 s", "z": "4 s"},
        order="((x y) z)",
        emit="ordered",
    ).select("x.k AS k", "x.v AS xv", "y.v AS yv", "z.v AS zv")
    return (
        above.query("aside", sw.slack("3 s"), late="side", estimates=often),
        above.query("revised", sw.slack("1 s"), late="revise", keep="9 s"),
        small.query("bounded", sw.max_error(0.2, confidence=0.8, of=["n", "s"])),
        joined.query("joined", sw.min_recall(0.7, over="8 s"), late="revise", keep="4 s"),
    )


def write_input(folder: Path, tables: list[pa.Table]) -> None:
    """The batches as files with rising times of change: one file, one micro-batch."""
    import os

    folder.mkdir(parents=True)
    for number, table in enumerate(tables):
        path = folder / f"{number:04d}.parquet"
        pq.write_table(table, path)
        os.utime(path, (1_000_000 + number, 1_000_000 + number))


def ending(checkpoint: Path) -> dict[str, Counter[str]]:
    """Results (all but the time of emission), rows set aside, errors and slacks, as multisets."""
    told = {"slack": _slacks(checkpoint)}
    for kind in ("results", "side", "quality"):
        for query in sorted((checkpoint / kind).glob("*")):
            told[f"{kind}/{query.name}"] = Counter(
                repr(sorted((k, v) for k, v in row.items() if k != "emitted_at"))
                for row in _rows(query)
            )
    return told


def _slacks(checkpoint: Path) -> Counter[str]:
    """The slack of every query after every batch, as it was decided."""
    batches = [
        event for event in log.read(checkpoint / "events.jsonl") if event["event"] == "batch"
    ]
    return Counter(
        {
            f"batch {event['batch']}, {name}: {query['slack']}": 1
            for event in batches
            for name, query in event["queries"].items()
        }
    )


def _rows(folder: Path) -> list[dict[str, Any]]:
    files = sorted(folder.glob("batch=*/*.parquet"))
    return [row for file in files for row in pq.ParquetFile(file).read().to_pylist()]


def leftovers(checkpoint: Path) -> list[str]:
    """Files that nothing names: there must be none right after a commit."""
    kept = sorted((checkpoint / "manifest").iterdir())
    found = [str(path) for path in kept if not path.stem.isdigit()]
    numbers = {path.stem for path in kept}
    named: set[str] = set()
    for path in kept:
        for run in json.loads(path.read_bytes())["body"]["runs"]:
            named.add(f"{run['state']}/{run['name']}")
    runs = checkpoint / "runs"
    found += [str(p) for p in runs.glob("*/*") if str(p.relative_to(runs)) not in named]
    found += [str(p) for p in runs.iterdir() if p.is_file() or not any(p.iterdir())]
    found += [str(p) for p in (checkpoint / "decision").iterdir() if p.stem not in numbers]
    found += [str(p) for p in checkpoint.rglob("*.tmp") if "spark" not in p.parts]
    for sink in [*(checkpoint / "results").iterdir(), *(checkpoint / "side").iterdir()]:
        found += [str(p) for p in sink.iterdir() if not p.name.startswith("batch=")]
    return found


def missing(checkpoint: Path) -> list[str]:
    """Files that the newest manifest names and that are not there."""
    newest = max((checkpoint / "manifest").glob("[0-9]*.json"))
    runs = json.loads(newest.read_bytes())["body"]["runs"]
    paths = [checkpoint / "runs" / run["state"] / run["name"] for run in runs]
    return [str(path) for path in paths if not path.exists()]
