"""The running guarantee of a promise that counts its risk: what may still break, and what came."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from slackwater.history.table import Key, Table


@dataclass(frozen=True, slots=True)
class Account:
    """Windows (of a join: periods) that may still break; below 0 more have broken than may.

    ``moved`` is what the newest measurement gave, or cost if negative; ``planned`` is the share
    that the next slack may break.
    """

    credit: float
    moved: float
    planned: float
    doublings: float


def account(table: Table, query: str) -> Account | None:
    """Where the promise of a query stands, ``None`` if it keeps no account."""
    credit = table.column(Key("query", query, "credit"))
    known = credit[~np.isnan(credit)]
    if not known.size:
        return None
    steps = np.diff(known)
    moved = steps[steps != 0]
    planned = table.last(Key("query", query, "planned_risk"))
    doublings = table.last(Key("query", query, "doublings"))
    return Account(
        float(known[-1]), float(moved[-1]) if moved.size else 0.0, planned or 0.0, doublings or 0.0
    )
