"""The experiments of Ji 2018, ch. 5: numbers, no pictures."""

from __future__ import annotations

import logging
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from slackwater.papers.concurrent_ji2018.operators.chain import Reuse
from slackwater.papers.concurrent_ji2018.operators.queries import (
    AggregateSpec,
    SharedAggregate,
    SharedJoin,
    Spec,
)
from slackwater.papers.concurrent_ji2018.operators.system import Policy, System, SystemParams
from slackwater.papers.concurrent_ji2018.workload import (
    Planned,
    Row,
    plan_1,
    plan_2,
    plan_3,
    stream,
)
from slackwater.papers.recall_ji2018.operators.oracle import exact_join
from slackwater.papers.recall_ji2018.operators.quality import (
    ResultTimes,
    measured_recall,
    recall_fulfilment,
)
from slackwater.papers.slack_ji2018.operators.oracle import exact_results
from slackwater.papers.slack_ji2018.operators.quality import errors_of, fulfilment
from slackwater.share.calculator import CalculatorParams
from slackwater.share.opt import opt
from slackwater.share.strategies import STRATEGIES
from slackwater.share.trigger import EAGER, TRIGGERS
from slackwater.stats.arrival import Arrival
from slackwater.units import SECOND

LOG = logging.getLogger(__name__)
Found = dict[str, Any]
REUSES: tuple[Reuse, ...] = ("smart", "naive")


@dataclass(frozen=True, slots=True)
class Scale:
    """How much to run: minutes of the stream, and the period over which recall is measured."""

    minutes: float
    period: int
    plans: tuple[int, ...] = (1, 2, 3)
    triggers: tuple[str, ...] = ("eager", "lazy", "0.5-lazy")


FULL = Scale(3, 30 * SECOND)
QUICK = Scale(0.2, 3 * SECOND, (1, 2), ("eager", "lazy"))


class Experiment:
    """One plan over one stream; the true results are worked out once."""

    def __init__(self, number: int, scale: Scale, seed: int = 1) -> None:
        self.planned = (plan_1(), plan_2(scale.period), plan_3(scale.period))[number - 1]
        self.plan = self.planned.plan()
        self.arrivals = stream(scale.minutes, len(self.plan.trees), seed)
        self._exact = {
            spec.name: exact(self.planned, spec, self.arrivals) for spec in self.plan.specs
        }

    def run(self, params: SystemParams) -> Found:
        system = System(self.plan, params)
        system.run(self.arrivals)
        queries = {name: self._query(query) for name, query in system.queries.items()}
        took = system.measured
        return {
            "queries": queries,
            "held": float(np.mean(took.held)),
            "computing_us": _median(took.computing),
            "applying_us": _median(took.applying),
            "moving_us": _median(took.moving),
            "applying_total_ms": sum(took.applying) / 1000,
            "configurations": len(took.applying),
            "skipped": system.skipped,
            "moved": took.moved,
            "suppressed": sum(tree.suppressed for tree in system.trees.values()),
        }

    def _query(self, query: SharedAggregate | SharedJoin) -> Found:
        known = self._exact[query.spec.name]
        latency = None if query.latency is None else query.latency / SECOND
        if isinstance(query, SharedAggregate):
            errors = errors_of(query.results, known)
            kept = fulfilment(errors, query.spec.epsilon)
        else:
            found, true = ResultTimes.of(query.counts), ResultTimes.of(known)
            recalls = measured_recall(found, true, query.ends, query.spec.period)
            kept = recall_fulfilment(recalls, query.spec.recall)
        return {"latency_s": latency, "fulfilment": kept}


def exact(planned: Planned, spec: Spec, arrivals: list[Arrival[Row]]) -> Any:
    """True results of a query: by window, or how many by their time."""
    mine = {name: planned.wants(spec.name, name) for name in spec.streams}
    seen = [one for one in arrivals if one.stream in mine and mine[one.stream](one.payload)]
    if isinstance(spec, AggregateSpec):
        return {result.end: result.value for result in exact_results(spec.params, seen)}
    return Counter(result.ts for result in exact_join(spec.query, seen))


def _median(values: list[float]) -> float | None:
    """Of times on a machine that does other things, too."""
    return float(np.median(values)) if values else None


def plans(scale: Scale) -> Iterator[tuple[str, Experiment]]:
    for number in scale.plans:
        yield f"plan {number}", Experiment(number, scale)


def measured(scale: Scale) -> Found:
    """Everything about every plan."""
    found: Found = {}
    for name, experiment in plans(scale):
        baselines = {policy: experiment.run(_baseline(policy)) for policy in ("none", "max")}
        LOG.info(f"  {name}: baselines")
        ways = {
            strategy: experiment.run(SystemParams(calculator=CalculatorParams(place, EAGER)))
            for strategy, place in STRATEGIES
        }
        LOG.info(f"  {name}: strategies")
        updates = {
            trigger: {
                reuse: ways["opt"]
                if (trigger, reuse) == ("eager", "smart")
                else experiment.run(
                    SystemParams(calculator=CalculatorParams(opt, when), reuse=reuse)
                )
                for reuse in REUSES
            }
            for trigger, when in TRIGGERS
            if trigger in scale.triggers
        }
        LOG.info(f"  {name}: triggers")
        flawless = experiment.run(SystemParams(by="identity"))
        found[name] = {
            "baselines": baselines,
            "strategies": ways,
            "updates": updates,
            "flawless": flawless,
        }
    return found


def _baseline(policy: Policy) -> SystemParams:
    return SystemParams(policy, CalculatorParams(checks_profit=False))
