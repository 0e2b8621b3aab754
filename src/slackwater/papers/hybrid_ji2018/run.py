"""Reproduce the experiments with row and column engines of Ji (2018) on stand-in streams."""

from __future__ import annotations

from pathlib import Path

from slackwater.papers.hybrid_ji2018.draw import draw_all
from slackwater.papers.hybrid_ji2018.measure import FULL, QUICK, SHAPES, everything
from slackwater.papers.paper import Figures, Paper, Results, together

WAYS = ("rows", "columns", "chosen", "free")
FILTERS = {"load1", "load3", "load5", "loadA", "loadB"}


def measure(is_quick: bool) -> Results:
    return everything(QUICK if is_quick else FULL)


def headline(data: Results) -> Figures:
    """R18."""
    known = data["headline"]
    return {
        "R18/time/rows (s)": known["row_s"],
        "R18/time/columns (s)": known["column_s"],
        "R18/time/rows over columns": known["row_s"] / known["column_s"],
        "R18/equal": float(known["equal"]),
    }


def searching(data: Results) -> Figures:
    """R19."""
    found: Figures = {"cost model/median error": data["off"]}
    for name, one in data["times"].items():
        found[f"R19/{name}/plans"] = one["plans"]
        found[f"R19/{name}/time/phase two (ms)"] = one["phase_2_ms"]
        if name in SHAPES:
            found[f"R19/{name}/operators"] = one["operators"]
            found[f"R19/{name}/plans without pruning"] = one["unpruned"]
            found[f"R19/{name}/time/phase one (ms)"] = one["phase_1_ms"]
            found[f"R19/{name}/time/cut (ms)"] = one["cut_ms"]
            found[f"R19/{name}/cut over best"] = one["cut_over_best"]
    return found


def running(data: Results) -> Figures:
    """R20, R21."""
    found: Figures = {}
    rows = data["rates"]
    found["R20/results equal"] = sum(row["equal"] for row in rows) / len(rows)
    for name in dict.fromkeys(row["query"] for row in rows):
        mine = [row for row in rows if row["query"] == name]
        fastest = {way: max(row[way]["throughput"] for row in mine) for way in WAYS}
        for way in ("rows", "columns"):
            found[f"R20/{name}/time/chosen over {way}"] = fastest["chosen"] / fastest[way]
        best = [min(row["rows"]["total"], row["columns"]["total"]) for row in mine]
        use = [row["chosen"]["total"] / least for row, least in zip(mine, best, strict=True)]
        found[f"R20/{name}/time/most use over the better pure plan"] = max(use)
        found[f"R20/{name}/time/least use over the better pure plan"] = min(use)
        found[f"R20/{name}/plans chosen"] = len({tuple(row["chosen"]["column"]) for row in mine})
        found[f"R20/{name}/filters in rows"] = sum(
            not FILTERS & set(row["chosen"]["column"]) for row in mine
        ) / len(mine)
        found[f"R21/{name}/rates with another plan"] = sum(
            row["chosen"]["column"] != row["free"]["column"] for row in mine
        )
    return found


def expecting(data: Results) -> Figures:
    """The highest rates that the cost model calls feasible, and what the check is good for."""
    found: Figures = {}
    rows = data["predicted"]
    for name in dict.fromkeys(row["query"] for row in rows):
        mine = [row for row in rows if row["query"] == name]
        highest = {way: max(row["rate"] for row in mine if row[way] <= 1.0) for way in WAYS}
        for way in ("rows", "columns", "free"):
            found[f"expected/{name}/time/highest rate over {way}"] = (
                highest["chosen"] / highest[way]
            )
        found[f"expected/{name}/time/highest rate"] = highest["chosen"]
        found[f"expected/{name}/time/plans chosen"] = len({tuple(row["column"]) for row in mine})
        found[f"expected/{name}/time/rates with another plan without the check"] = sum(
            not row["is_same"] for row in mine
        )
    return found


figures = together((headline, searching, expecting, running))

PAPER = Paper(
    name="hybrid_ji2018",
    title="Row and column engines under one plan",
    source="Ji 2018, ch. 6",
    minutes=2,
    folder=Path(__file__).parent,
    measure=measure,
    figures=figures,
    draw=draw_all,
)
