from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from slackwater.estimate.running import Running

ACCURACIES = st.lists(st.floats(0, 100).map(lambda value: round(value, 3)), max_size=30)


@pytest.mark.spec("prodding:F53")
@given(ACCURACIES, st.integers(0, 30))
def test_running_accuracy_is_that_of_one_pair_after_the_other(
    accuracies: list[float], cut: int
) -> None:
    weighted = None
    for value in accuracies:
        weighted = value if weighted is None else 0.8 * weighted + 0.2 * value
    running = Running()
    for part in (accuracies[:cut], accuracies[cut:]):
        running = running.add(np.array(part), last=5, weight=0.2)
    assert running.pairs == len(accuracies)
    assert running.recent == tuple(accuracies[-5:])
    if accuracies:
        assert running.mean == pytest.approx(np.mean(accuracies))
        assert running.last_mean == pytest.approx(np.mean(accuracies[-5:]))
        assert running.weighted == pytest.approx(weighted, abs=0.002)
        assert running.worst == min(accuracies)
    else:
        assert running == Running()
        assert running.mean is None
        assert running.last_mean is None


@pytest.mark.spec("prodding:F53")
@given(ACCURACIES)
def test_running_accuracy_survives_json(accuracies: list[float]) -> None:
    running = Running().add(np.array(accuracies), last=5, weight=0.2)
    assert Running.from_json(running.to_json()) == running
