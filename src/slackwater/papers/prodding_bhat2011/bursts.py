"""Bursts, and who waits aside: E4, E8. Times in seconds."""

from __future__ import annotations

from statistics import mean
from typing import Any, Literal

from slackwater.estimate.backlog import BacklogPolicy
from slackwater.papers.prodding_bhat2011.operators.element import Result
from slackwater.papers.prodding_bhat2011.operators.expensive import Expensive, ExpensiveParams
from slackwater.papers.prodding_bhat2011.operators.generate import BURST_SECONDS
from slackwater.papers.prodding_bhat2011.operators.measures import (
    accuracies,
    pairs,
)
from slackwater.papers.prodding_bhat2011.operators.plan import Plan, WindowQuery, paned
from slackwater.papers.prodding_bhat2011.operators.prodder import Prodder, ProdderParams
from slackwater.papers.prodding_bhat2011.operators.sources import Timed
from slackwater.papers.prodding_bhat2011.scale import Arrivals, Row, summary
from slackwater.papers.prodding_bhat2011.workload import (
    SECOND,
    Window,
    burst_stream,
)
from slackwater.papers.stream.monoids import MAX

TICK = 10
POLICIES: dict[str, tuple[BacklogPolicy | None, Literal["plain", "range"]]] = {
    "first in, first out": (None, "plain"),
    "drop": (BacklogPolicy("drop"), "plain"),
    "idle": (BacklogPolicy("idle"), "plain"),
    "idle, range": (BacklogPolicy("idle"), "range"),
    "3:1": (BacklogPolicy("ratio", 3), "plain"),
    "3:1, range": (BacklogPolicy("ratio", 3), "range"),
}


def burst_plan(
    repetitions: int,
    cost_ms: float,
    arrivals: Arrivals,
    *,
    seed: int = 1,
    is_prodded: bool = True,
    policy: BacklogPolicy | None = None,
    punctuations: Literal["plain", "range"] = "plain",
) -> tuple[Plan, list[Timed], Expensive]:
    """Q4-2: prods right after the end of each second overtake the to-do list.

    Virtual time is in ``TICK`` per millisecond here, so that any cost is whole.
    """
    second = SECOND * TICK
    elements = burst_stream(repetitions, arrivals=arrivals, seed=seed, second=second)
    expensive = Expensive(ExpensiveParams(round(cost_ms * TICK), second, policy, punctuations))
    asked = -1 / second if is_prodded else None  # one tick after the end
    until = elements[-1].at + 60 * second
    prodder = Prodder(ProdderParams(5 * second, second, asked, end=until))
    query = WindowQuery(5 * second, second, MAX, "counter")
    plan = Plan([prodder, expensive, *paned(query)], is_stamped=True)
    return plan, elements, expensive


def burst_run(
    repetitions: int, cost_ms: float, arrivals: Arrivals, **options: Any
) -> tuple[list[Result], Expensive]:
    """Results of windows that end with the stream or before."""
    plan, elements, expensive = burst_plan(repetitions, cost_ms, arrivals, **options)
    end = repetitions * BURST_SECONDS * SECOND * TICK
    return [one for one in plan.run(elements) if one.end <= end], expensive


def burst_experiment(repetitions: int, cost_ms: float, arrivals: Arrivals, seeds: int = 1) -> Row:
    """E4, Table 4.3: means over seeds; the series is that of the first."""
    rows = [_one_burst(repetitions, cost_ms, arrivals, seed) for seed in range(1, seeds + 1)]
    numbers = [key for key, value in rows[0].items() if isinstance(value, int | float)]
    told = {key: mean(row[key] for row in rows) for key in numbers}
    gains = [row["gain_s"] for row in rows]
    return {**rows[0], **told, "gain_low_s": min(gains), "gain_high_s": max(gains)}


def _one_burst(repetitions: int, cost_ms: float, arrivals: Arrivals, seed: int) -> Row:
    """Only windows that have an estimate count."""
    results, _ = burst_run(repetitions, cost_ms, arrivals, seed=seed)
    finals = [one for one in results if one.kind == "final"]
    second = SECOND * TICK
    return {
        "repetitions": repetitions,
        "cost_ms": cost_ms,
        "arrivals": arrivals,
        "windows": len(finals),
        **summary(pairs(results), Window(5 * second, second), second),
        "final_all_s": mean(one.emitted - one.first_arrival for one in finals) / second,
        "series": [[one.window, one.kind, (one.emitted - one.end) / second] for one in results]
        if repetitions == 1
        else [],
    }


def sidelining(cost_ms: float = 4.0, arrivals: Arrivals = "random") -> list[Row]:
    """E8, Fig. 6.3: final latencies by class of window, *touched* by tuples set aside or not.

    The class of a window is decided by what IDLE sets aside, the same for all policies: a window
    is touched if one of its slides had a tuple set aside.
    """
    _, expensive = burst_run(1, cost_ms, arrivals, policy=BacklogPolicy("idle"))
    slides = set(expensive.sidelined)
    exact: dict[int, Any] = {}
    rows = []
    for name, (policy, punctuations) in POLICIES.items():
        results, server = burst_run(1, cost_ms, arrivals, policy=policy, punctuations=punctuations)
        finals = [one for one in results if one.kind == "final"]
        exact = exact or {one.window: one.value for one in finals}  # first in, first out
        latency = {
            one.window: (one.emitted - one.first_arrival) / (SECOND * TICK) for one in finals
        }
        touched = {
            one.window: bool(slides & set(range(one.window - 4, one.window + 1))) for one in finals
        }
        by_class = {
            kind: [latency[w] for w in latency if touched[w] == (kind == "touched")]
            for kind in ("touched", "untouched")
        }
        found = pairs(results)
        rows.append(
            {
                "policy": name,
                "early_windows": len({one.window for one in results if one.kind == "early"}),
                "dropped": server.dropped,
                "mean_s": mean(latency.values()),
                "max_s": max(latency.values()),
                **{f"{kind}_mean_s": mean(of) if of else 0.0 for kind, of in by_class.items()},
                **{f"{kind}_max_s": max(of, default=0.0) for kind, of in by_class.items()},
                "touched_windows": sum(touched.values()),
                "accuracy": float(accuracies(found).mean()) if found else 100.0,
                "finals_off": sum(one.value != exact[one.window] for one in finals),
                "series": [[w, latency[w]] for w in sorted(latency)],
            }
        )
    return rows
