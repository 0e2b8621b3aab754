"""A change of plan has a price now, another one later, and two ways to pay it."""

from __future__ import annotations

from slackwater.control.move import Move


def test_state_is_moved_unless_both_plans_side_by_side_take_less_than_half() -> None:
    assert Move(1.0, 3.0, 3.0, 2.0).how == "moving"
    assert Move(1.0, 5.0, 5.0, 2.0).how == "parallel"
    assert Move(1.0, 5.0, 5.0, 2.0).cost == 4.0


def test_a_change_waits_for_old_rows_to_go_only_if_state_is_moved() -> None:
    assert Move(0.1, 3.0, 2.0, 9.0).is_cheaper_later
    assert not Move(2.0, 3.0, 2.0, 9.0).is_cheaper_later
    assert not Move(0.1, 3.0, 2.0, 0.1).is_cheaper_later  # side by side nothing is made
