"""The running example of the source work, and chains of joins with some paths."""

from __future__ import annotations

from collections.abc import Iterable

from slackwater.precede.construction import Situation
from slackwater.precede.flows import RowClass
from slackwater.precede.frequency import Frequencies
from slackwater.precede.level import NO_RANK, DynamicLevel, StaticLevel
from slackwater.precede.pcql import Window, parse
from slackwater.precede.pipeline import Edge, Operator, Pipeline
from slackwater.precede.shared import Shared

TEXT = """
SELECT S.company_name, S.symbol, S.price
FROM   Stock S, News N, Blogs B
WHERE  contains(S.sector, N.sector)     -- join operator op1
AND    contains(S.sector, B.sector)     -- join operator op2
WINDOW 30 sec
RANK 1 CRITERIA (S.ownedByCompany = TRUE) AND (S.aggressive   = TRUE)   -- aggressive
RANK 2 CRITERIA (S.ownedByCompany = TRUE) AND (S.conservative = TRUE)   -- conservative
RANK 3 CRITERIA (S.underEvaluation = TRUE)
"""
QUERY = parse(TEXT)
ONE, TWO, THREE = QUERY.levels
OP1 = Operator("op1", ("S", "N"), keys=("S.sector", "N.sector"))
OP2 = Operator("op2", ("op1", "B"), keys=("S.sector", "B.sector"))
PIPELINE = Pipeline((OP1, OP2))
SHARED = Shared(PIPELINE)
# the classifiers of Figure 3
RC1, RC2, RC3, RC4 = Edge("op1", "N"), Edge("op1", "S"), Edge("op2", "op1"), Edge("op2", "B")
WINDOW = Window(micros=30_000_000)


def news(value: str, until: int = 1, rank: int = 1) -> DynamicLevel:
    return DynamicLevel("N", until, rank, "N.sector", value)


def chain(joins: int, paths: int) -> Pipeline:
    """Joins of stock with one stream after the other, on two attributes that take turns."""
    length = joins // paths
    operators = []
    for number in range(1, joins + 1):
        name = ("icb", "gics")[(number - 1) // length % 2]
        before = f"op{number - 1}" if number > 1 else "S"
        keys = (f"S.{name}", f"N{number}.{name}")
        operators.append(Operator(f"op{number}", (before, f"N{number}"), keys=keys))
    return Pipeline(tuple(operators))


def one_of_each(pipeline: Pipeline, designated: Iterable[int], level: StaticLevel) -> Frequencies:
    """One value everywhere: significant stock at some joins, partners in all streams."""
    shared = Shared(pipeline)
    names = [pipeline.operators[position - 1].name for position in designated]
    significant = {(name, level.stream, level.rank, "v"): 1.0 for name in names}
    arrived = {(n, s, "v"): 1.0 for n in names for s in shared.streams(n) if s != level.stream}
    return Frequencies(significant, arrived)


def classes(
    rates: Iterable[tuple[str, int, str, float]],
) -> tuple[RowClass, ...]:
    """Kinds of rows of the running example: stream, rank or 0, sector, rate."""
    return tuple(
        RowClass(stream, rank or NO_RANK, ((f"{stream}.sector", value),), rate)
        for stream, rank, value, rate in rates
    )


def counted(kinds: Iterable[RowClass], shared: Shared = SHARED) -> Frequencies:
    """What a monitor counts in a second, if nothing has yet thinned or multiplied rows."""
    significant: dict[tuple[str, str, int, object], float] = {}
    arrived: dict[tuple[str, str, object], float] = {}
    for kind in kinds:
        for join in shared.pipeline.joins:
            column = shared.column(kind.stream, join.name)
            if column is None:
                continue
            value = kind.value(column)
            arrived[join.name, kind.stream, value] = (
                arrived.get((join.name, kind.stream, value), 0.0) + kind.rate
            )
            if kind.rank != NO_RANK:
                key = (join.name, kind.stream, kind.rank, value)
                significant[key] = significant.get(key, 0.0) + kind.rate
    return Frequencies(significant, arrived)


def situation(kinds: tuple[RowClass, ...], capacity: float) -> Situation:
    return Situation(PIPELINE, QUERY.levels, WINDOW, kinds, counted(kinds), capacity)


DAY = classes(
    [
        ("S", 1, "Energy", 1.0),
        ("S", 1, "Drugs", 1.5),
        ("S", 2, "Drugs", 1.0),
        ("S", 2, "Steel", 1.0),
        ("S", 3, "Retail", 1.0),
        ("S", 0, "Energy", 5.0),
        ("S", 0, "Other", 10.0),
        *((s, 0, v, 2.0) for s in "NB" for v in ("Drugs", "Steel", "Retail", "Other")),
        ("N", 0, "Energy", 1.0),
    ]
)
