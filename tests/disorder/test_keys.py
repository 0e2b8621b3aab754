"""Accounts of keys: each is charged with its own, and all with what nobody can tell."""

from __future__ import annotations

import pytest

from slackwater.disorder.conformal import ConformalParams
from slackwater.disorder.keys import MOST, KeyAccount, least_kept, settle, total, worst

PARAMS = ConformalParams(0.05)


def test_a_key_earns_by_its_own_results_and_pays_for_its_own_misses() -> None:
    first = settle(PARAMS, (), (("a", 20, 20), ("b", 20, 17)))
    assert [one.name for one in first] == ["a", "b"]
    assert [one.credit for one in first] == pytest.approx([1.0, -2.0])
    later = settle(PARAMS, first, (("b", 20, 20),), lost=0.25)
    assert [one.credit for one in later] == pytest.approx([0.75, -1.25])
    assert worst(PARAMS, later) == pytest.approx(-1.25)


def test_a_key_with_few_results_decides_nothing_yet() -> None:
    accounts = settle(PARAMS, (), (("new", 3, 0), ("old", 20, 20)))
    assert worst(PARAMS, accounts) == pytest.approx(1.0)
    assert worst(PARAMS, (KeyAccount("new", 19, -5.0),)) is None
    assert least_kept(0.05, (("new", 3, 0), ("old", 20, 18))) == ("old", 0.9)
    assert least_kept(0.05, (("new", 3, 0),)) is None


def test_of_very_many_keys_the_same_ones_are_followed_every_time() -> None:
    many = [(f"{number:04}", 100, 100 - number % 7) for number in range(3 * MOST)]
    once, again = total(many), total(many, [(name, 1, 0) for name, _, _ in many])
    assert [name for name, *_ in once] == [name for name, *_ in again]
    assert len(once) == MOST
    accounts = settle(PARAMS, (), tuple(many))
    assert [one.name for one in accounts] == [name for name, *_ in once]
