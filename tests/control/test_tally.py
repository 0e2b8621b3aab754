"""Values of join columns: counted, forgotten by half, and dropped once they come no more."""

from __future__ import annotations

from hypothesis import given
from hypothesis import strategies as st

from slackwater.control.tally import Memory, Tallied, tally
from slackwater.stats.panes import ValueCount

HALF = 1_000


Known = tuple[Tallied, ...]


def after(known: Known, before: int | None, now: int, **rows: int) -> Known:
    """With rows of input 0 by value, all of rank 1, at an instant."""
    seen = [(0, ValueCount(0, 1, value, count)) for value, count in rows.items()]
    return tally(known, seen, Memory(HALF, before, now))


def values(known: Known) -> dict[str, float]:
    return {value: rows for one in known for value, rows in zip(one.values, one.rows, strict=True)}


def test_counts_fade_by_half_and_new_rows_come_on_top() -> None:
    first = after((), None, 0, x=8, y=2)
    assert values(first) == {"x": 8, "y": 2}
    assert values(after(first, 0, HALF, y=4)) == {"y": 5, "x": 4}


def test_what_came_often_and_stays_away_is_dropped_sooner_than_what_is_rare() -> None:
    known, now = after((), None, 0, often=100, rarely=1), 0
    gone: dict[str, float] = {}
    while values(known):
        known, now = after(known, now, now + HALF // 4), now + HALF // 4
        gone |= {v: now / HALF for v in ("often", "rarely") if v not in values(known) | gone}
    assert gone["often"] == 1.25  # as soon as nothing of it waits or may be met
    assert 4 < gone["rarely"] < 5  # when less than a twentieth of a row is left


@given(st.integers(1, 10**6))
def test_nothing_is_dropped_while_its_rows_may_wait_or_be_met(rows: int) -> None:
    assert values(after(after((), None, 0, x=rows), 0, HALF))


def test_a_value_of_before_has_no_instant_and_counts_as_seen() -> None:
    known = (Tallied(0, 0, 1, ("x",), (100.0,)),)
    assert values(after(known, 0, HALF)) == {"x": 50}
    assert not values(after(known, 0, 2 * HALF))
