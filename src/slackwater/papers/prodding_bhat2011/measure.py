"""The experiments of the source work, one function each; all times in seconds."""

from __future__ import annotations

import logging
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from statistics import mean
from time import process_time
from typing import Any, Literal

import numpy as np

from slackwater.estimate.accuracy import accuracy
from slackwater.estimate.aggressiveness import AggressivenessParams
from slackwater.estimate.backlog import BacklogPolicy
from slackwater.papers.prodding_bhat2011.operators.element import Result
from slackwater.papers.prodding_bhat2011.operators.expensive import Expensive, ExpensiveParams
from slackwater.papers.prodding_bhat2011.operators.generate import BURST_SECONDS
from slackwater.papers.prodding_bhat2011.operators.loop import Loop
from slackwater.papers.prodding_bhat2011.operators.measures import (
    Latency,
    Pair,
    accuracies,
    by_oldest,
    by_slide,
    by_window,
    is_boundary,
    measured_aggressiveness,
    pairs,
    scaled,
)
from slackwater.papers.prodding_bhat2011.operators.plan import Plan, WindowQuery, flat, paned
from slackwater.papers.prodding_bhat2011.operators.prod import Prod
from slackwater.papers.prodding_bhat2011.operators.prodder import Prodder, ProdderParams
from slackwater.papers.prodding_bhat2011.operators.signalled import (
    Strategy,
    answered,
    with_channels,
)
from slackwater.papers.prodding_bhat2011.operators.sources import Timed
from slackwater.papers.prodding_bhat2011.workload import (
    SECOND,
    SLIDING,
    TRAFFIC,
    Window,
    aggressiveness_stream,
    burst_stream,
    traffic_stream,
    uniform_stream,
)
from slackwater.papers.stream.monoids import AVG, COUNT, MAX, SUM, Monoid

Row = dict[str, Any]
Arrivals = Literal["random", "at once"]
LOG = logging.getLogger(__name__)
TICK = 10
ROUNDS = 5
FUNCTIONS: dict[str, Monoid[Any, Any, Any]] = {"Avg": AVG, "Max": MAX, "Sum": SUM, "Count": COUNT}
STRATEGIES: tuple[Strategy, ...] = (
    "in-stream",
    "simultaneous",
    "staggered",
    "top only",
    "lower only",
)


@dataclass(frozen=True)
class Scale:
    """How much of everything."""

    seconds: int
    seeds: int
    traffic_hours: float
    uniform_seconds: tuple[int, ...]
    repetitions: tuple[int, ...]
    costs_ms: tuple[float, ...]
    values: tuple[str, ...]
    burst_seeds: int = 1
    arrivals: tuple[Arrivals, ...] = ("random", "at once")
    aggressiveness: tuple[float, ...] = (0.1, 0.2, 0.3, 0.4, 0.5)
    offsets: tuple[int, ...] = (0, 1)


FULL = Scale(
    2000,
    20,
    24,
    (1000, 1500, 2000),
    (1, 2, 4),
    (3.25, 4.0),
    ("uniform", "normal 100", "normal 400", "normal 1000"),
    burst_seeds=5,
)
QUICK = Scale(
    300,
    2,
    3,
    (300,),
    (1,),
    (3.25,),
    ("uniform", "normal 400"),
    aggressiveness=(0.1, 0.3, 0.5),
    arrivals=("at once",),
)


def all_four() -> Monoid[Any, Any, Any]:
    """Four aggregates in one pass; results are tuples in the order of ``FUNCTIONS``."""
    parts = tuple(FUNCTIONS.values())
    return Monoid(
        tuple(one.zero for one in parts),
        lambda value: tuple(one.lift(value) for one in parts),
        lambda a, b: tuple(one.merge(x, y) for one, x, y in zip(parts, a, b, strict=True)),
        lambda state: tuple(one.get(x) for one, x in zip(parts, state, strict=True)),
    )


# --- E2, E3: delays


def _told(found: list[Pair], window: Window, second: int = SECOND) -> Row:
    by = {"window": by_window, "slide": by_slide, "oldest": by_oldest}
    rows: Row = {"pairs": len(found), "accuracy": float(accuracies(found).mean())}
    rows["worst"] = float(accuracies(found).min())
    rows["aggressiveness"] = measured_aggressiveness(found, window.slide)
    for name, since in by.items():
        latency = Latency.of(found, since)
        rows[f"early_{name}_s"] = latency.early / second
        rows[f"final_{name}_s"] = latency.final / second
        rows[f"gain_{name}_percent"] = latency.gain_percent
    rows["gain_s"] = latency.gain / second
    return rows


def traffic_experiment(scale: Scale, offset: int) -> Row:
    """E2, Q4-1: the sum of vehicles over ten minutes, every two; boundary windows count."""
    query = WindowQuery(TRAFFIC.size, TRAFFIC.slide, SUM, "volume")
    results = Plan(paned(query)).run(traffic_stream(scale.traffic_hours, offset=offset, seed=1))
    end = round(scale.traffic_hours * 3600) * SECOND
    found = [p for p in pairs(results) if p.final.end <= end]
    told = _told(found, TRAFFIC)
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
    return {"seconds": seconds, **_told(found, SLIDING)}


# --- E1: overhead


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


# --- E4, E8: bursts


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
        **_told(pairs(results), Window(5 * second, second), second),
        "final_all_s": mean(one.emitted - one.first_arrival for one in finals) / second,
        "series": [[one.window, one.kind, (one.emitted - one.end) / second] for one in results]
        if repetitions == 1
        else [],
    }


POLICIES: dict[str, tuple[BacklogPolicy | None, Literal["plain", "range"]]] = {
    "first in, first out": (None, "plain"),
    "drop": (BacklogPolicy("drop"), "plain"),
    "idle": (BacklogPolicy("idle"), "plain"),
    "idle, range": (BacklogPolicy("idle"), "range"),
    "3:1": (BacklogPolicy("ratio", 3), "plain"),
    "3:1, range": (BacklogPolicy("ratio", 3), "range"),
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


# --- E5, E6, E7: aggressiveness


def _by_prod(results: Iterable[Result]) -> dict[tuple[int, float], list[Pair]]:
    found: dict[tuple[int, float], list[Pair]] = {}
    for pair in pairs(results):
        offset, p = str(pair.early.prod).split("@")[0].split("s ")
        found.setdefault((int(offset), float(p)), []).append(pair)
    return found


def aggressiveness_run(
    scale: Scale, values: str, seed: int, window: Window
) -> list[tuple[int, float, str, float, float, float]]:
    """Offset, aggressiveness, function, mean accuracy, worst, worst without boundary windows."""
    query = WindowQuery(window.size, window.slide, all_four())
    elements = aggressiveness_stream(
        scale.seconds,
        values,
        scale.aggressiveness,
        offsets=scale.offsets,
        seed=seed,
        window=window,
    )
    end = scale.seconds * SECOND
    rows = []
    for (offset, p), some in _by_prod(Plan(paned(query)).run(elements)).items():
        kept = [pair for pair in some if pair.final.end <= end]
        inner = np.array([not is_boundary(pair.final, 0, end) for pair in kept])
        for place, name in enumerate(FUNCTIONS):
            early = [pair.early.value[place] for pair in kept]
            final = [pair.final.value[place] for pair in kept]
            each = accuracy(early, final)
            rows.append(
                (offset, p, name, float(each.mean()), float(each.min()), float(each[inner].min()))
            )
    return rows


def aggressiveness_curves(scale: Scale, values: str, window: Window) -> list[Row]:
    """Figs. 4.6–4.11: means over seeds."""
    found: dict[tuple[int, float, str], list[tuple[float, float, float]]] = {}
    for seed in range(1, scale.seeds + 1):
        for offset, p, name, *told in aggressiveness_run(scale, values, seed, window):
            found.setdefault((offset, p, name), []).append(tuple(told))  # type: ignore[arg-type]
    return [
        {
            "values": values,
            "offset": offset,
            "p": p,
            "function": name,
            "accuracy": mean(one[0] for one in told),
            "spread": float(np.std([one[0] for one in told])),
            "worst": mean(one[1] for one in told),
            "worst_inner": mean(one[2] for one in told),
        }
        for (offset, p, name), told in sorted(found.items())
    ]


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
        told = _told(found, SLIDING)
        rows.append({"p": p, **{key: told[key] for key in told if key.startswith("gain")}})
    return rows


# --- why prods flow with the data, and what else there is


def comparators(scale: Scale) -> list[Row]:
    """Rows in estimates under A1–A5, as a share of those a flat plan has at the same moment.

    Partial results need 50 ms on average from one operator to the next; nobody else has to know.
    """
    window = SLIDING
    seconds = min(scale.seconds, 600)
    query = WindowQuery(window.size, window.slide, SUM)
    elements = aggressiveness_stream(seconds, "uniform", [0.3], offsets=(0,), seed=5)
    truth = Plan(flat(query)).run(elements)
    full = {(r.prod, r.window): r for r in truth if r.kind == "early"}
    finals = {r.window: r.value for r in truth if r.kind == "final"}
    rows = []
    for strategy in STRATEGIES:
        for delay in (0, 10, 50, 200, 1000) if strategy == "staggered" else (0,):
            plan = with_channels(paned(query), mean=50, seed=3)
            results = answered(plan, strategy, elements, delay=delay)
            early = {(r.prod, r.window): r for r in results if r.kind == "early"}
            shares = [early[key].rows / full[key].rows if key in early else 0.0 for key in full]
            known = [r for key, r in early.items() if key[1] in finals]
            told = accuracy([r.value for r in known], [finals[r.window] for r in known])
            rows.append(
                {
                    "strategy": strategy,
                    "delay_ms": delay,
                    "estimates": len(early),
                    "asked": len(full),
                    "rows_share": float(np.mean(shares)),
                    "accuracy": float(told.mean()) if known else None,
                    "wait_ms": mean(r.emitted - full[key].emitted for key, r in early.items())
                    if early
                    else None,
                    "are_finals_right": {r.window: r.value for r in results if r.kind == "final"}
                    == finals,
                }
            )
    return rows


def baselines(scale: Scale) -> list[Row]:
    """Rows told per window: finals only, one prod per window, every change (update mode)."""
    seconds = min(scale.seconds, 600)
    query = WindowQuery(SLIDING.size, SLIDING.slide, SUM)
    elements = aggressiveness_stream(seconds, "uniform", [0.3], offsets=(0,), seed=5)
    bare = [one for one in elements if not isinstance(one.element, Prod)]
    runs = {
        "finals only": Plan(flat(query)).run(bare),
        "one prod per window": Plan(flat(query)).run(elements),
        "every change": Plan(flat(query, is_talkative=True)).run(bare),
    }
    windows = sum(one.kind == "final" for one in runs["finals only"])
    return [{"how": name, "rows_per_window": len(found) / windows} for name, found in runs.items()]


def step_response(scale: Scale) -> Row:
    """An early sum with a target of 90 %, which aggressiveness 0.3 would just meet."""
    prodder = Prodder(ProdderParams(SLIDING.size, SLIDING.slide))
    plan = Plan([prodder, *paned(WindowQuery(SLIDING.size, SLIDING.slide, SUM))])
    params = AggressivenessParams(90, margin=1, start=0.9, fresh=10, skipped=1)
    loop = Loop(plan, prodder, params)
    elements = aggressiveness_stream(max(scale.seconds, 1500), "uniform", [], offsets=(), seed=6)
    loop.run(elements)
    trail = [value for _, value in loop.trail]
    settled = next(n for n, value in enumerate(trail) if abs(value - 0.3) <= 0.05 + 1e-9)
    newest = loop.monitor.overall.recent[-50:]
    return {"trail": trail, "settled_windows": settled, "accuracy": mean(newest)}
