"""Reproduce the experiments with concurrent queries of Ji (2018) on stand-in streams."""

from __future__ import annotations

from pathlib import Path

from slackwater.papers.concurrent_ji2018.draw import draw_all
from slackwater.papers.concurrent_ji2018.measure import FULL, QUICK, REUSES, Found, measured
from slackwater.papers.paper import Figures, Paper, Results


def measure(is_quick: bool) -> Results:
    return {"plans": measured(QUICK if is_quick else FULL)}


def figures(data: Results) -> Figures:
    """The numbers that the source work quotes, by name."""
    found: Figures = {}
    for name, one in data["plans"].items():
        found |= {f"{name}/{key}": value for key, value in baselines(one).items()}
        found |= {f"{name}/{key}": value for key, value in strategies(one).items()}
        found |= {f"{name}/{key}": value for key, value in updates(one).items()}
    return found


def baselines(one: Found) -> Figures:
    """R15: no waiting, and waiting for the worst straggler so far."""
    found: Figures = {}
    for policy, label in (("none", "No-K"), ("max", "Max-K")):
        for query, row in one["baselines"][policy]["queries"].items():
            found[f"{label}/{query}/latency_s"] = row["latency_s"]
            found[f"{label}/{query}/fulfilment"] = row["fulfilment"]
    return found


def strategies(one: Found) -> Figures:
    """R16: what each way to configure holds, takes and gives."""
    ways = one["strategies"]
    best = ways["opt"]["held"]
    found = {f"{name}/buffered over OPT": way["held"] / best for name, way in ways.items()}
    found["greedy/buffered more than OPT"] = ways["greedy"]["held"] - best
    for name, way in ways.items():
        found[f"{name}/time/computing (us)"] = way["computing_us"]
    found["naive/time/computing over OPT"] = (
        found["naive/time/computing (us)"] / found["opt/time/computing (us)"]
    )
    opt, alone = ways["opt"]["queries"], ways["unshared"]["queries"]
    found["opt/most latency above unshared (s)"] = max(
        opt[query]["latency_s"] - alone[query]["latency_s"] for query in opt
    )
    for name in ("opt", "unshared"):
        for query, row in ways[name]["queries"].items():
            found[f"{name}/{query}/fulfilment"] = row["fulfilment"]
    found["opt/least gain by exact suppression"] = min(
        one["flawless"]["queries"][query]["fulfilment"] - opt[query]["fulfilment"] for query in opt
    )
    found["opt/most gain by exact suppression"] = max(
        one["flawless"]["queries"][query]["fulfilment"] - opt[query]["fulfilment"] for query in opt
    )
    return found


def updates(one: Found) -> Figures:
    """R17: what changing a configuration takes; tuples moved are the same on every machine."""
    found: Figures = {"update/time/unshared (us)": one["strategies"]["unshared"]["applying_us"]}
    for trigger, by_reuse in one["updates"].items():
        for reuse in REUSES:
            row = by_reuse[reuse]
            found[f"update/{trigger}/time/{reuse} (us)"] = row["applying_us"]
            found[f"update/{trigger}/{reuse}/time/total (ms)"] = row["applying_total_ms"]
            found[f"update/{trigger}/{reuse}/configurations"] = row["configurations"]
            found[f"update/{trigger}/{reuse}/moved"] = row["moved"]
    eager = one["updates"]["eager"]["smart"]
    found["update/time/compute and apply (us)"] = eager["computing_us"] + eager["applying_us"]
    found["update/moved, naive minus smart"] = (
        one["updates"]["eager"]["naive"]["moved"] - eager["moved"]
    )
    found["update/configurations, eager minus lazy"] = (
        eager["configurations"] - one["updates"]["lazy"]["smart"]["configurations"]
    )
    return found


PAPER = Paper(
    name="concurrent_ji2018",
    title="Buffers shared by concurrent queries",
    source="Ji 2018, ch. 5",
    minutes=5,
    folder=Path(__file__).parent,
    measure=measure,
    figures=figures,
    draw=draw_all,
)
