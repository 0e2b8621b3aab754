"""What was promised and what was achieved, by method: the streams of ``slackwater bench slack``.

Without Spark: the controllers of the engine over the same rows and micro-batches, with a meter that
compares answers as the engine does, every fourth batch and once stragglers are in.

    python benchmarks/promised.py --picture docs/images/promised.png
"""

from __future__ import annotations

import argparse
from collections.abc import Sequence

import matplotlib as mpl
import numpy as np
from matplotlib import pyplot as plt

from slackwater.bench.hindsight import Given, Hindsight
from slackwater.bench.regimes import REGIMES, Stream, draw
from slackwater.bench.rehearsal import CONFIDENCE, SIZE, SLIDE, params_of, rehearse
from slackwater.query.contract import METHODS, Method

EPSILONS = (0.001, 0.01, 0.05)
STRETCH, SHORT = 200, 0.93


def draw_picture(found: dict[Method, list[tuple[Given, float]]], path: str) -> None:
    """The share within the bound as it moves, over 200 results each: promised against achieved."""
    mpl.use("Agg")
    figure, places = plt.subplots(len(found), 1, sharex=True, sharey=True, figsize=(8, 5))
    for place, (method, given) in zip(np.atleast_1d(places), found.items(), strict=True):
        for one, epsilon in given:
            kept = np.convolve(one.errors <= epsilon, np.ones(STRETCH) / STRETCH, "valid")
            place.plot(np.arange(kept.size) + STRETCH, 100 * kept, lw=1)
        place.axhline(100 * CONFIDENCE, color="black", ls="--", lw=1)
        place.set(title=f'method="{method}"', ylabel="% within", ylim=(90, 100.5))
    places[-1].set_xlabel("results so far; each point is a share of the 200 before it")
    figure.tight_layout()
    figure.savefig(path, dpi=110)


def main(arguments: Sequence[str] | None = None) -> None:
    options = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    options.add_argument("--only", action="append", choices=[*REGIMES])
    options.add_argument("--method", action="append", choices=METHODS)
    options.add_argument("--seed", type=int, default=3)
    options.add_argument("--seconds", type=int, default=1800)
    options.add_argument("--picture")
    chosen = options.parse_args(arguments)
    found: dict[Method, list[tuple[Given, float]]] = {}
    print("regime | bound | method | within | short | latency | least fixed | ratio")
    for regime in chosen.only or REGIMES:
        rows = draw(Stream(regime, chosen.seconds, seed=chosen.seed))
        past = Hindsight(rows, SIZE, SLIDE)
        for epsilon in EPSILONS:
            least = past.fixed(past.best_fixed(epsilon, CONFIDENCE)).mean_latency
            for method in chosen.method or ("calibrated", "conformal"):
                given = rehearse(rows, past, params_of(epsilon, method)).given
                found.setdefault(method, []).append((given, epsilon))
                print(
                    f"{regime} | {epsilon:.1%} | {method} | {given.fulfilment(epsilon):.1%} "
                    f"| {given.short(epsilon, SHORT, STRETCH):.0%} | {given.mean_latency:.2f} s "
                    f"| {least:.2f} s | {given.mean_latency / least:.2f}",
                    flush=True,
                )
    if chosen.picture:
        draw_picture(found, chosen.picture)


if __name__ == "__main__":
    main()
