"""Messages that are no rows are set aside as results are delivered: once, whoever dies when."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq

import slackwater as sw
from slackwater.execute.deliver import Outlets
from slackwater.execute.loop import Loop
from slackwater.execute.sinks.sink import Results, TableResults
from slackwater.testing import Micro
from slackwater.testing.runtime import ArrowRuntime
from tests.driver import batch, feed, make_loop, readings


class Garbled(ArrowRuntime):
    """With each batch comes a message that is none."""

    def malformed(self) -> dict[str, Results]:
        return {"r": TableResults(pa.table({"offset": [7], "reason": ["not JSON"]}))}


def opened(folder: Path, reports: list[dict[str, object]]) -> Loop[Micro]:
    counts = readings().window("4 s").aggregate(n="count(*)")
    query = counts.query("q", sw.slack("1 s"), sink=sw.memory())
    loop = make_loop([query], folder, on_batch=reports.append)
    known: ArrowRuntime = loop.runtime  # type: ignore[assignment]
    loop.runtime = Garbled(known.policy, known.shapes, known.joins, known.runs)
    loop.outlets = Outlets.of(loop.policy.plan, [query], loop.checkpoint, ["r"])
    loop.outlets.open(loop.layout, loop.checkpoint, loop.batch)
    return loop


def kept(folder: Path) -> list[str]:
    place = folder / "malformed" / "r"
    assert all(pq.read_table(file).num_rows == 1 for file in place.rglob("*.parquet"))
    return sorted(path.name for path in place.iterdir())


def test_they_are_counted_told_and_shown_with_their_batch(tmp_path: Path) -> None:
    reports: list[dict[str, object]] = []
    loop = opened(tmp_path, reports)
    feed(loop, batch((1, 1, 1), (9, 1, 1)))
    feed(loop, batch((20, 1, 1)))
    loop.finish()  # the end is no batch of messages
    loop.close()
    assert kept(tmp_path) == ["batch=0", "batch=1"]
    assert [one["streams"]["r"].get("malformed") for one in reports] == [1, 1, None]  # type: ignore[index]
    events = (tmp_path / "events.jsonl").read_text()
    assert events.count("1 messages are malformed; set aside in") == 2


def test_those_of_a_batch_that_was_never_done_are_forgotten(tmp_path: Path) -> None:
    loop = opened(tmp_path, [])
    feed(loop, batch((1, 1, 1)))
    loop.outlets.refuse["r"].prepare(1, loop.runtime.malformed()["r"])  # and it dies
    assert kept(tmp_path) == ["_batch=1", "batch=0"]
    loop.close()
    opened(tmp_path, []).close()
    assert kept(tmp_path) == ["batch=0"]


def test_those_of_a_batch_that_was_done_are_shown_by_the_next_start(tmp_path: Path) -> None:
    loop = opened(tmp_path, [])
    feed(loop, batch((1, 1, 1)))
    place = tmp_path / "malformed" / "r"
    (place / "batch=0").rename(place / "_batch=0")  # as if it had died before it was shown
    loop.close()
    opened(tmp_path, []).close()
    assert kept(tmp_path) == ["batch=0"]
