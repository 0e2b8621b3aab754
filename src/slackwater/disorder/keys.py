"""Keys one by one: what was measured of each, and what is left of a promise made to each.

A promise on all results lets a quiet key pay for busy ones. With ``per_key=True`` every key has an
account of its own, and the slack, of which a query has one, follows the worst. Of more than
``MOST`` keys the first in order are followed, which are the same ones every time: whoever looked
at those that break most just now would count the bad days of a key only.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

from slackwater.disorder.conformal import ConformalParams

MOST = 256
Tallies = tuple[tuple[str, int, int], ...]  # of each key: results measured, those within


@dataclass(frozen=True, slots=True)
class KeyAccount:
    """A key, how many of its results were judged, and its credit."""

    name: str
    results: int = 0
    credit: float = 0.0


def total(*parts: Iterable[tuple[str, int, int]]) -> Tallies:
    """Several tallies as one.

    >>> total([("b", 4, 2), ("a", 5, 5)], [("a", 1, 0)])
    (('a', 6, 5), ('b', 4, 2))
    """
    found: dict[str, tuple[int, int]] = {}
    for part in parts:
        for name, results, within in part:
            before = found.get(name, (0, 0))
            found[name] = before[0] + results, before[1] + within
    return tuple((name, *found[name]) for name in sorted(found)[:MOST])


def settle(
    params: ConformalParams, accounts: Iterable[KeyAccount], tallies: Tallies, lost: float = 0.0
) -> tuple[KeyAccount, ...]:
    """The accounts after results were judged.

    Of results judged earlier a share, ``lost`` in windows, broke since; whose they are is not
    known, so every key is charged with it.
    """
    known = {one.name: one for one in accounts}
    for name, results, within in tallies:
        old = known.get(name, KeyAccount(name))
        credit = old.credit + params.risk * results - (results - within)
        known[name] = KeyAccount(name, old.results + results, min(params.most, credit))
    followed = (known[name] for name in sorted(known)[:MOST])
    return tuple(KeyAccount(one.name, one.results, one.credit - lost) for one in followed)


def worst(params: ConformalParams, accounts: Iterable[KeyAccount]) -> float | None:
    """The least credit of a key with enough results, so many that one may be broken."""
    enough = [one.credit for one in accounts if one.results * params.risk >= 1]
    return min(enough, default=None)


def least_kept(risk: float, tallies: Tallies) -> tuple[str, float] | None:
    """Of the keys with enough results the one that kept least, and its share."""
    found = [
        (within / results, name) for name, results, within in tallies if results * risk >= 1 - 1e-9
    ]
    return min(found)[::-1] if found else None
