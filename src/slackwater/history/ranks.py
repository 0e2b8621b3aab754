"""What became of rows by rank, and what criteria promised: as columns, and as it stands now."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from slackwater.history.number import number_of
from slackwater.history.table import Array, Key, Table

Json = dict[str, Any]
BOOK = ("admitted", "promising", "worked", "waiting", "expired", "shed", "used")
PROMISED = ("criteria", "yield")  # of the controller of ranks, by rank
TOLD = ("budget", "used", "complete")  # of the whole backlog
NONE = "none"  # the rank of rows without one
_CONTROLLER = "ranks"


def group_of(field: str) -> str:
    """The group of columns that has a number by rank."""
    return f"rank_{field}"


def rank_frame(name: str, told: Sequence[Json]) -> dict[Key, Array]:
    """Columns by rank, of what some batches tell of a query; nothing if it has no ranks."""
    backlogs = [_object(each.get("backlog")) for each in told]
    books = [_object(each.get("ranks")) for each in backlogs]
    if not any(books):
        return {}
    found = {
        Key("backlog", name, field): _array([one.get(field) for one in backlogs]) for field in TOLD
    }
    ranks = dict.fromkeys(rank for one in books for rank in one)
    for rank in ranks:
        mine = [_object(one.get(rank)) for one in books]
        for field in BOOK:
            key = Key(group_of(field), name, str(rank))
            found[key] = _array([one.get(field) for one in mine])
    said = [_object(_object(each.get("controllers")).get(_CONTROLLER)) for each in told]
    for rank in ranks:
        for field in PROMISED:
            values = _array([one.get(f"{field}_{rank}") for one in said])
            if not np.isnan(values).all():
                found[Key(group_of(field), name, str(rank))] = values
    return found


@dataclass(frozen=True, slots=True)
class RankStanding:
    """One rank of a query: what became of all its rows so far, and what promises it now.

    ``share`` is its part of all work done. ``criteria`` values promise it, in all so many critical
    results; ``best`` names the best of them.
    """

    rank: str
    admitted: int
    promising: int
    worked: int
    waiting: int
    expired: int
    shed: int
    used: int
    share: float | None
    criteria: int
    promise: float | None
    best: str | None


def ranks_of(table: Table, name: str, explained: Json) -> tuple[RankStanding, ...]:
    """The ranks of a query, the most critical first; ``explained`` is what controllers said."""
    owners = {key.field for key in table.keys if key[:2] == (group_of("admitted"), name)}
    ordered = sorted(owners, key=lambda rank: (not rank.isdecimal(), len(rank), rank))
    spent = sum(table.total(Key(group_of("used"), name, rank)) for rank in ordered)
    words = explained.get(_CONTROLLER, {})
    return tuple(_standing(table, name, rank, spent, words) for rank in ordered)


def _standing(table: Table, name: str, rank: str, spent: float, words: Json) -> RankStanding:
    def total(field: str) -> int:
        return round(table.total(Key(group_of(field), name, rank)))

    def last(field: str) -> float | None:
        return table.last(Key(group_of(field), name, rank))

    best = words.get(f"best_{rank}")
    return RankStanding(
        rank,
        total("admitted"),
        total("promising"),
        total("worked"),
        round(last("waiting") or 0),
        total("expired"),
        total("shed"),
        total("used"),
        total("used") / spent if spent else None,
        round(last("criteria") or 0),
        last("yield"),
        best if isinstance(best, str) else None,
    )


def rank_lines(standings: Sequence[RankStanding], complete: float | None) -> Iterator[str]:
    """Ranks in words, a line for each."""
    if complete is not None:
        yield complete_words(complete)
    for one in standings:
        yield f"{title_of(one.rank)}: {rank_words(one)}"
        if one.criteria and one.promise is not None:
            yield f"  {promise_words(one)}: {one.best}"


def promise_words(one: RankStanding) -> str:
    """How many values promise a rank, and how much."""
    values = "1 value" if one.criteria == 1 else f"{one.criteria:,} values"
    return f"promised by {values}, {one.promise or 0:,.4g} results"


def complete_words(complete: float) -> str:
    """Which ranks lack nothing."""
    if not complete:
        return "no rank is complete: rows of rank 1 wait, or were given up in the newest batch"
    return f"complete up to rank {complete:.0f}: nothing waits, nothing was given up"


def title_of(rank: str) -> str:
    """How a rank is called."""
    return f"rank {rank}" if rank != NONE else "without a rank"


def rank_words(one: RankStanding) -> str:
    """What became of the rows of a rank."""
    share = "" if one.share is None else f" ({100 * one.share:.1f} % of the work)"
    promising = f", {one.promising:,} of them promising" if one.promising else ""
    return (
        f"{one.admitted:,} rows came{promising}; {one.worked:,} worked on{share}, "
        f"{one.waiting:,} wait, {one.expired:,} expired, {one.shed:,} shed"
    )


def _object(value: object) -> Json:
    return value if isinstance(value, dict) else {}


def _array(values: list[Any]) -> Array:
    return np.array([number_of(value) for value in values], dtype=np.float64)
