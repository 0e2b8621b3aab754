from __future__ import annotations

import json
import random

import pytest

from slackwater.errors import CheckpointError
from slackwater.stats.adwin import Adwin, AdwinParams, AdwinState
from slackwater.stats.histogram import DelayHistogram


def feed(window: Adwin, values: list[float]) -> Adwin:
    for number, value in enumerate(values):
        window.update(value, DelayHistogram.of({number % 3: 1}))
    return window


def noisy(mean: float, count: int, seed: int) -> list[float]:
    draws = random.Random(seed)
    return [min(1.0, max(0.0, draws.gauss(mean, 0.05))) for _ in range(count)]


@pytest.mark.spec("qddh:F031")
def test_a_steady_stream_is_kept_whole() -> None:
    window = feed(Adwin.start(AdwinParams()), noisy(0.3, 3000, 1))
    assert window.items == 3000
    assert window.dropped == 0


@pytest.mark.spec("qddh:F031")
def test_after_a_sudden_change_only_the_new_part_is_left() -> None:
    window = feed(Adwin.start(AdwinParams()), noisy(0.2, 1000, 1) + noisy(0.5, 300, 2))
    assert 250 <= window.items <= 320
    assert window.mean == pytest.approx(0.5, abs=0.02)


@pytest.mark.spec("qddh:F031")
def test_a_gradual_drift_shortens_the_window_to_what_is_recent() -> None:
    drift = [value for n in range(40) for value in noisy(0.1 + n * 0.02, 50, n)]
    window = feed(Adwin.start(AdwinParams()), drift)
    assert window.items < 1000
    assert window.mean > 0.65


@pytest.mark.spec("qddh:F031")
@pytest.mark.spec("qddh:F030")
def test_the_histogram_covers_exactly_the_items_in_the_window() -> None:
    window = feed(Adwin.start(AdwinParams()), noisy(0.2, 500, 3) + noisy(0.7, 200, 4))
    assert window.get().rows == window.items
    assert window.items + window.dropped == 700


def test_memory_grows_with_the_logarithm_of_the_window() -> None:
    window = feed(Adwin.start(AdwinParams()), noisy(0.3, 4096, 5))
    assert sum(len(level) for level in window.snapshot().levels) <= 5 * 13


def test_the_window_is_bounded() -> None:
    window = feed(Adwin.start(AdwinParams(longest=100)), noisy(0.3, 1000, 6))
    assert 50 <= window.items <= 100


def test_a_window_goes_on_from_its_saved_state_as_if_nothing_had_happened() -> None:
    values = noisy(0.2, 400, 7) + noisy(0.6, 150, 8)
    whole = feed(Adwin.start(AdwinParams()), values)
    first = feed(Adwin.start(AdwinParams()), values[:333])
    saved = AdwinState.from_json(json.loads(json.dumps(first.snapshot().to_json())))
    second = Adwin.start(AdwinParams(), saved)
    for number, value in enumerate(values[333:], start=333):
        second.update(value, DelayHistogram.of({number % 3: 1}))
    assert second.snapshot() == whole.snapshot()


def test_state_of_an_unknown_version_is_refused() -> None:
    with pytest.raises(CheckpointError, match="version 9"):
        Adwin.start(AdwinParams(), AdwinState(version=9))
