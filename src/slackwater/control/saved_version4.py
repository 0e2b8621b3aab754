"""Plain values as version 4 wrote them, in the form of version 5.

There the memory of a query lay in a dictionary for each kind, and an order was at once its own
explanation.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

Plain = dict[str, Any]


def state(old: Mapping[str, Any], manifest: Mapping[str, Any]) -> Plain:
    """Control state, with what the manifest of its batch had beside it."""
    names = {**old["watermarks"], **old["clocks"]}
    return {
        "streams": old["streams"],
        "queries": {name: _memory(old, manifest, name) for name in names},
        "tier": old["tier"],
        "version": 5,
    }


def _memory(old: Mapping[str, Any], manifest: Mapping[str, Any], query: str) -> Plain:
    found: Plain = {}
    quality = manifest.get("quality", {}).get(query, {"last": {"sizes": ()}})
    if query in old["slacks"]:
        found["error_slack"] = _error_slack(old["slacks"][query])
        sizes = quality["last"]["sizes"] or old["sizes"].get(query, ())
        settled = old["settled"].get(query)
        found["error_meter"] = {"settled": settled, "sizes": sizes, "quality": quality}
    if query in old["findings"]:
        found["recall_slack"] = _recall_slack(old["findings"][query])
        names = ("bucket", "step", "results", "given")
        results = manifest.get("found", {}).get(query, ())
        results = [dict(zip(names, one, strict=True)) for one in results]
        found["recall_meter"] = {"quality": quality, "found": results}
    if query in old["prodding"]:
        judged = manifest.get("judged", {}).get(query, {})
        found["prods"] = {**old["prodding"][query], "accuracy": _accuracy(judged)}
    if query in old.get("backlogs", {}):
        found["backlog"] = _backlog(old["backlogs"][query])
    if query in old["orders"]:
        found["join_plan"] = {"choice": _choice(old["orders"][query])}
    watermark, clock = old["watermarks"].get(query), old["clocks"].get(query)
    return {"clock": clock, "watermark": watermark, "controllers": found}


def _error_slack(old: Mapping[str, Any]) -> Plain:
    return {**_slack(old), "adwins": [_adwin(old["adwin"])]}


def _recall_slack(old: Mapping[str, Any]) -> Plain:
    return {**_slack(old), "adwins": [_adwin(one) for one in old["adwins"]]}


def _slack(old: Mapping[str, Any]) -> Plain:
    return {**old, "late": {"counts": old["late"]}, "curves": {"windows": old["curves"]}}


def _adwin(old: Mapping[str, Any]) -> Plain:
    levels = [[_bucket(*bucket) for bucket in level] for level in old["levels"]]
    return {**old, "levels": levels}


def _bucket(items: int, mean: float, deviation: float, counts: list[Any]) -> Plain:
    return {"items": items, "mean": mean, "deviation": deviation, "delays": {"counts": counts}}


def _accuracy(old: Mapping[str, Any]) -> Plain:
    return {
        "columns": {name: _monitor(one) for name, one in old.get("columns", {}).items()},
        "sources": {name: _running(*one) for name, one in old.get("sources", {}).items()},
    }


def _monitor(old: Mapping[str, Any]) -> Plain:
    ages = [
        [number, {"running": _running(*run), "ratios": _ratios(*ratios), **_share(*share)}]
        for number, run, ratios, *share in old["ages"]
    ]
    groups = [[name, {"running": _running(*run), "seen": n}] for name, run, n in old["groups"]]
    return {**old, "overall": _running(*old["overall"]), "ages": ages, "groups": groups}


def _share(share: float | None, weight: float) -> Plain:
    return {"share": share, "share_weight": weight}


def _running(
    pairs: int, total: float, weighted: float | None, worst: float | None, recent: list[float]
) -> Plain:
    names = ("pairs", "total", "weighted", "worst", "recent")
    return dict(zip(names, (pairs, total, weighted, worst, recent), strict=True))


def _ratios(centre: float, first: int, odd: float, weights: list[float]) -> Plain:
    return {"centre": centre, "first": first, "odd": odd, "weights": weights}


def _backlog(old: Mapping[str, Any]) -> Plain:
    names = ("batch", "start", "rows", "pane", "low", "high", "since")
    parts = {
        part: [dict(zip(names, piece, strict=True)) for piece in old[part]]
        for part in ("todo", "aside")
    }
    return {**old, **parts}


def _choice(old: Mapping[str, Any]) -> Plain:
    return {**old, "tree": _tree(old["tree"])}


def _tree(old: Any) -> Any:
    if isinstance(old, str):
        return old
    return {"children": [_tree(child) for child in old["join"]], "orders": old["orders"]}


def decision(old: Mapping[str, Any]) -> Plain:
    """A decision."""
    queries = {name: _query(query) for name, query in old["queries"].items()}
    return {**old, "queries": queries, "version": 5}


def _query(old: Mapping[str, Any]) -> Plain:
    parts = {name: old.get(name) for name in ("waiting", "finding", "prodding", "working")}
    core = {name: value for name, value in old.items() if name not in parts}
    names = zip(("error_meter", "recall_meter", "prods", "backlog"), parts.values(), strict=True)
    orders = {name: order for name, order in names if order is not None}
    return {**core, "orders": orders, "controllers": _why(parts)}


def _why(parts: Mapping[str, Any]) -> Plain:
    """The explanations that were part of orders."""
    found: Plain = {}
    if (waiting := parts["waiting"]) is not None:
        same = ("phase", "threshold", "wanted", "binding", "margin")
        found["error_slack"] = {name: waiting[name] for name in same} | {
            "expected_coverage": waiting["expected"],
            "measured_coverage": waiting["coverage"],
        }
    if (finding := parts["finding"]) is not None:
        expected = {"expected_recall": finding["expected"]}
        found["recall_slack"] = {
            name: finding[name] for name in ("phase", "recall", "wanted", "margin")
        } | expected
    if (working := parts["working"]) is not None:
        counts = {name: working[name] for name in ("todo", "aside", "shed")}
        worked = sum(piece["rows"] for piece in working["taken"])
        found["backlog"] = {**counts, "worked": worked}
    return found
