from __future__ import annotations

import pytest

from slackwater.estimate.aggressiveness import AggressivenessParams
from slackwater.estimate.monitor import coverage
from slackwater.papers.prodding_bhat2011.operators.generate import dense, uniform
from slackwater.papers.prodding_bhat2011.operators.loop import Loop
from slackwater.papers.prodding_bhat2011.operators.plan import Plan, WindowQuery, paned
from slackwater.papers.prodding_bhat2011.operators.prodder import Prodder, ProdderParams
from slackwater.papers.prodding_bhat2011.operators.sources import punctuated, tuples
from slackwater.papers.stream.monoids import AVG, SUM, Monoid


def loop(monoid: Monoid[float, object, object], target: float, start: float = 0.25) -> Loop:
    prodder = Prodder(ProdderParams(30, 10))
    plan = Plan([prodder, *paned(WindowQuery(30, 10, monoid))])
    params = AggressivenessParams(target, step=0.05, start=start, fresh=5, skipped=1)
    return Loop(plan, prodder, params)


STREAM = punctuated(tuples(dense(1500, uniform(), density=0.9, seed=2)), 10)


@pytest.mark.spec("prodding:F55", "prodding:F53")
@pytest.mark.parametrize("start", [0.0, 0.9])
def test_the_loop_finds_the_aggressiveness_that_the_target_allows(start: float) -> None:
    """A sum misses p·S/R: 90 % are reached at p = 0.3, wherever it begins."""
    one = loop(SUM, target=90, start=start)
    one.run(STREAM)
    settled = [value for _, value in one.trail[-30:]]
    assert 0.2 <= min(settled) <= max(settled) <= 0.4
    last = one.monitor.overall.last_mean
    assert last is not None
    recent = list(one.monitor.overall.recent[-30:])
    assert sum(recent) / len(recent) == pytest.approx(90, abs=2)


@pytest.mark.spec("prodding:F55")
def test_a_mean_stands_the_most_aggressive_prods() -> None:
    one = loop(AVG, target=95)
    one.run(STREAM)
    assert one.trail[-1][1] == 0.9


@pytest.mark.spec("prodding:F54")
def test_a_person_overrides_the_loop_and_hands_back() -> None:
    one = loop(SUM, target=90)
    one.set_manually(0.7)
    one.run(STREAM[:8000])
    assert {value for _, value in one.trail} == {0.7}
    one.set_manually(None)
    one.run(STREAM[8000:])
    assert 0.2 <= one.trail[-1][1] <= 0.4


@pytest.mark.spec("prodding:F60", "prodding:F53")
def test_the_monitor_learns_which_share_of_rows_an_age_has() -> None:
    one = loop(SUM, target=90, start=0.3)
    one.set_manually(0.3)
    one.run(STREAM)
    learned = coverage(one.monitor, 0.9)
    assert learned == pytest.approx(0.9, abs=0.01)
