from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from slackwater.errors import CheckpointError, SlackwaterError
from slackwater.papers.stream.quantile import LateQuantile, LateQuantileParams, LateQuantileState

DELAYS = st.lists(st.integers(0, 20_000_000), max_size=60)


def fed(delays: list[int], share: float) -> LateQuantile:
    sketch = LateQuantile.start(LateQuantileParams(share))
    for delay in delays:
        sketch.update(delay)
    return sketch


@pytest.mark.spec("qddh:F035")
@given(DELAYS, st.floats(0.05, 0.99))
def test_the_quantile_of_the_late_is_right_to_one_percent(delays: list[int], share: float) -> None:
    late = sorted(delay for delay in delays if delay > 0)
    found = fed(delays, share).get()
    if not late:
        assert found is None
        return
    rank = next(n for n in range(len(late)) if n + 1 >= share * len(late))
    # one percent, and then a whole number of microseconds
    assert found == pytest.approx(late[rank], rel=0, abs=0.0101 * late[rank] + 0.5)


@pytest.mark.spec("qddh:F035")
def test_it_follows_a_distribution_that_moves_down_as_well_as_up() -> None:
    draws = np.random.default_rng(3)
    delays = [*draws.integers(10**6, 10**7, 500).tolist(), *draws.integers(1, 10**4, 9000).tolist()]
    assert fed(delays, 0.9).get() == pytest.approx(np.quantile(delays, 0.9), rel=0.02)


@given(DELAYS, DELAYS)
def test_it_goes_on_from_its_saved_state(before: list[int], after: list[int]) -> None:
    whole = fed(before + after, 0.9)
    resumed = LateQuantile.start(LateQuantileParams(0.9), fed(before, 0.9).snapshot())
    for delay in after:
        resumed.update(delay)
    assert (resumed.get(), resumed.snapshot()) == (whole.get(), whole.snapshot())


def test_a_share_outside_and_an_unknown_version_are_refused() -> None:
    with pytest.raises(SlackwaterError, match="between 0 and 1"):
        LateQuantileParams(share=1.0)
    with pytest.raises(CheckpointError, match="version 7"):
        LateQuantile.start(LateQuantileParams(), LateQuantileState(version=7))
