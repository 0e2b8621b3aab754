"""In which tier the state of a pipeline is read and merged."""

from __future__ import annotations

from slackwater.control.records import Observation, Policy, Tier


def next_tier(policy: Policy, observation: Observation, before: Tier) -> Tier:
    """The tier of the next batch: by pin, else by size with a margin so that it does not flap."""
    if observation.pin is not None:
        return observation.pin
    if observation.state_rows > policy.columnar_rows:
        return "spark"
    if observation.state_rows < policy.columnar_rows // 2:
        return "columnar"
    return before
