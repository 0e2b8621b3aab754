"""How many periods of a join keep their recall, by method: ``bench recall`` without Java.

The engine's loop over drawn rows in the process (``slackwater.testing``): two streams of 300 rows
a second, a micro-batch every 2 s, joined on a key within 2 s, periods of 10 s. Every period from
the first counts, judged by the join over all rows. *Slack* is its mean over the batches.

    python benchmarks/promised_recall.py --seconds 240
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Sequence
from itertools import zip_longest

import numpy as np
import pyarrow as pa

import slackwater as sw
from slackwater.bench.recall import EMITS, GAMMAS, KEYS, OVER, REGIMES, WINDOW, Past
from slackwater.bench.regimes import Rows, Stream, draw
from slackwater.events import log
from slackwater.query.contract import METHODS
from slackwater.query.stream import Query
from slackwater.testing import make_loop, micro, rows
from slackwater.units import SECOND


def tables(drawn: Rows) -> list[pa.Table]:
    """The rows of each micro-batch."""
    keys = (drawn.values * 100_000).astype(np.int64) % KEYS
    whole = pa.table({"ts": pa.array(drawn.ts, pa.timestamp("us", "UTC")), "k": keys})
    pairs = zip(drawn.cuts[:-1], drawn.cuts[1:], strict=True)
    return [whole.slice(low, high - low) for low, high in pairs]


def queries(methods: Sequence[str]) -> dict[tuple[str, float, str], Query]:
    """A join for each method, recall and way of emission."""
    inputs = [rows(name, time="ts", ts="timestamp", k="bigint") for name in "ab"]
    found = {}
    for term in ((m, gamma, emit) for m in methods for gamma in GAMMAS for emit in EMITS):
        method, gamma, emit = term
        pairs = sw.join(*inputs, on="k", within=f"{WINDOW} seconds", emit=emit)
        contract = sw.min_recall(gamma, over=f"{OVER} s", granularity="20 ms", method=method)
        name = "_".join(map(str, term)).replace(".", "_")
        found[term] = pairs.select("a.ts AS a_ts").query(name, contract, sink=sw.memory())
    return found


def main(arguments: Sequence[str] | None = None) -> None:
    options = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    options.add_argument("--only", action="append", choices=REGIMES)
    options.add_argument("--method", action="append", choices=METHODS)
    options.add_argument("--seconds", type=int, default=240)
    options.add_argument("--seed", type=int, default=3)
    chosen = options.parse_args(arguments)
    print("regime | recall | results | method | periods | kept | mean recall | told | slack")
    for regime in chosen.only or REGIMES:
        seeds = (chosen.seed, chosen.seed + 1)
        drawn = [draw(Stream(regime, chosen.seconds, seed=seed)) for seed in seeds]
        past, asked = Past(drawn), queries(chosen.method or ("calibrated", "conformal"))
        with tempfile.TemporaryDirectory(prefix="slackwater-recall-") as folder:
            loop = make_loop(list(asked.values()), folder)
            batches = zip_longest(*(tables(one) for one in drawn))
            for number, (a, b) in enumerate(batches):
                given = {name: one for name, one in (("a", a), ("b", b)) if one is not None}
                loop.process(micro(loop, given), number)
            loop.finish()
            loop.close()
            told = [one["queries"] for one in log.read(loop.checkpoint.events) if "queries" in one]
        for (method, gamma, emit), query in asked.items():
            table = query.sink.table()
            times = table["event_time"].cast(pa.int64()).to_numpy()
            recall = past.periods(times)
            mine = [one[query.name] for one in told if query.name in one]
            slack = np.mean([one["slack"] or 0 for one in mine]) / SECOND
            said = [one["quality"]["fulfilment"] for one in mine if "quality" in one][-1]
            print(
                f"{regime} | {gamma:g} | {emit} | {method} | {recall.size} "
                f"| {(recall >= gamma).mean():.0%} | {recall.mean():.3f} "
                f"| {said or 0:.0%} | {slack:.1f} s",
                flush=True,
            )


if __name__ == "__main__":
    main()
