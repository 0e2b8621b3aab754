"""What a person hears of a slack: holds, a promise that cannot be kept, and when it can again."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from slackwater.control.records import Explanation
from slackwater.disorder.holding import Reason
from slackwater.disorder.slack import SlackState
from slackwater.units import show_duration


@dataclass(frozen=True, slots=True)
class Words:
    """How one kind of promise speaks of its slack."""

    hold: str
    why: dict[Reason, str]
    known: str
    needs: str
    cut: str
    again: str
    at_most: int | None


def hold_notices(words: Words, before: SlackState | None, after: SlackState) -> Iterator[str]:
    """What has changed with a batch; ``before`` the first one nothing was held."""
    yield from _holds(words, before, after)
    yield from _caps(words, before, after)
    yield from _debts(words, before, after)


def _holds(words: Words, before: SlackState | None, after: SlackState) -> Iterator[str]:
    was = before is not None and before.phase == "holding"
    if not was and after.phase == "holding":
        cut = "" if words.at_most is None else f" (for {show_duration(words.at_most)} at most)"
        yield f"holding{cut}: {words.hold}{words.why[after.holding.reason]}"
    if was and after.phase != "holding":
        yield f"{words.known}; the slack is {show_duration(after.slack)}"


def _debts(words: Words, before: SlackState | None, after: SlackState) -> Iterator[str]:
    """No slack that was tried keeps a promise, or one does again."""
    was = before is not None and before.conformal.is_lost
    if after.conformal.is_lost and not was:
        yield (
            f"{words.needs} is broken {-after.conformal.credit:.0f} times more than promised, and "
            "waiting longer has not helped so far: delays may grow without end, or be as long as "
            "the stream"
        )
    if was and not after.conformal.is_lost:
        yield words.again


def conformal_terms(state: SlackState) -> Explanation:
    """Where a promise stands that uses all of its risk: what may still break, and what is planned.

    Empty with another method.
    """
    found = state.conformal
    if found.level is None:
        return {}
    return {
        "credit": round(found.credit, 3),
        "planned_risk": round(found.level, 6),
        "doublings": round(found.doublings, 3),
    }


def _caps(words: Words, before: SlackState | None, after: SlackState) -> Iterator[str]:
    was = before is not None and before.is_capped
    is_other = before is not None and (before.phase == "holding") != (after.phase == "holding")
    if was == after.is_capped and not (was and is_other):
        return
    wanted, allowed = show_duration(after.wanted), show_duration(after.slack)
    if not after.is_capped:
        yield words.again
    elif after.phase == "holding":
        yield f"delays are not known, but at_most = {allowed} ends the hold: {words.cut}"
    else:
        yield f"{words.needs} would need a slack of {wanted}, at most {allowed} is allowed"
