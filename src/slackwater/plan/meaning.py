"""What a checkpoint means: whether two pipelines may share one, and how they differ in words.

Slack, sinks, tiers and the order in which things are written may change from start to start; what
was counted already may not. Spark numbers the sources of a stream, and joins number their inputs:
both keep the order in which they were first written.
"""

from __future__ import annotations

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from slackwater.codec import pack, unpack
from slackwater.plan.held import Held
from slackwater.plan.join import OPEN
from slackwater.plan.partial import Partial
from slackwater.plan.stage import PipelinePlan
from slackwater.query.stream import (
    Aggregate,
    Apply,
    Costly,
    JoinDef,
    LookUp,
    Query,
    Select,
    Step,
    Stream,
    StreamDef,
    Where,
    WhereFunction,
)
from slackwater.units import DurationLike, duration, show_duration
from slackwater.zones import is_same_zone

SHOWN = 8  # differences told


@dataclass(frozen=True, slots=True)
class Order:
    """The order of streams, and of the inputs of each join, as they were first written; by query,
    what its base state keeps (``None`` where that was not written down).
    """

    streams: tuple[str, ...] = ()
    joins: Mapping[str, tuple[str, ...]] | None = None
    held: Held = field(default_factory=dict)

    @classmethod
    def of(cls, meaning: Mapping[str, Any]) -> Order:
        queries = meaning["queries"].items()
        joins = {name: tuple(q["join"]["inputs"]) for name, q in queries if "join" in q}
        return cls(tuple(meaning["streams"]), joins, dict.fromkeys(meaning["queries"]))

    @classmethod
    def of_plan(cls, plan: PipelinePlan) -> Order:
        """The order that a plan has, to be kept from now on."""
        joins = {q.name: tuple(i.name for i in q.join.inputs) for q in plan.queries if q.join}
        held = {q.name: None if q.join else q.base.state.partials for q in plan.queries}
        return cls(tuple(stream.name for stream in plan.streams), joins, held)

    def to_json(self) -> dict[str, Any]:
        return {"streams": self.streams, "joins": self.joins or {}, "held": pack(self.held)}

    @classmethod
    def from_json(cls, value: Mapping[str, Any], queries: Iterable[str] = ()) -> Order:
        """As it was written, with the ``queries`` of then."""
        joins = {name: tuple(inputs) for name, inputs in value["joins"].items()}
        held = unpack(value.get("held", {}), dict[str, tuple[Partial, ...] | None])
        return cls(tuple(value["streams"]), joins, dict.fromkeys(queries) | held)

    def with_known(self, other: Order) -> Order:
        """The same, with what another one knows beside it."""
        streams = tuple(dict.fromkeys([*self.streams, *other.streams]))
        joins = {**(other.joins or {}), **(self.joins or {})}
        return Order(streams, joins, {**other.held, **self.held})

    def arrange(self, query: Query) -> Query:
        """The query with the inputs of its join in this order; what it means is the same."""
        base, first = query.stream.base, (self.joins or {}).get(query.name, ())
        if not isinstance(base, JoinDef):
            return query
        names = tuple(stream.name for stream in base.inputs)
        if names == first or sorted(names) != sorted(first):
            return query
        base = base.marked()  # left and right are places
        inputs = tuple(sorted(base.inputs, key=lambda stream: first.index(stream.name)))
        probed = f"({' '.join(names)})" if base.order == "written" else base.order
        join = replace(base, inputs=inputs, order=probed)
        return replace(query, stream=replace(query.stream, base=join))

    def arrange_streams(self, plan: PipelinePlan) -> PipelinePlan:
        """The plan with its streams in this order; new ones come last."""
        places = {name: place for place, name in enumerate(self.streams)}
        streams = sorted(plan.streams, key=lambda stream: places.get(stream.name, len(places)))
        return replace(plan, streams=tuple(streams))


def is_same(old: Mapping[str, Any], new: Mapping[str, Any]) -> bool:
    """Whether a checkpoint of ``old`` may be continued by ``new``.

    Which columns are read follows from the queries and is not compared. The types of columns are
    compared where both sides tell them. Zones are compared by :func:`other_zone`; a checkpoint that
    tells none may have put wall clocks into a zone.
    """
    one, two = _plain(old), _plain(new)
    zones = [meaning.pop("zone", None) for meaning in (one, two)]
    if zones[0] is None and zones[1] is not None and _has_walls(two):
        return False
    kinds = [_take_types(meaning) for meaning in (one, two)]
    both = kinds[0].keys() & kinds[1].keys()
    return one == two and all(kinds[0][column] == kinds[1][column] for column in both)


def other_zone(old: Mapping[str, Any], new: Mapping[str, Any]) -> tuple[str, str] | None:
    """The zones of two sessions, if they differ: hours and days that were counted already do."""
    before, now = old.get("zone"), new.get("zone")
    if before is None or now is None or is_same_zone(before, now):
        return None
    return before, now


def _has_walls(meaning: Mapping[str, Any]) -> bool:
    streams = meaning["streams"].values()
    return any(s.get("types", {}).get(s["time"]) == "timestamp_ntz" for s in streams)


def _plain(meaning: Mapping[str, Any]) -> dict[str, Any]:
    """As it comes back from a file."""
    value: dict[str, Any] = json.loads(json.dumps(meaning))
    return value


def _take_types(meaning: dict[str, Any]) -> dict[tuple[str, str], str]:
    found: dict[tuple[str, str], str] = {}
    for name, stream in meaning.get("streams", {}).items():
        stream.pop("columns", None)
        types = stream.pop("types", {})
        found |= {(name, column): kind for column, kind in types.items()}
    return found


def differences(old: Mapping[str, str], new: Mapping[str, str]) -> list[str]:
    """How two pipelines differ, from their words; what is wholly new or gone is told once."""
    found = []
    whole = {label for label in {*old, *new} if (label in old) != (label in new)}
    for label in dict.fromkeys([*old, *new]):
        before, after = old.get(label), new.get(label)
        if before == after or any(label.startswith(f"{other}, ") for other in whole):
            continue
        if before is None or after is None:
            if label.split(", ")[-1].startswith("column "):
                continue  # whether it is read follows from the queries
            text = before or after
            fate = "is new" if before is None else "is gone"
            found.append(f"{label} ({text}) {fate}" if text else f"{label} {fate}")
        else:
            found.append(f"{label} was {before}, is {after}")
    more = len(found) - SHOWN
    return [*found[:SHOWN], f"and {more} more"] if more > 0 else found


def words(queries: Sequence[Query], meaning: Mapping[str, Any]) -> dict[str, str]:
    """All of a pipeline that its checkpoint depends on, as people write it, by label."""
    found: dict[str, str] = {}
    for name, stream in meaning["streams"].items():
        found[f"stream {name!r}"] = ""
        found[f"stream {name!r}, time column"] = stream["time"]
        for column, kind in stream.get("types", {}).items():
            found[f"stream {name!r}, column {column}"] = kind
    for name, source in meaning.get("sources", {}).items():
        for label, value in _flat(source):
            found[f"stream {name!r}, source {label}"] = value
    for name, columns in meaning.get("tables", {}).items():
        found[f"table {name!r}, columns"] = ", ".join(f"{c} {kind}" for c, kind in columns)
    for query in queries:
        for label, value in _query_words(query):
            found[f"query {query.name!r}{label and f', {label}'}"] = value
    return found


def _flat(value: Any, at: str = "") -> Iterator[tuple[str, str]]:
    if isinstance(value, Mapping):
        for key, inner in value.items():
            yield from _flat(inner, f"{at} {key}".strip())
    elif value is not None:
        yield at, value if isinstance(value, str) else json.dumps(value)


def _query_words(query: Query) -> Iterator[tuple[str, str]]:
    yield "", ""
    base = query.stream.base
    if isinstance(base, JoinDef):
        yield from _join_words(base)
    else:
        yield "stream", base.name
    yield "late rows", "revised" if query.late == "revise" else "not revised"
    yield "estimates", "given" if query.estimates else "not given"
    yield from _step_words(query.stream.steps)


def _join_words(join: JoinDef) -> Iterator[tuple[str, str]]:
    yield "join of", ", ".join(sorted(_named(stream) for stream in join.inputs))
    for stream in join.inputs:
        for label, text in _step_words(stream.steps):
            yield f"{stream.name} {label}", text
    yield "on", "; ".join(join.on)
    yield "within", _within(join.within)
    yield "emit", join.emit
    if join.optional:
        yield "optional", ", ".join(sorted(join.optional))
    if join.order not in (*OPEN, "written"):
        yield "order", join.order


def _named(stream: Stream) -> str:
    base = stream.base.name if isinstance(stream.base, StreamDef) else stream.name
    return base if base == stream.name else f"{base} as {stream.name}"


def _within(within: DurationLike | Mapping[Any, DurationLike] | None) -> str:
    if not isinstance(within, Mapping):
        return "-" if within is None else show_duration(duration(within))
    names = {k: "-".join(k) if isinstance(k, tuple) else str(k) for k in within}
    shown = (f"{names[key]} {show_duration(duration(value))}" for key, value in within.items())
    return ", ".join(sorted(shown))


def _step_words(steps: Sequence[Step]) -> Iterator[tuple[str, str]]:
    """By level: filters, projections, window, keys, and each aggregate."""
    lead, level = "", 1
    texts: dict[str, list[str]] = {}
    for step in steps:
        if isinstance(step, Where):
            texts.setdefault(f"{lead}where", []).append(step.predicate)
        elif isinstance(step, WhereFunction):
            texts.setdefault(f"{lead}where", []).append(f"function {step.function.shown}")
        elif isinstance(step, Apply):
            given = ", ".join(f"{name} {kind}" for name, kind in step.function.columns.items())
            texts.setdefault(f"{lead}apply", []).append(f"function {step.function.shown}: {given}")
        elif isinstance(step, Select):
            texts.setdefault(f"{lead}select", []).extend(step.columns)
        elif isinstance(step, LookUp):
            texts[f"lookup {step.table.name}"] = [step.how, *step.on]
        elif isinstance(step, Costly):
            texts["costly"] = ["yes"]
        elif isinstance(step, Aggregate):
            texts[f"{lead}window"] = [_window(step)]
            texts[f"{lead}keys"] = list(step.keys) or ["none"]
            texts |= {f"{lead}aggregate {name}": [text] for name, text in step.values}
            texts |= {f"{lead}relate": [step.relation]} if step.relation else {}
            level += 1
            lead = f"level {level} "
    yield from ((label, ", ".join(found)) for label, found in texts.items())


def _window(step: Aggregate) -> str:
    size = show_duration(duration(step.size))
    slide = "" if step.slide is None else f" every {show_duration(duration(step.slide))}"
    start = f" from {show_duration(duration(step.start))}" if duration(step.start) else ""
    return f"{size}{slide}{start}"
