"""Where promises stand, for people: read out of the memory of their controllers."""

from __future__ import annotations

from slackwater.control.records import ControlState, qualities
from slackwater.disorder.recall_slack import RecallSlackState
from slackwater.disorder.slack import SlackState

Standing = dict[str, float | int | str | None]


def standings(state: ControlState) -> dict[str, Standing]:
    """By query under a contract: what was measured so far, and how long it waits."""
    return {
        name: {
            "measured": quality.results,
            "within": quality.within,
            "unseen": quality.unseen,
            "fulfilment": quality.fulfilment,
            **_waits(state, name),
        }
        for name, quality in qualities(state).items()
    }


def _waits(state: ControlState, query: str) -> Standing:
    found = state.of(query).find(SlackState) or SlackState()
    waits: Standing = {"slack_us": found.slack, "phase": found.phase}
    return {"recall": found.recall, **waits} if isinstance(found, RecallSlackState) else waits
