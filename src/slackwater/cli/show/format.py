"""Numbers, instants and durations as people read them on a screen."""

from __future__ import annotations

from datetime import datetime
from typing import Any

from slackwater.units import show_instant

NOTHING = "–"


def show_time(micros: int | None) -> str:
    """An instant to the second."""
    return NOTHING if micros is None else show_instant(micros)[:19].replace("T", " ")


def show_value(value: Any) -> str:
    """One value of a result row."""
    if value is None:
        return NOTHING
    if isinstance(value, float):
        return f"{value:,.3f}"
    if isinstance(value, datetime):
        return value.strftime("%H:%M:%S")
    return f"{value:,}" if isinstance(value, int) and not isinstance(value, bool) else str(value)


def show_share(share: float | None) -> str:
    """A share in percent."""
    return NOTHING if share is None else f"{100 * share:.2f} %"


def say_estimates(told: dict[str, Any]) -> str:
    """The estimates of a query in brief: how many, how accurate, how early."""
    parts = [f"{told['given']:,} by {told['prods']:,} prods"]
    parts += [
        f"{column} {_percent(one['recent'])} accurate, worst {_percent(one['worst'])}"
        for column, one in told["accuracy"].items()
    ]
    parts += [f"{source} at {value:.2f}" for source, value in told["aggressiveness"].items()]
    parts += [f"{told[what]:,} {what}" for what in ("mistimed", "refused") if told[what]]
    return "; ".join(parts)


def _percent(value: float | None) -> str:
    return show_share(None if value is None else value / 100)


def show_number(value: float | None, unit: str) -> str:
    """A number with its unit."""
    return NOTHING if value is None else f"{value:,.1f} {unit}"
