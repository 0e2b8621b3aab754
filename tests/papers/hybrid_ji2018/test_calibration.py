"""Unit costs are found again in what they make operators take."""

from __future__ import annotations

import numpy as np
import pytest

from slackwater.hybrid.algebra import steps
from slackwater.hybrid.sql import composite
from slackwater.hybrid.units import UnitCosts
from slackwater.papers.hybrid_ji2018.calibration import fitted, least_squares, placements
from slackwater.papers.hybrid_ji2018.workload import QUERIES, Pressed, query
from tests.hybrid.examples import UNITS


@pytest.mark.spec("qddh:F126")
def test_a_cost_model_learns_units_from_how_busy_operators_were() -> None:
    observed = []
    for name in QUERIES:
        for rate in (1e3, 9e3, 5e4):
            root, model = query(name, Pressed(20, rate)), UnitCosts(UNITS)
            observed += [(model.row_work(step), model.row(step)) for step in steps(root)]
            for column in placements(root)[1:]:
                moved = composite(root, column)
                observed.append((model.column_work(moved), model.column(moved)))
    units = fitted(observed)
    for what in ("select", "join", "increment", "scan"):
        assert units[what] == pytest.approx(UNITS[what], rel=0.05)
    used = np.array([use for _, use in observed])
    told = np.array([sum(n * units[u] for u, n in work.items()) for work, _ in observed])
    busy = used > 1e-3
    assert np.median(np.abs(told[busy] / used[busy] - 1)) < 0.03


def test_least_squares_are_never_below_nothing() -> None:
    rows = np.array([[1.0, 2.0], [3.0, 4.0], [5.0, 7.0]])
    assert least_squares(rows, rows @ [2.0, 3.0]).tolist() == pytest.approx([2.0, 3.0], rel=1e-3)
    assert least_squares(rows, rows @ [2.0, -3.0]).min() == 0.0
