"""The queries of a run as tables: waiting, rows, estimates, backlog, joins, controllers."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

import numpy as np
from rich.table import Table as Grid
from rich.text import Text

from slackwater.cli.show.accounts import account_table
from slackwater.cli.show.format import NOTHING, show_share, show_time
from slackwater.cli.show.grid import bars, count, grid, name_of, newest, time, whole
from slackwater.cli.show.joins import join_table
from slackwater.cli.show.ranks import rank_table
from slackwater.history.controllers import Value, field_of
from slackwater.history.history import History
from slackwater.history.plan import QueryShape
from slackwater.history.table import Key

_COURSE = 8  # batches of a number that a controller explains


def query_tables(history: History, revised: Mapping[str, int] | None = None) -> Iterator[Grid]:
    """One table after the other; those nothing is known for are left out.

    ``revised`` has the answers that were revised, where somebody counted them.
    """
    yield _waiting(history)
    yield _rows(history, revised)
    if (accounts := account_table(history)) is not None:
        yield accounts
    if given := _telling(history, "estimates", "rows"):
        yield _estimates(history, given)
    if costly := _telling(history, "backlog", "todo"):
        yield _backlog(history, costly)
    if ranked := _telling(history, "backlog", "budget"):
        yield rank_table(history, ranked)
    if history.joins:
        yield join_table(history)
    if any(history.explained.values()):
        yield _controllers(history)


def _telling(history: History, group: str, field: str) -> list[str]:
    return [name for name in history.queries if Key(group, name, field) in history.table]


def _waiting(history: History) -> Grid:
    made = grid("query", "slack", "", "watermark", "lag", "latency", "promised", "achieved")
    for name in history.queries:
        shape = history.plan.queries.get(name) or QueryShape(name)
        made.add_row(
            name_of(name),
            time(history.table.last(Key("query", name, "slack"))),
            bars(history.table.column(Key("query", name, "slack"))),
            _watermark(history, name),
            time(history.table.last(Key("query", name, "lag"))),
            time(newest(history.table.column(Key("query", name, "latency")))),
            show_share(_due(shape)),
            _achieved(history, shape),
        )
    return made


def _watermark(history: History, name: str) -> str:
    """A watermark that was known and no longer is has come to the end of the stream, unless the
    query went.
    """
    if name in history.gone:
        return "gone"
    marks = history.table.column(Key("query", name, "watermark"))
    if np.isnan(marks[-1]):
        return NOTHING if np.isnan(marks).all() else "end"
    return show_time(int(marks[-1]))[11:]


def _due(shape: QueryShape) -> float | None:
    """The share promised: of results within their bound, of periods with their recall."""
    if shape.promise is None:
        return None
    return shape.promise.target if shape.promise.due is None else shape.promise.due


def _achieved(history: History, shape: QueryShape) -> Text:
    measured = history.table.total(Key("query", shape.name, "measured"))
    share = history.table.last(Key("query", shape.name, "recall"))
    if measured and (share is None or (shape.promise and shape.promise.due is not None)):
        share = history.table.total(Key("query", shape.name, "within")) / measured
    due = _due(shape)
    kept = due is None or share is None or share >= due
    return Text(show_share(share), style="" if share is None else "green" if kept else "bold red")


def _rows(history: History, revised: Mapping[str, int] | None) -> Grid:
    columns = ("rows of", "late", "policy", "dropped", "aside", "answers")
    made = grid(*columns, *(() if revised is None else ("revised",)))
    for name in history.queries:
        late, dropped, aside, emitted = (
            history.table.total(Key("query", name, what))
            for what in ("late", "dropped", "aside", "emitted")
        )
        shape = history.plan.queries.get(name) or QueryShape(name)
        made.add_row(
            name_of(name),
            count(late, "yellow"),
            shape.late or NOTHING,
            count(dropped, "red"),
            count(aside),
            count(emitted, "green"),
            *(() if revised is None else (count(revised.get(name, 0)),)),
        )
    return made


def _estimates(history: History, names: list[str]) -> Grid:
    """Of queries that give estimates: how many, how accurate, how early."""
    made = grid("estimates", "given", "prods", "mistimed", "refused", "accuracy", "aggressiveness")
    made.columns[5].no_wrap = False  # of many columns
    for name in names:
        numbers = [
            count(history.table.total(Key("estimates", name, field)))
            for field in ("rows", "prods", "late", "refused")
        ]
        made.add_row(name_of(name), *numbers, _accuracy(history, name), _early(history, name))
    return made


def _accuracy(history: History, name: str) -> Text:
    """By column: of the newest estimates, and the worst so far."""
    parts = Text()
    for column, recent in history.newest_named("accuracy_recent", name).items():
        worst = history.table.last(Key("accuracy_worst", name, column))
        parts.append(f"{'   ' if parts else ''}{column} ", style="dim")
        parts.append(f"{show_share(recent)} (worst {show_share(worst)})")
    return parts or Text(NOTHING)


def _early(history: History, name: str) -> Text:
    found = history.newest_named("aggressiveness", name)
    parts = [(f"{source} ", f"{value:.2f}") for source, value in found.items()]
    words = [word for source, value in parts for word in ((source, "dim"), f"{value}  ")]
    return Text.assemble(*words) if words else Text(NOTHING)


def _backlog(history: History, names: list[str]) -> Grid:
    """Of costly queries: what waits, since when, and what became of the rest."""
    made = grid("backlog", "waiting", "", "set aside", "oldest", "worked on", "expired", "shed")
    table = history.table
    for name in names:
        made.add_row(
            name_of(name),
            whole(table.last(Key("backlog", name, "todo"))),
            bars(table.column(Key("backlog", name, "todo"))),
            whole(table.last(Key("backlog", name, "aside"))),
            time(table.last(Key("backlog", name, "age"))),
            count(table.total(Key("backlog", name, "worked"))),
            count(table.total(Key("backlog", name, "expired")), "red"),
            count(table.total(Key("backlog", name, "shed")), "red"),
        )
    return made


def _controllers(history: History) -> Grid:
    """What each controller explains of its decision for a query, a line each."""
    made = grid("controllers", "of", "explains")
    for column in made.columns:
        column.justify = "left"
    made.columns[2].no_wrap = False
    for name, explained in history.explained.items():
        for controller, labels in explained.items():
            words = [_label(history, name, controller, each) for each in labels.items()]
            made.add_row(name_of(controller), Text(name), Text("   ").join(words))
    return made


def _label(history: History, name: str, controller: str, told: tuple[str, Value]) -> Text:
    """A label, its value, and how that moved."""
    label, value = told
    course = history.table.column(Key("controller", name, field_of(controller, label)))
    words = Text.assemble((f"{label} ", "dim"), _said(value))
    if moved := bars(course, _COURSE):
        words.append(" ").append(moved)
    return words


def _said(value: Value) -> str:
    if value is None:
        return NOTHING
    if isinstance(value, str):
        return value
    return f"{value:,.0f}" if value.is_integer() else f"{value:,.6g}"
