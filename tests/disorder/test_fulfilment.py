from __future__ import annotations

import numpy as np
import pytest

from slackwater.disorder.fulfilment import kept_share
from slackwater.disorder.threshold import Moments, Requirement, coverage_threshold
from slackwater.query.contract import ErrorKind

COVERAGE = np.linspace(0.5, 1.0, 101)


@pytest.mark.spec("qddh:F144")
def test_a_sparse_key_needs_nearly_everything_however_busy_the_others_are() -> None:
    sparse = kept_share(Requirement("count", 0.01), np.array([0.99]), Moments(1e6), (5.0,))
    busy = kept_share(Requirement("count", 0.01), np.array([0.995]), Moments(1e6), (20_000.0,))
    assert sparse[0] == pytest.approx(0.99**5)
    assert busy[0] > 0.99


@pytest.mark.spec("qddh:F144")
@pytest.mark.parametrize("rows", [1, 7, 60, 150, 400, 3000])
def test_the_chance_of_a_key_is_that_of_a_binomial(rows: int) -> None:
    draws = np.random.default_rng(3)
    found = kept_share(Requirement("sum", 0.05), np.array([0.96]), Moments(rows), (float(rows),))
    drawn = draws.binomial(rows, 0.04, 200_000) <= 0.05 * rows
    assert found[0] == pytest.approx(drawn.mean(), abs=0.015)


@pytest.mark.parametrize("kind", ["count", "sum", "avg", "quantile", "heuristic"])
@pytest.mark.parametrize("sizes", [None, (3.0, 40.0, 900.0)])
def test_more_coverage_never_keeps_fewer_bounds(
    kind: ErrorKind, sizes: tuple[float, ...] | None
) -> None:
    found = kept_share(Requirement(kind, 0.05), COVERAGE, Moments(500, 2.0, 1.0), sizes)
    assert np.all(np.diff(found) >= -1e-9)
    assert found[-1] == pytest.approx(1.0)


@pytest.mark.spec("qddh:F061")
@pytest.mark.parametrize("epsilon", [0.01, 0.05])
def test_at_the_threshold_enough_results_keep_the_bound(epsilon: float) -> None:
    moments = Moments(2000, 2.0, 1.0)
    needed = coverage_threshold(Requirement("sum", epsilon), moments)
    found = kept_share(Requirement("sum", epsilon), np.array([needed]), moments, None)
    assert found[0] >= 0.95
