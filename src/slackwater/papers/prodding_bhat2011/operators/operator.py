"""What every operator of a prodded plan can do, and chains of operators.

Operators are pushed: an element in, elements out, in order. Some also act by themselves as virtual
time passes (a server that finishes a tuple, a prodder): they say when they are next *due*.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from slackwater.papers.prodding_bhat2011.operators.element import Output
from slackwater.papers.prodding_bhat2011.operators.prod import Feedback, Prod


class Operator:
    """An operator that passes on whatever comes; others override what they do differently."""

    def take(self, element: Output, now: int, port: int = 0) -> list[Output]:
        """An element arrives; what leaves because of it, in order."""
        return [element]

    def due(self) -> int | None:
        """When it next acts by itself, ``None`` if only on elements."""
        return None

    def fire(self, now: int) -> list[Output]:
        """Act by itself at a time it was due."""
        return []

    def back(self, feedback: Feedback, now: int) -> Feedback | Prod | None:
        """Feedback on its way upstream, in terms of the input; a prod where it ends."""
        return feedback


class Chain(Operator):
    """Operators one above the other; ``operators[0]`` is at the bottom."""

    def __init__(self, operators: Sequence[Operator]) -> None:
        self.operators = tuple(operators)
        self._timed = [  # topmost first
            (place, one)
            for place, one in reversed(list(enumerate(self.operators)))
            if type(one).due is not Operator.due
        ]

    def take(self, element: Output, now: int, port: int = 0) -> list[Output]:
        first = self.operators[0].take(element, now, port)
        return self.run(first, 1, now)

    def run(self, elements: Iterable[Output], start: int, now: int) -> list[Output]:
        """Elements enter at a place; what leaves at the top."""
        flowing = list(elements)
        for operator in self.operators[start:]:
            if not flowing:
                break
            flowing = [out for element in flowing for out in operator.take(element, now)]
        return flowing

    def due(self) -> int | None:
        known = [due for _, operator in self._timed if (due := operator.due()) is not None]
        return min(known, default=None)

    def fire(self, now: int) -> list[Output]:
        """The topmost of those that are due: work that is done counts before new demands."""
        for place, operator in self._timed:
            if (due := operator.due()) is not None and due <= now:
                return self.run(operator.fire(now), place + 1, now)
        return []

    def feed_back(self, feedback: Feedback, now: int) -> list[Output]:
        """Send feedback down from the top; what leaves at the top because of it.

        Feedback that meets no prodder leaves at the bottom and is lost.
        """
        message: Feedback | Prod | None = feedback
        for place in range(len(self.operators) - 1, -1, -1):
            if not isinstance(message, Feedback):
                break
            message = self.operators[place].back(message, now)
            if isinstance(message, Prod):
                return self.run([message], place + 1, now)
        return []


class Fork(Operator):
    """Chains side by side that meet in one operator; the port says which chain.

    Feedback goes no further down than this: a prodder that is to hear it stands above.
    """

    def __init__(self, branches: Sequence[Chain], meeting: Operator) -> None:
        self.branches = tuple(branches)
        self.meeting = meeting

    def take(self, element: Output, now: int, port: int = 0) -> list[Output]:
        flowing = self.branches[port].take(element, now)
        return [out for one in flowing for out in self.meeting.take(one, now, port)]

    def due(self) -> int | None:
        known = [due for branch in self.branches if (due := branch.due()) is not None]
        return min(known, default=None)

    def fire(self, now: int) -> list[Output]:
        for port, branch in enumerate(self.branches):
            if (due := branch.due()) is not None and due <= now:
                flowing = branch.fire(now)
                return [out for one in flowing for out in self.meeting.take(one, now, port)]
        return []
