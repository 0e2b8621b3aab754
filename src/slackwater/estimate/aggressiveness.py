"""The controller of aggressiveness: prods as early as the accuracy asked for allows.

*Aggressiveness* is how long before the end of a window its prod comes, as a share of the slide. If
estimates are better than the target by a margin, prods come earlier by a step; if worse, later.

It never judges twice by the same pairs: an adjustment needs ``fresh`` pairs since the one before,
and is made by the mean of those alone. The first ``skipped`` of them do not count, since their
estimates were still made under the old setting. A person may take over at any time.

Reference: Bhat 2011, ch. 6.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from slackwater.errors import SlackwaterError, check_version
from slackwater.estimate.running import Running

VERSION = 1


@dataclass(frozen=True, slots=True)
class AggressivenessParams:
    """What a user chooses.

    Parameters
    ----------
    target
        Mean accuracy asked for, percent: over estimates, each with its worst column.
    margin
        Distance from the target within which nothing changes, percent points.
    step
        Change of one adjustment, as a share of the slide.
    lowest, highest
        Bounds; below 0 prods come after the window's end.
    start
        Aggressiveness before anything is known.
    fresh
        Pairs an adjustment needs.
    skipped
        Pairs after an adjustment that are not evidence for it yet.
    """

    target: float
    margin: float = 0.5
    step: float = 0.05
    lowest: float = 0.0
    highest: float = 0.9
    start: float = 0.25
    fresh: int = 10
    skipped: int = 0

    def __post_init__(self) -> None:
        is_sound = (
            0 <= self.target <= 100
            and self.margin >= 0
            and self.step > 0
            and self.lowest <= self.start <= self.highest
            and self.fresh >= 1
            and self.skipped >= 0
        )
        if not is_sound:
            raise SlackwaterError(
                "AGGRESSIVENESS_INVALID",
                f"controller of aggressiveness: {self}",
                "target 0 to 100, margin from 0, step above 0, lowest ≤ start ≤ highest, "
                "fresh from 1, skipped from 0",
            )


@dataclass(frozen=True, slots=True)
class AggressivenessState:
    """What the controller knows.

    Parameters
    ----------
    automatic
        What it would use.
    manual
        What a person set, ``None`` while it is automatic.
    pairs, total
        Number and sum of accuracies that were already judged.
    begins
        Number of pairs from which on new evidence counts.
    """

    automatic: float
    manual: float | None = None
    pairs: int = 0
    total: float = 0.0
    begins: int = 0
    version: int = VERSION

    @classmethod
    def first(cls, params: AggressivenessParams) -> AggressivenessState:
        return cls(params.start)

    @property
    def value(self) -> float:
        """The aggressiveness in force, as a share of the slide."""
        return self.automatic if self.manual is None else self.manual

    def to_json(self) -> dict[str, Any]:
        return {
            "automatic": self.automatic,
            "manual": self.manual,
            "pairs": self.pairs,
            "total": self.total,
            "begins": self.begins,
            "version": self.version,
        }

    @classmethod
    def from_json(cls, form: Mapping[str, Any]) -> AggressivenessState:
        state = cls(**form)
        check_version("controller of aggressiveness", state, VERSION)
        return state


def step(
    params: AggressivenessParams, state: AggressivenessState, seen: Running
) -> AggressivenessState:
    """The state after looking at all pairs so far; changes only on enough fresh evidence.

    Examples
    --------
    >>> params = AggressivenessParams(target=95, fresh=4)
    >>> step(params, AggressivenessState(0.25), Running(pairs=4, total=396.0)).value
    0.3
    """
    check_version("controller of aggressiveness", state, VERSION)
    if state.manual is not None or seen.pairs < state.begins:
        return state
    if state.begins > state.pairs:  # what was to be skipped is over
        return _judged(state, seen)
    pairs = seen.pairs - state.pairs
    if pairs < params.fresh:
        return state
    moved = _moved(params, state.automatic, (seen.total - state.total) / pairs)
    judged = replace(_judged(state, seen), automatic=moved)
    if moved == state.automatic:
        return judged
    return replace(judged, begins=seen.pairs + params.skipped)


def _moved(params: AggressivenessParams, before: float, reached: float) -> float:
    if reached >= params.target + params.margin:
        return min(round(before + params.step, 6), params.highest)
    if reached < params.target - params.margin:
        return max(round(before - params.step, 6), params.lowest)
    return before


def set_manually(
    state: AggressivenessState, value: float | None, seen: Running
) -> AggressivenessState:
    """Take over with a value, or hand back with ``None``; old pairs judge nothing afterwards."""
    return _judged(replace(state, manual=value), seen)


def _judged(state: AggressivenessState, seen: Running) -> AggressivenessState:
    """Evidence begins anew."""
    return replace(state, pairs=seen.pairs, total=seen.total, begins=seen.pairs)
