"""Where promises stand, for people: read out of the memory of their controllers."""

from __future__ import annotations

from slackwater.control.error_slack import WindowMeter
from slackwater.control.records import ControlState, qualities
from slackwater.control.slack_notices import conformal_terms
from slackwater.disorder.keys import least_kept
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
    waits: Standing = {"slack_us": found.slack, "phase": found.phase, **conformal_terms(found)}
    if isinstance(found, RecallSlackState):
        return {"recall": found.recall, **waits}
    meter = state.of(query).find(WindowMeter) or WindowMeter()
    return waits | _keys(meter)


def _keys(meter: WindowMeter) -> Standing:
    """Of the keys with twenty results or more the one that kept its bound least."""
    found = least_kept(1 / 20, meter.keys)
    if found is None:
        return {}
    name, share = found
    return {"worst_key": name, "worst_key_fulfilment": share}
