"""What happened besides numbers, in words: starts, notices, errors, and decisions with reasons."""

from __future__ import annotations

from dataclasses import asdict, dataclass
from typing import Any

import numpy as np

from slackwater.history.frame import Words
from slackwater.history.plan import Plan, QueryShape
from slackwater.history.table import AT, BATCH, Key, Table
from slackwater.units import MILLISECOND, MINUTE, SECOND, show_duration, show_instant

_PHASES = {
    "holding": "delays are not known well enough yet: nothing is closed until they are",
    "warm-up": "still learning the delays: the largest one seen so far",
    "model": "the least that should bring in enough of each window",
    "calibrated": "the least under which recent windows kept the promise",
    "conformal": "as long as results that may still break the promise say",
    "feedback": "a controller follows the coverage that was measured",
}
_ENDS = {
    "stopped": "stopped by a person or a time limit",
    "ended": "no more input",
    "sealed": "the streams ended, all windows are closed",
    "failed": "stopped by an error",
}


@dataclass(frozen=True, slots=True)
class Entry:
    """One line for people. ``kind`` is the kind of event, or ``slack`` for a decision on it."""

    at: float
    batch: int | None
    kind: str
    title: str
    text: str
    query: str | None = None

    def to_json(self) -> dict[str, Any]:
        return asdict(self)


_OF_QUERIES = ("prod", "replan", "migration", "demand", "query_added", "query_removed")


def entry_of(event: dict[str, Any], at: float) -> Entry:
    """An event in words; ``at`` stands in for a time it does not have."""
    kind = event["event"]
    batch = event.get("batch")
    said = event.get("at")
    when = float(said) if isinstance(said, int | float) else at
    title, text = _words(kind, event)
    query = str(event["query"]) if kind in _OF_QUERIES and "query" in event else None
    return Entry(when, batch if isinstance(batch, int) else None, kind, title, text, query)


def _words(kind: str, event: dict[str, Any]) -> tuple[str, str]:
    if kind == "start":
        again = isinstance(event.get("batch"), int) and event["batch"] >= 0
        return "started again" if again else "started", f"pipeline {event.get('pipeline', '?')}"
    if kind == "stop":
        reason = str(event.get("reason", ""))
        return "ended", _ENDS.get(reason, reason)
    if kind == "tier":
        return f"state moves to the {event.get('tier')} tier", _tier_reason(event)
    if kind == "prod":
        return _prod(event), str(event.get("reason") or f"prod {event.get('prod', '?')}")
    if kind == "replan":
        if event.get("reason"):
            return "another tree was asked for, and refused", str(event["reason"])
        return f"joined as {event.get('tree', '?')} from now on", "asked for by a person"
    if kind == "migration":
        return _migration(event)
    if kind in ("change", "demand", "query_added", "query_removed"):
        return _coming(kind, event)
    if kind == "repair":
        return f"repaired: back at batch {event.get('batch')}", "later batches are read again"
    if kind == "damaged":
        return "a line of the log cannot be read", str(event.get("text", ""))
    if kind in ("notice", "error"):
        return kind, str(event.get("text", event.get("error", "")))
    rest = {k: v for k, v in event.items() if k not in ("event", "at", "batch")}
    return kind, "  ".join(f"{key} {value}" for key, value in rest.items())


def _coming(kind: str, event: dict[str, Any]) -> tuple[str, str]:
    """Queries that come and go."""
    query = event.get("query", "?")
    if kind == "query_added":
        after = event.get("whole_after")
        whole = f"what ends after {show_instant(after)}" if isinstance(after, int) else "everything"
        return f"query {query} came", f"it gives {whole}, which is whole"
    if kind == "query_removed":
        return f"query {query} went", "its answers stay; what nobody else reads is gone"
    if kind == "demand":
        title = f"asked to {event.get('asked', '?')} query {query}"
        return title, str(event.get("reason") or event.get("how") or "")
    parts = [
        f"{word} {', '.join(map(str, names))}"
        for word, names in (("with", event.get("added")), ("without", event.get("removed")))
        if isinstance(names, list) and names
    ]
    return f"other queries: {' and '.join(parts)}", str(event.get("how", ""))


def _prod(event: dict[str, Any]) -> str:
    """What became of a person's demand."""
    rows = event.get("rows")
    if isinstance(rows, int) and rows > 0:
        return f"prodded: {rows:,} estimate{'s' if rows > 1 else ''}"
    return "prodded: no estimate" if event.get("reason") else "aggressiveness set by a person"


def _migration(event: dict[str, Any]) -> tuple[str, str]:
    """A change of a join's tree, from its beginning or at its end."""
    tree, was, batches = (event.get(name, "?") for name in ("tree", "was", "batches"))
    if batches is None:
        return f"{tree} runs beside {was}", "until no row of before can be part of a result"
    if batches:
        return f"{tree} runs alone", f"after {batches} batches beside {was}"
    return f"from {was} to {tree}", "what it lacked was made at once"


def _tier_reason(event: dict[str, Any]) -> str:
    rows = event.get("rows")
    size = f"{rows:,} rows of state" if isinstance(rows, int) else ""
    return "pinned by a person" if event.get("reason") == "pinned" else f"by size: {size}"


def slack_decisions(
    table: Table, plan: Plan, words: Words, *, rows: slice, newest: int
) -> list[Entry]:
    """The changes of slack in some rows, oldest first; of each query the ``newest`` so many."""
    found = []
    for name in sorted({key.owner for key in table.keys if key.group == "query"}):
        slack = table.column(Key("query", name, "slack"))
        first = max(rows.start, 1)
        last = max(rows.stop, first)
        moved = np.flatnonzero(slack[first:last] != slack[first - 1 : last - 1]) + first
        shape = plan.queries.get(name) or QueryShape(name)
        found += [_decision(table, shape, words, int(row)) for row in moved[-newest:]]
    return sorted((each for each in found if each is not None), key=lambda entry: entry.at)


def _decision(table: Table, shape: QueryShape, words: Words, row: int) -> Entry | None:
    def value(field: str) -> float | None:
        number = table.column(Key("query", shape.name, field))[row]
        return None if np.isnan(number) else float(number)

    slack = table.column(Key("query", shape.name, "slack"))
    if np.isnan(slack[row]):
        return None
    was = "" if np.isnan(slack[row - 1]) else f"{shown(slack[row - 1])} → "
    reason = why(
        words.word(value("phase")),
        words.word(value("binding")),
        needed=value("threshold"),
        found=value("measured_coverage"),
        wanted=value("wanted"),
        slack=slack[row],
    )
    at, batch = table.column(AT)[row], table.column(BATCH)[row]
    title = f"slack {was}{shown(slack[row])}"
    return Entry(float(at), int(batch), "slack", title, reason, shape.name)


def why(
    phase: str | None,
    binding: str | None,
    *,
    needed: float | None,
    found: float | None,
    wanted: float | None,
    slack: float,
) -> str:
    """Why the slack is what it is."""
    if phase is None:
        return "given with the query"
    parts = [_PHASES.get(phase, phase)]
    if needed is not None:
        of = f" of {binding}" if binding else ""
        parts.append(f"the bound{of} needs {100 * needed:.2f} % of a window's rows")
    if found is not None:
        parts.append(f"{100 * found:.2f} % were there last")
    if wanted is not None and wanted > slack:
        parts.append(f"it would need {shown(wanted)}, more is not allowed")
    return "; ".join(parts)


def shown(micros: float) -> str:
    """A duration in brief: a few digits are enough to follow how it moves."""
    if micros < SECOND:
        return f"{micros / MILLISECOND:.3g} ms"
    if micros < 2 * MINUTE:
        return f"{micros / SECOND:.4g} s"
    return show_duration(int(micros - micros % SECOND))
