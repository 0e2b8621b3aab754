"""Rows that wait by rank: in which order, until when, and what became of them.

Pure rules over pieces (:mod:`slackwater.control.orders`): no row is touched.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import replace

from slackwater.control.orders import Book, Piece, Pieces, rows_of, weight_of
from slackwater.plan.costly import CostPlan
from slackwater.stats.panes import UNRANKED
from slackwater.units import BEGIN_OF_TIME

BY_RANK = ("prune", "full", "static")  # precedences in which a rank is an order of work


def take(pieces: Pieces, budget: int) -> tuple[Pieces, Pieces]:
    """The first of some pieces that a budget is enough for, and the rest.

    A row too heavy for what is left of it waits, and lighter ones behind it are taken; but one that
    is first is taken, however heavy, or it would wait for ever.
    """
    taken: list[Piece] = []
    left: list[Piece] = []
    for number, piece in enumerate(pieces):
        if budget <= 0:
            return tuple(taken), (*left, *pieces[number:])
        rows = min(piece.rows, budget // piece.queue.weight) or int(not taken)
        first, rest = _split(piece, rows)
        taken += first
        left += rest
        budget -= weight_of(first)
    return tuple(taken), tuple(left)


def _split(piece: Piece, rows: int) -> tuple[list[Piece], list[Piece]]:
    if rows in (0, piece.rows):
        return ([piece], []) if rows else ([], [piece])
    rest = replace(piece, start=piece.start + rows, rows=piece.rows - rows)
    return [replace(piece, rows=rows)], [rest]


def in_order(plan: CostPlan, pieces: Pieces) -> Pieces:
    """Who is served first: by rank, or as they came."""
    if not plan.levels:
        return pieces
    by_rank = plan.precedence in BY_RANK

    def place(piece: Piece) -> tuple[int, int, int]:
        return (piece.queue.rank if by_rank else 0, piece.batch, piece.pane)

    return tuple(sorted(pieces, key=place))


def expire(plan: CostPlan, pieces: Pieces, clock: int | None) -> tuple[Pieces, Pieces]:
    """Those that may wait on, and those whose lifespan is over.

    A piece goes as a whole, when the youngest of its rows has to.
    """
    if plan.lifespan is None or clock is None:
        return pieces, ()
    limit = clock - plan.lifespan
    return (
        tuple(piece for piece in pieces if piece.high >= limit),
        tuple(piece for piece in pieces if piece.high < limit),
    )


def turn_away(plan: CostPlan, new: Pieces, *, is_short: bool) -> tuple[Pieces, Pieces]:
    """Of rows that arrive those let in, and those shed: by chance, or for what they are worth.

    ``is_short``: there is more than can be worked on.
    """

    def is_shed(piece: Piece) -> bool:
        if plan.precedence == "semantic" and is_short:
            return piece.queue.rank == UNRANKED and piece.input in plan.judged
        return piece.queue.unlucky

    return (
        tuple(piece for piece in new if not is_shed(piece)),
        tuple(piece for piece in new if is_shed(piece)),
    )


def newest_of(plan: CostPlan, pieces: Pieces, known: Sequence[int] = ()) -> tuple[int, ...]:
    """By rank, the newest event time of some rows, or what was ``known`` before if it is newer."""
    padded = (*known, *(BEGIN_OF_TIME for _ in range(plan.ranks)))
    found = list(padded[: plan.ranks])
    for piece in pieces:
        if piece.queue.rank <= plan.ranks:
            found[piece.queue.rank - 1] = max(found[piece.queue.rank - 1], piece.high)
    return tuple(found)


def books(plan: CostPlan, **became: Pieces) -> tuple[Book, ...]:
    """By rank: how many were admitted, worked on, wait, are expired, were shed."""
    ranks: list[int | None] = [*range(1, plan.ranks + 1), None]
    return tuple(_book(rank, became) for rank in ranks)


def _book(rank: int | None, became: dict[str, Pieces]) -> Book:
    wanted = UNRANKED if rank is None else rank
    mine = {name: _of(wanted, pieces) for name, pieces in became.items()}
    promising = rows_of(piece for piece in mine["admitted"] if piece.queue.promising)
    rows = {name: rows_of(pieces) for name, pieces in mine.items()}
    return Book(rank, **rows, promising=promising, used=weight_of(mine["worked"]))


def _of(rank: int, pieces: Iterable[Piece]) -> Sequence[Piece]:
    return [piece for piece in pieces if piece.queue.rank == rank]
