from __future__ import annotations

import math

import pytest

from slackwater.errors import SlackwaterError
from slackwater.papers.prodding_bhat2011.operators.quality import (
    Quality,
    aggressiveness,
    covered_share,
    error_percent,
    hamming,
    latency_gain,
    latency_gain_percent,
    mean_accuracy,
    relative_quality,
    worst,
)


@pytest.mark.spec("prodding:F46")
def test_the_error_is_what_accuracy_lacks_of_a_hundred() -> None:
    assert error_percent([90, 150, -90], [100, 100, -100]).tolist() == pytest.approx([10, 50, 10])


@pytest.mark.spec("prodding:F46")
def test_mean_and_worst_leave_out_what_is_unknown() -> None:
    early, final = [90, 100, math.nan, 50], [100, 100, 100, 100]
    assert mean_accuracy(early, final) == pytest.approx(80)
    assert worst(early, final) == 50
    assert mean_accuracy([math.nan], [1]) is None
    assert worst([], []) is None


@pytest.mark.spec("prodding:F47")
def test_latency_won_is_told_in_seconds_and_percent_of_the_averages() -> None:
    assert latency_gain([568], [616]) == 48
    assert latency_gain([1, 3], [4, 6]) == 3
    assert latency_gain_percent([1, 3], [4, 6]) == pytest.approx(60)
    assert latency_gain_percent([0], [0]) == 0


@pytest.mark.spec("prodding:F48")
@pytest.mark.parametrize(("offset", "slide", "p"), [(30, 120, 0.25), (1, 10, 0.1), (-5, 10, -0.5)])
def test_aggressiveness_is_the_lead_as_a_share_of_the_slide(
    offset: float, slide: float, p: float
) -> None:
    assert aggressiveness(offset, slide) == pytest.approx(p)


@pytest.mark.spec("prodding:F48", "prodding:F60")
def test_the_share_of_time_covered() -> None:
    assert covered_share(12, 2, 0.5) == pytest.approx(11 / 12)
    assert covered_share(30, 30, [0.1, 0.5, 1.0]).tolist() == pytest.approx([0.9, 0.5, 0.0])
    assert covered_share(30, 10, -1) == 1
    with pytest.raises(SlackwaterError, match="above 0"):
        covered_share(0, 10, 0.1)
    with pytest.raises(SlackwaterError, match="above 0"):
        aggressiveness(1, 0)


@pytest.mark.spec("prodding:F52")
def test_quality_of_a_text_is_the_share_of_letters_in_place() -> None:
    assert hamming("karolin", "kathrin") == pytest.approx(100 * 4 / 7)
    assert hamming("abc", "abcdef") == 50
    assert hamming("", "") == 100


@pytest.mark.spec("prodding:F52")
def test_a_quality_of_ones_own_sees_both_values_and_the_gap() -> None:
    def punctual(early: float, final: float, gap: int) -> float:
        return relative_quality(early, final, gap) - gap / 1e6

    measures: list[Quality] = [punctual, hamming, relative_quality]
    assert measures[0](90.0, 100.0, 2_000_000) == pytest.approx(88)
    assert measures[2](90.0, 100.0, 2_000_000) == pytest.approx(90)
