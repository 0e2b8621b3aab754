"""Where prods come from, besides the prodder: recordings, adapters, control streams.

All give streams of timed elements; :func:`merged` makes one stream of several. The place of a
prod among the data is defined by its arrival: at equal times by the order of the sources.

Reference: Bhat 2011, ch. 3 (P1, P2, preprocessing).
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from heapq import merge as merge_sorted
from typing import NamedTuple

from slackwater.estimate.schedule import ends_prodded, lead, points_passed
from slackwater.papers.prodding_bhat2011.operators.element import (
    TS,
    DataTuple,
    Element,
    Punctuation,
    Row,
)
from slackwater.papers.prodding_bhat2011.operators.predicate import Eq, Le
from slackwater.papers.prodding_bhat2011.operators.prod import Prod


class Timed(NamedTuple):
    """An element and when it comes: application time in a recording, system time in a stream."""

    at: int
    element: Element


def tuples(rows: Iterable[Row]) -> list[Timed]:
    """Rows at their own application time, in the order given."""
    return [Timed(row[TS], DataTuple(row)) for row in rows]


def punctuated(
    recording: Sequence[Timed], slide: int, *, lag: int = 0, is_behind: bool = False
) -> list[Timed]:
    """A recording with ``[<= t]`` after each advance of application time by a slide.

    Parameters
    ----------
    lag
        How far behind the newest tuple a punctuation stays: the disorder it allows for.
    is_behind
        It is written behind the tuple that shows the advance, and so waits for it where order is
        preserved; else in front of it.
    """
    out: list[Timed] = []
    newest: int | None = None
    for at, element in recording:
        if isinstance(element, DataTuple):
            ts = element.row[TS]
            points = points_passed(None if newest is None else newest - lag, ts - lag, slide)
            told = [Timed(at, Punctuation(f"[{t}]", Le(t))) for t in points]
            newest = ts if newest is None else max(newest, ts)
            here = Timed(at, element)
            out += [here, *told] if is_behind else [*told, here]
        else:
            out.append(Timed(at, element))
    return out


def closing(at: int, bound: int) -> Timed:
    """The punctuation that ends a recording."""
    return Timed(at, Punctuation(f"[{bound}]", Le(bound)))


def preprocessed(
    recording: Sequence[Timed],
    size: int,
    slide: int,
    aggressiveness: Sequence[float],
    *,
    offset: int = 0,
    label: str = "",
) -> list[Timed]:
    """A recording, in order of time, with a prod for every window written into it beforehand.

    Parameters
    ----------
    aggressiveness
        One prod per window for each of these; ids are ``label p@end``.
    offset
        ``prod_offset_s``: the prod is placed that much earlier than its aggressiveness says (it
        misses the tuples of its own second).
    """
    last = max(at for at, _ in recording)
    prods = [
        Timed(
            end - lead(p, slide) - offset,
            Prod(f"{label}{p:g}@{end}", Eq(end), source="recorded"),
        )
        for p in aggressiveness
        for end in ends_prodded(
            min(at for at, _ in recording) - 1, last + slide, p, size=size, slide=slide
        )
    ]
    return list(merged(sorted(prods, key=lambda one: one.at), recording))


def adapter(
    stream: Iterable[Timed], step: int, *, ahead: int = 0, is_bound: bool = False
) -> Iterator[Timed]:
    """An input adapter that puts a prod into the stream after every step of application time.

    The prod for ``t`` (a multiple of ``step``) comes before the first tuple of ``t − ahead`` or
    later.
    """
    newest: int | None = None
    for at, element in stream:
        if isinstance(element, DataTuple):
            ts = element.row[TS]
            before = None if newest is None else newest + ahead
            for t in points_passed(before, ts + ahead, step):
                time = Le(t) if is_bound else Eq(t)
                yield Timed(at, Prod(f"adapter {t}", time, source="adapter"))
            newest = ts if newest is None else max(newest, ts)
        yield Timed(at, element)


def controlled(stream: Iterable[Timed], rule: Callable[[Row], Prod | None]) -> Iterator[Timed]:
    """A control stream: tuples that a rule turns into prods; the others ask for nothing."""
    for at, element in stream:
        if isinstance(element, DataTuple):
            prod = rule(element.row)
            if prod is not None:
                yield Timed(at, replace(prod, source="control"))
        else:
            yield Timed(at, element)


def merged(*streams: Iterable[Timed]) -> Iterator[Timed]:
    """One stream, by time; at equal times by the order of the streams given."""
    return merge_sorted(*streams, key=lambda timed: timed.at)


def corrected(stream: Iterable[Timed], skew: int) -> Iterator[Timed]:
    """Application times of a source whose clock is ``skew`` ahead, put right."""
    for at, element in stream:
        if isinstance(element, DataTuple):
            row = {**element.row, TS: element.row[TS] - skew}
            yield Timed(at, replace(element, row=row))
        elif isinstance(element.time, Le):
            yield Timed(at, replace(element, time=Le(int(element.time.bound) - skew)))
        elif isinstance(element.time, Eq) and element.time.value is not None:
            yield Timed(at, replace(element, time=Eq(int(element.time.value) - skew)))
        else:
            yield Timed(at, element)
