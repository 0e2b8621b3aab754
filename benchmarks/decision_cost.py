"""What a decision on a slack costs: processor time of a controller's step, without Spark.

python benchmarks/decision_cost.py
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Sequence
from statistics import median

from slackwater.bench import rehearsal
from slackwater.bench.hindsight import Hindsight
from slackwater.bench.regimes import REGIMES, Stream, draw
from slackwater.disorder.error_slack import ErrorSeen, ErrorSlackParams, ErrorSlackState, step
from slackwater.query.contract import METHODS

EPSILON = 0.001


def main(arguments: Sequence[str] | None = None) -> None:
    options = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    options.add_argument("--only", action="append", choices=[*REGIMES])
    options.add_argument("--method", action="append", choices=METHODS)
    options.add_argument("--seconds", type=int, default=900)
    chosen = options.parse_args(arguments)
    spent: list[float] = []

    def timed(params: ErrorSlackParams, state: ErrorSlackState, seen: ErrorSeen) -> ErrorSlackState:
        began = time.process_time()
        after = step(params, state, seen)
        spent.append(1000 * (time.process_time() - began))
        return after

    rehearsal.step = timed
    print("regime | method | decisions | median | 95 % | most")
    for regime in chosen.only or REGIMES:
        rows = draw(Stream(regime, chosen.seconds))
        past = Hindsight(rows, rehearsal.SIZE, rehearsal.SLIDE)
        for method in chosen.method or ("calibrated", "conformal"):
            spent.clear()
            rehearsal.rehearse(rows, past, rehearsal.params_of(EPSILON, method))
            known = sorted(spent)
            print(
                f"{regime} | {method} | {len(known)} | {median(known):.2f} ms "
                f"| {known[int(0.95 * len(known))]:.2f} ms | {known[-1]:.2f} ms",
                flush=True,
            )


if __name__ == "__main__":
    main()
