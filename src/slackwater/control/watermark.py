"""How long a query waits, and how far its windows close."""

from __future__ import annotations

from dataclasses import dataclass

from slackwater.control.clock import later
from slackwater.control.controller import Controller, Moment, Stateless
from slackwater.plan.stage import QueryPlan
from slackwater.units import END_OF_TIME


@dataclass(frozen=True, slots=True)
class Wait:
    """How long a query waits for stragglers; ``reached`` is the watermark that follows.

    It is ``None`` where the watermark stays where it is.
    """

    slack: int
    reached: int | None


@dataclass(frozen=True, slots=True)
class Hold:
    """Windows from this instant on stay open, whatever the slack."""

    since: int | None


@dataclass(frozen=True, slots=True)
class Closing:
    """Windows ending in ``(after, upto]`` close; later than ``horizon`` they may be revised."""

    after: int | None
    upto: int | None
    horizon: int | None


class FixedSlack(Controller[int, Stateless, Wait]):
    """The slack that the query names."""

    name = "fixed_slack"
    memory = Stateless

    def parameters(self, query: QueryPlan) -> int:
        return query.slack

    def step(self, params: int, moment: Moment, memory: Stateless) -> tuple[Wait, Stateless]:
        reached = None if moment.clock is None else moment.clock - params
        return Wait(params, reached), memory


class Watermark(Controller[int, Stateless, Closing]):
    """How far windows close: it never moves back."""

    name = "watermark"
    memory = Stateless

    def parameters(self, query: QueryPlan) -> int:
        return query.keep

    def step(self, params: int, moment: Moment, memory: Stateless) -> tuple[Closing, Stateless]:
        after, wait, hold = moment.memory.watermark, moment.find(Wait), moment.find(Hold)
        reached = None if wait is None else wait.reached
        if reached is not None and hold is not None and hold.since is not None:
            reached = min(reached, hold.since)
        is_outer = moment.query.join is not None and moment.query.join.is_outer
        # where a stream never spoke nobody waits but for what it might have brought
        is_over = moment.observation.ended and (moment.clock is not None or is_outer)
        upto = END_OF_TIME if is_over else later(after, reached)
        return Closing(after, upto, None if after is None else after - params), memory
