from __future__ import annotations

from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from slackwater.errors import CheckpointError, SlackwaterError
from slackwater.papers.recall_ji2018.operators.sync import SyncBuffer, SyncParams, SyncState
from slackwater.papers.stream.kslack import KSlack, KSlackParams
from slackwater.stats.arrival import Arrival, Delayed

Buffer = SyncBuffer[Arrival[None]]
MOVES = st.lists(st.tuples(st.sampled_from("abc"), st.integers(-20, 40)), max_size=40)


def tuples(moves: list[tuple[str, int]]) -> list[Arrival[None]]:
    return [Arrival(stream, seq, ts, None) for seq, (stream, ts) in enumerate(moves)]


def buffer_of(inputs: str = "abc") -> Buffer:
    return SyncBuffer.start(SyncParams(tuple(inputs)))


def run(buffer: Buffer, moves: list[tuple[str, int]]) -> list[Arrival[None]]:
    out = [item for a in tuples(moves) for _, item in buffer.update(a.stream, a)]
    return out + [item for _, item in buffer.flush()]


@pytest.mark.spec("qddh:F023")
def test_the_golden_trace_leaves_in_the_order_of_the_specification() -> None:
    buffer = buffer_of("12")
    moves = [("1", 1), ("1", 3), ("2", 2), ("1", 4), ("2", 3), ("2", 5), ("1", 2)]
    left = [item.ts for a in tuples(moves) for _, item in buffer.update(a.stream, a)]
    assert left == [1, 2, 3, 3, 4, 2]
    assert [item.ts for _, item in buffer.flush()] == [5]


@pytest.mark.spec("qddh:F023")
@given(MOVES)
def test_ordered_inputs_leave_as_one_ordered_stream(moves: list[tuple[str, int]]) -> None:
    ordered = sorted(moves, key=lambda move: move[1])
    by_stream = [move for name in "abc" for move in ordered if move[0] == name]
    times = [item.ts for item in run(buffer_of(), by_stream)]
    assert times == sorted(times)


@pytest.mark.spec("qddh:F023")
@given(MOVES)
def test_what_went_in_comes_out_exactly_once_and_progress_never_goes_back(
    moves: list[tuple[str, int]],
) -> None:
    buffer = buffer_of()
    left, progress = [], []
    for a in tuples(moves):
        left += [item for _, item in buffer.update(a.stream, a)]
        if buffer.time is not None:
            progress.append(buffer.time)
    left += [item for _, item in buffer.flush()]
    assert sorted(a.seq for a in left) == list(range(len(moves)))
    assert all(before <= after for before, after in pairwise(progress))


@pytest.mark.spec("qddh:F023")
@given(MOVES)
def test_only_what_is_late_for_the_merged_output_leaves_out_of_order(
    moves: list[tuple[str, int]],
) -> None:
    buffer = buffer_of()
    for a in tuples(moves):
        before = buffer.time
        left = buffer.update(a.stream, a)
        if before is not None and a.ts <= before:
            assert left == [(a.stream, a)]
        else:
            assert [item.ts for _, item in left] == sorted(item.ts for _, item in left)
            assert all(before is None or item.ts > before for _, item in left)


@pytest.mark.spec("qddh:F023")
@given(MOVES)
def test_the_content_spans_no_more_than_the_skew(moves: list[tuple[str, int]]) -> None:
    buffer = buffer_of()
    times: dict[str, int] = {}
    for a in tuples(moves):
        buffer.update(a.stream, a)
        times[a.stream] = max(a.ts, times.get(a.stream, a.ts))
        held = [item.ts for _, item in buffer.snapshot().pending]
        if len(times) == 3 and held and buffer.time is not None:
            assert max(held) - buffer.time <= max(times.values()) - min(times.values())


@pytest.mark.spec("qddh:F024")
def test_the_implicit_slack_is_the_lead_behind_the_output_and_nothing_for_the_slowest() -> None:
    buffer = buffer_of("ab")
    assert buffer.sizes is None
    for a in tuples([("a", 1), ("a", 9), ("b", 2), ("b", 4)]):
        buffer.update(a.stream, a)
    assert buffer.time == 4
    assert buffer.sizes == {"a": 5, "b": 0}


@pytest.mark.spec("qddh:F024")
@given(MOVES)
def test_the_slowest_input_has_no_implicit_slack(moves: list[tuple[str, int]]) -> None:
    buffer = buffer_of()
    for a in tuples(moves):
        buffer.update(a.stream, a)
    if buffer.sizes is not None:
        assert min(buffer.sizes.values()) == 0


@pytest.mark.spec("qddh:F024", "qddh:F083")
@given(st.lists(st.tuples(st.sampled_from("ab"), st.integers(0, 3)), min_size=30, max_size=60))
def test_with_one_common_slack_the_implicit_slack_does_not_depend_on_it(
    steps: list[tuple[str, int]],
) -> None:
    # Both streams deliver every instant, so that what leaves a buffer lags by exactly the slack.
    progress = {"a": 0, "b": 0}
    raw: list[tuple[str, int]] = [("a", 0), ("b", 0)]
    for stream, forward in steps:
        for _ in range(forward):
            progress[stream] += 1
            raw.append((stream, progress[stream]))
    if min(progress.values()) <= 5:
        return
    found = set()
    for k in (0, 2, 5):
        slacks = {name: KSlack[None].start(KSlackParams(k)) for name in "ab"}
        sync: SyncBuffer[Delayed[None]] = SyncBuffer.start(SyncParams(("a", "b")))
        for a in tuples(raw):
            for delayed in slacks[a.stream].update(a):
                sync.update(a.stream, delayed)
        assert sync.sizes is not None
        found.add(tuple(sorted(sync.sizes.items())))
    assert found == {
        (
            ("a", progress["a"] - min(progress.values())),
            ("b", progress["b"] - min(progress.values())),
        )
    }


@given(MOVES, MOVES)
def test_a_buffer_continues_from_saved_state_as_if_never_stopped(
    before: list[tuple[str, int]], after: list[tuple[str, int]]
) -> None:
    steady, stopped = buffer_of(), buffer_of()
    everything = tuples(before + after)
    for a in everything[: len(before)]:
        assert steady.update(a.stream, a) == stopped.update(a.stream, a)
    resumed = SyncBuffer.start(SyncParams(("a", "b", "c")), stopped.snapshot())
    for a in everything[len(before) :]:
        assert steady.update(a.stream, a) == resumed.update(a.stream, a)
    assert steady.sizes == resumed.sizes
    assert steady.flush() == resumed.flush()


def test_saved_state_of_other_inputs_or_versions_is_refused() -> None:
    for state in (SyncState[Arrival[None]](version=99), SyncState[Arrival[None]](1, (("x", 1),))):
        with pytest.raises(CheckpointError, match="synchronisation buffer"):
            SyncBuffer.start(SyncParams(("a", "b")), state)


def test_inputs_named_twice_are_refused() -> None:
    with pytest.raises(SlackwaterError, match="each once"):
        SyncParams(("a", "a"))
