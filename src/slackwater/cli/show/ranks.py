"""Ranks of a run: a line of a table for each."""

from __future__ import annotations

from collections.abc import Sequence

from rich.table import Table as Grid
from rich.text import Text

from slackwater.cli.show.format import NOTHING
from slackwater.cli.show.grid import bars, count, grid, name_of
from slackwater.history.history import History
from slackwater.history.ranks import RankStanding, group_of, ranks_of
from slackwater.history.table import Key

_COURSE = 8  # batches of what waits


def rank_table(history: History, names: Sequence[str]) -> Grid:
    """Of queries with ranks: what became of the rows of each, and who used the budget."""
    columns = ("came", "promising", "worked on", "of work", "waiting", "", "expired", "shed")
    made = grid("ranks", "rank", *columns, "criteria")
    for name in names:
        standings = ranks_of(history.table, name, history.explained.get(name, {}))
        for number, one in enumerate(standings):
            made.add_row(*_cells(history, name, one, is_first=number == 0))
    return made


def _cells(history: History, name: str, one: RankStanding, *, is_first: bool) -> tuple[Text, ...]:
    waits = history.table.column(Key(group_of("waiting"), name, one.rank))
    complete = history.table.last(Key("backlog", name, "complete")) or 0
    is_complete = one.rank.isdecimal() and int(one.rank) <= complete
    return (
        name_of(name) if is_first else Text(),
        Text(one.rank, style="bold green" if is_complete else ""),
        count(one.admitted),
        count(one.promising),
        count(one.worked, "green"),
        Text(NOTHING if one.share is None else f"{100 * one.share:.1f} %"),
        count(one.waiting, "yellow"),
        Text(" ").append(bars(waits, _COURSE)),
        count(one.expired, "red"),
        count(one.shed, "red"),
        count(one.criteria) if one.criteria else Text(NOTHING),
    )
