"""Five streams that swing: a hub, and four that it meets, of which one is scarce in each batch.

Whoever probes the scarce one first makes little; whoever probes it last makes a multiple of it.
Which of them it is changes after so many batches. It is scarce in rows (``rates``), or brings as
many rows as ever, of which hardly any match (``selectivities``). A window is shorter than a batch,
so that what is held swings along.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal, get_args

import numpy as np
import pyarrow as pa

from slackwater.bench.data import BEGIN
from slackwater.units import SECOND

Kind = Literal["rates", "selectivities"]
KINDS: tuple[Kind, ...] = get_args(Kind)
HUB, ARMS = "h", ("a", "b", "c", "d")
NAMES = (HUB, *ARMS)


@dataclass(frozen=True, slots=True)
class Swing:
    """So many ``warm`` batches that do not count, then those that are ``counted``; with ``hub``
    rows of the hub and ``many`` of a stream that is not scarce, with so many
    ``keys``: eight partners for each row of the hub within the window. A scarce one has a
    part of its rows, or of its partners, ``scarcity`` times smaller.
    """

    kind: Kind
    period: int
    warm: int = 12
    counted: int = 24
    hub: int = 8_000
    many: int = 16_000
    keys: int = 1_600
    scarcity: int = 500
    span: int = 10
    window: int = 4
    seed: int = 23

    @classmethod
    def of(cls, kind: Kind, period: int) -> Swing:
        """Warm once every stream was scarce and that was learned; then each is so again."""
        turn = period * len(ARMS)
        return cls(kind, period, warm=turn + 8, counted=max(12, turn))

    @property
    def batches(self) -> int:
        return self.warm + self.counted

    def scarce(self, batch: int) -> str:
        """Which stream is scarce in a batch."""
        return ARMS[batch // self.period % len(ARMS)]

    def tables(self, batch: int) -> dict[str, pa.Table]:
        """The rows of a batch, by stream."""
        return {name: self._rows(batch, number) for number, name in enumerate(NAMES)}

    def _rows(self, batch: int, number: int) -> pa.Table:
        random, name = np.random.default_rng([self.seed, batch, number]), NAMES[number]
        is_scarce = name == self.scarce(batch)
        rows = self.hub if name == HUB else self.many
        if is_scarce and self.kind == "rates":
            rows //= self.scarcity
        span = self.span * SECOND
        time = BEGIN + batch * span + np.sort(random.integers(0, span, rows))
        found = {"ts": pa.array(time, pa.timestamp("us", tz="UTC"))}
        if name == HUB:
            found |= {arm: pa.array(random.integers(0, self.keys, rows)) for arm in ARMS}
        else:
            often = self.scarcity if is_scarce and self.kind == "selectivities" else 1
            found["k"] = pa.array(random.integers(0, self.keys * often, rows))
        return pa.table(found | {"v": pa.array(random.integers(0, 1_000, rows))})
