"""Runs of an hour on a simulated cluster: R1 to R10. Nothing here is a measurement of Spark."""

from __future__ import annotations

import logging
from dataclasses import replace
from functools import cache
from random import Random
from statistics import mean, stdev
from typing import Any

from slackwater.papers.robust_lei2014.market import (
    DIMENSIONS,
    OPERATORS,
    Market,
    market,
    truth,
)
from slackwater.papers.robust_lei2014.operators.cluster import RUSTER_ROWS, Cluster, Node, Work
from slackwater.papers.robust_lei2014.operators.monitor import Monitor, Statistic
from slackwater.papers.robust_lei2014.operators.strategy import Moves, Name, Robust, strategy
from slackwater.papers.robust_lei2014.workload import (
    INTER_ARRIVAL_MS,
    Script,
    arrivals,
    constant,
    square,
    steps,
    stock_day,
)

LOG = logging.getLogger(__name__)
Row = dict[str, Any]
USUAL: tuple[Name, ...] = ("rld", "rod", "dyn")
ALL: tuple[Name, ...] = ("rld", "arld", "rod", "dyn", "static")
NODES = 5
STUDENT = {2: 12.706, 3: 4.303, 4: 3.182, 5: 2.776}  # t for 95 %, by repetitions
PERIOD = 5.0  # seconds between looks of the monitor
LOAD = 0.12  # of five nodes, at the estimate
MARKET = 120.0  # seconds, up and down
RATE = RUSTER_ROWS * 1000 / INTER_ARRIVAL_MS  # rows a second


@cache
def _market(seed: int) -> Market:
    return market(seed, RATE, LOAD)


def run(name: Name, script: Script, nodes: int, minutes: float, seed: int) -> Row:
    """One run: what came, what was given, how long rows took, and what it cost to adapt."""
    query, end = _market(seed), minutes * 60
    policy = strategy(name, query, nodes, PERIOD)

    @cache
    def at_second(second: int) -> list[float]:
        pipeline = query.pipeline(truth(script, second))
        return [one.share for one in pipeline.operators]

    def grown(at: float) -> list[float]:
        """Selectivities by the second, for every batch asks for them."""
        return at_second(int(at))

    work = Work(tuple(one.cost for one in query.operators), grown)
    cluster = Cluster(work, policy.placement, [Node() for _ in range(nodes)], end)
    monitor = Monitor(dict.fromkeys(DIMENSIONS, Statistic(1.0, half_life=0.5)))
    known = [monitor]

    def look() -> None:
        seen = truth(script, max(0.0, cluster.now - PERIOD / 2))
        known[0] = known[0].after(dict(zip(DIMENSIONS, seen, strict=True)))
        policy.control(cluster, known[0].point)
        cluster.busy = [0.0] * OPERATORS
        cluster.at(cluster.now + PERIOD, look)

    def come() -> None:
        cluster.accept(RUSTER_ROWS, policy.choose(known[0].point))

    draw = Random(f"arrivals {seed}")
    per_second = 1000 / INTER_ARRIVAL_MS
    rate = script.rate
    for at in arrivals(draw, lambda t: per_second * rate(t), per_second * script.highest, end):
        cluster.at(at, come)
    cluster.at(0.0, look)
    cluster.run()
    return {"how": name, "seed": seed, "nodes": nodes} | _told(cluster, policy)


def _told(cluster: Cluster, policy: Any) -> Row:
    found: Row = {
        "seconds": cluster.seconds / max(1.0, cluster.rows),
        "given": sum(cluster.given),
        "minutes": cluster.given[: int(cluster.end / 60)],
        "moves": cluster.moves,
        "paused": cluster.paused,
        "busy": cluster.worked / cluster.end / len(cluster.nodes),
    }
    if isinstance(policy, Robust):
        found |= {
            "plans": len(policy.found.plans.plans),
            "score": policy.score,
            "switches": policy.tally.switches,
            "outside": policy.tally.outside,
            "decisions": policy.tally.decisions,
            "classified": policy.classified / cluster.worked,
            "exchanges": policy.exchanges,
        }
    if isinstance(policy, Moves):
        found["paused_share"] = cluster.paused / cluster.end
    return found


def _scale(is_quick: bool) -> tuple[float, range]:
    """Minutes and seeds: an hour and five repetitions, or a part of it."""
    return (6.0, range(1)) if is_quick else (60.0, range(5))


def swinging(rate: Any, highest: float) -> Script:
    """The market turns every minute; rates are as said."""
    return Script(rate, square(MARKET, 1.0, -1.0), constant(0.0), highest)


def fixed_rates(is_quick: bool) -> list[Row]:
    """R1, and R10: rates of half to four times what was estimated."""
    minutes, seeds = _scale(is_quick)
    names: tuple[Name, ...] = (*USUAL, "static")
    found: list[Row] = []
    for factor in (0.5, 1.0, 2.0, 3.0, 4.0):
        script = swinging(constant(factor), factor)
        # what is overloaded has a queue that grows; twelve minutes of it tell as much as an hour
        length = minutes if factor <= 2 else min(minutes, 12.0)
        found += [
            {"factor": factor} | run(name, script, NODES, length, seed)
            for name in names
            for seed in seeds
        ]
        LOG.info("R1: rate %g", factor)
    return found


def calm(is_quick: bool) -> list[Row]:
    """Nothing swings, as R1 is described: all that is estimated is so, but for the rate."""
    minutes, seeds = _scale(is_quick)
    return [
        {"factor": factor} | run(name, _still(factor), NODES, min(minutes, 12.0), seed)
        for factor in (0.5, 1.0, 2.0)
        for name in USUAL
        for seed in seeds
    ]


def _still(rate: float) -> Script:
    return Script(constant(rate), constant(0.0), constant(0.0), rate)


def stepped(is_quick: bool) -> list[Row]:
    """R2: a third of the time each at 50, 100 and 200 %."""
    minutes, seeds = _scale(is_quick)
    third = minutes * 20
    script = swinging(steps((0.0, 0.5), (third, 1.0), (2 * third, 2.0)), 2.0)
    return [run(name, script, NODES, minutes, seed) for name in USUAL for seed in seeds]


def by_nodes(is_quick: bool) -> list[Row]:
    """R3: rates between 50 and 200 %, on few and many nodes."""
    minutes, seeds = _scale(is_quick)
    script = swinging(square(240.0, 1.6, 0.5), 1.6)
    counts = (5, 15) if is_quick else (5, 7, 10, 15)
    length = min(minutes, 30.0)
    return [
        run(name, script, count, length, seed)
        for count in counts
        for name in USUAL
        for seed in seeds[:3]
    ]


def by_period(is_quick: bool) -> list[Row]:
    """R4: how long rates are high before they are low again."""
    minutes, seeds = _scale(is_quick)
    found = []
    for period in (60.0, 240.0) if is_quick else (60.0, 240.0, 600.0, 1200.0):
        script = swinging(square(period, 1.6, 0.5), 1.6)
        found += [
            {"period": period} | run(name, script, NODES, min(minutes, 40.0), seed)
            for name in USUAL
            for seed in seeds[:3]
        ]
    return found


def stocks(is_quick: bool) -> list[Row]:
    """R5 to R7: the stand-in of a day of stocks on 5, 10 and 15 nodes."""
    minutes, seeds = _scale(is_quick)
    found = []
    for count in (5, 10, 15):
        for seed in seeds:
            rate, mood = stock_day(seed, minutes)
            script = Script(rate, mood, constant(0.0), 2.0)
            found += [run(name, script, count, minutes, seed) for name in USUAL]
        LOG.info("R6: %d nodes", count)
    return found


def stock_rates(is_quick: bool) -> list[float]:
    """R5: the rate of the first day, by half minutes."""
    minutes, _ = _scale(is_quick)
    rate, _ = stock_day(0, minutes)
    return [rate(30.0 * n) for n in range(int(minutes * 2))]


def drifting(is_quick: bool) -> list[Row]:
    """R8, R9: rates alternate, and values come from another distribution by turns of twice that."""
    minutes, seeds = _scale(is_quick)
    turn = 120.0 if is_quick else 600.0  # t_rate; t_dst is twice that
    script = replace(swinging(square(2 * turn, 0.5, 1.2), 1.2), drift=square(4 * turn, 0.0, 1.0))
    names: tuple[Name, ...] = ("rld", "arld", "rod", "dyn")
    return [run(name, script, NODES, max(minutes, 8.0), seed) for name in names for seed in seeds]


def averages(rows: list[Row], key: str, **fixed: Any) -> dict[str, float]:
    """Means over seeds, by strategy."""
    mine = [row for row in rows if all(row[k] == v for k, v in fixed.items())]
    names = dict.fromkeys(row["how"] for row in mine)
    return {name: mean(row[key] for row in mine if row["how"] == name) for name in names}


def interval(rows: list[Row], key: str, **fixed: Any) -> dict[str, tuple[float, float]]:
    """Mean and half of the 95 % confidence interval over repetitions, at most five."""
    found = {}
    for name, middle in averages(rows, key, **fixed).items():
        each = [
            r[key] for r in rows if r["how"] == name and all(r[k] == v for k, v in fixed.items())
        ]
        half = STUDENT[len(each)] * stdev(each) / len(each) ** 0.5 if len(each) > 1 else 0.0
        found[name] = (middle, half)
    return found


def figures_of(data: dict[str, Any]) -> dict[str, float]:
    """R1 to R4 and R6 to R10 (H12 to H17) as figures."""
    found: dict[str, float] = {}
    for factor in (0.5, 1.0, 2.0, 4.0):
        took = averages(data["R1"], "seconds", factor=factor)
        for other in ("rod", "dyn"):
            found[f"R1/{factor:.0%}/latency, {other} over rld"] = took[other] / took["rld"]
    still = averages(data["calm"], "seconds", factor=1.0)
    for other in ("rod", "dyn"):
        found[f"R1/100%, nothing swings/latency, {other} over rld"] = still[other] / still["rld"]
    found |= _later(data["R2"])
    for count in sorted({row["nodes"] for row in data["R3"]}):
        took = averages(data["R3"], "seconds", nodes=count)
        for other in ("rod", "dyn"):
            found[f"R3/{count} nodes/latency, {other} over rld"] = took[other] / took["rld"]
    periods = sorted({row["period"] for row in data["R4"]})
    short, long = (averages(data["R4"], "seconds", period=p) for p in (periods[0], periods[-1]))
    for name in USUAL:
        found[f"R4/latency of {name}, longest period over shortest"] = long[name] / short[name]
    for count in (5, 10, 15):
        took = averages(data["R6"], "seconds", nodes=count)
        for other in ("rod", "dyn"):
            better = 100 * (took[other] - took["rld"]) / took[other]
            found[f"R6/{count} nodes/rld better than {other} (%)"] = better
        moves = averages(data["R6"], "moves", nodes=count)
        found[f"R6/{count} nodes/moves of dyn"] = moves["dyn"]
    given = averages(data["R6"], "given", nodes=5)
    for other in ("rod", "dyn"):
        found[f"R7/5 nodes/results, rld over {other}"] = given["rld"] / given[other]
    took, made = (averages(data["R8"], key) for key in ("seconds", "given"))
    for other in ("rld", "rod", "dyn"):
        found[f"R8/latency, {other} over arld"] = took[other] / took["arld"]
        found[f"R9/results, arld over {other}"] = made["arld"] / made[other]
    shares = averages(data["R1"], "classified", factor=1.0, how="rld")
    found["R10/share of the work spent choosing plans"] = shares["rld"]
    paused = averages(data["R6"], "paused", nodes=5)
    found["R10/seconds in which operators of dyn were suspended"] = paused["dyn"]
    return found


def _later(rows: list[Row]) -> dict[str, float]:
    """R2: results of the last third, over those of RLD."""
    totals = {}
    for name in USUAL:
        mine = [row["minutes"] for row in rows if row["how"] == name]
        totals[name] = mean(sum(minutes[2 * len(minutes) // 3 :]) for minutes in mine)
    whole = averages(rows, "given")
    found = {f"R2/results at 200 %, {n} over rld": totals[n] / totals["rld"] for n in USUAL[1:]}
    return found | {f"R2/all results, {n} over rld": whole[n] / whole["rld"] for n in USUAL[1:]}
