"""Delays and overhead: E1 to E3, and latency won against aggressiveness. Times in seconds."""

from __future__ import annotations

from collections.abc import Callable
from statistics import mean
from time import process_time
from typing import Any

from slackwater.estimate.accuracy import accuracy
from slackwater.papers.prodding_bhat2011.bursts import TICK, burst_plan
from slackwater.papers.prodding_bhat2011.operators.element import Result
from slackwater.papers.prodding_bhat2011.operators.measures import (
    by_slide,
    by_window,
    is_boundary,
    pairs,
    scaled,
)
from slackwater.papers.prodding_bhat2011.operators.plan import Plan, WindowQuery, paned
from slackwater.papers.prodding_bhat2011.operators.sources import Timed
from slackwater.papers.prodding_bhat2011.scale import Row, Scale, summary
from slackwater.papers.prodding_bhat2011.workload import (
    SECOND,
    SLIDING,
    TRAFFIC,
    traffic_stream,
    uniform_stream,
)
from slackwater.papers.stream.monoids import MAX, SUM

ROUNDS = 5


def traffic_experiment(scale: Scale, offset: int) -> Row:
    """E2, Q4-1: the sum of vehicles over ten minutes, every two; boundary windows count."""
    query = WindowQuery(TRAFFIC.size, TRAFFIC.slide, SUM, "volume")
    results = Plan(paned(query)).run(traffic_stream(scale.traffic_hours, offset=offset, seed=1))
    end = round(scale.traffic_hours * 3600) * SECOND
    found = [p for p in pairs(results) if p.final.end <= end]
    told = summary(found, TRAFFIC)
    told["scaled_accuracy"] = float(
        accuracy([scaled(p, TRAFFIC.slide) for p in found], [p.final.value for p in found]).mean()
    )
    told["offset"] = offset
    told["series"] = [[p.final.end / SECOND, p.early.value, p.final.value] for p in found[: 60 * 3]]
    return told


def uniform_experiment(seconds: int) -> Row:
    """E3, Q-U: the largest speed over 30 s, every 10; a prod at 30 %."""
    query = WindowQuery(SLIDING.size, SLIDING.slide, MAX)
    results = Plan(paned(query)).run(uniform_stream(seconds, [0.3], seed=seconds))
    found = [p for p in pairs(results) if p.final.end <= seconds * SECOND]
    return {"seconds": seconds, **summary(found, SLIDING)}


def latency_gains(scale: Scale) -> list[Row]:
    """Latency won against aggressiveness, by window and by slide (M6)."""
    seconds = scale.uniform_seconds[0]
    rows = []
    for p in scale.aggressiveness:
        query = WindowQuery(SLIDING.size, SLIDING.slide, MAX)
        results = Plan(paned(query)).run(uniform_stream(seconds, [p], seed=7))
        found = [
            pair for pair in pairs(results) if not is_boundary(pair.final, 0, seconds * SECOND)
        ]
        told = summary(found, SLIDING)
        rows.append({"p": p, **{key: told[key] for key in told if key.startswith("gain")}})
    return rows


def overhead(name: str, second: int, make: Callable[[bool], tuple[Plan, list[Timed]]]) -> Row:
    """Finals with and without prods: values, times of production, and CPU time of processing.

    ``cpu_same`` compares two equal groups of runs without prods: what differs there is noise.
    """
    cpu: dict[str, float] = {}
    finals: dict[bool, list[Result]] = {}
    for group in ("with", "without", "again") * ROUNDS:
        is_prodded = group == "with"
        plan, elements = make(is_prodded)
        began = process_time()
        results = plan.run(elements)
        took = process_time() - began
        cpu[group] = min(took, cpu.get(group, took))
        finals[is_prodded] = [one for one in results if one.kind == "final"]

    def latency(is_prodded: bool, since: Callable[[Result], int]) -> float:
        return mean(one.emitted - since(one) for one in finals[is_prodded]) / second

    def shown(is_prodded: bool) -> list[Any]:
        return [(one.window, one.value, one.emitted) for one in finals[is_prodded]]

    return {
        "stream": name,
        "with_s": latency(True, by_window),
        "without_s": latency(False, by_window),
        "with_slide_s": latency(True, by_slide),
        "without_slide_s": latency(False, by_slide),
        "is_equal": shown(True) == shown(False),
        "cpu_ratio": cpu["with"] / cpu["without"],
        "cpu_same": cpu["again"] / cpu["without"],
    }


def overheads(scale: Scale) -> list[Row]:
    """E1, Table 4.1."""
    seconds = 1500 if 1500 in scale.uniform_seconds else scale.uniform_seconds[0]

    def uniform_plan(is_prodded: bool) -> tuple[Plan, list[Timed]]:
        query = WindowQuery(SLIDING.size, SLIDING.slide, MAX)
        asked = [0.3] if is_prodded else []
        return Plan(paned(query)), uniform_stream(seconds, asked, seed=seconds)

    def burst(repetitions: int) -> Callable[[bool], tuple[Plan, list[Timed]]]:
        return lambda is_prodded: burst_plan(repetitions, 4.0, "random", is_prodded=is_prodded)[:2]

    return [
        overhead(f"Uniform_{seconds}", SECOND, uniform_plan),
        *(
            overhead(f"Burst_{repetitions}", SECOND * TICK, burst(repetitions))
            for repetitions in scale.repetitions[1:] or scale.repetitions
        ),
    ]
