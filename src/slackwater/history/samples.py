"""Estimates on their way to their finals: samples from batches, as many as one looks at.

A sample is read only when it is given out: of a long log most are forgotten before that.
"""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from collections.abc import Iterable
from dataclasses import dataclass, field
from operator import attrgetter
from typing import Any, NamedTuple

import numpy as np

from slackwater.history.number import HUGE, is_number

Json = dict[str, Any]
MOST = 2_000  # of a query; beyond, every other of the older ones is forgotten
NEWEST = 8  # kept and given out without gaps


class Kept(NamedTuple):
    """One sample: wall time, batch, its number among all of the query, and what was told."""

    at: float
    batch: int
    number: int
    told: object


@dataclass(slots=True)
class Samples:
    """The samples of one query, oldest first: the newest, and every so many of the older ones."""

    most: int = MOST
    kept: list[Kept] = field(default_factory=list)
    every: int = 1

    def add(self, at: float, batch: int, told: object) -> None:
        number = self.kept[-1].number + 1 if self.kept else 0
        self.kept.append(Kept(at, batch, number, told))
        if len(self.kept) > NEWEST and self.kept[-NEWEST - 1].number % self.every:
            del self.kept[-NEWEST - 1]
        if len(self.kept) > self.most:
            self.every *= 2
            self.kept[:-NEWEST] = [o for o in self.kept[:-NEWEST] if o.number % self.every == 0]

    def cut(self, batch: int) -> None:
        """Forget batches after this one."""
        del self.kept[bisect_right(self.kept, batch, key=_batch) :]

    def after(self, batch: int, most: int) -> list[Json]:
        """Those of the batches after one."""
        first = bisect_right(self.kept, batch, key=_batch)
        return _read(self.kept[first:], most)

    def between(self, low: float, high: float, most: int) -> list[Json]:
        """Those of a span of wall time."""
        first = bisect_left(self.kept, low, key=_at)
        last = bisect_right(self.kept, high, key=_at)
        return _read(self.kept[first:last], most)


_at, _batch = attrgetter("at"), attrgetter("batch")


def told_samples(batches: Iterable[Json]) -> Iterable[tuple[str, Json, object]]:
    """Query, batch and sample, wherever a batch tells one."""
    for batch in batches:
        queries = batch.get("queries")
        for name, query in queries.items() if isinstance(queries, dict) else ():
            estimates = query.get("estimates") if isinstance(query, dict) else None
            if isinstance(estimates, dict) and "sample" in estimates:
                yield name, batch, estimates["sample"]


def _read(kept: list[Kept], most: int) -> list[Json]:
    """Some samples in the form they are given out, thinned but for the newest."""
    if len(kept) > most:
        older = np.linspace(0, len(kept) - NEWEST, max(1, most - NEWEST), endpoint=False)
        kept = [*(kept[n] for n in older.astype(int).tolist()), *kept[-NEWEST:]]
    found = (_sample(one.at, one.batch, one.told) for one in kept)
    return [sample for sample in found if sample is not None]


def _sample(at: float, batch: int, told: object) -> Json | None:
    """What can be drawn of a sample: shares of a final that is not 0; ``None`` if nothing can."""
    if not isinstance(told, dict) or not is_number(told.get("final")) or not told["final"]:
        return None
    points = told.get("points")
    known = [
        (float(point[0]), float(point[1]) / float(told["final"]))
        for point in (points if isinstance(points, list) else ())
        if isinstance(point, list) and len(point) == 2 and all(map(is_number, point))
    ]
    shares = [[round(age, 4), round(share, 5)] for age, share in known if abs(share) < HUGE]
    if not shares or not is_number(told.get("window_end")):
        return None
    return {
        "at": at,
        "batch": batch,
        "end": told["window_end"],
        "column": str(told.get("column", "")),
        "group": str(told.get("group", "")),
        "points": sorted(shares),
    }
