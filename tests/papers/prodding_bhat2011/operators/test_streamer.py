from __future__ import annotations

import numpy as np
import pytest

from slackwater.errors import SlackwaterError
from slackwater.papers.prodding_bhat2011.operators.element import DataTuple, Punctuation
from slackwater.papers.prodding_bhat2011.operators.predicate import Le
from slackwater.papers.prodding_bhat2011.operators.sources import Timed, tuples
from slackwater.papers.prodding_bhat2011.operators.streamer import Delay, stream

RECORDING = tuples([{"ts": 100 + 10 * n} for n in range(200)])


@pytest.mark.spec("prodding:F41")
def test_the_pace_is_that_of_application_time_times_the_speedup() -> None:
    assert [timed.at for timed in stream(RECORDING)][:3] == [0, 10, 20]
    assert [timed.at for timed in stream(RECORDING, begin=5, speedup=2)][:3] == [5, 10, 15]


@pytest.mark.spec("prodding:F41")
def test_order_is_kept_or_given_by_arrival() -> None:
    late = Delay("trace", trace=(0, 25, *[0] * 198))
    kept = stream(RECORDING, late)
    assert [timed.at for timed in kept[:5]] == [0, 35, 35, 35, 40]
    assert [timed.element for timed in kept] == [timed.element for timed in RECORDING]
    free = stream(RECORDING, late, order="due")
    assert [timed.at for timed in free[:5]] == [0, 20, 30, 35, 40]
    assert free[3].element == RECORDING[1].element


@pytest.mark.spec("prodding:F41")
@pytest.mark.parametrize(
    ("delay", "low", "high", "mean"),
    [
        (Delay("uniform", 20), 0, 20, 10),
        (Delay("exponential", 20), 0, 300, 20),
        (Delay("fixed", 7), 7, 7, 7),
        (Delay(), 0, 0, 0),
    ],
)
def test_delays_follow_their_model(delay: Delay, low: int, high: int, mean: float) -> None:
    drawn = delay.draw(20_000, np.random.default_rng(1))
    assert low <= drawn.min() <= drawn.max() <= high
    assert drawn.mean() == pytest.approx(mean, rel=0.05)


@pytest.mark.spec("prodding:F41")
def test_only_tuples_are_delayed_by_themselves() -> None:
    mixed = [Timed(0, DataTuple({"ts": 0})), Timed(1, Punctuation(1, Le(1)))]
    assert [one.at for one in stream(mixed, Delay("fixed", 9), order="due")] == [1, 9]
    assert [one.at for one in stream(mixed, Delay("fixed", 9))] == [9, 9]  # it queues behind


def test_a_seed_gives_the_same_delays_and_nonsense_is_refused() -> None:
    one, again, other = (stream(RECORDING, Delay("uniform", 50), seed=s) for s in (1, 1, 2))
    assert one == again
    assert one != other
    assert stream([]) == []
    with pytest.raises(SlackwaterError, match="trace of 1 delays"):
        stream(RECORDING, Delay("trace", trace=(1,)))
    with pytest.raises(SlackwaterError, match="speedup is 0"):
        stream(RECORDING, speedup=0)
