"""What is left of a promise on streams made to hurt it, by method; without Spark.

*Worst* is the smallest share of 200 results in a row, *debt* the deepest, in windows, and *told*
whether a notice ever said that no slack keeps the promise (or none that is allowed).

    python benchmarks/adversary.py
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence

from slackwater.bench.adversary import ATTACKS
from slackwater.bench.hindsight import Hindsight
from slackwater.bench.rehearsal import SIZE, SLIDE, params_of, rehearse
from slackwater.query.contract import METHODS

STRETCH = 200


def main(arguments: Sequence[str] | None = None) -> None:
    options = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    options.add_argument("--only", action="append", choices=[*ATTACKS])
    options.add_argument("--method", action="append", choices=METHODS)
    options.add_argument("--seed", type=int, default=3)
    chosen = options.parse_args(arguments)
    print("stream | bound | method | results | within | worst | latency | debt | told")
    for name in chosen.only or ATTACKS:
        attack = ATTACKS[name]
        rows = attack.rows(seed=chosen.seed)
        past = Hindsight(rows, SIZE, SLIDE)
        for method in chosen.method or ("calibrated", "conformal"):
            params = params_of(attack.epsilon, method, attack.at_most)
            found = rehearse(rows, past, params)
            print(
                f"{name} | {attack.epsilon:.2%} | {method} | {found.given.ends.size} "
                f"| {found.given.fulfilment(attack.epsilon):.1%} "
                f"| {found.given.worst(attack.epsilon, STRETCH):.1%} "
                f"| {found.given.mean_latency:.1f} s | {found.deepest:.1f} "
                f"| {'yes' if found.is_lost else 'no'}",
                flush=True,
            )


if __name__ == "__main__":
    main()
