"""Contracts on streams made to hurt them: the long-run share holds, or somebody is told."""

from __future__ import annotations

import pytest

from slackwater.bench.adversary import ATTACKS, Attack
from slackwater.bench.hindsight import Hindsight
from slackwater.bench.rehearsal import CONFIDENCE, SIZE, SLIDE, Rehearsed, params_of, rehearse
from slackwater.query.contract import Method
from slackwater.units import SECOND


def attacked(name: str, seconds: int, method: Method = "conformal") -> tuple[Attack, Rehearsed]:
    attack = ATTACKS[name]
    rows = attack.rows(seconds)
    params = params_of(attack.epsilon, method, attack.at_most)
    return attack, rehearse(rows, Hindsight(rows, SIZE, SLIDE), params)


@pytest.mark.parametrize(
    ("name", "seconds"),
    [("alternating", 900), ("growing without end", 900), ("an outlier an hour", 2400)],
)
def test_no_more_is_broken_than_was_promised_and_the_deepest_debt(name: str, seconds: int) -> None:
    attack, found = attacked(name, seconds)
    broken = (1 - found.given.fulfilment(attack.epsilon)) * found.given.ends.size
    pending = len(found.states[-1].answered.pending)  # not judged at the end: all may be bad
    assert broken <= (1 - CONFIDENCE) * found.given.ends.size + found.deepest + pending + 1
    assert found.deepest < 10
    assert found.given.fulfilment(attack.epsilon) >= 0.92
    assert not found.is_lost


def test_an_ambush_that_is_known_is_waited_for() -> None:
    """Calm that earns credit, then a minute's delay: the debt is paid, and no new one made."""
    attack, found = attacked("ambush", 2000)
    late = found.given.errors[-200:]
    assert (late <= attack.epsilon).mean() >= 0.95
    assert found.deepest < 20


def test_a_stream_as_late_as_it_is_long_is_held_to_its_end() -> None:
    attack, found = attacked("as late as it is long", 200)
    assert found.given.fulfilment(attack.epsilon) >= 0.95
    assert {state.phase for state in found.states} == {"holding"}


def test_where_no_slack_that_is_allowed_is_enough_somebody_is_told() -> None:
    attack, found = attacked("as late as it is long, a minute at most", 240)
    assert found.given.fulfilment(attack.epsilon) < 0.5
    assert found.is_lost
    assert max(state.slack for state in found.states) == 60 * SECOND
