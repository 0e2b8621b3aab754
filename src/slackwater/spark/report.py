"""What a batch did, as the ``batch`` event tells it."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import Any

from slackwater.control.orders import Prods, Work
from slackwater.control.prods import ProdMemory
from slackwater.control.records import (
    ControlState,
    Decision,
    Quality,
    QueryDecision,
    QueryMemory,
    qualities,
)
from slackwater.spark.book import Book
from slackwater.spark.converging import Sample
from slackwater.spark.run import sizes, total_rows


@dataclass(slots=True)
class Stopwatch:
    """Time spent in each verb, in milliseconds."""

    laps: dict[str, float] = field(default_factory=dict)
    _last: float = field(default_factory=time.perf_counter)

    def lap(self, name: str) -> None:
        now = time.perf_counter()
        self.laps[name] = round((now - self._last) * 1000, 3)
        self._last = now


def batch_report(
    decision: Decision,
    told: dict[str, dict[str, int]],
    book: Book,
    watch: Stopwatch,
    after: ControlState,
    *,
    samples: dict[str, Sample],
) -> dict[str, Any]:
    """What this batch did, as the ``batch`` event tells it; ``after`` is what it left behind."""
    quality = qualities(after)
    return {
        "batch": decision.batch,
        "at": decision.emitted_at,
        "tier": decision.tier,
        "streams": {
            name: {
                "rows": s.rows,
                "clock": s.clock,
                "null_time": s.null_time,
                "far_future": s.far_future,
            }
            for name, s in decision.streams.items()
        },
        "queries": {
            name: {
                "slack": q.slack,
                "watermark": q.upto,
                "late": q.late,
                "dropped": q.dropped,
                "max_lateness": q.max_lateness,
                **({"lateness": q.lateness} if q.lateness else {}),
                **{what: told[name][what] for what in ("emitted", "aside")},
                **({"quality": _quality(quality[name], q)} if name in quality else {}),
                **({"backlog": _backlog(q.working)} if q.working else {}),
                **(
                    _estimates(q.prodding, told[name], after.of(name), samples.get(name))
                    if q.prodding
                    else {}
                ),
                "controllers": q.controllers,
            }
            for name, q in decision.queries.items()
        },
        "state": {
            "runs": len(book.all()),
            "rows": total_rows(book.all()),
            "bytes": sum(run.bytes for run in book.all()),
            "by": sizes(book.all()),
        },
        "ms": watch.laps,
    }


def _quality(quality: Quality, query: QueryDecision) -> dict[str, Any]:
    """What was measured of a promise, and why its slack is what it is."""
    order = query.waiting or query.finding
    why = query.controllers.get("error_slack") or query.controllers.get("recall_slack") or {}
    return {
        "measured": quality.last.results,
        "within": quality.last.within,
        "unseen": 0 if order is None else order.unseen,
        "fulfilment": quality.fulfilment,
        **why,
    }


def _backlog(working: Work) -> dict[str, int]:
    """What an expensive query did of its work, and what waits."""
    return {
        "todo": working.todo,
        "aside": working.aside,
        "shed": working.shed,
        "worked": working.worked,
    }


def _estimates(
    prodding: Prods, told: dict[str, int], memory: QueryMemory, sample: Sample | None
) -> dict[str, dict[str, Any]]:
    """Prods and estimates of a batch, and what estimates were worth so far."""
    judged = (memory.find(ProdMemory) or ProdMemory()).accuracy
    return {
        "estimates": {
            "prods": len(prodding.calls) - told["failed"],
            "rows": told["estimates"],
            "late": prodding.late,
            "refused": len(prodding.refused) + told["failed"],
            "aggressiveness": prodding.aggressiveness,
            "accuracy": judged.report(),
            **({} if sample is None else {"sample": sample.report()}),
        }
    }
