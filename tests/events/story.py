"""Event logs as a pipeline would write them, without one."""

from __future__ import annotations

import math
from collections.abc import Callable
from copy import deepcopy
from functools import cache
from pathlib import Path
from typing import Any

from slackwater.events.log import EventLog
from slackwater.plan.build import check
from slackwater.plan.explain import explain_value
from slackwater.plan.stage import lay_out
from slackwater.query.contract import max_error, slack
from slackwater.query.estimates import estimates
from slackwater.query.schema import Schema
from slackwater.query.stream import Stream, StreamDef

SECOND = 1_000_000
EVENT = 1_704_067_200 * SECOND  # event time of the first batch
WALL = 1_763_000_000 * SECOND  # its wall time


def plan(stream: str = "readings", names: tuple[str, str] = ("fixed", "bounded")) -> dict[str, Any]:
    """Two queries over one stream: one waits two seconds and gives estimates, one promises an
    error.
    """
    return deepcopy(_plan(stream, names))


@cache
def _plan(stream: str, names: tuple[str, str]) -> dict[str, Any]:
    rows = Stream(StreamDef(stream, Schema.of(ts="timestamp", k="int", v="double"), "ts"))
    sums = rows.window("10 s", "2 s").group_by("k").aggregate(total="sum(v)")
    queries = [
        sums.query(
            names[0], slack("2 s"), estimates=[estimates(accuracy=0.9), estimates(every="1 s")]
        ),
        sums.query(names[1], max_error(0.02, confidence=0.9)),
    ]
    return explain_value(lay_out(check(queries)))


def batch(
    number: int, stream: str = "readings", names: tuple[str, ...] = ("fixed", "bounded")
) -> dict[str, Any]:
    """The fields of a ``batch`` event; a second of event time passes per batch."""
    clock = EVENT + number * SECOND
    waits = {name: 2 * SECOND if name == names[0] else _moving(number) for name in names}
    queries = {name: _query(number, clock, wait) for name, wait in waits.items()}
    queries[names[0]]["estimates"] = estimated(number, clock)
    if len(names) > 1:
        queries[names[1]]["quality"] = quality(number, waits[names[1]])
    return {
        "batch": number,
        "at": WALL + number * SECOND // 2,
        "tier": "columnar" if number < 50 else "spark",
        "streams": {stream: {"rows": 100, "clock": clock, "null_time": 0, "far_future": 0}},
        "queries": queries,
        "state": {"runs": 2, "rows": 30, "by": {"aa": [1, 10, 1000], "bb": [1, 20, 2000]}},
        "ms": {"observe": 100.0, "decide": 1.0, "execute": 8.0, "deliver": 2.0, "commit": 2.0},
    }


def _moving(number: int) -> int:
    return round(3 + math.sin(number / 5)) * SECOND


def _query(number: int, clock: int, wait: int) -> dict[str, Any]:
    late = {"lateness": [[2 * SECOND, 3], [5 * SECOND, 2]]} if number else {}
    return {
        "slack": wait,
        "watermark": clock - wait,
        "late": 5 if number else 0,
        "dropped": 1 if number else 0,
        "max_lateness": 4 * SECOND if number else None,
        **late,
        "emitted": 4 if number % 2 == 0 else 0,
        "aside": 0,
    }


def quality(number: int, wait: int) -> dict[str, Any]:
    return {
        "measured": 10 if number % 4 == 0 else 0,
        "within": 9 if number % 4 == 0 else 0,
        "fulfilment": 0.9,
        "phase": "calibrated" if number > 3 else "warm-up",
        "threshold": 0.98,
        "expected_coverage": 0.981,
        "measured_coverage": 0.985,
        "wanted": wait,
        "binding": "total",
        "margin": 0.5,
    }


def estimated(number: int, clock: int) -> dict[str, Any]:
    """Three estimates a batch; from the sixth on windows end, and estimates meet their finals."""
    told: dict[str, Any] = {
        "prods": 1,
        "rows": 3,
        "late": int(number % 10 == 0),
        "refused": int(number % 20 == 0),
        "aggressiveness": {"accuracy-1": round(0.5 + 0.2 * math.sin(number / 7), 3)},
        "accuracy": {},
    }
    if number < 5:
        return told
    recent = round(93 + 4 * math.sin(number / 9), 3)
    told["accuracy"]["total"] = {"pairs": number, "mean": 93.0, "recent": recent, "worst": 70.0}
    if number % 2 == 0:
        told["sample"] = sample(number, clock - 2 * SECOND)
    return told


def sample(number: int, end: int) -> dict[str, Any]:
    """Sums that grow to their final, late rows last."""
    ages = [0.2, 0.4, 0.6, 0.8, 1.0, 1.15]
    final = 200.0 + number
    shares = [age if age <= 0.8 else 0.97 if age <= 1 else 0.995 for age in ages]
    points = [[age, round(final * share, 3)] for age, share in zip(ages, shares, strict=True)]
    return {"window_end": end, "column": "total", "group": "0", "final": final, "points": points}


def costly(number: int) -> dict[str, Any]:
    """A batch whose first query has a backlog, and controllers that explain themselves."""
    told = batch(number)
    clock = told["streams"]["readings"]["clock"]
    told["queries"]["fixed"]["backlog"] = {
        "todo": 100 * number,
        "aside": 40,
        "shed": 2,
        "worked": 60,
        "oldest": clock - number * SECOND,
    }
    told["queries"]["fixed"]["controllers"] = {
        "toy": {"pressure": round(1 + math.sin(number / 5), 3), "mood": f"calm {number}"},
        "order": {"plan": "a ⋈ b", "cost (rows)": 1_234_567 + number, "gain": None},
    }
    return told


def ranked(number: int) -> dict[str, Any]:
    """A batch whose first query has two ranks: in every other batch rows of rank 2 expire."""
    told = batch(number)
    gone = 10 * (number % 2)
    told["queries"]["fixed"]["backlog"] = {
        "todo": 50 + number,
        "aside": 0,
        "shed": 3,
        "worked": 55,
        "oldest": told["streams"]["readings"]["clock"] - number * SECOND,
        "expired": gone,
        "complete": 1 if number % 2 else 2,
        "budget": 80,
        "used": 70,
        "ranks": {
            "1": book(number, 20, 15, 0, used=30),
            "2": book(number, 20, 5, 0, expired=gone, used=10),
            "none": book(number, 60, 35, 50 + number, shed=3, used=30),
        },
    }
    told["queries"]["fixed"]["controllers"] = {
        "ranks": {
            "criteria": 6 + number,
            "criteria_1": 6,
            "yield_1": 120.5,
            "best_1": "orders.k = 7, 8",
            "criteria_2": number,
            "yield_2": 0.5 * number,
            "best_2": "payments.k = 1",
        }
    }
    return told


def book(
    number: int, came: int, worked: int, waiting: int, *, expired: int = 0, shed: int = 0, used: int
) -> dict[str, int]:
    return {
        "admitted": came,
        "worked": worked,
        "waiting": waiting,
        "expired": expired,
        "shed": shed,
        "promising": min(number, 5),
        "used": used,
    }


def tell(
    folder: Path, batches: int, made: Callable[[int], dict[str, Any]] = batch, **options: Any
) -> EventLog:
    """Write the log of a run that still goes on."""
    folder.mkdir(parents=True, exist_ok=True)
    log = EventLog(folder / "events.jsonl", **options)
    log.write("start", schema=1, pipeline="abc", batch=-1, plan=plan(), trigger=None, at=WALL)
    for number in range(batches):
        log.write("batch", **made(number))
    return log


def ended(folder: Path, batches: int, **options: Any) -> Path:
    """Write the log of a run that was stopped; the folder."""
    log = tell(folder, batches, **options)
    log.write("stop", batch=batches - 1, reason="stopped", at=WALL + batches * SECOND // 2)
    log.close()
    return folder
