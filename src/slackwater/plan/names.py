"""Names in a pipeline, checked: none meets a name of the engine, no two are one to it."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from slackwater.errors import Problem
from slackwater.plan.report import Reporter
from slackwater.query.names import LONGEST_FILE_NAME, folded, same_names, why_not
from slackwater.query.stream import Query, StreamDef

LABELS = ("kind", "revision", "coverage", "emitted_at")
COMPLETE = "complete"  # of queries with ranks
RESERVED = ("window_start", "window_end", "boundary", *LABELS)
RESERVED_JOIN = ("event_time", *LABELS)
SIDE = ("_reason", "_delay_us", "_time")  # what is said of a row that is set aside
PANE = "pane"  # the time of a group in state, beside its keys


def check_query_names(queries: Sequence[Query], problems: list[Problem]) -> None:
    """Names of queries are names of folders too."""
    seen: dict[str, str] = {}
    for query in queries:
        where, name = f"query {query.name!r}", query.name
        if not name or not all(c.isalnum() or c in "_-" for c in name):
            text = "names are letters, digits, '_' and '-'"
            problems.append(Problem("NAME_INVALID", where, text))
        elif len(name.encode()) > LONGEST_FILE_NAME:
            text = f"the name has {len(name.encode())} bytes, at most {LONGEST_FILE_NAME} fit"
            problems.append(Problem("NAME_INVALID", where, text, "folders are named after it"))
        elif folded(name) in seen:
            text = "two queries have this name"
            if seen[folded(name)] != name:
                text = f"only upper and lower case tell it from {seen[folded(name)]!r}"
            problems.append(Problem("NAME_TWICE", where, text, "rename one"))
        seen.setdefault(folded(name), name)


def check_results(names: Sequence[str], reserved: Iterable[str], report: Reporter, at: str) -> None:
    """Refuse result columns that are none, or that every result has already."""
    taken = {folded(name) for name in reserved}
    for name in names:
        reason = why_not(name)
        if reason is not None:
            condition = "NAME_RESERVED" if name else "NAME_INVALID"
            report.problem(condition, at, reason, "rename it: expr AS name")
        elif folded(name) in taken:
            report.problem("NAME_RESERVED", at, f"{name!r} is used by every result", "rename it")
    check_different(names, report, at, "result columns")


def check_different(names: Sequence[str], report: Reporter, at: str, what: str) -> None:
    """Refuse two columns of one name."""
    for name in sorted({name for name in names if names.count(name) > 1}):
        report.problem("NAME_TWICE", at, f"two {what} are called {name!r}")
    for first, other in same_names(names):
        text = f"two {what}, {first!r} and {other!r}, differ in upper and lower case only"
        report.problem("NAME_TWICE", at, text, "rename one")


def check_keys(keys: Sequence[str], report: Reporter, at: str) -> None:
    """Keys stand in state beside the time of their group."""
    for name in keys:
        if folded(name) == PANE:
            hint = f"rename it, e.g. {name} AS {name}_"
            report.problem("NAME_RESERVED", at, f"a key cannot be called {name!r}", hint)


def check_beside(names: Iterable[str], added: Iterable[str], report: Reporter, what: str) -> None:
    """Refuse result columns that ``what`` would add once more."""
    taken = {folded(name) for name in added}
    for name in names:
        if folded(name) in taken:
            text = f"{name!r} is a column of {what}"
            report.problem("NAME_RESERVED", what, text, "rename it")


def check_input_name(name: str, report: Reporter) -> None:
    """Columns of a join begin with the name of their input."""
    if not name or why_not(f"{name}_"):
        text = f"an input cannot be called {name!r}: columns of the engine begin so"
        report.problem("NAME_RESERVED", "join", text, "give it another with .named(...)")


def check_columns(
    stream: StreamDef, read: Sequence[str], problems: list[Problem], *, is_set_aside: bool
) -> None:
    """Refuse columns of a stream that meet those of the engine; others may have any name."""
    report = Reporter(f"stream {stream.name!r}", problems)
    rename = stream.beforehand("df.withColumnRenamed(old, new)")
    used = {*read, stream.time}
    for name in stream.schema.names:
        if name in used and (reason := why_not(name)):
            report.problem("NAME_RESERVED", "columns", reason, f"rename it {rename}")
        elif name in used and is_set_aside and folded(name) in SIDE:
            text = f"{name!r} is a column of rows that are set aside"
            report.problem("NAME_RESERVED", "columns", text, f"rename it {rename}")
    for first, other in same_names(stream.schema.names):
        if not stream.is_frame or {first, other} & used:
            text = f"{first!r} and {other!r} differ in upper and lower case only"
            report.problem("NAME_TWICE", "columns", text, f"rename one {rename}")


def check_partials(
    query: str, keys: Iterable[str], partials: Iterable[str], problems: list[Problem]
) -> None:
    """Refuse a key that has the very name under which state keeps an aggregate."""
    kept = {folded(name) for name in partials}
    for name in keys:
        if folded(name) in kept:
            text = f"{name!r} is the name of an aggregate in state"
            problems.append(Problem("NAME_RESERVED", f"query {query!r}", text, "rename it"))
