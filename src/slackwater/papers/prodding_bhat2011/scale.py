"""How much of the experiments to run, and what every group of estimates is summed up in."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

from slackwater.papers.prodding_bhat2011.operators.measures import (
    Latency,
    Pair,
    accuracies,
    by_oldest,
    by_slide,
    by_window,
    measured_aggressiveness,
)
from slackwater.papers.prodding_bhat2011.workload import (
    SECOND,
    Window,
)

Row = dict[str, Any]
Arrivals = Literal["random", "at once"]


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


def summary(found: list[Pair], window: Window, second: int = SECOND) -> Row:
    """Accuracy of estimates, their aggressiveness, and latencies."""
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
