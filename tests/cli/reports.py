"""Batch reports as the loop makes them, and a pipeline they could come from."""

from __future__ import annotations

from typing import Any

from slackwater.plan.build import check
from slackwater.plan.stage import PipelinePlan, lay_out
from slackwater.query.contract import slack
from slackwater.query.schema import Schema
from slackwater.query.stream import Stream, StreamDef

START = 1_704_067_200_000_000
SECOND = 1_000_000


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
        "state": {"runs": 2, "rows": 30},
        "ms": {"observe": 100.0 + batch, "decide": 1.0, "apply": 10.0, "record": 2.0},
    }
