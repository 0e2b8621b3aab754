"""What a batch did, as the ``batch`` event tells it."""

from __future__ import annotations

import time
from dataclasses import dataclass, field
from typing import Any

from slackwater.control.records import Decision
from slackwater.control.working import Working
from slackwater.execute.batch import Outcome
from slackwater.execute.deliver import Delivered
from slackwater.execute.estimates.judge import Judged
from slackwater.execute.meter import Quality
from slackwater.runs.catalog import Catalog
from slackwater.runs.run import sizes, total_rows


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
    outcome: Outcome,
    delivered: Delivered,
    catalog: Catalog,
    watch: Stopwatch,
    quality: dict[str, Quality],
    *,
    judged: dict[str, Judged],
) -> dict[str, Any]:
    """What this batch did, as the ``batch`` event tells it."""
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
                "emitted": delivered.results.get(name, 0) - outcome.estimates.get(name, 0),
                "aside": delivered.late.get(name, 0),
                **({"quality": quality[name].report(q.waiting)} if q.waiting else {}),
                **({"quality": quality[name].report_recall(q.finding)} if q.finding else {}),
                **({"backlog": _backlog(q.working)} if q.working else {}),
                **(
                    {"estimates": _estimates(name, decision, outcome, judged)} if q.prodding else {}
                ),
            }
            for name, q in decision.queries.items()
        },
        "state": {
            "runs": len(catalog.all()),
            "rows": total_rows(catalog.all()),
            "bytes": sum(run.bytes for run in catalog.all()),
            "by": sizes(catalog.all()),
        },
        "ms": watch.laps,
    }


def _backlog(working: Working) -> dict[str, int]:
    """What an expensive query did of its work, and what waits."""
    return {
        "todo": working.todo,
        "aside": working.aside,
        "shed": working.shed,
        "worked": working.worked,
    }


def _estimates(
    name: str, decision: Decision, outcome: Outcome, judged: dict[str, Judged]
) -> dict[str, Any]:
    """Prods and estimates of a batch, and what estimates were worth so far."""
    prodding, known = decision.queries[name].prodding, judged.get(name, Judged())
    assert prodding is not None
    failed = outcome.failures.get(name, 0)
    sample = known.sample
    if sample is not None and sample.batch != decision.batch:  # told before
        sample = None
    return {
        "prods": len(prodding.calls) - failed,
        "rows": outcome.estimates.get(name, 0),
        "late": prodding.late,
        "refused": len(prodding.refused) + failed,
        "aggressiveness": prodding.aggressiveness,
        "accuracy": known.report(),
        **({} if sample is None else {"sample": sample.report()}),
    }
