"""What statistics and an optimiser that finds nothing to do take of a batch, on Spark.

A join that may change its plan beside the same join with the plan that it ends with: both get every
batch, in an order drawn anew for each, so that nothing but the optimiser tells them apart. Several
of each, for the machine differs more from itself than a small overhead does.

    python benchmarks/overhead.py [BATCHES] [OF_EACH] [TIER]    # 60 batches, two of each, columnar
"""

from __future__ import annotations

import random
import sys
import tempfile
from dataclasses import replace
from pathlib import Path
from statistics import median, quantiles

from slackwater.bench import lockstep
from slackwater.bench.adapt import ADAPTIVE, CASES, WARM, build
from slackwater.bench.data import files_of
from slackwater.bench.drift import Drift, prepare
from slackwater.bench.measured import batch_times
from slackwater.bench.session import bench_session, own_session

PLAN = "((a b) c)"  # the best one of the steady case
SETTLED = 4 * WARM  # batches after which the windows are full and pairs are known


def main(batches: int = 60, of_each: int = 2, tier: str = "columnar") -> None:
    session = own_session(bench_session())
    session.conf.set(*lockstep.POLLING)
    steady = next(case for case in CASES if case.case == "steady")
    phase = replace(steady.drift.phases[0], batches=SETTLED + batches)
    case = replace(steady, drift=Drift((phase,)), tier=tier)
    names = [(order, number) for order in (ADAPTIVE, PLAN) for number in range(of_each)]
    with tempfile.TemporaryDirectory(
        prefix="slackwater-overhead-", ignore_cleanup_errors=True
    ) as scratch:
        data = prepare(case.drift, Path(scratch) / "data")
        handles, inputs = {}, {}
        for number, name in enumerate(names):
            here = Path(scratch) / f"side-{number}"
            (here / "input").mkdir(parents=True)
            ready = build(session, case, here / "input", here / "results", name[0])
            handles[name] = ready.start(str(here / "checkpoint"), tier=tier, spark=session)
            inputs[name] = here / "input"
        for number, file in enumerate(files_of(data)[: case.drift.batches]):
            for name in random.sample(names, len(names)):
                lockstep.feed({inputs[name]: handles[name]}, [file], first=number)
            print(f"\rbatch {number + 1} of {case.drift.batches}", end="", file=sys.stderr)
        print(file=sys.stderr)
        seconds = {name: batch_times(one.query)[0][SETTLED:] for name, one in handles.items()}
        looks = [
            event["batch"]
            for event in handles[ADAPTIVE, 0].events()
            if event["event"] == "batch"
            and event["queries"]["joined"]["controllers"]["adapt"].get("reason")
        ]
        for handle in handles.values():
            handle.stop()
    each = {
        order: [median(seconds[name]) for name in names if name[0] == order]
        for order in (ADAPTIVE, PLAN)
    }
    for order, found in each.items():
        print(f"{order}: median batch {', '.join(f'{one:.3f}' for one in found)} s")
    ratios = [
        sum(seconds[ADAPTIVE, n][batch] for n in range(of_each))
        / sum(seconds[PLAN, n][batch] for n in range(of_each))
        for batch in range(batches)
    ]
    low, middle, high = quantiles(ratios, n=4)
    total = [
        sum(map(sum, (seconds[order, n] for n in range(of_each)))) for order in (ADAPTIVE, PLAN)
    ]
    print(f"ratio by batch: median {middle:.3f}, half of them from {low:.3f} to {high:.3f}")
    print(f"ratio of all seconds: {total[0] / total[1]:.3f}")
    print(f"plans were compared in {len(looks)} of {SETTLED + batches} batches")


if __name__ == "__main__":
    given = sys.argv[1:]
    main(*(int(one) for one in given[:2]), *given[2:3])
