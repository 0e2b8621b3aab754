"""Promises that count their risk: what may still break, by query."""

from __future__ import annotations

from rich.table import Table as Grid
from rich.text import Text

from slackwater.cli.show.format import show_share
from slackwater.cli.show.grid import bars, grid, name_of
from slackwater.history.account import account
from slackwater.history.history import History
from slackwater.history.table import Key


def account_table(history: History) -> Grid | None:
    """Credit of each promise, how it moved, and with what share of risk the next slack is planned.

    ``None`` if no query keeps an account.
    """
    known = {name: account(history.table, name) for name in history.queries}
    if not any(known.values()):
        return None
    made = grid("may still break", "credit", "", "last results", "planned risk", "doublings")
    for name, one in known.items():
        if one is None:
            continue
        made.add_row(
            name_of(name),
            Text(f"{one.credit:+.2f}", style="green" if one.credit >= 0 else "bold red"),
            bars(history.table.column(Key("query", name, "credit"))),
            f"{'gave' if one.moved >= 0 else 'cost'} {abs(one.moved):.2f}",
            show_share(one.planned),
            f"{one.doublings:.1f}",
        )
    return made
