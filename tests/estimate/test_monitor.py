from __future__ import annotations

import json

import numpy as np
import numpy.typing as npt
import pytest
from hypothesis import given
from hypothesis import strategies as st

from slackwater.errors import CheckpointError, SlackwaterError
from slackwater.estimate.accuracy import accuracy
from slackwater.estimate.monitor import (
    LAST_BIN,
    OTHERS,
    MonitorParams,
    MonitorState,
    Pairs,
    age_bin,
    band,
    bands,
    coverage,
    coverages,
    take,
)

PARAMS = MonitorParams()


def pairs(
    age: npt.ArrayLike, ratio: npt.ArrayLike, share: npt.ArrayLike = 1.0, group: object = None
) -> Pairs:
    ages, ratios, shares = np.broadcast_arrays(
        np.asarray(age, np.float64), np.asarray(ratio, np.float64), np.asarray(share, np.float64)
    )
    names = None if group is None else np.asarray(group, dtype=np.str_)
    return Pairs(ages, accuracy(1.0, ratios, is_clamped=True), ratios, shares, names)


@pytest.mark.spec("prodding:F53")
def test_running_accuracy_is_kept_over_all_by_age_and_by_group() -> None:
    given_ = pairs([0.1, 0.1, 0.9, 0.9], [2.0, 4.0, 1.0, 1.25], group=["a", "b", "a", "b"])
    state = take(PARAMS, MonitorState(), given_)
    assert state.overall.mean == pytest.approx((50 + 25 + 100 + 80) / 4)
    assert state.overall.worst == 25
    ages = dict(state.ages)
    assert (ages[2].running.mean, ages[18].running.mean) == (37.5, 90)
    groups = dict(state.groups)
    assert (groups["a"].running.mean, groups["b"].running.mean) == (75, 52.5)
    assert state.overall.recent == (50, 25, 100, 80)


@pytest.mark.spec("prodding:F53")
@given(st.lists(st.tuples(st.floats(0, 3), st.floats(0.5, 2)), min_size=1), st.integers(0, 20))
def test_however_pairs_are_cut_into_calls_running_accuracy_is_the_same(
    rows: list[tuple[float, float]], cut: int
) -> None:
    age, ratio = np.array(rows).T
    whole = take(PARAMS, MonitorState(), pairs(age, ratio))
    parts = take(PARAMS, MonitorState(), pairs(age[:cut], ratio[:cut]))
    parts = take(PARAMS, parts, pairs(age[cut:], ratio[cut:]))
    assert parts.overall.mean == pytest.approx(whole.overall.mean)
    assert parts.overall.weighted == pytest.approx(whole.overall.weighted, abs=0.002)
    assert [number for number, _ in parts.ages] == [number for number, _ in whole.ages]
    for (_, one), (_, other) in zip(parts.ages, whole.ages, strict=True):
        assert one.ratios.total == other.ratios.total
        assert one.running.mean == pytest.approx(other.running.mean)
        assert one.share == pytest.approx(other.share)


def test_ages_fall_into_bins_of_a_twentieth_and_late_ones_into_the_last() -> None:
    assert age_bin([0, 0.049, 0.05, 0.3, 1.0, 1.99, 2.0, 50.0, -0.1]).tolist() == [
        0, 0, 1, 6, 20, 39, LAST_BIN, LAST_BIN, 0,
    ]  # fmt: skip


@pytest.mark.spec("prodding:F60")
def test_the_share_of_rows_to_expect_at_an_age_is_learned() -> None:
    state = take(PARAMS, MonitorState(), pairs([0.5] * 30, 1.0, share=[0.4, 0.6] * 15))
    assert coverage(state, 0.52) == pytest.approx(0.5)
    assert coverage(state, 0.6) is None
    assert coverage(state, 0.52, enough=31) is None
    found = coverages(state, [0.5, 0.6])
    assert found[0] == pytest.approx(0.5)
    assert np.isnan(found[1])


def test_what_is_expected_follows_a_stream_that_changes() -> None:
    state = MonitorState()
    for share, ratio in ((0.5, 2.0), (0.9, 1 / 0.9)):
        for _ in range(100):
            state = take(PARAMS, state, pairs([0.5] * 50, ratio, share))
    assert coverage(state, 0.5) == pytest.approx(0.9, abs=0.02)
    found = band(state, 0.5)
    assert found is not None
    assert found == pytest.approx((1.11, 1.11), abs=0.04)


@pytest.mark.spec("prodding:F60")
@pytest.mark.parametrize("level", [0.5, 0.8, 0.9])
@pytest.mark.parametrize("spread", [0.01, 0.2])
def test_the_band_holds_the_share_of_finals_it_promises(level: float, spread: float) -> None:
    draws = np.random.default_rng(5)
    state = MonitorState()
    for _ in range(40):
        state = take(PARAMS, state, pairs([0.7] * 25, np.exp(draws.normal(0.1, spread, 25))))
    found = band(state, 0.7, level)
    assert found is not None
    fresh = np.exp(draws.normal(0.1, spread, 20_000))
    inside = ((fresh >= found[0]) & (fresh <= found[1])).mean()
    assert inside == pytest.approx(level, abs=0.06)


def test_many_pairs_at_once_do_not_wipe_out_the_past() -> None:
    state = MonitorState()
    for ratio in (1.0, 1.0, 1.0, 2.0):
        state = take(PARAMS, state, pairs([0.5] * 20_000, ratio))
    found = band(state, 0.5)
    assert found is not None
    assert found[0] == pytest.approx(1, abs=0.01)
    assert found[1] == pytest.approx(2, abs=0.4)


def test_estimates_without_a_ratio_leave_no_band_they_could_fall_into() -> None:
    few = take(PARAMS, MonitorState(), pairs([0.5] * 100, [1.0] * 96 + [np.nan] * 4))
    many = take(PARAMS, MonitorState(), pairs([0.5] * 100, [1.0] * 80 + [np.nan] * 20))
    some = Pairs(np.full(30, 0.5), np.zeros(30), np.zeros(30), np.ones(30))
    assert few.overall.pairs == 96  # no final, no accuracy, no pair
    assert band(many, 0.5) is not None
    mixed = take(PARAMS, take(PARAMS, MonitorState(), pairs([0.5] * 70, 1.0)), some)
    assert band(mixed, 0.5, 0.9) is None
    assert band(mixed, 0.5, 0.6) is not None


def test_bands_of_many_ages_at_once() -> None:
    state = take(PARAMS, MonitorState(), pairs([0.5] * 30 + [0.9] * 30, [2.0] * 30 + [1.0] * 30))
    low, high = bands(state, [0.9, 0.1, 0.5])
    assert np.isnan([low[1], high[1]]).all()
    one, other = band(state, 0.9), band(state, 0.5)
    assert one == (low[0], high[0])
    assert other == (low[2], high[2])
    assert band(state, 0.1) is None
    assert band(state, 0.9, enough=31) is None
    with pytest.raises(SlackwaterError, match="level is 1"):
        band(state, 0.5, 1)


@pytest.mark.spec("prodding:F53")
def test_only_so_many_groups_are_told_apart_and_silent_ones_give_way() -> None:
    params = MonitorParams(groups=2, patience=3)
    state = take(params, MonitorState(), pairs([0.5] * 4, 1.0, group=["a", "b", "c", "d"]))
    assert {name: one.running.pairs for name, one in state.groups} == {"a": 1, "b": 1, OTHERS: 2}
    for _ in range(3):
        state = take(params, state, pairs([0.5] * 2, 1.0, group=["a", "d"]))
        assert {name for name, _ in state.groups} == {"a", "b", OTHERS}
    state = take(params, state, pairs([0.5] * 2, 1.0, group=["a", "d"]))
    assert {name: one.running.pairs for name, one in state.groups} == {"a": 5, "d": 1, OTHERS: 5}


def test_long_names_are_cut_and_still_told_apart() -> None:
    long = "x" * 500
    state = take(PARAMS, MonitorState(), pairs([0.5] * 2, 1.0, group=[long + "a", long + "b"]))
    assert len(state.groups) == 2
    assert all(len(name) < 60 for name, _ in state.groups)


def test_the_state_survives_json_and_stays_small() -> None:
    draws = np.random.default_rng(1)
    state = MonitorState()
    for _ in range(60):
        age, ratio = draws.uniform(0, 2.2, 2000), np.exp(draws.normal(0, 3, 2000))
        names = [f"{'n' * 60}{number}" for number in draws.integers(0, 500, 2000)]
        state = take(PARAMS, state, pairs(age, ratio, draws.uniform(0, 1, 2000), names))
    text = json.dumps(state.to_json(), separators=(",", ":"))
    assert len(text) < 25_000
    again = MonitorState.from_json(json.loads(text))
    assert again == state
    usual = MonitorState()
    for _ in range(300):
        ratio = np.exp(draws.normal(0.05, 0.05, 50))
        usual = take(PARAMS, usual, pairs(draws.choice([0.75, 0.8, 1.1], 50), ratio))
    assert len(json.dumps(usual.to_json(), separators=(",", ":"))) < 2_500
    with pytest.raises(CheckpointError, match="version 7"):
        MonitorState.from_json({**state.to_json(), "version": 7})


def test_nothing_changes_where_nothing_was_learned() -> None:
    empty = np.zeros(0)
    assert take(PARAMS, MonitorState(), Pairs(empty, empty, empty, empty)) == MonitorState()
    with pytest.raises(SlackwaterError, match="differ in length"):
        Pairs(np.ones(2), np.ones(2), np.ones(1), np.ones(2))
    with pytest.raises(SlackwaterError, match="accuracy monitor"):
        MonitorParams(last=0)
