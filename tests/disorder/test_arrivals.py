from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st
from msgspec import convert, to_builtins

from slackwater.disorder.arrivals import CurveParams, Curves, since, table, update
from slackwater.stats.panes import PaneCount

PARAMS = CurveParams(size=10, slide=5, offset=0, granularity=2)


def pane(at: int, rows: int) -> PaneCount:
    return PaneCount(at, True, rows, at, at)


@pytest.mark.spec("qddh:F036")
def test_rows_need_the_slack_that_the_clock_had_moved_beyond_the_window() -> None:
    curves = update(PARAMS, Curves(), [pane(0, 6)], None)
    curves = update(PARAMS, curves, [pane(5, 3)], 9)
    curves = update(PARAMS, curves, [pane(5, 1)], 12)  # two beyond the end of [0, 10)
    assert dict(curves.windows)[10] == ((0, 9), (2, 1))
    assert dict(curves.windows)[15] == ((0, 4),)


@pytest.mark.spec("qddh:F064")
@given(
    st.lists(
        st.tuples(st.integers(0, 30), st.lists(st.integers(-8, 60), min_size=1, max_size=12)),
        max_size=8,
    ),
    st.integers(0, 25),
)
def test_coverage_under_any_slack_is_that_of_a_run_with_this_slack(
    batches: list[tuple[int, list[int]]], step: int
) -> None:
    slack = step * PARAMS.granularity
    clock: int | None = None
    curves = Curves()
    seen: dict[int, list[int]] = {}
    for advance, times in batches:
        moved = [time + advance for time in times]
        counts = [pane(t - t % 5, moved.count(t)) for t in sorted(set(moved))]
        curves = update(PARAMS, curves, counts, clock)
        for time in moved:
            for end in range(time - time % 5 + 5, time + 11, 5):
                if end - 10 <= time < end:
                    missed = clock is not None and clock - slack >= end
                    seen.setdefault(end, [0, 0])[missed] += 1
        clock = max(moved) if clock is None else max(clock, *moved)
    known = table(curves)
    for number, end in enumerate(known.ends):
        received, missing = seen[int(end)]
        at = int((known.steps <= step).sum()) - 1
        assert known.coverage[number, at] == pytest.approx(received / (received + missing))


def test_heavily_overlapping_windows_are_followed_in_part() -> None:
    many = CurveParams(size=600, slide=10, offset=0, granularity=1)
    assert many.stride == 7
    assert 8 <= len(list(many.ends(1000))) <= 9


def test_only_the_newest_windows_are_kept_and_history_can_be_cut() -> None:
    few = CurveParams(size=10, slide=10, offset=0, granularity=1, longest=3)
    curves = update(few, Curves(), [pane(at, 1) for at in range(0, 100, 10)], None)
    assert [end for end, _ in curves.windows] == [80, 90, 100]
    assert [end for end, _ in since(curves, 85).windows] == [90, 100]


def test_curves_survive_json() -> None:
    curves = update(PARAMS, Curves(), [pane(0, 6), pane(5, 2)], 3)
    assert convert(json.loads(json.dumps(to_builtins(curves))), Curves) == curves
