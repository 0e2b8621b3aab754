"""Batch events as columns of numbers.

Many events are turned at once: a log of a hundred thousand batches must open while one looks.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from operator import itemgetter
from typing import Any

import numpy as np

from slackwater.history.controllers import controller_columns
from slackwater.history.graph import Shape
from slackwater.history.number import HUGE, number_of
from slackwater.history.plan import Plan, QueryShape
from slackwater.history.ranks import rank_frame
from slackwater.history.table import Array, Key
from slackwater.units import DAY

Json = dict[str, Any]
Frame = dict[Key, Array]
END = 100_000 * DAY  # a watermark beyond this is the end of the stream
_STREAM = ("rows", "clock", "null_time", "far_future")
_QUERY = ("slack", "watermark", "late", "dropped", "max_lateness", "emitted", "aside")
_QUALITY = (
    "measured", "within", "fulfilment", "threshold", "expected_coverage", "measured_coverage",
    "wanted",
)  # fmt: skip
_OPTIONAL = ("recall",)
_ACCOUNT = ("credit", "planned_risk", "doublings")  # of a promise that counts its risk
_ESTIMATES = ("prods", "rows", "late", "refused")
_ACCURACY = ("pairs", "mean", "recent", "worst")
_BACKLOG = ("todo", "aside", "shed", "worked", "oldest")
_WORDS = ("phase", "binding")
_NONE: Json = {}


class Words:
    """Numbers for words, so that they can stand in a column."""

    def __init__(self) -> None:
        self._numbers: dict[str, float] = {}

    def numbers(self, words: list[Any]) -> Array:
        """One number per word; NaN for what is no word."""
        distinct = {word for word in words if isinstance(word, str)}
        for word in sorted(distinct - self._numbers.keys()):
            self._numbers[word] = float(len(self._numbers))
        known = {word: self._numbers[word] for word in distinct}
        return np.array([known[w] if isinstance(w, str) else np.nan for w in words])

    def word(self, number: float | None) -> str | None:
        if number is None or np.isnan(number):
            return None
        return list(self._numbers)[int(number)]

    @property
    def all(self) -> list[str]:
        return list(self._numbers)


def is_batch(event: Json) -> bool:
    """Whether a ``batch`` event has what every one must have."""
    is_told = isinstance(event.get("batch"), int) and isinstance(event.get("at"), int | float)
    return is_told and abs(event["batch"]) < HUGE and abs(event["at"]) < HUGE


def frame(
    batches: Sequence[Json], plan: Plan, words: Words, before: Mapping[str, float | None]
) -> Frame:
    """Columns of some batches; ``before`` has the watermark of each query before the first."""
    found = _run(batches, words)
    streams = _named(batches, "streams")
    for name, told in streams.items():
        found |= _columns("stream", name, told, _STREAM)
    rows = [found[Key("stream", name, "rows")] for name in streams]
    found[Key("run", "", "rows")] = np.nansum(rows, axis=0) if rows else np.zeros(len(batches))
    for name, told in _named(batches, "queries").items():
        shape = plan.queries.get(name) or QueryShape(name, tuple(streams))
        _add_query(found, shape, told, words)
        _add_waits(found, shape, before.get(name))
    return found


def _run(batches: Sequence[Json], words: Words) -> Frame:
    found = _columns("run", "", batches, ("at", "batch"))
    found[Key("run", "", "batches")] = np.ones(len(batches))
    found[Key("run", "", "tier")] = words.numbers([b.get("tier") for b in batches])
    state = [_object(b.get("state")) for b in batches]
    found |= _columns("state", "", state, ("rows", "runs", "bytes"))
    by = [_object(told.get("by")) for told in state]
    for name in _names(by):
        parts = [told.get(name) for told in by]
        known = [p if isinstance(p, list) and len(p) == 3 else (None,) * 3 for p in parts]
        for place, field in enumerate(("runs", "rows", "bytes")):
            found[Key("state", name, field)] = _array([p[place] for p in known])
    spent = [_object(b.get("ms")) for b in batches]
    verbs = {verb: _array([each.get(verb) for each in spent]) for verb in _names(spent)}
    found |= {Key("verb", verb, "ms"): times for verb, times in verbs.items()}
    if verbs:
        found[Key("run", "", "slowest_ms")] = np.nansum(list(verbs.values()), axis=0)
    tasks = _tasks([_object(b.get("tasks")) for b in batches])
    return found | tasks | _present(tasks, batches)


def _tasks(told: list[Json]) -> Frame:
    """Time, new rows and rows held of each task, and the slowest beside the mean of all."""
    found: Frame = {}
    if any("moved" in each for each in told):
        found[Key("run", "", "moved")] = _array([each.get("moved") for each in told])
    for field in ("ms", "rows", "held"):
        by = [_object(each.get(field)) for each in told]
        found |= {Key("task", n, field): _array([each.get(n) for each in by]) for n in _names(by)}
    times = [times for key, times in found.items() if key.field == "ms"]
    if times:
        with np.errstate(invalid="ignore", divide="ignore"):
            busy, known = np.nansum(times, axis=0), np.sum(np.isfinite(times), axis=0)
            found[Key("run", "", "skew")] = np.nanmax([*times, 0 * busy], axis=0) * known / busy
    return found


def _present(tasks: Frame, batches: Sequence[Json]) -> Frame:
    """Rows of state over all tasks, and all rows there were: those in queues and backlogs, too.

    As many of the second as of the first: the tasks keep up. More and more: they do not.
    """
    held, new = (
        [rows for key, rows in tasks.items() if key.field == field] for field in ("held", "rows")
    )
    if not held:
        return {}
    state = np.where(np.isfinite(held).any(axis=0), np.nansum(held, axis=0), np.nan)
    waiting = _array([_waiting(batch) for batch in batches])
    total = state + np.nansum(new, axis=0) + waiting
    return {Key("tasks", "", "held"): state, Key("tasks", "", "present"): total}


def _waiting(batch: Json) -> float:
    """Rows of costly queries that wait, for their turn or aside."""
    told = [
        _object(_object(each).get("backlog")) for each in _object(batch.get("queries")).values()
    ]
    found = [number_of(each.get(place)) for each in told for place in ("todo", "aside")]
    return sum(rows for rows in found if rows is not None)


def _add_query(found: Frame, shape: QueryShape, told: list[Json], words: Words) -> None:
    name = shape.name
    found |= _columns("query", name, told, _QUERY)
    mark = found[Key("query", name, "watermark")]
    mark[mark > END] = np.nan
    if any("quality" in each for each in told):
        quality = [_object(each.get("quality")) for each in told]
        found |= _columns("query", name, quality, _QUALITY)
        found |= _columns("query", name, quality, _OPTIONAL)
        if any("credit" in each for each in quality):
            found |= _columns("query", name, quality, _ACCOUNT)
        for field in _WORDS:
            said = [each.get(field) for each in quality]
            found[Key("query", name, field)] = words.numbers(said)
    if any("estimates" in each for each in told):
        _add_estimates(found, name, [_object(each.get("estimates")) for each in told])
    if any("backlog" in each for each in told):
        backlog = [_object(each.get("backlog")) for each in told]
        found |= _columns("backlog", name, backlog, _BACKLOG) | rank_frame(name, told)
        if any("expired" in each for each in backlog):
            found |= _columns("backlog", name, backlog, ("expired",))
    if any("controllers" in each for each in told):
        columns = controller_columns([each.get("controllers") for each in told])
        found |= {Key("controller", name, field): _array(said) for field, said in columns.items()}
    late = [_pairs(each.get("lateness")) for each in told]
    for edge in _names(late):
        found[Key("lateness", name, str(edge))] = _array([each.get(edge, 0) for each in late])


def _add_estimates(found: Frame, name: str, told: list[Json]) -> None:
    """Prods and estimates, and by column and by source what they were worth and when they came."""
    found |= _columns("estimates", name, told, _ESTIMATES)
    chosen = [_object(each.get("aggressiveness")) for each in told]
    for source in _names(chosen):
        found[Key("aggressiveness", name, source)] = _array([each.get(source) for each in chosen])
    accuracy = [_object(each.get("accuracy")) for each in told]
    for column in _names(accuracy):
        known = [_object(each.get(column)) for each in accuracy]
        for field in _ACCURACY:
            numbers = _array([each.get(field) for each in known])
            shares = numbers if field == "pairs" else numbers / 100
            found[Key(f"accuracy_{field}", name, column)] = shares


def _add_waits(found: Frame, shape: QueryShape, before: float | None) -> None:
    """How far the watermark lags, and how long after their end windows were answered."""
    name = shape.name
    clocks = [found[key] for s in shape.streams if (key := Key("stream", s, "clock")) in found]
    mark = found[Key("query", name, "watermark")]
    if not clocks:
        return
    clock = np.min(clocks, axis=0)
    found[Key("query", name, "clock")] = clock
    found[Key("query", name, "lag")] = np.maximum(clock - mark, 0)
    if (oldest := found.get(Key("backlog", name, "oldest"))) is not None:
        found[Key("backlog", name, "age")] = np.maximum(clock - oldest, 0)
    if shape.window is None:
        return
    earlier = np.append(np.nan if before is None else before, mark[:-1])
    first, last = _ends(earlier, mark, shape.window)
    closed = (last >= first) & (found[Key("query", name, "emitted")] > 0)
    found[Key("query", name, "latency")] = np.where(closed, clock - (first + last) / 2, np.nan)
    found[Key("query", name, "latency_max")] = np.where(closed, clock - first, np.nan)


def _ends(after: Array, upto: Array, window: Shape) -> tuple[Array, Array]:
    """The first and the last window end in ``(after, upto]``."""
    size, slide, offset = window
    phase = (offset + size) % slide
    first = np.floor((after - phase) / slide) * slide + phase + slide
    last = np.floor((upto - phase) / slide) * slide + phase
    return first, last


def _named(batches: Sequence[Json], key: str) -> dict[str, list[Json]]:
    """By name: what each batch tells of it, an empty object where it tells nothing."""
    told = [_object(batch.get(key)) for batch in batches]
    return {name: [_object(each.get(name)) for each in told] for name in _names(told)}


def _names(objects: Iterable[dict[Any, Any]]) -> list[Any]:
    seen: dict[Any, None] = {}
    for each in objects:
        if not each.keys() <= seen.keys():
            seen.update(dict.fromkeys(each))
    return list(seen)


def _object(value: object) -> Json:
    return value if isinstance(value, dict) else _NONE


def _pairs(value: object) -> dict[int, float]:
    try:
        return dict(value) if isinstance(value, list) else {}
    except (TypeError, ValueError):
        return {}


def _columns(group: str, owner: str, told: Sequence[Json], fields: tuple[str, ...]) -> Frame:
    """Some fields of some objects as columns; quick where all have them, as nearly always."""
    keys = [Key(group, owner, field) for field in fields]
    try:
        rows = np.array(list(map(itemgetter(*fields), told)), dtype=np.float64)
        return dict(zip(keys, rows.reshape(len(told), len(keys)).T, strict=True))
    except (KeyError, TypeError, ValueError, OverflowError):
        return {key: _array([each.get(key.field) for each in told]) for key in keys}


def _array(values: list[Any]) -> Array:
    try:
        found = np.array(values, dtype=np.float64)
        if found.shape == (len(values),):
            return found
    except (TypeError, ValueError, OverflowError):
        pass
    return np.array([number_of(value) for value in values], dtype=np.float64)
