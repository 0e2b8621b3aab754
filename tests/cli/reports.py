"""A small run as its log tells it, the answers it gave, and the pipeline it could come from."""

from __future__ import annotations

import weakref
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

import pyarrow as pa

from slackwater.cli.answers import AnswerBook
from slackwater.cli.feed import Answers
from slackwater.cli.show.view import Shown
from slackwater.events.log import EventLog
from slackwater.history.follow import Follower
from slackwater.plan.build import check
from slackwater.plan.explain import explain_value
from slackwater.plan.stage import PipelinePlan, lay_out
from slackwater.query.contract import slack
from slackwater.query.schema import Schema
from slackwater.query.stream import Stream, StreamDef

START = 1_704_067_200_000_000
SECOND = 1_000_000
ESTIMATES = {
    "prods": 2,
    "rows": 30,
    "late": 1,
    "refused": 0,
    "aggressiveness": {"accuracy-1": 0.25},
    "accuracy": {"total": {"pairs": 9, "mean": 91.0, "recent": 92.5, "worst": 60.0}},
}


def plan() -> PipelinePlan:
    rows = Stream(StreamDef("readings", Schema.of(ts="timestamp", v="double"), "ts"))
    sums = rows.window("10 s").aggregate(total="sum(v)")
    return lay_out(check([sums.query("sums", slack("2 s"))]))


def report(batch: int, **changes: Any) -> dict[str, Any]:
    told = {
        "slack": 2 * SECOND,
        "watermark": START + batch * 10 * SECOND - 2 * SECOND,
        "late": 5,
        "dropped": 3,
        "max_lateness": batch * SECOND,
        "emitted": 2,
        "aside": 1,
    }
    return {
        "batch": batch,
        "at": START,
        "tier": "columnar",
        "streams": {
            "readings": {
                "rows": 100,
                "clock": START + batch * 10 * SECOND,
                "null_time": 1,
                "far_future": 0,
            }
        },
        "queries": {"sums": {**told, **changes}},
        "state": {"runs": 2, "rows": 30, "bytes": 500, "by": {"aa": [2, 30, 500]}},
        "ms": {
            "observe": 100.0 + batch,
            "decide": 1.0,
            "execute": 8.0,
            "deliver": 2.0,
            "commit": 2.0,
        },
    }


def answers(batch: int, *kinds: str) -> Answers:
    """Windows that end 4 seconds before the clock of the batch."""
    end = datetime(2024, 1, 1, tzinfo=UTC) + timedelta(seconds=10 * batch - 4)
    rows = [
        {
            "window_start": end - timedelta(seconds=10),
            "window_end": end,
            "total": 1.5,
            "kind": kind,
            "revision": int(kind == "revision"),
        }
        for kind in kinds
    ]
    return Answers("sums", batch, pa.Table.from_pylist(rows))


class Story:
    """A run that is followed while it is written."""

    def __init__(self, folder: Path, limit: float | None = None) -> None:
        folder.mkdir(exist_ok=True)
        run = Follower(folder, from_now=True)
        self.shown = Shown(run, AnswerBook(plan()), "title", limit)
        self._log = EventLog(folder / "events.jsonl")
        for opened in (run, self._log):
            weakref.finalize(self, opened.close)
        self.tell_start()

    def tell_start(self) -> None:
        self._log.write("start", schema=1, batch=-1, plan=explain_value(plan()))
        self.look()

    def tell(self, batch: int, *kinds: str, **changes: Any) -> None:
        """One batch and its answers."""
        self._log.write("batch", **report(batch, **changes))
        self.look(*([answers(batch, *kinds)] if kinds else ()))

    def look(self, *given: Answers) -> None:
        while self.shown.run.look():
            pass
        self.shown.answers.add(given, self.shown.run.history)


def grown(folder: Path, *kinds: str, **changes: Any) -> Story:
    """Two batches with answers of these kinds."""
    story = Story(folder)
    for batch in (1, 2):
        story.tell(batch, *(kinds or ("final", "revision")), **changes)
    return story
