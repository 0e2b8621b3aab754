"""The models of how long a migration takes."""

from __future__ import annotations

import pytest

from slackwater.papers.adaptive_zhu2006.operators.lengths import moving_units, track_length
from slackwater.papers.adaptive_zhu2006.operators.plan import tree


@pytest.mark.spec("adaptive:MIG-24")
def test_the_models_give_the_golden_values() -> None:
    found = [moving_units((10, 10, 10), w, (0.05, 0.02)) for w in (0.5, 1, 2, 3, 4, 5)]
    assert found == pytest.approx([39, 207, 1236, 3699, 8208, 15375], abs=0.5)
    assert [track_length(5, tree(text)) for text in ("A B C", "(A B) C")] == [5, 10]
