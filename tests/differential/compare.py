"""What was said beside what should have been said."""

from __future__ import annotations

from collections import Counter
from typing import Any

from tests.differential.case import Asked, Case
from tests.differential.kinds import freeze, instant, micros, same
from tests.differential.oracle import Answer, Told, expected
from tests.differential.place import Left
from tests.differential.terms import Row

SHOWN = 4  # differences of a kind that are written out


def differences(case: Case, left: Left) -> list[str]:
    """Everything in which a run differs from what it should have been; empty if nothing does."""
    followed = {
        (number, name): query["watermark"]
        for number, report in left.reports.items()
        for name, query in report["queries"].items()
    }
    found: list[str] = []
    batches = list(expected(case, followed))
    if sorted(left.reports) != list(range(len(batches))):
        found.append(f"batches told: {sorted(left.reports)}, wanted {len(batches)}")
    for number, told in enumerate(batches):
        for asked in case.asked_in(number):
            at = f"batch {number}, {asked.name}"
            mine = told[asked.name]
            rows = left.results.get((number, asked.name), [])
            found += [f"{at}: {text}" for text in _results(asked, mine, rows)]
            sides = left.sides.get((number, asked.name), [])
            found += [f"{at}: {text}" for text in _sides(case, asked, mine, sides)]
            if number in left.reports:
                report = left.reports[number]["queries"][asked.name]
                found += [f"{at}: {text}" for text in _report(mine, report, rows, sides)]
    extra = [key for key in (*left.results, *left.sides) if key[0] >= len(batches)]
    return found + [f"results of a batch that never was: {key}" for key in extra]


def _report(mine: Told, report: Row, rows: list[Row], sides: list[Row]) -> list[str]:
    finals = sum(row["kind"] != "estimate" for row in rows)
    wanted = {
        "watermark": mine.watermark,
        "late": mine.late,
        "dropped": mine.dropped,
        "emitted": finals,
        "aside": len(sides),
    }
    return [
        f"{name} {report[name]}, should be {value}"
        for name, value in wanted.items()
        if report[name] != value
    ]


# results -------------------------------------------------------------------------------------


def _results(asked: Asked, mine: Told, rows: list[Row]) -> list[str]:
    if not asked.levels:
        return _joined(asked, mine, rows)
    finals = [row for row in rows if row["kind"] != "estimate"]
    found = _answers(asked, mine.answers, finals, "answer")
    said = [row for row in rows if row["kind"] == "estimate"]
    adaptive = {f"accuracy-{n + 1}" for n, one in enumerate(asked.prods) if one.accuracy}
    fixed = [row for row in said if _label(row) not in adaptive]
    found += _answers(asked, mine.estimates, fixed, "estimate")
    free = [row for row in said if _label(row) in adaptive]
    could = {_identity(asked, a.start, a.keys): a for a in mine.would_say}
    for row in free:
        answer = could.get(_identity(asked, micros(row["window_start"]), row))
        wrong = ["nothing is open there"] if answer is None else _wrong(asked, answer, row)
        found += [f"estimate of {_named(asked, row)}: {text}" for text in wrong]
    return _few(found)


def _label(row: Row) -> str:
    label, _, number = row["prod"].rpartition("/")
    return label if number.isdigit() else "request"


def _identity(asked: Asked, start: int, keys: Row) -> tuple[Any, ...]:
    return (start, *(freeze(keys[name]) for name, _ in asked.levels[-1].keys))


def _answers(asked: Asked, wanted: list[Answer], rows: list[Row], what: str) -> list[str]:
    """Answers are known by window, keys, kind and, unless estimated, revision."""
    due: dict[Any, list[Answer]] = {}
    for answer in wanted:
        label = answer.prod if answer.kind == "estimate" else answer.revision
        key = (_identity(asked, answer.start, answer.keys), answer.kind, label)
        due.setdefault(key, []).append(answer)
    found = []
    for row in rows:
        label = _label(row) if row["kind"] == "estimate" else row["revision"]
        key = (_identity(asked, micros(row["window_start"]), row), row["kind"], label)
        if not due.get(key):
            found.append(f"{what} too much: {_short(row)}")
            continue
        wrong = _wrong(asked, due[key].pop(), row)
        found += [f"{what} of {_named(asked, row)}: {text}" for text in wrong]
    found += [f"{what} missing: {answer}" for rest in due.values() for answer in rest]
    return _few(found)


def _wrong(asked: Asked, answer: Answer, row: Row) -> list[str]:
    """The columns that differ."""
    level = asked.levels[-1]
    wanted: Row = {
        "window_end": instant(answer.start + level.size, wall=level.wall),
        "boundary": answer.boundary,
        **({"tuples": answer.tuples} if "tuples" in row and answer.tuples else {}),
        **answer.values,
    }
    terms = {name: total.sql for name, total in level.values}
    return [
        f"{terms.get(name, name)} is {row[name]!r}, should be {value!r}"
        for name, value in wanted.items()
        if not same(row[name], value)
    ]


def _named(asked: Asked, row: Row) -> str:
    keys = {name: row[name] for name, _ in asked.levels[-1].keys}
    revision = f", revision {row['revision']}" if row["kind"] == "revision" else ""
    return f"window {row['window_start']:%F %T.%f}, keys {keys}{revision}"


def _joined(asked: Asked, mine: Told, rows: list[Row]) -> list[str]:
    assert asked.join is not None
    names = [name for name, _ in asked.join.values]
    wanted = Counter(
        (kind, instant(time, wall=asked.join.wall), *(freeze(row[name]) for name in names))
        for kind, time, row in mine.joined
    )
    got = Counter(
        (row["kind"], freeze(row["event_time"]), *(freeze(row[name]) for name in names))
        for row in rows
    )
    found = [f"result too much: {str(one)[:300]}" for one in (got - wanted).elements()]
    return _few(found + [f"result missing: {str(one)[:300]}" for one in (wanted - got).elements()])


# rows set aside ------------------------------------------------------------------------------


def _sides(case: Case, asked: Asked, mine: Told, rows: list[Row]) -> list[str]:
    feeds = {feed.name: feed for feed in case.feeds}
    names = {one.name: feeds[one.feed] for one in asked.inputs}
    wanted: Counter[Any] = Counter()
    for name, reason, delay, row in mine.aside:
        columns = [c for c in names[name].columns if not rows or c in rows[0]]
        values = () if asked.join else tuple(freeze(row[c]) for c in columns)
        wanted[name if asked.join else None, reason, delay, values] += 1
    got: Counter[Any] = Counter()
    for row in rows:
        columns = [] if asked.join else [c for c in feeds[asked.inputs[0].feed].columns if c in row]
        if (
            not asked.join
            and asked.late == "side"
            and len(columns) < len(feeds[asked.inputs[0].feed].columns)
        ):
            return [f"rows set aside are not whole: {sorted(row)}"]
        values = tuple(freeze(row[c]) for c in columns)
        got[row.get("_input"), row["_reason"], row["_delay_us"], values] += 1
    found = [f"set aside too much: {str(one)[:300]}" for one in (got - wanted).elements()]
    return _few(found + [f"not set aside: {str(one)[:300]}" for one in (wanted - got).elements()])


def _short(row: Row) -> str:
    hidden = ("emitted_at", "coverage")
    return str({k: v for k, v in row.items() if k not in hidden and v is not None})[:400]


def _few(found: list[str]) -> list[str]:
    more = len(found) - SHOWN
    return [*found[:SHOWN], f"and {more} more"] if more > 0 else found
