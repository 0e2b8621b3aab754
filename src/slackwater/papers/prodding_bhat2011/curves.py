"""Accuracy against aggressiveness: E5 to E7."""

from __future__ import annotations

from collections.abc import Iterable
from statistics import mean
from typing import Any

import numpy as np

from slackwater.estimate.accuracy import accuracy
from slackwater.papers.prodding_bhat2011.operators.element import Result
from slackwater.papers.prodding_bhat2011.operators.measures import (
    Pair,
    is_boundary,
    pairs,
)
from slackwater.papers.prodding_bhat2011.operators.plan import Plan, WindowQuery, paned
from slackwater.papers.prodding_bhat2011.scale import Row, Scale
from slackwater.papers.prodding_bhat2011.workload import (
    SECOND,
    Window,
    aggressiveness_stream,
)
from slackwater.papers.stream.monoids import AVG, COUNT, MAX, SUM, Monoid

FUNCTIONS: dict[str, Monoid[Any, Any, Any]] = {"Avg": AVG, "Max": MAX, "Sum": SUM, "Count": COUNT}


def all_four() -> Monoid[Any, Any, Any]:
    """Four aggregates in one pass; results are tuples in the order of ``FUNCTIONS``."""
    parts = tuple(FUNCTIONS.values())
    return Monoid(
        tuple(one.zero for one in parts),
        lambda value: tuple(one.lift(value) for one in parts),
        lambda a, b: tuple(one.merge(x, y) for one, x, y in zip(parts, a, b, strict=True)),
        lambda state: tuple(one.get(x) for one, x in zip(parts, state, strict=True)),
    )


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
