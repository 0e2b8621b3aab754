"""What a batch did, as the ``batch`` event tells it."""

from __future__ import annotations

import time
from collections.abc import Iterator, Mapping
from dataclasses import asdict, dataclass, field
from typing import Any

from slackwater.control.orders import Prods, Work
from slackwater.control.prods import accuracies
from slackwater.control.records import ControlState, Decision, Quality, QueryDecision, qualities
from slackwater.execute.batch import Outcome
from slackwater.execute.deliver import Delivered
from slackwater.execute.estimates.judge import sample
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

    def apart(self, name: str) -> float:
        """Seconds of all verbs but one."""
        return sum(spent for verb, spent in self.laps.items() if verb != name) / 1000


@dataclass(frozen=True, slots=True)
class Done:
    """A batch that was executed and delivered: what was decided, what it came to, what is left.

    ``before`` is what was remembered until then.
    """

    decision: Decision
    outcome: Outcome
    delivered: Delivered
    memory: ControlState
    before: ControlState = field(default_factory=ControlState)


def batch_report(
    done: Done, catalog: Catalog, watch: Stopwatch, held: Mapping[str, int] | None = None
) -> dict[str, Any]:
    """What this batch did, as the ``batch`` event tells it; ``held`` has bytes that joins hold."""
    decision, runs, joins = done.decision, catalog.all(), held or {}
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
                **_malformed(name, done),
            }
            for name, s in decision.streams.items()
        },
        "queries": {
            name: _query(name, query, done) | ({"held": joins[name]} if name in joins else {})
            for name, query in decision.queries.items()
        },
        "state": {
            "runs": len(runs),
            "rows": total_rows(runs),
            "bytes": sum(run.bytes for run in runs),
            "by": sizes(runs),
        },
        "ms": watch.laps,
        **_changed(done),
        **({"tasks": _tasks(done)} if done.outcome.spent else {}),
    }


def _changed(done: Done) -> dict[str, Any]:
    """Queries that came with this batch, with what is whole of their answers, or went."""
    batch, came = done.decision.batch, done.memory.queries.items()
    arrived = {name: one.arrival for name, one in came if one.arrival is not None}
    added = {name: one.after for name, one in arrived.items() if one.batch == batch}
    removed = sorted(done.before.queries.keys() - done.memory.queries.keys())
    found = {"added": added, "removed": removed}
    return {label: names for label, names in found.items() if names}


def told_changes(report: Mapping[str, Any]) -> Iterator[tuple[str, dict[str, Any]]]:
    """Events about queries that came or went with a batch, from its report."""
    batch = report["batch"]
    for name, after in report.get("added", {}).items():
        yield "query_added", {"batch": batch, "query": name, "whole_after": after}
    for name in report.get("removed", ()):
        yield "query_removed", {"batch": batch, "query": name}


def _malformed(stream: str, done: Done) -> dict[str, int]:
    found = done.delivered.malformed.get(stream, 0)
    return {"malformed": found} if found else {}


def _tasks(done: Done) -> dict[str, Any]:
    """How evenly the tasks were busy, what they had, which groups were shared or moved."""
    share, spent = done.decision.share, done.outcome.spent
    numbers = sorted({one.machine for one in spent})
    now, was = () if share is None else share.tasks, done.before.shared.tasks
    mine = {str(n): [one for one in spent if one.machine == n] for n in numbers}
    return {
        "ms": {n: round(1000 * sum(one.seconds for one in each), 3) for n, each in mine.items()},
        "rows": {n: sum(one.fresh for one in each) for n, each in mine.items()},
        # every leg of a query opens all that is held: the first one tells it
        "held": {n: each[0].held for n, each in mine.items()},
        "split": sum(len(tasks) > 1 for tasks in now),
        "moved": sum(a != b for a, b in zip(was, now, strict=False)),
    }


def _query(name: str, query: QueryDecision, done: Done) -> dict[str, Any]:
    quality = qualities(done.memory).get(name)
    emitted = done.delivered.results.get(name, 0) - done.outcome.estimates.get(name, 0)
    return {
        "slack": query.slack,
        "watermark": query.upto,
        "late": query.late,
        "dropped": query.dropped,
        "max_lateness": query.max_lateness,
        **({"lateness": query.lateness} if query.lateness else {}),
        "emitted": emitted,
        "aside": done.delivered.late.get(name, 0),
        **({"quality": _quality(quality, query)} if quality else {}),
        **({"backlog": _backlog(query.work)} if query.work else {}),
        **({"estimates": _estimates(name, query.prods, done)} if query.prods else {}),
        "controllers": query.controllers,
    }


def _quality(quality: Quality, query: QueryDecision) -> dict[str, Any]:
    """What was measured of a promise, and why its slack is what it is."""
    order = query.window_order or query.period_order
    why = query.controllers.get("error_slack") or query.controllers.get("recall_slack") or {}
    return {
        "measured": quality.last.results,
        "within": quality.last.within,
        "unseen": 0 if order is None else order.unseen,
        "fulfilment": quality.fulfilment,
        **why,
    }


def _backlog(working: Work) -> dict[str, Any]:
    """What an expensive query did of its work, and what waits."""
    return {
        "todo": working.todo,
        "aside": working.aside,
        "shed": working.shed,
        "worked": working.worked,
        "oldest": working.oldest,
        **({"expired": working.expired} if working.expired else {}),
        **(_ranks(working) if working.has_ranks else {}),
    }


def _ranks(working: Work) -> dict[str, Any]:
    """What became of the rows of each rank, and which ranks are complete."""
    told = {str(book.rank or "none"): asdict(book) for book in working.books}
    ranks = {name: {n: v for n, v in one.items() if n != "rank"} for name, one in told.items()}
    spent = {"budget": working.budget, "used": working.weight}
    return {"expired": working.expired, "complete": working.complete, **spent, "ranks": ranks}


def _estimates(name: str, prods: Prods, done: Done) -> dict[str, Any]:
    """Prods and estimates of a batch, and what estimates were worth so far."""
    outcome, pairs = done.outcome, done.outcome.pairs.get(name)
    met = None if pairs is None else sample(pairs, done.decision.batch)
    failed = outcome.failures.get(name, 0)
    return {
        "prods": len(prods.calls) - failed,
        "rows": outcome.estimates.get(name, 0),
        "late": prods.late,
        "refused": len(prods.refused) + failed,
        "aggressiveness": prods.aggressiveness,
        "accuracy": accuracies(done.memory)[name].report(),
        **({} if met is None else {"sample": met.report()}),
    }
