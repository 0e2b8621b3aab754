"""Bands of estimates hold the share of finals that they say, also where the past is no guide."""

from __future__ import annotations

import json

import numpy as np
import pytest
from msgspec import convert, to_builtins

from slackwater.estimate.band import Hits
from slackwater.estimate.monitor import Array, MonitorParams, MonitorState, Pairs, band, take
from slackwater.estimate.ratios import Ratios

CALLS = 800


def ratios_of(kind: str, call: int, draws: np.random.Generator) -> Array:
    """What finals were of estimates, four at a time, by how the stream goes on."""
    noise = draws.normal(0, 0.05, 4)
    if kind == "wider and wider":
        noise *= 1 + call / 50
    if kind == "drifting":
        noise += call / 200
    if kind == "alternating":
        noise += 0.5 * (call // 40 % 2)
    return np.exp(noise)


def covered(kind: str, level: float, *, is_judged: bool) -> tuple[float, MonitorState]:
    """The share of finals within the band said before, and what the monitor knows at the end."""
    draws, params = np.random.default_rng(5), MonitorParams(band=level)
    state, inside, said = MonitorState(), 0, 0
    for call in range(CALLS):
        found = band(state, 0.5, level if is_judged else level + 1e-9)
        new = ratios_of(kind, call, draws)
        if found is not None:
            inside, said = inside + int(((new >= found[0]) & (new <= found[1])).sum()), said + 4
        ones = np.ones(new.size)
        state = take(params, state, Pairs(0.5 * ones, 90 * ones, new, 0.5 * ones))
    return inside / said, state


@pytest.mark.parametrize("level", [0.8, 0.9])
@pytest.mark.parametrize("kind", ["calm", "wider and wider", "drifting", "alternating"])
def test_a_band_holds_the_share_it_says_however_the_stream_goes_on(kind: str, level: float) -> None:
    share, state = covered(kind, level, is_judged=True)
    most = 0.07 if kind == "alternating" else 0.03  # there a band holds both kinds, or neither
    assert level - 0.03 <= share <= level + most
    assert state.in_band == pytest.approx(share)


def test_quantiles_of_the_past_alone_do_not() -> None:
    assert covered("drifting", 0.9, is_judged=False)[0] < 0.8


def test_a_band_that_missed_too_often_is_stretched_beyond_what_was_ever_seen() -> None:
    seen, judged = Ratios().add(np.linspace(0.9, 1.1, 200)), Hits()
    for _ in range(20):
        judged = judged.add((0.9, 1.1), np.array([3.0, 3.0, 3.0]), 0.9)
    low, high = judged.widened(seen, 0.9) or (1.0, 1.0)
    assert low < 0.3
    assert high > 3


def test_bands_of_another_level_begin_anew() -> None:
    judged = Hits().add((0.9, 1.1), np.array([3.0]), 0.9)
    assert judged.add((0.9, 1.1), np.array([1.0]), 0.5) == Hits(1, 1, 1.02, 0.5)
    assert judged.widened(Ratios().add(np.ones(30)), 0.5) == Ratios().add(np.ones(30)).band(0.5)


def test_what_was_saved_before_bands_were_judged_is_read() -> None:
    _, state = covered("calm", 0.9, is_judged=True)
    assert MonitorState.from_json(json.loads(json.dumps(state.to_json()))) == state
    assert convert(json.loads(json.dumps(to_builtins(state))), MonitorState) == state
    form = state.to_json()
    form["ages"] = [one[:5] for one in form["ages"]]
    assert MonitorState.from_json(form).in_band is None
