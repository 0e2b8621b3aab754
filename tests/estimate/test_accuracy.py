from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from slackwater.estimate.accuracy import accuracy

VALUES = st.floats(-1e9, 1e9, allow_subnormal=False)


@pytest.mark.spec("prodding:F46")
@pytest.mark.parametrize(
    ("early", "final", "percent"),
    [
        (110, 135, 81.481),
        (58, 58, 100),
        (150, 100, 50),
        (250, 100, -50),
        (-90, -100, 90),
        (90, -100, -90),
        (0, 0, 100),
        (3, 0, 0),
    ],
)
def test_accuracy_of_one_estimate(early: float, final: float, percent: float) -> None:
    assert accuracy(early, final) == pytest.approx(percent, abs=1e-3)
    assert accuracy(early, final, is_clamped=True) == pytest.approx(max(0, percent), abs=1e-3)


@pytest.mark.spec("prodding:F46")
@given(VALUES, VALUES)
def test_accuracy_is_one_hundred_only_for_the_final_itself(early: float, final: float) -> None:
    found = float(accuracy(early, final))
    assert found <= 100
    assert float(accuracy(-early, -final)) == found
    if early == final:
        assert found == 100


def test_arrays_are_compared_entry_by_entry() -> None:
    early = np.array([[1.0, 2.0], [3.0, 4.0]])
    assert accuracy(early, 4.0).tolist() == [[25.0, 50.0], [75.0, 100.0]]
