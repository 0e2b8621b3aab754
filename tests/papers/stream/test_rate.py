from __future__ import annotations

import pytest

from slackwater.errors import CheckpointError
from slackwater.papers.stream.rate import ArrivalRate, RateParams, RateState


@pytest.mark.spec("qddh:F033")
def test_the_rate_follows_the_stream_and_is_unknown_before_it_progresses() -> None:
    rate = ArrivalRate.start(RateParams(keep=0.9))
    rate.update(32, 0)
    assert rate.get() is None
    for _ in range(200):
        rate.update(32, 64)
    assert rate.get() == pytest.approx(0.5)
    for _ in range(200):
        rate.update(32, 16)
    assert rate.get() == pytest.approx(2.0)


def test_it_goes_on_from_its_saved_state_and_refuses_an_unknown_one() -> None:
    rate = ArrivalRate.start(RateParams())
    rate.update(10, 5)
    assert ArrivalRate.start(RateParams(), rate.snapshot()).get() == 2.0
    with pytest.raises(CheckpointError, match="version 2"):
        ArrivalRate.start(RateParams(), RateState(version=2))
