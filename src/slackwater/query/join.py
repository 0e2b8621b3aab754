"""Joins of several streams: a combination of rows, one of each, that match and lie close in time.

A combination is valid if, for its newest member, every other member lies within its own stream's
window (Ji 2018, ch. 4, read operationally). Checked pairwise, this holds or fails the same in every
order and shape of plan.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Literal, get_args

from slackwater.query.stream import JoinDef, Stream
from slackwater.units import DurationLike

Emit = Literal["immediate", "ordered"]
EMITS: tuple[str, ...] = get_args(Emit)
How = Literal["inner", "left", "right"]
HOWS: tuple[str, ...] = get_args(How)
MOST_INPUTS = 20

Within = DurationLike | Mapping[str, DurationLike] | Mapping[tuple[str, str], DurationLike]


def join(
    *streams: Stream,
    on: str | Sequence[str] = (),
    within: Within | None = None,
    emit: Emit = "immediate",
    order: str = "adaptive",
    cross: bool = False,
    how: How = "inner",
    uncertainty: int | Mapping[str, int] | None = None,
    tolerance: float | None = None,
) -> Stream:
    """Join two to twenty streams; the result is a stream again.

    The columns of the result are called ``stream_column``; in expressions ``stream.column``, and
    the bare name where only one stream has it, mean the same. The event time of a result is that
    of its newest member.

    Parameters
    ----------
    streams
        Base streams, with filters and projections if wanted. Use ``stream.named("other")`` to
        join a stream with itself.
    on
        SQL predicates over columns of any of the streams, all of which must hold, such as
        ``"orders.id = payments.order_id"`` or ``"abs(a.x - b.x) < 5"``; a bare column name stands
        for equality in all streams.
    within
        How far apart members may be: one duration for all; one for each stream, ``{"orders":
        "10 minutes", "payments": "1 hour"}``, how long its rows wait for newer partners; or one
        for pairs of streams, ``{("a", "b"): "5 seconds"}``, pairs left out follow from the
        others (shortest path).
    emit
        ``"immediate"``: a result is given when its last member arrives; slack buys recall with
        memory. ``"ordered"``: results are given in event-time order; slack buys recall with
        latency.
    order
        ``"adaptive"``: chosen from statistics, and changed while the query runs where that pays;
        ``"robust"``: a few orders are prepared for all that rates and selectivities may become, and
        each batch takes one of them, at no cost; ``"written"``: one m-way join, along predicates
        and as listed among those; or a tree such as ``"((a b) c)"``, whose inner joins keep their
        results.
    cross
        Allow streams that no predicate connects.
    how
        ``"inner"``; ``"left"``: rows of the first stream without partner in another one are
        answered, too, with nulls in its columns; ``"right"``: the same of two streams, for the
        second. Short for ``.optional()`` behind all streams but the first, or behind the first.
    uncertainty
        For ``order="robust"``: how uncertain rates and selectivities are (U of the source work),
        from 0 to 5, a tenth of what was seen at first to both sides for each level. One for all,
        or by name, ``{"orders.rate": 3, "orders-payments": 5}``; what is not named is certain.
        Without it the bounds are learned from the stream.
    tolerance
        For ``order="robust"``: how much worse than the best a plan may be (ε), 0.2 by default.

    Examples
    --------
    >>> join(a, b, on="k", within="10 seconds")  # doctest: +SKIP
    """
    predicates = (on,) if isinstance(on, str) else tuple(on)
    robust = (dict(uncertainty) if isinstance(uncertainty, Mapping) else uncertainty, tolerance)
    return Stream(JoinDef(streams, predicates, within, emit, order, cross, how, *robust))
