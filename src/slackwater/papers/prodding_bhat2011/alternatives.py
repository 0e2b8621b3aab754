"""Why prods flow with the data, what else there is, and a prod that follows a target."""

from __future__ import annotations

from statistics import mean

import numpy as np

from slackwater.estimate.accuracy import accuracy
from slackwater.estimate.aggressiveness import AggressivenessParams
from slackwater.papers.prodding_bhat2011.operators.loop import Loop
from slackwater.papers.prodding_bhat2011.operators.plan import Plan, WindowQuery, flat, paned
from slackwater.papers.prodding_bhat2011.operators.prod import Prod
from slackwater.papers.prodding_bhat2011.operators.prodder import Prodder, ProdderParams
from slackwater.papers.prodding_bhat2011.operators.signalled import (
    Strategy,
    answered,
    with_channels,
)
from slackwater.papers.prodding_bhat2011.scale import Row, Scale
from slackwater.papers.prodding_bhat2011.workload import (
    SLIDING,
    aggressiveness_stream,
)
from slackwater.papers.stream.monoids import SUM

STRATEGIES: tuple[Strategy, ...] = (
    "in-stream",
    "simultaneous",
    "staggered",
    "top only",
    "lower only",
)


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
