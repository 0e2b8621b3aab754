"""Joins with optional inputs, and DuckDB from scratch, give the same.

The oracle knows all rows and the batch in which each came. It finds the combinations of required
inputs, when each was settled, and which partners had come by then.
"""

from __future__ import annotations

import random
import tempfile
from collections import Counter
from dataclasses import dataclass, replace
from itertools import pairwise
from pathlib import Path
from typing import Any

import duckdb
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

import slackwater as sw
from slackwater.query.stream import Stream
from tests.driver import Driver, batch, readings
from tests.examples import examples
from tests.properties.test_engines_agree import PLACES
from tests.properties.test_joins_agree import (
    PLAIN,
    SECOND,
    Case,
    predicate,
    rows_of,
    stream_of,
    watermarks,
)

Row = tuple[Any, ...]
Cuts = list[dict[str, list[Any]]]


@dataclass(frozen=True)
class Outer:
    """A join of which some inputs are optional."""

    case: Case
    optional: frozenset[str]
    keep: int | None = None

    @property
    def required(self) -> list[str]:
        return [name for name in self.case.names if name not in self.optional]

    def stream(self, order: str = "adaptive") -> Stream:
        inputs = [
            readings(name=n).optional() if n in self.optional else readings(name=n)
            for n in self.case.names
        ]
        within = {name: f"{seconds} s" for name, seconds in self.case.windows.items()}
        joined = sw.join(
            *inputs,
            on=self.case.on,
            within=within,
            emit=self.case.emit,  # type: ignore[arg-type]
            order=order,
        )
        shown = [f"{n}.{c} AS {n}_{c}" for n in self.case.names for c in ("k", "v", "ts")]
        return joined.select(*shown)

    def found(self, cuts: Cuts, driver: Driver = PLAIN, order: str = "adaptive") -> Counter[Row]:
        """What the engine says in the end: what it took back is gone."""
        sink = sw.memory()
        terms: dict[str, Any] = {}
        if self.keep is not None:
            terms = {"late": "revise", "keep": f"{self.keep} s"}
        query = self.stream(order).query("q", sw.slack(self.case.slack), sink=sink, **terms)
        batches = [{n: batch(*rows) for n, rows in cut.items()} for cut in cuts]
        with tempfile.TemporaryDirectory() as folder:
            driver.run((query,), batches, Path(folder))
        results = sink.table()
        if results is None:
            return Counter()
        columns = [f"{n}_k, {n}_v, epoch_us({n}_ts)" for n in self.case.names]
        told: Counter[Row] = Counter()
        taken: Counter[Row] = Counter()
        for kind, *row in duckdb.sql(f"SELECT kind, {', '.join(columns)} FROM results").fetchall():
            (taken if kind == "withdrawn" else told)[tuple(row)] += 1
        assert taken <= told
        return told - taken

    def expected(self, cuts: Cuts) -> Counter[Row]:
        names, optional = self.case.names, [n for n in self.case.names if n in self.optional]
        marks = watermarks(self.case, cuts)
        with duckdb.connect() as duck:
            for name in names:
                duck.register(name, rows_of(cuts, name))
            marks_table = {"n": list(range(len(marks))), "mark": marks}
            duck.register("marks", pa.table(marks_table))
            duck.execute(f"CREATE TABLE r AS {self._combinations()}")
            for name in optional:
                duck.execute(f"CREATE TABLE p_{name} AS {self._partners(name)}")
            joins = " ".join(f"LEFT JOIN p_{n} USING (id)" for n in optional)
            columns = [f"{n}_k, {n}_v, {n}_t" for n in names]
            lacking = " OR ".join(f"{n}_n IS NULL" for n in optional)
            last = f"greatest(came, {', '.join(f'{n}_n' for n in optional)})"
            newest = f"greatest({', '.join(f'{n}_t' for n in names)})"
            mark = f"(SELECT mark FROM marks WHERE n = {last})"
            in_time = "true"
            if self.case.emit == "ordered" and self.keep is None:
                in_time = f"{newest} >= {mark}"
            rows = duck.execute(
                f"SELECT {', '.join(columns)} FROM r {joins} WHERE {lacking} OR {in_time}"
            ).fetchall()
        return Counter(rows)

    def _combinations(self) -> str:
        """Combinations of required rows that were answered at all, and when each was settled."""
        case, names = self.case, self.required
        near = [self._near(a, b) for a in names for b in names if a != b]
        on = [p for p in case.on if not any(f"{n}." in p for n in self.optional)]
        ends = ", ".join(f"epoch_us({n}.ts) + {case.windows[n] * SECOND}" for n in names)
        columns = ", ".join(f"{n}.k {n}_k, {n}.v {n}_v, epoch_us({n}.ts) {n}_t" for n in names)
        rows = (
            f"SELECT {columns}, row_number() OVER () AS id, least({ends}) AS settled, "
            f"greatest({', '.join(f'{n}.n' for n in names)}) AS came FROM {', '.join(names)} "
            f"WHERE {' AND '.join(['true', *near, *(f'({p})' for p in on)])}"
        )
        keep = (self.keep or 0) * SECOND
        return (
            f"SELECT r.* FROM ({rows}) AS r JOIN marks ON n = came WHERE settled >= mark - {keep}"
        )

    def _partners(self, name: str) -> str:
        """Rows of an optional input that came while their partner could be answered, or revised."""
        keep = (self.keep or 0) * SECOND
        on = [p for p in self.case.on if f"{name}." in p]
        for other in self.required:
            on = [
                p.replace(f"{other}.k", f"{other}_k").replace(f"{other}.v", f"{other}_v")
                for p in on
            ]
        near = [
            f"epoch_us(o.ts) - {r}_t <= {self.case.windows[r] * SECOND} "
            f"AND {r}_t - epoch_us(o.ts) <= {self.case.windows[name] * SECOND}"
            for r in self.required
        ]
        where = [*(f"({p.replace(f'{name}.', 'o.')})" for p in on), *near]
        return (
            f"SELECT id, o.k {name}_k, o.v {name}_v, epoch_us(o.ts) {name}_t, o.n {name}_n "
            f"FROM r, {name} AS o JOIN marks ON marks.n = o.n "
            f"WHERE {' AND '.join(where)} AND settled >= mark - {keep}"
        )

    def _near(self, one: str, other: str) -> str:
        window = self.case.windows[other] * SECOND
        return f"epoch_us({one}.ts) - epoch_us({other}.ts) <= {window}"


def random_outer(size: int, lacking: int, emit: str, slack: int, seed: int) -> Outer:
    draw = random.Random(seed)
    names = tuple("abcde"[:size])
    optional = frozenset(draw.sample(names, min(lacking, size - 1)))
    required = [name for name in names if name not in optional]
    kinds = (0, 0, 1, 2, 3)
    pairs = list(pairwise(required))
    pairs += [(draw.choice(required), name) for name in sorted(optional)]
    on = tuple(predicate(draw.choice(kinds), *pair) for pair in pairs)
    windows = {name: draw.randint(0, 5) for name in names}
    return Outer(Case(names, on, windows, slack, emit), optional)


CASES = st.tuples(
    st.integers(2, 4),
    st.integers(1, 2),
    st.sampled_from(["immediate", "ordered"]),
    st.integers(0, 4),
    st.integers(0, 10_000),
)


@pytest.mark.deep
@examples(8, 120)
@given(CASES, PLACES)
def test_rows_without_partner_are_answered_once_they_can_have_none(
    given_case: Any, driver: Driver
) -> None:
    outer = random_outer(*given_case)
    cuts = stream_of(given_case[-1], outer.case.names, 5, 5)
    assert outer.found(cuts, driver) == outer.expected(cuts)


@pytest.mark.deep
@examples(8, 100)
@given(CASES, st.integers(0, 6), PLACES)
def test_late_partners_take_back_what_was_said(given_case: Any, keep: int, driver: Driver) -> None:
    outer = replace(random_outer(*given_case), keep=keep)
    cuts = stream_of(given_case[-1], outer.case.names, 5, 5)
    assert outer.found(cuts, driver) == outer.expected(cuts)


@pytest.mark.parametrize("emit", ["immediate", "ordered"])
def test_a_left_join_is_that_of_sql_if_nothing_is_late(emit: str) -> None:
    on = ("a.k = b.k", "a.v <= b.v")
    outer = Outer(Case(("a", "b"), on, {"a": 4, "b": 2}, 1000, emit), frozenset("b"))
    cuts = stream_of(7, "ab", 8, 9)
    a, b = rows_of(cuts, "a"), rows_of(cuts, "b")
    assert a.num_rows
    assert b.num_rows
    wanted = duckdb.sql(
        "SELECT a.k, a.v, epoch_us(a.ts), b.k, b.v, epoch_us(b.ts) FROM a LEFT JOIN b "
        "ON a.k = b.k AND a.v <= b.v AND b.ts <= a.ts + INTERVAL 4 SECOND "
        "AND a.ts <= b.ts + INTERVAL 2 SECOND"
    ).fetchall()
    assert any(row[3] is None for row in wanted)
    assert any(row[3] is not None for row in wanted)
    assert outer.found(cuts) == Counter(wanted)
