"""Reproduce the experiments of Works and Rundensteiner (2015): whose results come first."""

from __future__ import annotations

from pathlib import Path
from statistics import fmean
from typing import Any

from slackwater.papers.paper import (
    Experiments,
    Figures,
    Paper,
    Results,
    one_by_one,
    together,
)
from slackwater.papers.precedence_works2015 import (
    calibration,
    complexity,
    effectiveness,
    overhead,
    quality,
    searching,
)
from slackwater.papers.precedence_works2015.draw import draw_all
from slackwater.papers.precedence_works2015.report import ratios

Rows = list[dict[str, Any]]

EXPERIMENTS: Experiments = (
    ("effectiveness", effectiveness.over_mixes),
    ("complexity", complexity.over_joins),
    ("searching", searching.over_paths),
    ("quality", quality.over_situations),
    ("overhead", overhead.without_criteria),
    ("capacity", calibration.over_shares),
    ("turns", calibration.in_turns),
    ("looks", calibration.over_looks),
    ("pruning", calibration.pruning),
)


def effects(data: Results) -> Figures:
    """PR-Prune over the others, by level (E1), and at level 1 by data set (E2)."""
    found: Figures = {}
    for mix in dict.fromkeys(row["mix"] for row in data["effectiveness"]):
        rows = _of(data["effectiveness"], mix=mix)
        for (level, name), ratio in ratios(rows).items():
            if mix == "DS1":
                found[f"E1/level {level}/PR-Prune over {name}"] = ratio
            elif level == 1:
                found[f"E2/{mix}/PR-Prune over {name}"] = ratio
        found[f"{_name(mix)}/level-1 order holds, share of runs"] = fmean(_ordered(rows))
    [own] = _of(data["effectiveness"], mix="DS1", system="PR-Prune")
    for level in (2, 3):
        found[f"E1/PR-Prune, level {level} over level 1"] = (
            own["levels"][level - 1] / own["levels"][0]
        )
    return found


def _name(mix: str) -> str:
    return "E1" if mix == "DS1" else f"E2/{mix}"


ORDER = (("PR-Prune", "PR"), ("PR", "PP"), ("PR-Prune", "Rand"), ("Rand", "Trad"))


def _ordered(rows: Rows) -> list[bool]:
    """Whether the hard order of 4.10 holds at level 1, run by run."""
    each = {row["system"]: [levels[0] for levels in row["each"]] for row in rows}
    seeds = range(len(each["PR-Prune"]))
    return [all(_before(each, one, other, at) for one, other in ORDER) for at in seeds]


def _before(each: dict[str, list[float]], one: str, other: str, at: int) -> bool:
    if other not in each:
        return True
    first, second = each[one][at], each[other][at]
    return first >= second if other in ("PR", "PP") else first > second


def complexities(data: Results) -> Figures:
    """PR-Prune over PP and PR at level 1, by joins (E3) and paths (E4)."""
    found: Figures = {}
    for row in _of(data["complexity"], system="PR-Prune"):
        case = {"joins": row["joins"], "paths": row["paths"]}
        name = f"E4/{row['paths']} paths" if row["paths"] > 1 else f"E3/{row['joins']} joins"
        for other in ("PP", "PR"):
            [against] = _of(data["complexity"], system=other, **case)
            least = max(against["levels"][0], 1 / len(against["each"]))
            found[f"{name}/level 1, PR-Prune over {other}"] = row["levels"][0] / least
    return found


def searches(data: Results) -> Figures:
    """How much less PR-Prune searches (E5), in plans and in seconds."""
    found: Figures = {}
    for row in _of(data["searching"], system="PR-Prune"):
        [other] = _of(data["searching"], system="PR", paths=row["paths"])
        for key, name in (("examined", "examined"), ("seconds", "time/seconds")):
            less = 100 * (1 - row[key] / other[key])
            found[f"E5/{row['paths']} paths/{name}, less than PR (%)"] = less
    paths = [row["paths"] for row in _of(data["searching"], system="PR-Prune")]
    ends = [found[f"E5/{one} paths/examined, less than PR (%)"] for one in (min(paths), max(paths))]
    for row in data["quality"]:
        found[f"plans/{row['system']} as good as the best, share"] = row["as good"]
        key = "critical rows expired over the oracle's"
        found[f"plans/{row['system']}, {key}"] = row[key]
    found["E5/saved at the fewest paths over the most"] = ends[0] / ends[1]
    return found


def overheads(data: Results) -> Figures:
    """Throughput (E6) and rows kept (E7) of each system over Trad's, nothing being ranked."""
    rows = {row["system"]: row for row in data["overhead"]}
    trad, found = rows["Trad"], Figures()
    for name in ("Rand", "Sem", "PP", "PR", "PR-Prune"):
        found[f"E6/results, {name} over Trad"] = rows[name]["all"] / trad["all"]
    for key in ("state", "queues"):
        found[f"E7/{key} of the last join, PR-Prune over Trad"] = (
            rows["PR-Prune"][key] / trad[key] if trad[key] else 1.0
        )
    units = {name: row["units"].get("statistics", 0.0) for name, row in rows.items()}
    order = [units[name] for name in ("PR-Prune", "PP", "Rand", "Trad")]
    found["E6/order of the costs of statistics holds"] = float(
        order == sorted(order, reverse=True) and units["Trad"] == 0
    )
    return found


def calibrations(data: Results) -> Figures:
    """The same ratios where capacity, schedule or the time of searches differ."""
    found: Figures = {}
    for share in dict.fromkeys(row["share"] for row in data["capacity"]):
        for (level, name), ratio in ratios(_of(data["capacity"], share=share)).items():
            if level == 1:
                found[f"capacity {share:.0%}/PR-Prune over {name}"] = ratio
    if data["turns"]:
        for (level, name), ratio in ratios(data["turns"]).items():
            if level == 1:
                found[f"operators in turn/PR-Prune over {name}"] = ratio
    for look in dict.fromkeys(row["look"] for row in data["looks"]):
        ratio = ratios(_of(data["looks"], look=look))[1, "PR"]
        found[f"{look} s a plan/PR-Prune over PR"] = ratio
    for row in data["pruning"][1:]:
        found[f"{row['case']}/level 1 over PR"] = row["levels"][0] / data["pruning"][0]["levels"][0]
    return found


def _of(rows: Rows, **wanted: object) -> Rows:
    return [row for row in rows if all(row[key] == value for key, value in wanted.items())]


figures = together((effects, complexities, searches, overheads, calibrations))


PAPER = Paper(
    name="precedence_works2015",
    title="Critical results first, by criteria found while running",
    source="Works and Rundensteiner 2015",
    minutes=20,
    folder=Path(__file__).parent,
    measure=one_by_one(EXPERIMENTS),
    figures=figures,
    draw=draw_all,
)
