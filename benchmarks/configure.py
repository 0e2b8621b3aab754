"""How long it takes to compute and to apply a configuration of shared buffers, in replay.

    python benchmarks/configure.py [MINUTES]

Runs the three plans of ``papers/concurrent_ji2018`` tuple by tuple; a configuration is computed by
OPT whenever a query reports another slack, and applied with smart re-use. Microseconds: medians of
each, their sum, and the sum of what 99 of 100 stay below.
"""

from __future__ import annotations

import sys

import numpy as np

from slackwater.papers.concurrent_ji2018.operators.system import System, SystemParams
from slackwater.papers.concurrent_ji2018.workload import plan_1, plan_2, plan_3, stream
from slackwater.units import MINUTE


def main(minutes: float) -> None:
    print(
        f"{'plan':8} {'times':>6} {'computing':>10} {'applying':>9} {'both':>6} {'both, p99':>10}"
    )
    for planned in (plan_1(), plan_2(MINUTE), plan_3(MINUTE)):
        plan = planned.plan()
        system = System(plan, SystemParams())
        system.run(stream(minutes, len(plan.trees)))
        computing = np.array(system.measured.computing)
        applying = np.array(system.measured.applying)
        middle = np.median(computing), np.median(applying)
        worst = np.quantile(computing, 0.99) + np.quantile(applying, 0.99)
        print(
            f"{plan.name:8} {applying.size:6} {middle[0]:10.0f} {middle[1]:9.0f} "
            f"{sum(middle):6.0f} {worst:10.0f}"
        )


if __name__ == "__main__":
    main(float(sys.argv[1]) if len(sys.argv) > 1 else 0.5)
