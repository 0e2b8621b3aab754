"""Reductions over runs of equal codes, without a loop over rows."""

from __future__ import annotations

import numpy as np

from slackwater.replay.advise.measure import Columns, Floats
from slackwater.stats.arrival import Instants


def runs(ordered: Instants) -> Instants:
    """Where each run of equal values begins.

    >>> runs(np.array([3, 3, 5, 7, 7])).tolist()
    [0, 2, 3]
    """
    if not ordered.size:
        return np.zeros(0, dtype=np.int64)
    return np.flatnonzero(np.concatenate([[True], ordered[1:] != ordered[:-1]]))


def reduce_runs(merge: np.ufunc, column: Floats, starts: Instants) -> Floats:
    """One value per run."""
    if not starts.size:
        return np.zeros(0)
    reduced: Floats = merge.reduceat(column, starts)
    return reduced


def reduce_by_code(
    codes: Instants, columns: Columns, merges: tuple[np.ufunc, ...]
) -> tuple[Instants, Columns]:
    """The distinct codes in order, and the columns merged over the rows of each."""
    order = np.argsort(codes, kind="stable")
    ordered = codes[order]
    starts = runs(ordered)
    merged = tuple(
        reduce_runs(merge, column[order], starts)
        for merge, column in zip(merges, columns, strict=True)
    )
    return ordered[starts], merged


def expand(counts: Instants) -> tuple[Instants, Instants]:
    """Repeat number n ``counts[n]`` times; give the numbers, and each one's place in its run.

    >>> [part.tolist() for part in expand(np.array([2, 0, 3]))]
    [[0, 0, 2, 2, 2], [0, 1, 0, 1, 2]]
    """
    numbers = np.repeat(np.arange(counts.size), counts)
    begin = np.cumsum(counts) - counts
    return numbers, np.arange(numbers.size) - begin[numbers]


def scan_runs(merge: np.ufunc, column: Floats, starts: Instants) -> Floats:
    """Running merge inside each run.

    By doubling: after pass p an item holds the merge of the 2^p items up to it. A plain running
    sum over all rows would mix the digits of one run into the next.

    >>> scan_runs(np.add, np.array([1.0, 2.0, 3.0, 4.0]), np.array([0, 3])).tolist()
    [1.0, 3.0, 6.0, 4.0]
    """
    if not starts.size:
        return column
    lengths = np.diff(starts, append=column.size)
    place = np.arange(column.size) - np.repeat(starts, lengths)
    step, longest = 1, int(lengths.max())
    scanned = column
    while step < longest:
        wider = merge(scanned[step:], scanned[:-step])
        inside = np.where(place[step:] >= step, wider, scanned[step:])
        scanned = np.concatenate([scanned[:step], inside])
        step *= 2
    return scanned
