"""What rows that arrive are told apart by, as columns beside their own.

``__significant`` is the rank a row has alone, ``__value<n>`` are its join columns as text; from
these follows its queue: ``__unlucky``, ``__rank``, ``__promising``, ``__weight``. Where promises
are relayed, ``__known<n>`` is the rank that a row has without what column ``n`` promises.
"""

from __future__ import annotations

from collections.abc import Iterable

from slackwater.plan.ranks import Promised, Ranking
from slackwater.plan.sql.dialect import SqlWriter
from slackwater.query.schema import Schema
from slackwater.stats.panes import UNRANKED

QUEUE = ("__unlucky", "__rank", "__promising", "__weight")  # in the order in which rows lie
DRAWS = 1_000_000


def value_of(number: int) -> str:
    return f"__value{number}"


def known_of(number: int) -> str:
    return f"__known{number}"


def seen_columns(writer: SqlWriter, ranking: Ranking, schema: Schema) -> list[str]:
    """What a row says by itself."""
    whens = [
        f"WHEN coalesce({writer.render(condition, schema)}, false) THEN {rank}"
        for rank, condition in sorted(ranking.levels, key=lambda one: one[0])
    ]
    values = [writer.render(text, schema) for text in ranking.values]
    return [
        f"{_case(whens, UNRANKED)} AS __significant",
        *(f"{text} AS {value_of(number)}" for number, text in enumerate(values)),
    ]


def queue_columns(writer: SqlWriter, ranking: Ranking, draw: str) -> list[str]:
    """Where a row waits; ``draw`` is a whole number that belongs to it."""
    promised = _promised(writer, ranking.promised)
    heavy = _case(
        [
            f"WHEN {_among(writer, one.column, one.values)} THEN {one.weight}"
            for one in sorted(ranking.heavy, key=lambda one: -one.weight)
        ],
        1,
    )
    limit = round(ranking.kept * DRAWS)
    unlucky = "false" if limit >= DRAWS else f"{writer.modulo(draw, DRAWS)} >= {limit}"
    return [
        f"{unlucky} AS __unlucky",
        f"least(__significant, {promised}) AS __rank",
        f"{promised} < __significant AS __promising",
        f"{heavy} AS __weight",
        *(_known(writer, ranking, number) for number in relayed(ranking)),
    ]


def relayed(ranking: Ranking) -> range:
    """The join columns for which rows have a rank of their own."""
    return range(len(ranking.values) if ranking.is_relaying else 0)


def _known(writer: SqlWriter, ranking: Ranking, number: int) -> str:
    others = [one for one in ranking.promised if one.column != number]
    return f"least(__significant, {_promised(writer, others)}) AS {known_of(number)}"


def _promised(writer: SqlWriter, promised: Iterable[Promised]) -> str:
    whens = [
        f"WHEN {_among(writer, one.column, one.values)} THEN {one.rank}"
        for one in sorted(promised, key=lambda one: one.rank)
    ]
    return _case(whens, UNRANKED)


def _case(whens: list[str], otherwise: int) -> str:
    return f"CASE {' '.join(whens)} ELSE {otherwise} END" if whens else str(otherwise)


def _among(writer: SqlWriter, column: int, values: Iterable[str]) -> str:
    listed = ", ".join(writer.text(value) for value in values)
    return f"{value_of(column)} IN ({listed})"
