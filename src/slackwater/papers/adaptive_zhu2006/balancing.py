"""The experiments of Part III, ch. 23: plans of single machines, and groups that move between them.

All streams are joined on one column, by which they are partitioned, too. One machine has half of
the groups at first. A machine that looks for a better plan joins that pair first which had the
fewest pairs of rows lately; selectivities are all the same here.
"""

from __future__ import annotations

from itertools import combinations
from typing import Any

import numpy as np

from slackwater.balance.rule import Thresholds
from slackwater.papers.adaptive_zhu2006.machines.cluster import Cluster, Shown, Site
from slackwater.papers.adaptive_zhu2006.machines.coordinator import SETTINGS, Setting
from slackwater.papers.adaptive_zhu2006.machines.machine import Machine
from slackwater.papers.adaptive_zhu2006.operators.digest import Digest
from slackwater.papers.adaptive_zhu2006.operators.engine import Engine
from slackwater.papers.adaptive_zhu2006.operators.join import JoinParams
from slackwater.papers.adaptive_zhu2006.operators.plan import Join, Plan, Source, streams_of, tree
from slackwater.papers.adaptive_zhu2006.operators.query import Query, edges
from slackwater.papers.adaptive_zhu2006.operators.row import Single
from slackwater.papers.adaptive_zhu2006.operators.windows import Windows
from slackwater.papers.adaptive_zhu2006.workload import Steps, poisson
from slackwater.papers.paper import Figures, Results

Row = dict[str, Any]
GROUPS = 100
STREAMS = ("A", "B", "C")
START = tree("(A B) C")
BETTER = 0.5  # a plan is changed for one with so much of the pairs


def query_of(window: int) -> Query:
    """Three streams that are joined on one column."""
    same = edges("A.k=B.k", "B.k=C.k", "A.k=C.k")
    return Query(dict.fromkeys(STREAMS, ("k",)), same, Windows.same(window))


def group_of(single: Single) -> int:
    value = single.values[0]
    return int(value) % GROUPS


def keyed(delays: dict[str, Steps], keys: int, until: int, seed: int) -> list[Single]:
    """Poisson arrivals with mean delays that step, keys uniform."""
    query, found = query_of(0), []
    for number, (stream, steps) in enumerate(delays.items()):
        random = np.random.default_rng((seed, number))
        for seq, ts in enumerate(poisson(random, steps, until)):
            found.append(query.single(stream, ts, seq, (int(random.integers(keys)),)))
    return sorted(found, key=lambda one: one.ts)


def homes(machines: int) -> list[str]:
    """Half of the groups at the first machine, the others at all of them alike."""
    names = [f"M{number}" for number in range(1, machines + 1)]
    return [names[0] if n < GROUPS // 2 else names[n % machines] for n in range(GROUPS)]


def best_plan(machine: Machine) -> Plan:
    """The pair with the fewest pairs of rows first, if that is worth a change."""
    came = {stream: machine.arrived[stream] + 1 for stream in STREAMS}
    pairs = {pair: came[pair[0]] * came[pair[1]] for pair in combinations(STREAMS, 2)}
    [current] = [tuple(sorted(streams_of(one))) for one in _joins_below(machine.plan)]
    least = min(pairs, key=lambda pair: (pairs[pair], pair))
    if pairs[least] >= BETTER * pairs[current[0], current[1]]:
        return machine.plan
    [last] = set(STREAMS) - set(least)
    return Join((Join((Source(least[0]), Source(least[1]))), Source(last)))


def _joins_below(plan: Plan) -> list[Plan]:
    return [one for one in plan.inputs if isinstance(one, Join)] if isinstance(plan, Join) else []


def checked(cluster: Cluster, arrivals: list[Single], until: float, right: Digest) -> Shown:
    """Run and finish; raise unless the results are those of one plan on one machine."""
    shown = cluster.run(arrivals, until)
    cluster.finish()
    if shown.digest != right:
        raise AssertionError(f"{shown.digest.count} results are not those of a plan left alone")
    return shown


def alone(arrivals: list[Single], window: int) -> Digest:
    """The results of one plan that nobody changes or moves."""
    engine = Engine(query_of(window), START, joins=JoinParams("hash"))
    digest = Digest()
    for single in arrivals:
        engine.push(single)
        digest = digest.with_rows(engine.results[0])
        engine.results[0].clear()
    return digest


def settings(is_quick: bool) -> list[Row]:
    """All six settings; the plan is the wrong one from the fifth second on (23.1 to 23.8)."""
    until = 60_000 if is_quick else 120_000
    return _six(_dropping(5_000, 40.0), until, 30_000, 5_000, 0.4)


def settings_literal(is_quick: bool) -> list[Row]:
    """The rates of the source work: 100 a second each, B and C 5 from second 30 on."""
    until = 60_000 if is_quick else 90_000
    return _six(_dropping(30_000, 200.0), until, 10_000, 1_000, 1.5)


def grid(is_quick: bool) -> list[Row]:
    """One move of groups over rates and windows, with a processor that is fast enough, and with one
    that is not (23.9 to 23.14).
    """
    windows = (5_000, 10_000) if is_quick else (15_000, 30_000, 45_000)
    rates = (50,) if is_quick else (30, 50)
    return [_pair(rate, window) for rate in rates for window in windows]


def dropped(is_quick: bool) -> list[Row]:
    """Rates drop, the most loaded machine takes another plan, and groups leave it (23.15)."""
    window = drop = 15_000 if is_quick else 30_000
    until = drop + 3 * window
    stream = keyed(_dropping(drop, 200.0), 1_000, until, 2)
    rows, right = [], alone(stream, window)
    for setting in SETTINGS[4:]:
        first = drop + 5_000.0
        site = _site(SLOW, 3_000.0, first=first, most_rounds=1, only_loaded=True)
        cluster = Cluster(query_of(window), START, site, setting, best_plan)
        row = _told(setting, cluster, checked(cluster, stream, until, right), until)
        rows.append({**row, "delay_ms": cluster.shown.mean_delay(first, until)})
    return rows


SLOW = 20.0  # units a millisecond: twice what the first machine needs before rates drop
AMPLE = 1_000.0
PRESSED = 0.3  # of the units that all groups need; the first machine has to do 0.6 of them
LAGS = {"A": 0.0, "B": 20.0, "C": 40.0}


def _dropping(at: int, delay: float) -> dict[str, Steps]:
    """A hundred rows a second; two of the streams slow down."""
    slower: Steps = ((0, 10.0), (at, delay))
    return {"A": ((0, 10.0),), "B": slower, "C": slower}


def _site(
    speed: float,
    rows: float,
    *,
    first: float = 4_000.0,
    most_rounds: int | None = None,
    only_loaded: bool = False,
) -> Site:
    """Five machines; ``rows``: what one must have to be overloaded, and a third of it apart."""
    limits = Thresholds(rows, float("inf"), rows / 3)
    homed = homes(5)
    return Site(speed, homed, group_of, LAGS, limits, 2_000.0, first, only_loaded, most_rounds)


def _six(delays: dict[str, Steps], until: int, window: int, keys: int, speed: float) -> list[Row]:
    stream, rows = keyed(delays, keys, until, 1), []
    right = alone(stream, window)
    for setting in SETTINGS:
        cluster = Cluster(query_of(window), START, _site(speed, 1_500.0), setting, best_plan)
        rows.append(_told(setting, cluster, checked(cluster, stream, until, right), until))
    return rows


def _pair(rate: int, window: int) -> Row:
    """Lengths with time enough, and results of processors that are too slow for the first machine's
    groups, but not for a fifth of all.
    """
    until = 4 * window + 10_000
    delays: dict[str, Steps] = dict.fromkeys(STREAMS, ((0, 1000 / rate),))
    stream = keyed(delays, 1_000, until, 3)
    row: Row = {"rate": rate, "window": window}
    query, right, first = query_of(window), alone(stream, window), window + 2_000.0
    units = []
    for setting in (SETTINGS[0], *SETTINGS[2:4]):
        site = _site(AMPLE, 100.0, first=first, most_rounds=1)
        calm = Cluster(query, START, site, setting, best_plan)
        rounds = checked(calm, stream, until, right).rounds
        units.append(calm.units / until)
        row |= {f"{setting.name}_length": (one.ended - one.began) / window for one in rounds}
    for setting in (SETTINGS[0], *SETTINGS[2:4]):
        pressed = Cluster(query, START, _site(PRESSED * units[0], 100.0), setting, best_plan)
        shown = checked(pressed, stream, until, right)
        row[setting.name] = shown.results_until(until)
        row[f"{setting.name}_delay_ms"] = shown.mean_delay(first // 1000 * 1000, until)
    return row


def _told(setting: Setting, cluster: Cluster, shown: Shown, until: float) -> Row:
    totals = [rows for _, rows in shown.total]
    return {
        "setting": setting.name,
        "results": shown.results_until(until),
        "peak": max(totals),
        "peak_kept": max(rows for _, rows in shown.kept),
        "given": shown.results[::2],
        "total": shown.total[::2],
        "rounds": [{"groups": len(one.ids), "ms": one.ended - one.began} for one in shown.rounds],
        "changes": len(shown.changes),
        "made_rows": sum(
            one.made_rows for machine in cluster.machines.values() for one in machine.moved
        ),
    }


def figures_of(data: Results) -> Figures:
    """R14 to R18."""
    found: Figures = {}
    six = {row["setting"]: row for row in data["six settings"]}
    none = six["No-Adapt"]
    for name in ("LM", "PTLB", "MSLB", "LM+PTLB", "LM+MSLB"):
        found[f"R14/{name}/results over No-Adapt"] = six[name]["results"] / none["results"]
    gains = [six[name]["results"] / none["results"] - 1 for name in ("LM", "MSLB", "LM+MSLB")]
    found["R14/gain of both over the sum of gains"] = gains[2] / (gains[0] + gains[1])
    for one, other in (("LM", "PTLB"), ("LM", "MSLB"), ("LM+PTLB", "PTLB"), ("LM+MSLB", "MSLB")):
        found[f"R15/peak of rows, {one} over {other}"] = six[one]["peak"] / six[other]["peak"]
    literal = {row["setting"]: row for row in data["six settings, their rates"]}
    for name in ("LM", "MSLB"):
        ratio = literal[name]["peak"] / literal["No-Adapt"]["peak"]
        found[f"R15/their rates: peak of rows, {name} over No-Adapt"] = ratio
    rows = data["moves"]
    for name in ("PTLB", "MSLB"):
        lengths = [row[f"{name}_length"] for row in rows]
        found[f"R16/{name}/length over W, least"] = min(lengths)
        found[f"R16/{name}/length over W, most"] = max(lengths)
    first, last = rows[0], rows[-1]
    for label, row in (("first", first), ("last", last)):
        for name in ("PTLB", "MSLB"):
            found[f"R17/{label}/{name}, results over none"] = row[name] / row["No-Adapt"]
    slow = {row["setting"]: row for row in data["rates drop"]}
    ratio = slow["LM+PTLB"]["delay_ms"] / slow["LM+MSLB"]["delay_ms"]
    found["R18/delay of results, PTLB over MSLB"] = ratio
    return found
