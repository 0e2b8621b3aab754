"""How much the newest message of each key counts, so that one that counts less is never sent after
it: readers of a log, and whoever compacts it, keep the last one.

The engine gives no estimate of a window after its final, so that this is needed only within reach;
the newest keys are remembered, and none of an earlier process.
"""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Iterator
from dataclasses import dataclass, field

import pyarrow as pa

from slackwater.execute.sinks.topic.messages import FINAL, KEY, REVISION

REMEMBERED = 200_000
Rank = tuple[bool, int]  # whether it is no estimate, and its revision


@dataclass(slots=True)
class Ranks:
    """Ranks by key, the newest ones."""

    known: OrderedDict[str, Rank] = field(default_factory=OrderedDict)

    def counting(self, told: pa.Table) -> pa.Table:
        """The messages that count at least as much as what was sent under their keys before."""
        if FINAL not in told.column_names:
            return told
        kept = [self.known.get(key, rank) <= rank for key, rank in _ranked(told)]
        return told if all(kept) else told.filter(pa.array(kept))

    def keep(self, sent: pa.Table) -> None:
        """Messages were sent, or would have been."""
        if FINAL not in sent.column_names:
            return
        for key, rank in _ranked(sent):
            self.known[key] = max(self.known.pop(key, rank), rank)
        while len(self.known) > REMEMBERED:
            self.known.popitem(last=False)


def _ranked(told: pa.Table) -> Iterator[tuple[str, Rank]]:
    ranks = zip(told[FINAL].to_pylist(), told[REVISION].to_pylist(), strict=True)
    return zip(told[KEY].to_pylist(), ranks, strict=True)
