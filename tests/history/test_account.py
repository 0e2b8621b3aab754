"""The running guarantee as people see it: what may still break, and what the last results did."""

from __future__ import annotations

import io

import pytest
from rich.console import Console

from slackwater.cli.show.accounts import account_table
from slackwater.history.account import Account, account
from slackwater.history.history import History


def told(known: list[float | None]) -> History:
    """A history of batches whose query ``q`` had these credits."""
    history = History()
    for number, credit in enumerate(known):
        quality = {"measured": 1, "within": 1, "phase": "conformal"}
        if credit is not None:
            quality |= {"credit": credit, "planned_risk": 0.025, "doublings": 1.5}
        query = {"slack": 1, "watermark": 1, "quality": quality}
        history.add([{"event": "batch", "batch": number, "at": number, "queries": {"q": query}}])
    return history


@pytest.mark.parametrize(
    ("known", "moved"), [([0.0, 0.5, 1.25, 1.25], 0.75), ([0.5, -0.45], -0.95), ([0.0], 0.0)]
)
def test_credit_is_told_with_what_the_last_results_did(
    known: list[float | None], moved: float
) -> None:
    found = account(told(known).table, "q")
    assert found == Account(known[-1] or 0.0, pytest.approx(moved), 0.025, 1.5)


def test_there_is_a_table_only_where_a_promise_counts_its_risk() -> None:
    assert account_table(told([None, None])) is None
    grid = account_table(told([0.5, -0.45]))
    console = Console(file=io.StringIO(), width=120, record=True)
    console.print(grid)
    line = console.export_text().splitlines()[-1]
    assert line.split() == ["q", "-0.45", "█▁", "cost", "0.95", "2.50", "%", "1.5"]
