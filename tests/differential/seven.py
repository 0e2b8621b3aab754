"""Seven queries over two disordered streams, and what DuckDB says of them from scratch."""

from __future__ import annotations

import random
from collections import Counter
from typing import Any

import duckdb
import pyarrow as pa

from tests.differential.case import (
    STRAY,
    TIME,
    Asked,
    Case,
    Feed,
    Input,
    Join,
    Level,
    Life,
    Prods,
    Replan,
)
from tests.differential.kinds import INT, STAMP, instant, micros
from tests.differential.place import Left
from tests.differential.terms import Row, Term, Total, column

SECOND = 1_000_000
BEGIN = 1_774_746_000 * SECOND
DAY = 86_400 * SECOND
BATCHES = 10
COLUMNS = {"ts": STAMP, "k": INT, "v": INT}


def _rows(draw: random.Random, number: int) -> list[Row]:
    found = []
    for _ in range(14):
        late = draw.choice((0, 0, 0, 0, draw.uniform(0, 6), draw.uniform(0, 16)))
        at = BEGIN + round((4 * number + draw.uniform(0, 4) - late) * SECOND)
        key, value = draw.choice((0, 1, 2, 3, None)), draw.choice((draw.randint(-9, 30), None))
        found.append({"ts": instant(at), "k": key, "v": value, TIME: at, STRAY: False})
    if number % 3 == 1:
        far = BEGIN + 40 * DAY
        found.append({"ts": None, "k": 1, "v": 5, TIME: None, STRAY: False})
        found.append({"ts": instant(far), "k": 2, "v": 6, TIME: far, STRAY: True})
    return found


def seven(*, replans: bool = True) -> Case:
    """Tumbling with estimates and late rows set aside; revised; sliding; two levels, revised and
    estimated; joins of three, set aside and revised; an ordered join of three with an aggregate.

    With ``replans`` the joins change their trees in every batch, moved or with both side by side;
    demands that come while two trees run are refused.
    """
    draw = random.Random("seven")
    feeds = tuple(Feed(name, "ts", COLUMNS, DAY) for name in ("r", "s"))
    batches = [{feed.name: _rows(draw, n) for feed in feeds} for n in range(BATCHES)]
    return Case(
        seed="seven",
        feeds=feeds,
        queries=tuple(_queries()),
        batches=tuple(batches),
        lives=(Life(BATCHES, "auto"),),
        public=True,
        flush=True,
        replans=_replans() if replans else {},
    )


def _replans() -> dict[int, tuple[Replan, ...]]:
    """All three joins at once: one moves, one grows another beside, one does both in turn."""
    trees = ("((x y) z)", "(x (y z))", "((x z) y)", "(x y z)")
    hows = {"aside": ("moving",), "late": ("parallel",), "ordered": ("parallel", "moving")}
    return {
        n: tuple(
            Replan(name, trees[(n + place) % len(trees)], ways[n % len(ways)])
            for place, (name, ways) in enumerate(hows.items())
        )
        for n in range(1, BATCHES)
    }


def _queries() -> list[Asked]:
    k, v = column("k", INT), column("v", INT)
    n = Total("count(*)", INT, len)
    some = (("n", n), ("s", _sum(v)))
    keys = (("k", k),)
    tumbling = Level(4 * SECOND, 4 * SECOND, 0, keys, some)
    sliding = Level(5 * SECOND, 2 * SECOND, SECOND, keys, some)
    outer = Level(
        12 * SECOND, 12 * SECOND, 0, (), (("windows", n), ("rows", _sum(column("n", INT))))
    )
    one = (Input("r", "r"),)
    often = (Prods(every=4 * SECOND),)
    hour = 3600 * SECOND
    return [
        Asked("tumbling", one, None, (tumbling,), 3 * SECOND, "side", 0, often),
        Asked("revised", one, None, (tumbling,), SECOND, "revise", hour),
        Asked("sliding", one, None, (sliding,), 2 * SECOND, "drop", 0),
        Asked("levels", one, None, (tumbling, outer), SECOND, "revise", hour, often),
        _three("aside", "side", 0),
        _three("late", "revise", hour),
        _ordered(),
    ]


def _sum(term: Term) -> Total:
    def of(rows: Any) -> int | None:
        values = [term.of(row) for row in rows if term.of(row) is not None]
        return sum(values) if values else None

    return Total(f"sum({term.sql})", INT, of)


def _equal(one: str, other: str) -> tuple[frozenset[str], Term]:
    a, b = column("k", INT, one), column("k", INT, other)

    def of(row: Row) -> bool:
        return a.of(row) is not None and a.of(row) == b.of(row)

    return frozenset({one, other}), Term(f"{a.sql} = {b.sql}", INT, of)


WITHIN = {"x": 3 * SECOND, "y": 2 * SECOND, "z": 2 * SECOND}


def _three(name: str, late: str, keep: int) -> Asked:
    inputs = (Input("r", "x"), Input("s", "y"), Input("s", "z", _positive()))
    values = tuple((f"{i}v", column("v", INT, i)) for i in "xyz")
    on = (_equal("x", "y"), _equal("y", "z"))
    join = Join(on, WITHIN, "immediate", "((x y) z)", values)
    return Asked(name, inputs, join, (), SECOND, late, keep)


def _positive() -> Term:
    return Term("`v` > 10", INT, lambda row: row["v"] is not None and row["v"] > 10)


def _ordered() -> Asked:
    inputs = (Input("r", "x"), Input("s", "y"), Input("s", "z", _positive()))
    on = (_equal("x", "y"), _equal("y", "z"))
    join = Join(on, WITHIN, "ordered", "adaptive")
    keys = (("k", column("k", INT, "x")),)
    values = (("n", Total("count(*)", INT, len)), ("s", _sum(column("v", INT, "y"))))
    level = Level(4 * SECOND, 4 * SECOND, 0, keys, values)
    return Asked("ordered", inputs, join, (level,), SECOND, "drop", 0)


# from scratch --------------------------------------------------------------------------------

WINDOWS = (
    "(SELECT r.*, w AS start FROM r, range({low}, {high}, {slide}) AS o(w) "
    "WHERE t >= w AND t < w + {size})"
)


def last_words(case: Case, left: Left) -> dict[str, Counter[Any]]:
    """By query: the newest version of every answer, or every result of a join."""
    found: dict[str, Counter[Any]] = {}
    for asked in case.queries:
        rows = [
            row
            for number in range(len(case.batches) + 1)
            for row in left.results.get((number, asked.name), ())
            if row["kind"] != "estimate"
        ]
        if not asked.levels:
            names = [name for name, _ in asked.join.values] if asked.join else []
            found[asked.name] = Counter(tuple(row[name] for name in names) for row in rows)
            continue
        level = asked.levels[-1]
        newest = {
            (micros(row["window_start"]), *(row[name] for name, _ in level.keys)): tuple(
                row[name] for name, _ in level.values
            )
            for row in sorted(rows, key=lambda row: row["revision"])
        }
        found[asked.name] = Counter((*key, *values) for key, values in newest.items())
    return found


def from_scratch(case: Case) -> dict[str, Counter[Any]]:
    """The same by DuckDB, from all rows and the watermark before each batch."""
    with duckdb.connect() as duck:
        for feed in case.feeds:
            duck.register(f"{feed.name}_all", _table(case, feed.name))
            duck.execute(
                f"CREATE VIEW {feed.name} AS SELECT * FROM {feed.name}_all "
                f"WHERE t IS NOT NULL AND t < {BEGIN + DAY}"
            )
        clocks = " UNION ALL ".join(
            f"SELECT b, '{name}' AS feed, (SELECT max(t) FROM {name} WHERE batch < b) AS c "
            f"FROM range({BATCHES + 1}) AS o(b)"
            for name in ("r", "s")
        )
        duck.execute(f"CREATE TABLE one AS SELECT b, c FROM ({clocks}) WHERE feed = 'r'")
        duck.execute(
            f"CREATE TABLE two AS SELECT b, CASE WHEN count(c) = 2 THEN min(c) END AS c "
            f"FROM ({clocks}) GROUP BY b"
        )
        return {name: Counter(duck.execute(text).fetchall()) for name, text in _texts().items()}


def _table(case: Case, feed: str) -> pa.Table:
    rows = [(n, row) for n, batch in enumerate(case.batches) for row in batch[feed]]
    return pa.table(
        {
            "batch": pa.array([n for n, _ in rows], pa.int64()),
            "t": pa.array([row[TIME] for _, row in rows], pa.int64()),
            "k": pa.array([row["k"] for _, row in rows], pa.int64()),
            "v": pa.array([row["v"] for _, row in rows], pa.int64()),
        }
    )


def _texts() -> dict[str, str]:
    def windows(size: int, slide: int, start: int = 0) -> str:
        low = BEGIN - 40 * SECOND
        low += (start - low) % slide
        return WINDOWS.format(low=low, high=BEGIN + 80 * SECOND, slide=slide, size=size)

    def in_time(size: int, slack: int) -> str:
        return f"coalesce(start + {size} > (SELECT c - {slack} FROM one WHERE b = batch), true)"

    tumbling = windows(4 * SECOND, 4 * SECOND)
    total = "SELECT start, k, count(*), sum(v)::BIGINT"
    inner = f"SELECT start, k, count(*) AS n FROM {tumbling} GROUP BY ALL"
    outer = f"start - start % {12 * SECOND}"
    near = " AND ".join(f"{a}.t - {b}.t <= {WITHIN[b]}" for a in "xyz" for b in "xyz" if a != b)
    newest_batch = "greatest(x.batch, y.batch, z.batch)"
    after = f"coalesce((SELECT c FROM two WHERE b = {newest_batch}) - 1000000, 0)"
    alive = " AND ".join(f"{n}.t >= {after} - {WITHIN[n]}" for n in "xyz")
    meets = f"FROM r x, s y, s z WHERE x.k = y.k AND y.k = z.k AND z.v > 10 AND {near}"
    three = f"SELECT x.v, y.v, z.v {meets}"
    newest = "greatest(x.t, y.t, z.t)"
    return {
        "tumbling": f"{total} FROM {tumbling} WHERE {in_time(4 * SECOND, 3 * SECOND)} GROUP BY ALL",
        "revised": f"{total} FROM {tumbling} GROUP BY ALL",
        "sliding": f"{total} FROM {windows(5 * SECOND, 2 * SECOND, SECOND)} "
        f"WHERE {in_time(5 * SECOND, 2 * SECOND)} GROUP BY ALL",
        "levels": f"SELECT {outer}, count(*), sum(n)::BIGINT FROM ({inner}) GROUP BY 1",
        "aside": f"{three} AND {alive}",
        "late": three,
        "ordered": f"SELECT {newest} - {newest} % {4 * SECOND} AS start, x.k, count(*), "
        f"sum(y.v)::BIGINT {meets} AND {newest} >= {after} GROUP BY ALL",
    }
