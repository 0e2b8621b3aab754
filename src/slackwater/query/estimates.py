"""Estimates: what to say before an answer is final, and how often."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

from slackwater.units import DurationLike

Quality = Callable[[Any, Any, Any], Any]


@dataclass(frozen=True, slots=True)
class Estimates:
    """One source of prods (demands for an estimate), and how estimates are judged."""

    every: DurationLike | None = None
    aggressiveness: float | None = None
    accuracy: float | None = None
    where: str | None = None
    of: tuple[str, ...] = ()
    band: float | None = None
    quality: Quality | None = None


def estimates(
    *,
    every: DurationLike | None = None,
    aggressiveness: float | None = None,
    accuracy: float | None = None,
    where: str | None = None,
    of: str | Sequence[str] = (),
    band: float | None = None,
    quality: Quality | None = None,
) -> Estimates:
    """Early answers of windows that are still open, labelled and with known accuracy.

    Give one of ``every``, ``aggressiveness`` and ``accuracy``; with none of them estimates are
    made on request only. Several of these may be given to one query, e.g. with different
    ``where`` for groups that matter more.

    Parameters
    ----------
    every
        An estimate of all open windows each time the query's clock has advanced by this much;
        ``0`` for every batch.
    aggressiveness
        One estimate of each window, at ``end - aggressiveness * slide`` (P_Aggr of the source
        work): 0.3 asks when three tenths of the last slide are still missing, 0 at the window's
        end, a negative value after it, while stragglers are waited for.
    accuracy
        The aggressiveness is chosen: as early as every column keeps this accuracy, on average over
        its estimates, e.g. ``0.95``. Columns are not averaged: an estimate counts with its worst.
    where
        Only for these groups or windows: an SQL predicate over the result's columns.
    of
        The columns that ``accuracy`` is about; all numbers by default.
    band
        Share of earlier estimates of the same age that the error band would have covered, 0.9 if
        none is given. One for all estimates of a query.
    quality
        ``quality(early, final, gap)``, given NumPy arrays (the gap in microseconds), says how good
        estimates were, from 0 to 100; by default ``100 * (1 - |final - early| / |final|)``. One for
        all estimates of a query.

    Examples
    --------
    >>> estimates(every="5 seconds").every
    '5 seconds'
    """
    names = (of,) if isinstance(of, str) else tuple(of)
    return Estimates(every, aggressiveness, accuracy, where, names, band, quality)
