"""Values, keys, arrivals and scripts are what they are said to be."""

from __future__ import annotations

from itertools import islice
from random import Random

import numpy as np
import pytest

from slackwater.papers.robust_lei2014.workload import (
    QUERIES,
    SENSOR_FIELDS,
    arrivals,
    constant,
    equal_share,
    keys_for,
    query,
    sensor_readings,
    square,
    steps,
    stock_day,
    uncertain,
    values,
)


@pytest.mark.spec("robust:F200")
def test_arrivals_are_a_poisson_process_that_can_be_scaled() -> None:
    found = list(arrivals(Random(1), constant(2.0), 2.0, 5000.0))
    gaps = np.diff(found)
    assert gaps.mean() == pytest.approx(0.5, rel=0.03)  # 500 ms
    assert gaps.std() == pytest.approx(gaps.mean(), rel=0.05)
    faster = list(arrivals(Random(1), constant(8.0), 8.0, 1000.0))
    assert np.diff(faster).mean() == pytest.approx(0.125, rel=0.03)
    turned = list(arrivals(Random(2), square(100.0, 4.0, 1.0), 4.0, 5000.0))
    high = sum(at % 100 < 50 for at in turned)
    assert high / (len(turned) - high) == pytest.approx(4.0, rel=0.1)


@pytest.mark.spec("robust:F201")
@pytest.mark.parametrize(
    ("kind", "mean", "deviation", "skew", "kurtosis"),
    [
        ("uniform", 50.0, 28.87, 0.0, -1.2),
        ("poisson", 1.0, 1.0, 1.0, 1.0),
        ("normal", 50.0, 15.0, 0.0, 0.0),
    ],
)
def test_values_have_the_moments_of_their_distribution(
    kind: str, mean: float, deviation: float, skew: float, kurtosis: float
) -> None:
    found = values(kind, 3, 40_000)
    standard = (found - found.mean()) / found.std()
    assert found.mean() == pytest.approx(mean, rel=0.02)
    assert found.std() == pytest.approx(deviation, rel=0.02)
    assert (standard**3).mean() == pytest.approx(skew, abs=0.06)
    assert (standard**4).mean() - 3 == pytest.approx(kurtosis, abs=0.2)


@pytest.mark.spec("robust:F202")
@pytest.mark.parametrize("share", [0.5, 0.3, 0.07, 0.01, 0.0123])
def test_keys_meet_as_often_as_is_asked(share: float) -> None:
    one, other = keys_for(share, 1, 200_000), keys_for(share, 2, 200_000)
    assert equal_share(one, other) == pytest.approx(share, rel=0.05)


@pytest.mark.spec("robust:F203")
def test_scripts_say_what_holds_when() -> None:
    staged = steps((0.0, 0.5), (1200.0, 1.0), (2400.0, 2.0))
    assert [staged(at) for at in (0, 1199, 1200, 2399, 3000)] == [0.5, 0.5, 1.0, 1.0, 2.0]
    rate, drift = square(1200.0, 0.5, 1.2), square(2400.0, 0.0, 1.0)
    assert [rate(at) for at in (0, 599, 600, 1200)] == [0.5, 0.5, 1.2, 0.5]
    assert [drift(at) for at in (0, 1199, 1200, 2400)] == [0.0, 0.0, 1.0, 0.0]


@pytest.mark.spec("robust:F204")
def test_stand_ins_have_bursts_moods_and_the_form_of_the_data() -> None:
    rate, mood = stock_day(3, 60.0)
    seen = [rate(float(at)) for at in range(3600)]
    assert 0.5 <= min(seen) < 0.8
    assert 1.2 < max(seen) <= 2.0
    assert {mood(float(at)) for at in range(3600)} == {1.0, -1.0}
    assert [stock_day(3, 60.0)[0](float(at)) for at in range(3600)] == seen
    readings = list(sensor_readings(1, 3))
    assert len(readings) == 3 * 54
    assert tuple(readings[0]) == SENSOR_FIELDS
    assert readings == list(islice(sensor_readings(1, 5), 3 * 54))


@pytest.mark.spec("robust:F205")
def test_queries_are_there_by_name_and_by_seed() -> None:
    assert {name: len(query(name, 1).operators) for name in QUERIES} == QUERIES
    assert query("Q15", 1) == query("Q15", 1) != query("Q15", 2)
    known = uncertain("Q10", 4, 3, 2)
    assert known.space.free == (0, 1, 2)
    estimate = known.space.estimate
    plain = query("Q10", 4)
    order = plain.optimize(())
    assert known.optimizer.cost(order, estimate) == pytest.approx(plain.cost(order, ()))
