"""Numbers of the source work beside ours."""

from __future__ import annotations

import pytest

from slackwater.papers.precedence_works2015.report import (
    PRINTED,
    as_ratio,
    literally,
    more,
    ratios,
    shared,
    table,
)


@pytest.mark.spec("precedence:PR-90")
def test_percentages_are_told_in_both_readings() -> None:
    assert [round(as_ratio(PRINTED[1][name]), 2) for name in ("Trad", "Sem", "PP")] == [
        50,
        1.82,
        1.49,
    ]
    assert [round(as_ratio(PRINTED[n]["Sem"]), 2) for n in (2, 3)] == [0.87, 0.21]
    assert [round(literally(PRINTED[n]["Sem"]), 2) for n in (2, 3)] == [0.88, 0.56]
    assert literally(98) == 1.98
    for ratio in (0.2, 0.9, 1.0, 1.5, 50.0):
        assert as_ratio(shared(ratio)) == pytest.approx(ratio)
        assert literally(more(ratio)) == pytest.approx(ratio)
    rows = [{"system": "PR-Prune", "levels": [10, 6, 4]}, {"system": "Sem", "levels": [5, 8, 0]}]
    assert ratios(rows) == {(1, "Sem"): 2.0, (2, "Sem"): 0.75, (3, "Sem"): float("inf")}
    assert "| 1 | Sem | +45 % | 1.82 | 1.45 | 2.00 | +50 % | +100 % |" in table(rows)
    assert "| 2 | Sem | -13 % | 0.87 | 0.88 | 0.75 | -25 % | -33 % |" in table(rows)
