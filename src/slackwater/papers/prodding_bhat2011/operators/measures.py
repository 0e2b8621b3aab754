"""What estimates were worth and what they won, from results.

Only windows that have both an estimate and a final count where the two are compared (in a burst
many windows have no estimate: they were done before their prod came).

Reference: Bhat 2011, ch. 1, sections 3.4, 4.4.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from slackwater.estimate.accuracy import accuracy
from slackwater.estimate.monitor import Pairs
from slackwater.papers.prodding_bhat2011.operators.element import Result
from slackwater.papers.prodding_bhat2011.operators.quality import (
    Quality,
    aggressiveness,
    covered_share,
    latency_gain,
    latency_gain_percent,
)
from slackwater.papers.prodding_bhat2011.operators.views import history

Array = npt.NDArray[np.float64]


@dataclass(frozen=True, slots=True)
class Pair:
    """An estimate and the final of the same window and group."""

    early: Result
    final: Result

    @property
    def gap(self) -> int:
        """Time between them."""
        return self.final.emitted - self.early.emitted


def pairs(
    results: Iterable[Result],
    *,
    is_last_only: bool = False,
    keep: Callable[[Result], bool] = lambda _: True,
) -> list[Pair]:
    """Estimates with their finals; all of them, or only the last of each window and group."""
    found = []
    for answers in history(results).values():
        finals = [one for one in answers if one.kind == "final"]
        early = [one for one in answers if one.kind == "early" and keep(one)]
        if finals:
            found += [Pair(one, finals[-1]) for one in (early[-1:] if is_last_only else early)]
    return found


def accuracies(found: Iterable[Pair]) -> Array:
    """M1 of each pair, in percent."""
    pair_list = list(found)
    return accuracy(
        [pair.early.value for pair in pair_list], [pair.final.value for pair in pair_list]
    )


def qualities(found: Iterable[Pair], quality: Quality) -> list[float]:
    """A quality of one's own for each pair."""
    return [quality(pair.early.value, pair.final.value, pair.gap) for pair in found]


def scaled(pair: Pair, slide: int) -> float:
    """The estimate of a sum or count, divided by the share of the window's time it covers."""
    result = pair.early
    p = float(aggressiveness(result.end - result.emitted, slide))
    return float(result.value / covered_share(result.end - result.start, slide, p))


@dataclass(frozen=True, slots=True)
class Latency:
    """Mean latencies of estimates and finals, and what was won; by one definition."""

    early: float
    final: float

    @classmethod
    def of(cls, found: Iterable[Pair], since: Callable[[Result], int]) -> Latency:
        """By the instant from which latency counts, that of the final (its tuples are all in)."""
        pair_list = list(found)
        early = [pair.early.emitted - since(pair.final) for pair in pair_list]
        final = [pair.final.emitted - since(pair.final) for pair in pair_list]
        return cls(float(np.mean(early)), float(np.mean(final)))

    @property
    def gain(self) -> float:
        """M5."""
        return latency_gain([self.early], [self.final])

    @property
    def gain_percent(self) -> float:
        """M6."""
        return latency_gain_percent([self.early], [self.final])


def by_oldest(result: Result) -> int:
    """Definition A: since the application time of the oldest tuple."""
    return result.oldest


def by_window(result: Result) -> int:
    """Definition B: since the window's first tuple arrived."""
    return result.first_arrival


def by_slide(result: Result) -> int:
    """Since the first tuple of the newest slide arrived (what Table 4.1 seems to mean, E-9)."""
    return result.slide_arrival


def final_latency(results: Iterable[Result], since: Callable[[Result], int]) -> float:
    """Mean latency of all finals."""
    return float(np.mean([one.emitted - since(one) for one in results if one.kind == "final"]))


def is_boundary(result: Result, begin: int, end: int) -> bool:
    """Whether a window reaches beyond a stream that began and ended there."""
    return result.start < begin or result.end > end


def measured_aggressiveness(found: Iterable[Pair], slide: int) -> float:
    """M7 as it was: the mean distance of estimates from the window's end, per slide."""
    return float(np.mean([aggressiveness(p.early.end - p.early.emitted, slide) for p in found]))


def monitored(found: Iterable[Pair]) -> Pairs:
    """Pairs as the accuracy monitor takes them."""
    pair_list = list(found)
    early = np.array([pair.early.value for pair in pair_list], dtype=np.float64)
    final = np.array([pair.final.value for pair in pair_list], dtype=np.float64)
    usable = np.where(early == 0, np.nan, early)
    return Pairs(
        np.array(
            [(p.early.emitted - p.early.start) / (p.early.end - p.early.start) for p in pair_list]
        ),
        accuracy(early, final, is_clamped=True),
        final / usable,
        np.array([pair.early.rows / pair.final.rows for pair in pair_list]),
        np.array([str(pair.early.group) for pair in pair_list], dtype=np.str_),
    )
