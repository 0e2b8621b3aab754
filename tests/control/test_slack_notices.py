"""What a person hears of a slack whose promise cannot be kept."""

from __future__ import annotations

from slackwater.control.slack_notices import Words, conformal_terms, hold_notices
from slackwater.disorder.conformal import LOST, ConformalState
from slackwater.disorder.slack import SlackState

WORDS = Words(
    hold="",
    why={"start": "", "silence": "", "change": ""},
    known="known",
    needs="the error bound of n",
    cut="cut",
    again="within reach again",
    at_most=None,
)


def state(credit: float, level: float | None = 0.02) -> SlackState:
    return SlackState(phase="conformal", conformal=ConformalState(credit=credit, level=level))


def test_a_debt_that_no_slack_pays_is_told_once_and_so_is_its_end() -> None:
    fine, lost = state(-LOST / 2), state(-LOST - 1.2)
    (told,) = hold_notices(WORDS, fine, lost)
    assert told.startswith("the error bound of n is broken 31 times more than promised")
    assert list(hold_notices(WORDS, lost, lost)) == []
    assert list(hold_notices(WORDS, lost, fine)) == ["within reach again"]


def test_an_account_is_told_only_where_there_is_one() -> None:
    assert conformal_terms(state(1.0, level=None)) == {}
    assert conformal_terms(state(1.5)) == {"credit": 1.5, "planned_risk": 0.02, "doublings": 0.0}
