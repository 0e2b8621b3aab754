"""What a query is written in: each term as SQL, and as a Python function that means the same."""

from __future__ import annotations

import math
import random
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from decimal import ROUND_HALF_UP, Decimal, localcontext
from typing import Any
from zoneinfo import ZoneInfo

from tests.differential.kinds import (
    BIGINT,
    BOOLEAN,
    DATE,
    DOUBLE,
    INT,
    NTZ,
    ORDERED,
    STAMP,
    STRING,
    STRUCT,
    SUM,
    Kind,
    decimal,
    freeze,
    rank,
)

Row = dict[str, Any]


@dataclass(frozen=True)
class Term:
    """A scalar: ``of`` takes a row. Columns of joined rows are called ``input.column``."""

    sql: str
    kind: Kind
    of: Callable[[Row], Any]

    def __repr__(self) -> str:
        return self.sql


@dataclass(frozen=True)
class Total:
    """An aggregate: ``of`` takes the rows of a group."""

    sql: str
    kind: Kind
    of: Callable[[Sequence[Row]], Any]

    def __repr__(self) -> str:
        return self.sql


def quoted(name: str) -> str:
    return "`" + name.replace("`", "``") + "`"


def column(name: str, kind: Kind, stream: str | None = None) -> Term:
    """A column of a stream, or of an input of a join."""
    sql = quoted(name) if stream is None else f"{stream}.{quoted(name)}"
    label = name if stream is None else f"{stream}.{name}"
    return Term(sql, kind, lambda row: row[label])


def text(value: str) -> str:
    return "'" + value.replace("\\", "\\\\").replace("'", "\\'") + "'"


# scalars -------------------------------------------------------------------------------------


def predicate(draw: random.Random, columns: Sequence[Term]) -> Term:
    """A condition on a row; null is no."""
    term = draw.choice([c for c in columns if c.kind.exact and c.kind is not STRUCT] or columns)
    makers = [_is_null, _is_not_null]
    if term.kind.exact and term.kind.is_number:
        makers += [_above, _above, _not_above]
    if term.kind is STRING:
        makers += [_is_text, _is_other_text]
    return draw.choice(makers)(term, draw)


def _is_null(term: Term, _: random.Random) -> Term:
    return Term(f"{term.sql} IS NULL", BOOLEAN, lambda row: term.of(row) is None)


def _is_not_null(term: Term, _: random.Random) -> Term:
    return Term(f"{term.sql} IS NOT NULL", BOOLEAN, lambda row: term.of(row) is not None)


def _above(term: Term, draw: random.Random) -> Term:
    limit = draw.randint(-20, 20)
    return Term(f"{term.sql} > {limit}", BOOLEAN, lambda row: _compared(term.of(row), limit))


def _not_above(term: Term, draw: random.Random) -> Term:
    limit = draw.randint(-20, 20)

    def of(row: Row) -> bool | None:
        above = _compared(term.of(row), limit)
        return None if above is None else not above

    return Term(f"NOT ({term.sql} > {limit})", BOOLEAN, of)


def _compared(value: Any, limit: int) -> bool | None:
    if value is None:
        return None
    return bool(isinstance(value, float) and math.isnan(value)) or bool(value > limit)


def _is_text(term: Term, draw: random.Random) -> Term:
    wanted = draw.choice(("a", "it's", "日本語", "", "back\\slash", "$first"))

    def of(row: Row) -> bool | None:
        return None if term.of(row) is None else term.of(row) == wanted

    return Term(f"{term.sql} = {text(wanted)}", BOOLEAN, of)


def _is_other_text(term: Term, draw: random.Random) -> Term:
    equal = _is_text(term, draw)

    def of(row: Row) -> bool | None:
        return None if equal.of(row) is None else not equal.of(row)

    return Term(equal.sql.replace(" = ", " <> ", 1), BOOLEAN, of)


def computed_key(draw: random.Random, columns: Sequence[Term]) -> Term:
    """A key that is computed: a condition, or a remainder."""
    whole = [c for c in columns if c.kind.is_whole]
    if whole and draw.random() < 0.7:
        term = draw.choice(whole)

        def of(row: Row) -> int | None:
            value = term.of(row)
            return None if value is None else remainder(value, 3)

        return Term(f"{term.sql} % 3", term.kind, of)
    return predicate(draw, columns)


def remainder(value: int, divisor: int) -> int:
    """What is left of a division towards zero, of any length: a float holds 53 bits only."""
    left = abs(value) % divisor
    return left if value >= 0 else -left


def time_part(draw: random.Random, columns: Sequence[Term], zone: str) -> Term | None:
    """The hour or the day of a time column, as a clock in ``zone`` shows it."""
    stamps = [c for c in columns if c.kind in (STAMP, NTZ)]
    if not stamps:
        return None
    term = draw.choice(stamps)
    place = ZoneInfo(zone)

    def local(row: Row) -> datetime | None:
        value: datetime | None = term.of(row)
        return value if value is None or value.tzinfo is None else value.astimezone(place)

    def hour(row: Row) -> int | None:
        at = local(row)
        return None if at is None else at.hour

    def day(row: Row) -> date | None:
        at = local(row)
        return None if at is None else at.date()

    if draw.random() < 0.5:
        return Term(f"hour({term.sql})", INT, hour)
    return Term(f"CAST({term.sql} AS DATE)", DATE, day)


# aggregates ----------------------------------------------------------------------------------


def totals(draw: random.Random, columns: Sequence[Term]) -> list[Total]:
    """Some aggregates over these columns; at least one counts."""
    found = [Total("count(*)", BIGINT, len)]
    for _ in range(draw.randint(0, 4)):
        term = draw.choice(columns)
        made = draw.choice(_makers(term.kind))(term)
        if draw.random() < 0.2 and made.sql.count("(") == 1 and made.sql.endswith(")"):
            made = _filtered(made, predicate(draw, columns))
        found.append(made)
    return found if draw.random() < 0.8 else found[1:] or found


def _makers(kind: Kind) -> list[Callable[[Term], Total]]:
    makers: list[Callable[[Term], Total]] = [_count]
    if kind in ORDERED or kind is SUM or kind.sql.startswith("decimal"):
        makers += [_least, _most]
    if kind.is_number:
        makers += [_sum, _sum, _mean] if _has_mean(kind) else [_sum]
    if kind in (DOUBLE, SUM, INT):
        makers += [_deviation]
    if kind is BOOLEAN:
        makers += [_every, _some, _count_if]
    if kind.is_whole:
        makers += [_spread, _bits, _quotient, _words, _overflow]
    return makers


def _filtered(total: Total, where: Term) -> Total:
    def of(rows: Sequence[Row]) -> Any:
        return total.of([row for row in rows if where.of(row)])

    return Total(f"{total.sql} FILTER (WHERE {where.sql})", total.kind, of)


def _values(term: Term, rows: Sequence[Row]) -> list[Any]:
    return [value for value in map(term.of, rows) if value is not None]


def _over(name: str, kind: Kind, fold: Callable[[list[Any]], Any]) -> Callable[[Term], Total]:
    """An aggregate that gives null where there is no value."""

    def make(term: Term) -> Total:
        def of(rows: Sequence[Row]) -> Any:
            values = _values(term, rows)
            return fold(values) if values else None

        return Total(f"{name}({term.sql})", kind, of)

    return make


def _count(term: Term) -> Total:
    return Total(f"count({term.sql})", BIGINT, lambda rows: len(_values(term, rows)))


def _count_if(term: Term) -> Total:
    return Total(f"count_if({term.sql})", BIGINT, lambda rows: sum(_values(term, rows)))


def _least(term: Term) -> Total:
    return _over("min", term.kind, lambda values: min(values, key=rank))(term)


def _most(term: Term) -> Total:
    return _over("max", term.kind, lambda values: max(values, key=rank))(term)


def _has_mean(kind: Kind) -> bool:
    """Longer decimals have no average; the query is refused."""
    return not kind.sql.startswith("decimal") or _scale(kind)[0] <= 20


def _scale(kind: Kind) -> tuple[int, int]:
    precision, scale = kind.sql.removeprefix("decimal(").rstrip(")").split(",")
    return int(precision), int(scale)


def _wrapped(value: int, kind: Kind = BIGINT) -> int:
    """A whole number as its type holds it."""
    half = 2**31 if kind is INT else 2**63
    return (value + half) % (2 * half) - half


def _sum(term: Term) -> Total:
    if term.kind.is_whole:
        return _over("sum", BIGINT, lambda values: _wrapped(sum(values)))(term)
    if term.kind.sql == "double":
        return _over("sum", SUM, _added)(term)
    precision, scale = _scale(term.kind)
    return _over("sum", decimal(min(38, precision + 10), scale), sum)(term)


def _added(values: list[float]) -> float:
    """A sum in any order: infinities of both signs, or a NaN, make it NaN."""
    finite = [value for value in values if math.isfinite(value)]
    rest = [value for value in values if not math.isfinite(value)]
    return sum(rest, math.fsum(finite)) if rest else math.fsum(finite)


def _mean(term: Term) -> Total:
    if not term.kind.sql.startswith("decimal"):
        return _over("avg", SUM, lambda values: _added([float(v) for v in values]) / len(values))(
            term
        )
    precision, scale = _scale(term.kind)
    kind = decimal(min(38, precision + 4), min(38, scale + 4))

    def fold(values: list[Decimal]) -> Decimal:
        with localcontext(prec=80):
            exact = sum(values, Decimal(0)) / len(values)
            return exact.quantize(Decimal(1).scaleb(-_scale(kind)[1]), ROUND_HALF_UP)

    return _over("avg", kind, fold)(term)


def _deviation(term: Term) -> Total:
    def fold(values: list[float]) -> float:
        if not all(map(math.isfinite, values)):
            return math.nan
        mean = math.fsum(values) / len(values)
        return math.sqrt(math.fsum((v - mean) ** 2 for v in values) / len(values))

    return _over("stddev_pop", SUM, fold)(term)


def _every(term: Term) -> Total:
    return _over("bool_and", BOOLEAN, all)(term)


def _some(term: Term) -> Total:
    return _over("bool_or", BOOLEAN, any)(term)


def _bits(term: Term) -> Total:
    def fold(values: list[int]) -> int:
        found = 0
        for value in values:
            found ^= value
        return found

    return _over("bit_xor", term.kind, fold)(term)


def _spread(term: Term) -> Total:
    """An expression over two aggregates."""

    def of(rows: Sequence[Row]) -> int | None:
        values = _values(term, rows)
        return _wrapped(max(values) - min(values), term.kind) if values else None

    return Total(f"max({term.sql}) - min({term.sql})", term.kind, of)


def _quotient(term: Term) -> Total:
    """Whole parts, towards zero; nothing for a group that counts no value."""

    def of(rows: Sequence[Row]) -> int | None:
        values = _values(term, rows)
        if not values:
            return None
        total = _wrapped(sum(values))
        whole = abs(total) // len(values)
        return _wrapped(whole if total >= 0 else -whole)

    return Total(f"sum({term.sql}) div count({term.sql})", BIGINT, of)


def _words(term: Term) -> Total:
    def of(rows: Sequence[Row]) -> str | None:
        values = _values(term, rows)
        return f"<{max(values)}>" if values else None

    return Total(f"concat('<', cast(max({term.sql}) as string), '>')", STRING, of)


def _overflow(term: Term) -> Total:
    """A product that wraps around."""

    def of(rows: Sequence[Row]) -> int | None:
        values = _values(term, rows)
        return _wrapped(max(values) * 4_611_686_018_427_387_905) if values else None

    return Total(f"max({term.sql}) * 4611686018427387905", BIGINT, of)


# joins ---------------------------------------------------------------------------------------


def matching(draw: random.Random, left: Sequence[Term], right: Sequence[Term]) -> Term | None:
    """A predicate between two inputs, if they have columns that can be compared."""
    pairs = [(a, b) for a in left for b in right if a.kind == b.kind]
    if not pairs:
        return None
    one, other = draw.choice(pairs)

    def equal(row: Row) -> bool | None:
        a, b = one.of(row), other.of(row)
        return None if a is None or b is None else bool(freeze(a) == freeze(b))

    def near(row: Row) -> bool | None:
        a, b = one.of(row), other.of(row)
        return None if a is None or b is None else abs(a - b) <= 2

    if one.kind.is_whole and draw.random() < 0.25:
        return Term(f"abs({one.sql} - {other.sql}) <= 2", BOOLEAN, near)
    return Term(f"{one.sql} = {other.sql}", BOOLEAN, equal)
