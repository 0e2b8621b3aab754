"""The alternatives to prods that flow with the data: signals from outside.

A prod in the stream arrives with everything that was before it. The alternatives signal operators
one by one: all at once (A2), one after the other with a fixed delay (A3), only the topmost (A4),
only the lowest (A5). They are here to show what is wrong with them: partial results need time
from one operator to the next, and nobody knows how much.

Reference: Bhat 2011, ch. 3.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Literal

from slackwater.errors import SlackwaterError
from slackwater.papers.prodding_bhat2011.operators.aggregate import WindowAggregate
from slackwater.papers.prodding_bhat2011.operators.channel import Channel
from slackwater.papers.prodding_bhat2011.operators.element import Output, Result
from slackwater.papers.prodding_bhat2011.operators.operator import Operator
from slackwater.papers.prodding_bhat2011.operators.plan import Plan
from slackwater.papers.prodding_bhat2011.operators.prod import Prod
from slackwater.papers.prodding_bhat2011.operators.sources import Timed

Strategy = Literal["in-stream", "simultaneous", "staggered", "top only", "lower only"]


class Signalled(Plan):
    """A plan whose prods come by one of the strategies.

    Parameters
    ----------
    delay
        For ``staggered``: how long after the operator below each operator is signalled.
    """

    def __init__(
        self, operators: Sequence[Operator], strategy: Strategy, *, delay: int = 0
    ) -> None:
        super().__init__(operators)
        self._strategy, self._delay = strategy, delay
        self._places = [
            place for place, one in enumerate(operators) if isinstance(one, WindowAggregate)
        ]
        self._pending: list[tuple[int, int, Prod]] = []
        if strategy == "staggered" and delay < 0:
            raise SlackwaterError("STRATEGY_INVALID", f"staggered: delay is {delay}")

    def push(self, element: Output, now: int, port: int = 0) -> None:
        if not isinstance(element, Prod) or self._strategy == "in-stream":
            super().push(element, now, port)
            return
        self.advance(now)
        asked = self._translated(element, now)
        match self._strategy:
            case "simultaneous":  # the top has spoken before anything from below arrives
                for place in reversed(self._places):
                    self._signal(place, asked[place], now)
            case "top only":
                self._signal(self._places[-1], asked[self._places[-1]], now)
            case "lower only":
                self._signal(self._places[0], asked[self._places[0]], now)
            case "staggered":
                self._signal(self._places[0], asked[self._places[0]], now)
                for number, place in enumerate(self._places[1:], start=1):
                    self._pending.append((now + number * self._delay, place, asked[place]))
                self._pending.sort(key=lambda entry: entry[:2])

    def advance(self, until: int) -> None:
        while self._pending and self._pending[0][0] <= until:
            at, place, prod = self._pending.pop(0)
            super().advance(at)
            self._signal(place, prod, at)
        super().advance(until)

    def _translated(self, prod: Prod, now: int) -> dict[int, Prod]:
        """What the prod says at each aggregate, had it passed the buckets below."""
        found, asked = {}, prod
        for place, operator in enumerate(self.chain.operators):
            if place in self._places:
                found[place] = asked
            elif not isinstance(operator, Channel):
                [passed] = [one for one in operator.take(asked, now) if isinstance(one, Prod)]
                asked = passed
        return found

    def _signal(self, place: int, prod: Prod, now: int) -> None:
        """One operator answers; the prod goes no further."""
        spoken = self.chain.operators[place].take(prod, now)
        data = [one for one in spoken if not isinstance(one, Prod)]
        self._collect(self.chain.run(data, place + 1, now))


def with_channels(operators: Sequence[Operator], mean: float, seed: int = 1) -> list[Operator]:
    """The same plan with a channel below every aggregate but the first."""
    out: list[Operator] = []
    seen = 0
    for operator in operators:
        if isinstance(operator, WindowAggregate):
            if seen:
                out.append(Channel(mean, seed + seen))
            seen += 1
        out.append(operator)
    return out


def answered(
    operators: Sequence[Operator],
    strategy: Strategy,
    stream: Iterable[Timed],
    *,
    delay: int = 0,
) -> list[Result]:
    """Results of a stream under one strategy."""
    plan = Signalled(operators, strategy, delay=delay)
    return plan.run(stream)
