"""Stocks, news and blogs, and the queries over them (spec precedence 4.3 to 4.5).

The streams of the source work are not public. Here every stream has a row at equal distances, so
that a window of 1000 rows is one of 30 seconds at the default rate (G10).
"""

from __future__ import annotations

import csv
import random
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from heapq import merge
from pathlib import Path

from slackwater.errors import SlackwaterError
from slackwater.papers.precedence_works2015.operators.row import Source
from slackwater.papers.precedence_works2015.operators.system import Query
from slackwater.precede.level import potential_rank
from slackwater.precede.pcql import Window, parse
from slackwater.precede.pipeline import Operator, Pipeline
from slackwater.units import SECOND

TEXT = """
SELECT S.company_name, S.symbol, S.price
FROM   Stock S, News N, Blogs B
WHERE  contains(S.icb, N.icb) AND contains(S.icb, B.icb)
WINDOW 30 sec
RANK 1 CRITERIA (S.ownedByCompany = TRUE) AND (S.aggressive   = TRUE)
RANK 2 CRITERIA (S.ownedByCompany = TRUE) AND (S.conservative = TRUE)
RANK 3 CRITERIA (S.underEvaluation = TRUE)
"""
LEVELS = parse(TEXT).levels
FLAGS = ("ownedByCompany", "aggressive", "conservative", "underEvaluation")
STOCKS, PER_RANK, SUBSECTORS, SECTORS = 500, 23, 100, 10
WINDOW_ROWS = 1000
Values = Mapping[str, str | bool | float]
Arriving = tuple[int, str, Values]
RATE = 100 / 3  # rows a second of each stream


@dataclass(frozen=True, slots=True)
class Stock:
    """A company with its sub-sector (ICB) and sector (GICS), and its rank, or 0."""

    symbol: str
    icb: str
    gics: str
    rank: int

    @property
    def flags(self) -> dict[str, bool]:
        held = {1: {FLAGS[0], FLAGS[1]}, 2: {FLAGS[0], FLAGS[2]}, 3: {FLAGS[3]}}
        return {name: name in held.get(self.rank, ()) for name in FLAGS}


def stocks(seed: int) -> tuple[Stock, ...]:
    """500 companies, 23 of each rank, sub-sectors at random; each lies in one sector."""
    draw = random.Random(seed)
    ranks = [rank for rank in (1, 2, 3) for _ in range(PER_RANK)]
    ranks += [0] * (STOCKS - len(ranks))
    draw.shuffle(ranks)
    subsectors = [draw.randrange(SUBSECTORS) for _ in ranks]
    pairs = enumerate(zip(subsectors, ranks, strict=True))
    return tuple(Stock(f"C{n:03}", f"I{i:02}", f"G{i % SECTORS}", rank) for n, (i, rank) in pairs)


def read_stocks(path: Path) -> tuple[Stock, ...]:
    """Companies of a CSV file with the columns symbol, icb, gics and rank (empty or 0: none)."""
    with path.open(newline="", encoding="utf-8") as file:
        rows = csv.DictReader(file)
        lacking = {"symbol", "icb", "gics", "rank"} - {*(rows.fieldnames or ())}
        if lacking:
            text = f"{path.name} has no column {', '.join(sorted(lacking))}"
            raise SlackwaterError("STOCKS_INVALID", text, "columns: symbol, icb, gics, rank")
        return tuple(
            Stock(row["symbol"], row["icb"], row["gics"], int(row["rank"] or 0)) for row in rows
        )


def critical(companies: Iterable[Stock]) -> list[str]:
    """Sub-sectors of stocks with a rank."""
    return sorted({one.icb for one in companies if one.rank})


@dataclass(frozen=True, slots=True)
class Mix:
    """What the rows of news and blogs mention.

    ``promising`` is the share of the rows of each window that mention a sub-sector of a stock with
    a rank (``None``: all sub-sectors are alike), ``present`` the share of these sub-sectors that
    occur at all. Where all are alike, ``covered`` is how many of them a stream speaks of, each of
    sub-sectors of its own.
    """

    name: str
    promising: float | None = 0.15
    present: float = 1.0
    covered: int = SUBSECTORS


DS1, EVEN = Mix("DS1"), Mix("even", promising=None)
SHARES = tuple(Mix(f"DS{percent}", present=percent / 100) for percent in (25, 50, 75, 100))
MIXES = (DS1, *SHARES)


def mentions(mix: Mix, companies: Sequence[Stock], rows: int, seed: object) -> Iterator[str]:
    """Sub-sectors that a stream mentions, window by window."""
    draw, wanted = random.Random(repr(seed)), critical(companies)
    others = [f"I{n:02}" for n in range(SUBSECTORS) if f"I{n:02}" not in wanted]
    spoken: Sequence[int] = range(SUBSECTORS)
    if mix.covered < SUBSECTORS:
        spoken = random.Random(f"covered {seed!r}").sample(spoken, mix.covered)
    for start in range(0, rows, WINDOW_ROWS):
        size = min(WINDOW_ROWS, rows - start)
        if mix.promising is None:
            yield from (f"I{draw.choice(spoken):02}" for _ in range(size))
            continue
        picked = _present(mix, companies, wanted)
        count = round(size * mix.promising)
        window = [draw.choice(picked) for _ in range(count)]
        window += [draw.choice(others) for _ in range(size - count)]
        draw.shuffle(window)
        yield from window


def _present(mix: Mix, companies: Sequence[Stock], wanted: Sequence[str]) -> Sequence[str]:
    """The sub-sectors that occur: the same in news and blogs, since one day makes both."""
    if mix.present == 1.0:
        return wanted
    day = random.Random(f"{mix.name} {companies[0].symbol} {len(wanted)} {wanted[:3]}")
    return day.sample(wanted, round(mix.present * len(wanted)))


@dataclass(frozen=True, slots=True)
class Setup:
    """A query and its streams. ``columns`` is what each stream beside stock is joined by.

    Streams that mention sectors, of which there are few, have rows more rarely, so that a row
    meets as many of them (``sector_rate``).
    """

    columns: tuple[str, ...] = ("icb", "icb")
    names: tuple[str, ...] = ("N", "B")
    mix: Mix = DS1
    window: int = 30 * SECOND
    rate: float = RATE
    sector_rate: float = 1.0
    is_ranked: bool = True
    drift: int | None = None  # from this instant on other companies have ranks

    @property
    def query(self) -> Query:
        operators = []
        for number, (name, column) in enumerate(zip(self.names, self.columns, strict=True), 1):
            before = "S" if number == 1 else f"op{number - 1}"
            keys = (f"S.{column}", f"{name}.{column}")
            operators.append(Operator(f"op{number}", (before, name), keys=keys))
        levels = LEVELS if self.is_ranked else ()
        return Query(Pipeline(tuple(operators)), Window(micros=self.window), levels)

    def sources(self, until: int, seed: int) -> list[Source]:
        """All rows up to an instant in the order of their arrival."""
        companies = stocks(seed)
        later = stocks(seed + 1_000)
        quotes = self._quotes(companies, later, until, seed)
        others = [
            self._mentioning(n, companies, later, until, seed) for n in range(len(self.names))
        ]
        counts: dict[str, int] = {}
        found: list[Source] = []
        for ts, stream, values in merge(quotes, *others, key=lambda row: row[:2]):
            seq = counts[stream] = counts.get(stream, -1) + 1
            rank = potential_rank(values, LEVELS)
            found.append(Source(stream, ts, len(found), seq, rank, values))
        return found

    def _quotes(
        self, companies: Sequence[Stock], later: Sequence[Stock], until: int, seed: int
    ) -> Iterator[Arriving]:
        draw, prices = random.Random(f"quotes {seed}"), [100.0] * len(companies)
        for ts in _instants(self.rate, until):
            known = companies if self.drift is None or ts < self.drift else later
            at = draw.randrange(len(known))
            prices[at] *= 1 + draw.gauss(0, 0.001)
            yield ts, "S", _quote(known[at], prices[at])

    def _mentioning(
        self, at: int, companies: Sequence[Stock], later: Sequence[Stock], until: int, seed: int
    ) -> Iterator[Arriving]:
        name, column = self.names[at], self.columns[at]
        if column == "gics":
            draw = random.Random(f"{name} {seed}")
            for ts in _instants(self.sector_rate, until, at + 1):
                yield ts, name, {f"{name}.gics": f"G{draw.randrange(SECTORS)}"}
            return
        rows = [*_instants(self.rate, until, at + 1)]
        before = mentions(self.mix, companies, len(rows), (name, seed))
        after = mentions(self.mix, later, len(rows), (name, seed, "later"))
        for ts, one, other in zip(rows, before, after, strict=True):
            value = one if self.drift is None or ts < self.drift else other
            yield ts, name, {f"{name}.icb": value}


def _quote(one: Stock, price: float) -> Values:
    named: Values = {"symbol": one.symbol, "company_name": one.symbol, **one.flags}
    return {
        **{f"S.{name}": value for name, value in named.items()},
        "S.icb": one.icb,
        "S.gics": one.gics,
        "S.price": price,
    }


def _instants(rate: float, until: int, offset: int = 0) -> Iterator[int]:
    """Equal distances; streams take turns by a millisecond."""
    for number in range(int(until * rate / SECOND) + 1):
        ts = round(number * SECOND / rate) + offset * 1_000
        if ts < until:
            yield ts


STOCK_MARKET = Setup()


def chain(joins: int, paths: int = 1) -> Setup:
    """Stock joined with more and more streams, in runs on the same attribute (4.5).

    All sub-sectors are mentioned alike, sectors a tenth as often, and the window is two seconds, so
    that a row meets 4/3 others at each join. With the window of the other experiments a critical
    stock would have 6 partners in each stream, and 1.7 million results after eight joins.
    """
    length = joins // paths
    columns = tuple(("icb", "gics")[n // length % 2] for n in range(joins))
    names = tuple(f"{'NB'[n % 2]}{n // 2 + 1}" for n in range(joins))
    return replace(
        STOCK_MARKET,
        columns=columns,
        names=names,
        mix=EVEN,
        window=2 * SECOND,
        sector_rate=RATE / 10,
    )
