"""Relation-to-stream operators over a time-varying relation.

A relation is given as its instantaneous relations ``R(0), R(1), …``, each a bag of hashable
tuples; the stream is given as (instant, tuple) pairs. Before instant 0 the relation is empty.

Reference: Ji 2018, ch. 2.

Examples
--------
>>> relation = [["a"], ["a", "a", "b"], ["b"]]
>>> list(istream(relation))
[(0, 'a'), (1, 'a'), (1, 'b')]
>>> list(rstream(relation))
[(0, 'a'), (1, 'a'), (1, 'a'), (1, 'b'), (2, 'b')]
>>> list(dstream(relation))
[(2, 'a'), (2, 'a')]
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Hashable, Iterable, Iterator
from typing import TypeVar

T = TypeVar("T", bound=Hashable)


def istream(relation: Iterable[Iterable[T]]) -> Iterator[tuple[int, T]]:
    """What is new at each instant: ``R(τ) - R(τ-1)``."""
    for instant, before, now in _steps(relation):
        yield from _stamp(instant, now - before)


def rstream(relation: Iterable[Iterable[T]]) -> Iterator[tuple[int, T]]:
    """Everything at each instant: ``R(τ)``."""
    for instant, _, now in _steps(relation):
        yield from _stamp(instant, now)


def dstream(relation: Iterable[Iterable[T]]) -> Iterator[tuple[int, T]]:
    """What is gone at each instant: ``R(τ-1) - R(τ)``."""
    for instant, before, now in _steps(relation):
        yield from _stamp(instant, before - now)


def _steps(relation: Iterable[Iterable[T]]) -> Iterator[tuple[int, Counter[T], Counter[T]]]:
    before: Counter[T] = Counter()
    for instant, content in enumerate(relation):
        now = Counter(content)
        yield instant, before, now
        before = now


def _stamp(instant: int, bag: Counter[T]) -> Iterator[tuple[int, T]]:
    return ((instant, item) for item in bag.elements())
