"""How estimates came to their final: a small sample of each batch, to be looked at."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from slackwater.plan.sql.estimates import final_of

MOST = 12  # estimates in a sample
_DIGITS = 7  # of a value: it is drawn, not computed with
_NAME = 48  # characters of a group


@dataclass(frozen=True, slots=True)
class Sample:
    """Estimates of one window, group and column, each as age and value, and their final."""

    batch: int
    window_end: int
    column: str
    group: str
    final: float
    points: tuple[tuple[float, float], ...]

    def report(self) -> dict[str, Any]:
        """As the ``batch`` event tells it."""
        return {
            "window_end": self.window_end,
            "column": self.column,
            "group": self.group,
            "final": self.final,
            "points": [list(point) for point in self.points],
        }


def sample_of(pairs: pa.Table, column: str, batch: int) -> Sample | None:
    """The first group of the window with most pairs (the newest of such), whatever their order."""
    final = final_of(column)
    known = pc.and_(pc.is_finite(pairs[column]), pc.is_finite(pairs[final]))
    pairs = pairs.select(["__end", "__group", "__age", column, final]).filter(known)
    if pairs.num_rows == 0:
        return None
    counts = pc.value_counts(pairs["__end"]).to_pylist()
    _, end = max((count["counts"], count["values"]) for count in counts)
    pairs = pairs.filter(pc.equal(pairs["__end"], end))
    group = pc.min(pairs["__group"])
    pairs = pairs.filter(pc.equal(pairs["__group"], group))
    pairs = pairs.sort_by([("__age", "ascending"), (column, "ascending")])
    points = zip(pairs["__age"].to_pylist(), pairs[column].to_pylist(), strict=True)
    told = [(round(age, 4), _brief(value)) for age, value in points]
    value, name = _brief(pairs[final][0].as_py()), group.as_py()[:_NAME]
    return Sample(batch, end, column, name, value, tuple(_thinned(told)))


def _brief(value: float) -> float:
    return float(f"{value:.{_DIGITS}g}")


def _thinned(points: list[tuple[float, float]]) -> list[tuple[float, float]]:
    """So many points at most, the first and the last among them."""
    if len(points) <= MOST:
        return points
    return [points[n] for n in np.linspace(0, len(points) - 1, MOST).round().astype(int).tolist()]
