from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from slackwater.errors import SlackwaterError
from slackwater.estimate.backlog import BacklogPolicy, Served, serve

ROWS = st.integers(0, 40)
POLICIES = st.one_of(
    st.builds(BacklogPolicy, st.just("ratio"), st.integers(1, 5)),
    st.builds(BacklogPolicy, st.just("idle"), patience=st.none() | st.integers(1, 5)),
)


def one_by_one(policy: BacklogPolicy, new: int, aside: int, budget: int, position: int) -> str:
    """What is served, row by row: n for new, a for set aside."""
    served = ""
    for _ in range(budget):
        turn = policy.cycle is not None and position >= policy.cycle
        if aside and (turn or not new):
            aside, position, served = aside - 1, 0, served + "a"
        elif new:
            new, position, served = new - 1, position + 1, served + "n"
    return served


@pytest.mark.spec("prodding:F56")
@given(POLICIES, ROWS, ROWS, ROWS, st.integers(0, 5))
def test_a_budget_serves_what_serving_row_by_row_would(
    policy: BacklogPolicy, new: int, aside: int, budget: int, position: int
) -> None:
    start = min(position, policy.cycle or 0)
    rows = one_by_one(policy, new, aside, budget, start)
    got = serve(policy, new, aside, budget, position)
    assert (got.new, got.aside) == (rows.count("n"), rows.count("a"))
    assert got.new + got.aside == min(budget, new + aside)
    assert got.dropped == 0


@pytest.mark.spec("prodding:F56", "prodding:F58")
@given(POLICIES, ROWS, ROWS, st.lists(st.integers(0, 7), max_size=20))
def test_cutting_a_budget_into_pieces_changes_nothing(
    policy: BacklogPolicy, new: int, aside: int, pieces: list[int]
) -> None:
    whole = serve(policy, new, aside, sum(pieces))
    left, position = [new, aside], 0
    for piece in pieces:
        got = serve(policy, left[0], left[1], piece, position)
        left, position = [left[0] - got.new, left[1] - got.aside], got.position
    assert (new - left[0], aside - left[1]) == (whole.new, whole.aside)


@pytest.mark.spec("prodding:F58")
@given(POLICIES, st.integers(1, 10), st.integers(0, 5))
def test_no_row_waits_longer_than_the_bound(
    policy: BacklogPolicy, place: int, position: int
) -> None:
    plenty = 10_000
    bound = None if policy.cycle is None else place * policy.cycle  # new rows before it
    start = min(position, policy.cycle or 0)
    rows = one_by_one(policy, plenty, place, 5_000, start)
    if bound is None:
        assert "a" not in rows  # idle without patience: as long as new rows come
    else:
        before_it = rows[: [n for n, one in enumerate(rows) if one == "a"][place - 1]]
        assert before_it.count("n") <= bound
        assert serve(policy, plenty, place, bound + place, position).aside == place


@pytest.mark.spec("prodding:F56")
def test_dropping_forgets_all_that_was_set_aside() -> None:
    assert serve(BacklogPolicy("drop"), 3, 9, 5) == Served(3, 0, dropped=9)


@pytest.mark.spec("prodding:F56")
def test_idle_time_goes_to_rows_set_aside() -> None:
    assert serve(BacklogPolicy("idle"), 3, 9, 5) == Served(3, 2)
    assert serve(BacklogPolicy("idle"), 5, 9, 5) == Served(5, 0)


def test_numbers_below_nothing_are_refused() -> None:
    with pytest.raises(SlackwaterError, match="budget -1"):
        serve(BacklogPolicy("idle"), 1, 1, -1)
    with pytest.raises(SlackwaterError, match="k is 0"):
        BacklogPolicy("ratio", k=0)
