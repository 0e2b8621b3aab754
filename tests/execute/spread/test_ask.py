"""Open windows asked of tasks say what the driver would say."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from random import Random
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import slackwater as sw
from slackwater.execute.spread.ask import ask
from slackwater.query.stream import Query, Stream
from slackwater.testing.runtime import ArrowRuntime
from slackwater.testing.spread import TakingTurns
from tests.driver import batch, feed, make_loop, readings


def one_level(rows: Stream) -> Stream:
    return rows.window("8 s", "4 s").group_by("k").aggregate(n="count(*)", s="sum(v)")


def three_levels(rows: Stream) -> Stream:
    """Keys change at every level: three legs."""
    middle = one_level(rows).window("16 s").group_by("k % 5 AS five").aggregate(n="sum(n)")
    return middle.window("32 s").group_by("five % 2 AS odd").aggregate(n="sum(n)", c="count(*)")


def joined(rows: Stream) -> Stream:
    near = sw.join(rows.named("a"), rows.where("v > 2").named("b"), on="k", within="2 s")
    found = near.select("a.k AS k", "b.v AS v").window("8 s").group_by("k")
    return found.aggregate(n="count(*)", s="sum(v)")


def shown(table: pa.Table) -> list[str]:
    kept = [name for name in table.column_names if name not in ("emitted_at", "prod")]
    return sorted(map(repr, table.select(kept).to_pylist()))


@pytest.mark.parametrize("where", [None, "n > 3"])
@pytest.mark.parametrize("late", ["drop", "revise"])
@pytest.mark.parametrize("asked", [one_level, three_levels, joined])
def test_tasks_say_what_the_driver_would_say(
    tmp_path: Path, asked: Callable[[Stream], Stream], late: str, where: str | None
) -> None:
    seed = Random().randrange(10**6)
    random = Random(seed)
    more: dict[str, Any] = {"late": late, "keep": "9 s"} if late == "revise" else {"late": late}
    query: Query = asked(readings()).query("q", sw.slack("1 s"), sink=sw.memory(), **more)
    loop = make_loop((query,), tmp_path, tier="spark", tasks=3)
    for number in range(9):
        rows = [(4 * number + random.random() * 5, random.randrange(30), n % 7) for n in range(40)]
        feed(loop, batch(*rows))
    reading, snapshot = loop.layout.readings["q"], loop.snapshot
    runtime = loop.runtime
    assert isinstance(runtime, ArrowRuntime)
    assert runtime.site is not None
    question = snapshot.question(reading, where)
    crew = TakingTurns(runtime, 3)
    parts = ask(runtime.site, crew, snapshot, question, tmp_path / "asked")
    found = pa.concat_tables([pq.ParquetFile(part.path).read() for part in parts])
    with loop.driver.beside() as beside:
        plain = snapshot.estimate(beside, reading, where)
    loop.close()
    assert plain.num_rows > 0, seed
    assert shown(found.cast(plain.schema)) == shown(plain), seed
