"""Shards: several instances of an operator, each with a part of the tuples.

A control element reaches every shard; above them it counts as arrived when all copies are in (the
barrier), and goes on once. Reference: Bhat 2011.
"""

from __future__ import annotations

from collections.abc import Callable, Hashable, Sequence
from zlib import crc32

from slackwater.papers.prodding_bhat2011.operators.element import (
    DataTuple,
    Output,
    Punctuation,
    Row,
)
from slackwater.papers.prodding_bhat2011.operators.operator import Operator
from slackwater.papers.prodding_bhat2011.operators.prod import Feedback, Prod


class Shards(Operator):
    """Instances of one operator, by a key of the tuples.

    Parameters
    ----------
    key
        What decides: the group, or anything at all below an operator that merges.
    """

    def __init__(self, instances: Sequence[Operator], key: Callable[[Row], Hashable]) -> None:
        self.instances = tuple(instances)
        self._key = key

    def take(self, element: Output, now: int, port: int = 0) -> list[Output]:
        if isinstance(element, DataTuple):
            number = crc32(repr(self._key(element.row)).encode()) % len(self.instances)
            return self.instances[number].take(element, now)
        spoken = [instance.take(element, now) for instance in self.instances]
        control = next(one for one in reversed(spoken[0]) if isinstance(one, Punctuation | Prod))
        data = [one for out in spoken for one in out if not isinstance(one, Punctuation | Prod)]
        return [*data, control]

    def back(self, feedback: Feedback, now: int) -> Feedback | Prod | None:
        return self.instances[0].back(feedback, now)
