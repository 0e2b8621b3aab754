"""A migration in several small boxes, one after the other, instead of one big box.

Reference: Zhu 2006, ch. 26 (migration steps). The boxes may share operators or not; a step names
its old box as the plan is when the step begins.
"""

from __future__ import annotations

from collections.abc import Sequence

from slackwater.papers.adaptive_zhu2006.operators.box import Box
from slackwater.papers.adaptive_zhu2006.operators.engine import Engine
from slackwater.papers.adaptive_zhu2006.operators.moving import Moved, move_state
from slackwater.papers.adaptive_zhu2006.operators.parallel import ParallelTrack

Exchange = tuple[Box, Box]  # an old box, and the one that takes its place


def move_in_steps(engine: Engine, steps: Sequence[Exchange]) -> list[Moved]:
    """Moving state, box by box, at one point in time."""
    return [move_state(engine, new, old=old) for old, new in steps]


class TrackInSteps:
    """Parallel track, box by box: the next begins when the one before has ended."""

    def __init__(self, engine: Engine, steps: Sequence[Exchange]) -> None:
        self._engine, self._left = engine, list(steps)
        self._track = self._begin()

    @property
    def is_over(self) -> bool:
        return self._track.is_over and not self._left

    def poll(self) -> bool:
        if self._track.poll() and self._left:
            self._track = self._begin()
        return self.is_over

    def _begin(self) -> ParallelTrack:
        old, new = self._left.pop(0)
        return ParallelTrack(self._engine, new, old=old, order="merge")
