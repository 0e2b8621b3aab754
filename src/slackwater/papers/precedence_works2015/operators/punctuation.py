"""Up to which instant nothing more will come, operator by operator (spec 2.7, A9).

Ranks overtake each other, so that the newest row says nothing about older ones. A leaf tells when
a period is over; an operator hands that on when no row of the period waits in front of it.
"""

from __future__ import annotations

from dataclasses import dataclass, field

from slackwater.papers.precedence_works2015.operators.queues import Queues
from slackwater.precede.pipeline import Pipeline


@dataclass(slots=True)
class Punctuations:
    """``period`` is how often leaves tell. ``done`` is the last instant that each source told."""

    pipeline: Pipeline
    period: int
    done: dict[str, int] = field(default_factory=dict)

    def advance(self, now: int, queues: Queues) -> list[tuple[int, int]]:
        """Let punctuations flow as far as they can: positions of operators, and their instants."""
        over = (now // self.period) * self.period - 1
        self.done.update(dict.fromkeys(self.pipeline.streams, over))
        moved: list[tuple[int, int]] = []
        for operator in self.pipeline.operators:
            position = self.pipeline.positions[operator.name]
            told = min(self.done.get(source, -1) for source in operator.inputs)
            if told <= self.done.get(operator.name, -1):
                continue
            waiting = min((row.newest.ts for row in queues.at(position)), default=told + 1)
            least = min(told, (waiting // self.period) * self.period - 1)
            if least > self.done.get(operator.name, -1):
                self.done[operator.name] = least
                moved.append((position, least))
        return moved
