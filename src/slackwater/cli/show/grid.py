"""Tables of a picture, and numbers in their cells."""

from __future__ import annotations

import numpy as np
from rich import box
from rich.table import Table as Grid
from rich.text import Text

from slackwater.cli.show.format import NOTHING
from slackwater.history.entry import shown
from slackwater.history.table import Array

_BARS = "▁▂▃▄▅▆▇█"


def grid(*columns: str) -> Grid:
    """A table without a frame; the first column is to the left."""
    made = Grid(box=box.SIMPLE_HEAD, padding=0, show_edge=False, header_style="dim", expand=True)
    for number, column in enumerate(columns):
        made.add_column(column, justify="left" if number == 0 else "right", no_wrap=True)
    return made


def name_of(name: str) -> Text:
    """The name a row is about."""
    return Text(name, style="bold")


def count(value: float, style: str = "") -> Text:
    """A count, in its style if there is any."""
    return Text(f"{value:,.0f}", style=style if value else "")


def time(micros: float | None) -> str:
    """A duration in brief."""
    return NOTHING if micros is None else shown(micros)


def whole(value: float | None) -> str:
    return NOTHING if value is None else f"{value:,.0f}"


def newest(values: Array) -> float | None:
    """The newest value that is known."""
    known = values[~np.isnan(values)]
    return float(known[-1]) if len(known) else None


def bars(values: Array, width: int = 16) -> Text:
    """The newest values as small bars; nothing if they do not move."""
    known = values[~np.isnan(values)][-width:]
    if len(known) == 0 or known.max() == known.min():
        return Text()
    low = min(0.0, float(known.min()))
    shares = (known - low) / (known.max() - low)
    return Text("".join(_BARS[int(share * (len(_BARS) - 1))] for share in shares), style="cyan")
