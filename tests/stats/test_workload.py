"""A workload gives the same rows however it is cut, and the disorder it was asked for."""

from __future__ import annotations

import json
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from slackwater.errors import SlackwaterError
from slackwater.stats.draws import zipf_shares
from slackwater.stats.workload import (
    BLOCK,
    Burst,
    Disorder,
    Gap,
    Rows,
    Values,
    Workload,
    arrival,
    arrived,
    rows,
)
from slackwater.units import SECOND

STORM = Disorder.of(late=0.6, delay="pareto", scale="2 s", cap="1 min")
EVERYTHING = Workload(
    seed=11,
    rows_per_second=500,
    keys=30,
    key_skew=1.1,
    disorder=Disorder.of(
        late=0.3,
        delay="normal",
        scale="400 ms",
        drift=0.001,
        burst=Burst.of("10 s", "2 s", 5),
        gaps=[Gap.of("7 s", "4 s"), Gap.of("25 s", "1 s")],
        regimes=[("20 s", STORM)],
    ),
)


def joined(parts: list[Rows]) -> Rows:
    return Rows(*(np.concatenate(columns) for columns in zip(*parts, strict=True)))


@given(st.lists(st.integers(0, 3 * BLOCK), min_size=1, max_size=8))
def test_any_cut_into_ranges_gives_the_same_rows(cuts: list[int]) -> None:
    bounds = sorted({0, 3 * BLOCK, *cuts})
    parts = [rows(EVERYTHING, a, b) for a, b in pairwise(bounds)]
    whole = rows(EVERYTHING, 0, 3 * BLOCK)
    assert all(np.array_equal(a, b) for a, b in zip(joined(parts), whole, strict=True))


def test_an_empty_range_has_no_rows() -> None:
    assert [len(column) for column in rows(EVERYTHING, BLOCK, BLOCK)] == [0] * 5


def test_another_seed_gives_other_rows() -> None:
    one, two = rows(Workload(seed=1), 0, 100), rows(Workload(seed=2), 0, 100)
    assert not np.array_equal(one.value, two.value)


@given(
    rate=st.floats(0.5, 50_000),
    factor=st.sampled_from([0.0, 0.3, 1.0, 20.0]),
    first=st.integers(0, 10**9),
)
def test_arrivals_never_go_back_and_are_counted_by_arrived(
    rate: float, factor: float, first: int
) -> None:
    pattern = Disorder.of(burst=Burst.of("10 s", "3 s", factor), gaps=[Gap.of("4 s", "9 s")])
    workload = Workload(rows_per_second=rate, disorder=pattern)
    part = rows(workload, first, first + 500)
    assert np.all(np.diff(part.arrival) >= 0)
    for row in (0, 250, 499):
        instant = int(part.arrival[row])
        assert arrival(workload, first + row) == instant
        assert arrived(workload, instant) > first + row
        assert arrived(workload, instant - 1) <= first + row


@pytest.mark.parametrize("share", [0.0, 0.05, 0.5, 1.0])
@pytest.mark.parametrize("delay", ["uniform", "exponential", "pareto", "normal"])
def test_the_share_of_late_rows_is_the_one_asked_for(share: float, delay: str) -> None:
    part = rows(Workload(disorder=Disorder.of(late=share, delay=delay)), 0, 100_000)
    assert np.mean(part.time < part.arrival) == pytest.approx(share, abs=0.006)


@pytest.mark.parametrize(
    ("delay", "mean"), [("uniform", 0.5), ("exponential", 1.0), ("normal", 1.0)]
)
def test_delays_have_the_mean_of_their_distribution(delay: str, mean: float) -> None:
    part = rows(Workload(disorder=Disorder.of(delay=delay, scale="2 s")), 0, 200_000)
    assert np.mean(part.arrival - part.time) / (2 * SECOND) == pytest.approx(mean, rel=0.01)


def test_pareto_delays_have_a_heavy_tail_up_to_the_cap() -> None:
    tail = Disorder.of(delay="pareto", scale="1 s", shape=1.5, cap="1000 s")
    part = rows(Workload(disorder=tail), 0, 200_000)
    seconds = (part.arrival - part.time) / SECOND
    assert np.mean(seconds > 9) == pytest.approx(10**-1.5, rel=0.05)
    assert np.mean(seconds > 99) == pytest.approx(100**-1.5, rel=0.15)
    assert seconds.max() <= 1000


@pytest.mark.parametrize(
    ("skew", "none", "one_second"),
    [(2.0, 0.6098, 0.9500), (3.0, 0.8319, 0.9969), (4.0, 0.9239, 0.9998)],
)
def test_zipf_delays_are_those_of_appendix_d(skew: float, none: float, one_second: float) -> None:
    shares = zipf_shares(201, skew)
    assert shares[0] == pytest.approx(none, abs=5e-5)
    assert shares[:11].sum() == pytest.approx(one_second, abs=5e-5)

    delays = Disorder.of(delay="zipf", scale="100 ms", cap="20 s", shape=skew)
    part = rows(Workload(rows_per_second=100, disorder=delays), 0, 200_000)
    drawn = part.arrival - part.time
    assert np.mean(drawn == 0) == pytest.approx(none, abs=0.004)
    assert np.mean(drawn <= SECOND) == pytest.approx(one_second, abs=0.002)
    assert set(np.unique(drawn % 100_000)) == {0}
    assert drawn.max() <= 20 * SECOND


def test_a_regime_changes_the_delays_at_its_moment() -> None:
    calm = Disorder.of(late=0.1, delay="uniform", scale="10 ms", regimes=[("50 s", STORM)])
    part = rows(Workload(rows_per_second=1000, disorder=calm), 0, 100_000)
    delay = part.arrival - part.time
    before = part.arrival - part.arrival[0] < 50 * SECOND
    assert before.sum() == 50_000
    assert delay[before].max() <= 10_000
    assert np.mean(delay[before] > 0) == pytest.approx(0.1, abs=0.01)
    assert np.mean(delay[~before] > 0) == pytest.approx(0.6, abs=0.01)
    assert delay[~before].max() > SECOND


def test_a_drift_makes_delays_grow_in_a_line() -> None:
    growing = Disorder.of(delay="uniform", scale="1 s", drift=0.01)
    part = rows(Workload(rows_per_second=1000, disorder=growing), 0, 100_000)
    tenths = ((part.arrival - part.time) / SECOND).reshape(10, -1).mean(axis=1)
    assert tenths == pytest.approx(0.5 + 0.05 * (np.arange(10) / 10 + 0.05) * 10, rel=0.03)


def test_a_burst_multiplies_the_rate_at_the_end_of_every_period() -> None:
    bursty = Disorder.of(burst=Burst.of("10 s", "1 s", 10))
    part = rows(Workload(rows_per_second=100, disorder=bursty), 0, 5700)
    second = (part.arrival - part.arrival[0]) // SECOND
    counts = np.bincount(second, minlength=30)
    assert counts.tolist() == ([100] * 9 + [1000]) * 3


def test_nothing_arrives_in_a_gap_and_bursts_keep_their_time() -> None:
    gappy = Disorder.of(
        burst=Burst.of("10 s", "1 s", 10), gaps=[Gap.of("3 s", "2 s"), Gap.of("9500 ms", "1 s")]
    )
    part = rows(Workload(rows_per_second=100, disorder=gappy), 0, 3050)
    second = (part.arrival - part.arrival[0]) // SECOND
    counts = np.bincount(second)[:20].tolist()
    assert counts == [100, 100, 100, 0, 0, 100, 100, 100, 100, 500, 50, *[100] * 8, 1000]


def test_a_burst_of_factor_zero_is_a_periodic_silence() -> None:
    silent = Disorder.of(burst=Burst.of("10 s", "4 s", 0))
    part = rows(Workload(rows_per_second=10, disorder=silent), 0, 180)
    second = (part.arrival - part.arrival[0]) // SECOND
    assert (
        np.bincount(second, minlength=30).tolist() == ([10] * 6 + [0] * 4) * 2 + [10] * 6 + [0] * 4
    )


def test_keys_follow_their_skew() -> None:
    even = rows(Workload(keys=10), 0, 100_000).key
    assert np.bincount(even, minlength=10) / 1e5 == pytest.approx(np.full(10, 0.1), abs=0.005)
    skewed = rows(Workload(keys=10, key_skew=2.0), 0, 100_000).key
    assert np.bincount(skewed, minlength=10) / 1e5 == pytest.approx(zipf_shares(10, 2.0), abs=0.005)


@pytest.mark.parametrize(
    ("values", "mean", "deviation"),
    [
        (Values("constant", 3, 1), 3, 0),
        (Values("uniform", 3, 1), 3, 3**-0.5),
        (Values("normal", 3, 1.5), 3, 1.5),
        (Values("exponential", 3, 0), 3, 3),
        (
            Values("lognormal", 3, 0.5),
            3 * np.exp(0.125),
            3 * np.exp(0.125) * (np.e**0.25 - 1) ** 0.5,
        ),
    ],
)
def test_values_have_their_moments(values: Values, mean: float, deviation: float) -> None:
    drawn = rows(Workload(values=values), 0, 200_000).value
    assert drawn.mean() == pytest.approx(mean, rel=0.01)
    assert drawn.std() == pytest.approx(deviation, rel=0.02, abs=1e-9)


def test_the_first_rows_of_a_seed_never_change() -> None:
    part = rows(Workload(seed=42, disorder=Disorder.of(late=0.5, delay="zipf")), 0, 3)
    assert part.seq.tolist() == [0, 1, 2]
    assert part.key.tolist() == [2, 46, 69]
    assert part.value.tolist() == pytest.approx(
        [12.982418434616463, 6.393785956687173, 11.401967941099038], rel=1e-12
    )


def test_a_workload_survives_json() -> None:
    assert Workload.from_json(json.loads(json.dumps(EVERYTHING.to_json()))) == EVERYTHING


def test_every_problem_of_a_disorder_is_reported_at_once() -> None:
    with pytest.raises(SlackwaterError) as caught:
        Disorder(late=1.5, delay="weird", scale=0, cap=-1, regimes=((5, STORM), (5, STORM)))
    text = str(caught.value)
    assert caught.value.condition == "WORKLOAD_INVALID"
    assert "5 problems" in text
    for word in ("late is 1.5", "'weird'", "scale is 0", "cap is -1", "ascending"):
        assert word in text


@pytest.mark.parametrize(
    "build",
    [
        lambda: Burst.of("1 s", "2 s", 3),
        lambda: Burst.of("1 s", "500 ms", -1),
        lambda: Gap.of(-1, 2),
        lambda: Disorder.of(gaps=[Gap.of(5, 5), Gap.of(7, 1)]),
        lambda: Disorder.of(delay="uniform", shape=2.0),
        lambda: Disorder.of(delay="zipf", scale=1e-6, cap="1 day"),
        lambda: Disorder.of(regimes=[("1 s", Disorder.of(gaps=[Gap.of(1, 1)]))]),
        lambda: Values("odd"),
        lambda: Workload(rows_per_second=0),
        lambda: Workload(keys=0),
        lambda: Workload(seed=-1),
        lambda: rows(Workload(), 5, 4),
    ],
)
def test_what_makes_no_sense_is_refused(build: object) -> None:
    with pytest.raises(SlackwaterError):
        build()  # type: ignore[operator]
