from __future__ import annotations

import numpy as np
import pytest

from slackwater.papers.slack_ji2018.operators.quality import (
    error_cdf,
    errors_of,
    fulfilment,
    wrong_results,
)
from slackwater.papers.slack_ji2018.operators.swa import WindowResult


@pytest.mark.spec("qddh:F070")
def test_fulfilment_counts_true_results_also_those_never_given() -> None:
    given = [WindowResult(10, 9.0, 3, 12), WindowResult(20, 10.0, 3, 22)]
    errors = errors_of(given, {10: 10.0, 20: 10.0, 30: 10.0})
    assert errors.tolist() == [pytest.approx(0.1), 0.0, 1.0]
    assert fulfilment(errors, 0.05) == pytest.approx(1 / 3)
    assert fulfilment(errors, 0.11) == pytest.approx(2 / 3)


@pytest.mark.spec("qddh:F070")
def test_the_error_distribution_never_falls_and_the_table_has_the_extremes() -> None:
    errors = np.array([0.0, 0.001, 0.02, 0.3])
    assert error_cdf(errors, [0.0, 0.01, 0.1, 1.0]).tolist() == [0.25, 0.5, 0.75, 1.0]
    table = wrong_results(errors)
    assert (table.results, table.wrong, table.smallest, table.largest) == (4, 3, 0.001, 0.3)
    assert wrong_results(np.zeros(3)).wrong == 0
