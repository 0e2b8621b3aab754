from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from slackwater.errors import SlackwaterError
from slackwater.papers.recall_ji2018.operators.same_k import effective_slacks, same_k
from slackwater.papers.recall_ji2018.operators.sync import SyncBuffer, SyncParams
from slackwater.papers.stream.kslack import KSlack, KSlackParams
from slackwater.stats.arrival import Arrival, Delayed

CONFIGURATIONS = st.lists(
    st.tuples(st.integers(0, 100), st.integers(0, 40)), min_size=2, max_size=5
)


@pytest.mark.spec("qddh:F083")
def test_the_golden_configurations() -> None:
    assert [same_k([100, 90], slacks) for slacks in ([5, 20], [30, 5], [0, 0])] == [20, 20, 0]
    assert same_k([100, 95, 80], [10, 0, 3]) == 3
    assert effective_slacks([100, 95, 80], [10, 0, 3]) == (23, 18, 3)


@pytest.mark.spec("qddh:F083")
@given(CONFIGURATIONS)
def test_any_slacks_have_the_effect_of_one_common_slack(
    configuration: list[tuple[int, int]],
) -> None:
    times, slacks = [t for t, _ in configuration], [k for _, k in configuration]
    k = same_k(times, slacks)
    assert k >= 0
    assert effective_slacks(times, [k] * len(times)) == effective_slacks(times, slacks)


@pytest.mark.spec("qddh:F083")
@given(CONFIGURATIONS)
def test_with_one_common_slack_what_exceeds_it_is_the_skew_of_the_raw_streams(
    configuration: list[tuple[int, int]],
) -> None:
    times, k = [t for t, _ in configuration], configuration[0][1]
    implicit = [wait - k for wait in effective_slacks(times, [k] * len(times))]
    assert implicit == [time - min(times) for time in times]


@pytest.mark.spec("qddh:F083")
@given(st.tuples(st.integers(40, 80), st.integers(40, 80)), st.tuples(*[st.integers(0, 30)] * 2))
def test_buffers_of_both_kinds_have_released_the_same_at_a_frozen_instant(
    times: tuple[int, int], slacks: tuple[int, int]
) -> None:
    k = same_k(times, slacks)
    assert released(times, slacks) == released(times, (k, k))


def released(times: tuple[int, int], slacks: tuple[int, int]) -> set[tuple[str, int]]:
    """What an operator has got once both streams delivered every instant up to their times."""
    buffers = [KSlack[None].start(KSlackParams(k)) for k in slacks]
    sync: SyncBuffer[Delayed[None]] = SyncBuffer.start(SyncParams(("0", "1")))
    out = set()
    for instant in range(max(times) + 1):
        for number, (buffer, time) in enumerate(zip(buffers, times, strict=True)):
            if instant > time:
                continue
            for delayed in buffer.update(Arrival(str(number), instant, instant, None)):
                out |= {(name, d.ts) for name, d in sync.update(str(number), delayed)}
    return out


def test_slacks_that_do_not_fit_the_streams_are_refused() -> None:
    with pytest.raises(SlackwaterError, match="one slack"):
        same_k([1, 2], [3])
    with pytest.raises(SlackwaterError, match="0 or more"):
        effective_slacks([1, 2], [3, -1])
