"""Python functions over some rows of a stream: what they make becomes columns of the rows.

Whoever reads rows does this before anything else sees them: a task on an executor, or a test. Of
filters that commute a few rows meet all, so that it is known which drop what; the others meet them
in one of the orders that are ready, and each only what those before it let through.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any

import duckdb
import numpy as np
import numpy.typing as npt
import pyarrow as pa

from slackwater.arrow_types import arrow_type
from slackwater.control.orders import FilterOrder
from slackwater.errors import SlackwaterError
from slackwater.execute.call_results import WAY_OUT, Bools, bools, column, is_several, several
from slackwater.execute.duck import connected
from slackwater.execute.own_time import own_time
from slackwater.plan.calls import Call, Link
from slackwater.plan.sql.windows import Writer
from slackwater.query.names import bare_name
from slackwater.robust.filters import Patterns, work
from slackwater.runs.kept import Kept
from slackwater.stats.calls import CallSeen, LinkSeen, counted

CHUNK = 10_000  # rows that a function is given at once, at most
MARKED = 128  # of them that all filters see
SIXTEENTH = 16  # and no more than this part of few
FEWEST = 16  # say nothing if there are fewer
BETTER = 0.9  # of the cost: only then another order than the one that was decided
OTHER = 4.0  # times what a filter cost: then it costs what it takes now
SURE = 2e-4  # seconds: what takes less may be anything
_ducks: dict[str, duckdb.DuckDBPyConnection] = {}
Places = npt.NDArray[np.int64]


@dataclass(slots=True)
class Caller:
    """Runs the functions of a batch over rows as they come.

    ``functions`` are found by the keys of links, ``orders`` by link. What was seen so far of a link
    tells which order the rows that follow meet.
    """

    links: tuple[Link, ...]
    functions: Mapping[str, Callable[..., Any]]
    zone: str
    orders: Mapping[str, FilterOrder] = field(default_factory=dict)
    kept: Kept | None = None
    seen: dict[str, LinkSeen] = field(default_factory=dict)

    def add(self, table: pa.Table) -> pa.Table:
        """The rows with the columns of all links."""
        for link in self.links:
            table = self._linked(link, table)
        return table

    def _linked(self, link: Link, table: pa.Table) -> pa.Table:
        guard, inputs = self._inputs(link, table)
        places = np.flatnonzero(guard)
        if places.size < table.num_rows:
            inputs = inputs.take(pa.array(places))
        parts = [inputs.slice(at, CHUNK) for at in range(0, inputs.num_rows, CHUNK)]
        if link.is_filter:
            passed = np.zeros(table.num_rows, dtype=bool)
            found = [self._filtered(link, part) for part in parts]
            passed[places] = np.concatenate(found) if found else []
            return table.append_column(link.outputs[0].name, pa.array(passed))
        computed = [self._computed(link, part) for part in parts]
        known = np.full(table.num_rows, -1, dtype=np.int64)
        known[places] = np.arange(places.size)
        spread = pa.array(known, mask=known < 0)
        for output in link.outputs:
            kind = arrow_type(output.type)
            chunks = [part.column(output.name).combine_chunks() for part in computed]
            values = pa.chunked_array(chunks, kind).combine_chunks()
            table = table.append_column(output.name, values.take(spread))
        return table

    def _inputs(self, link: Link, table: pa.Table) -> tuple[Bools, pa.Table]:
        """Which rows come to a link, and for all rows what its functions read, as `i0`, `i1` ..."""
        texts = _texts(link)
        names = [bare_name(text) for text in texts]
        if link.guard is None and all(name in table.column_names for name in names):
            found = table.select(names)
            guard = np.ones(table.num_rows, dtype=bool)
        else:
            found = self._asked(link, texts, table)
            guard = found["p"].to_numpy().astype(bool)
            found = found.drop_columns(["p"])
        columns = zip(found.columns, _types(link), strict=True)
        arrays = [_whole(one, arrow_type(kind)) for one, kind in columns]
        return guard, pa.table(arrays, [f"i{n}" for n in range(len(arrays))])

    def _asked(self, link: Link, texts: Sequence[str], table: pa.Table) -> pa.Table:
        """Guard and inputs by SQL."""
        writer, exprs = Writer(), _expressions(link)
        guard = "true" if link.guard is None else writer.render(link.guard, link.schema)
        read = [
            f"{writer.render(exprs[text], link.schema)} AS i{n}" for n, text in enumerate(texts)
        ]
        if self.zone not in _ducks:
            _ducks[self.zone] = connected(self.zone, sketches=False)
            _ducks[self.zone].execute("SET threads = 1")  # Spark has a task for each core
        listed = ", ".join([f"coalesce({guard}, false) AS p", *read])
        with _ducks[
            self.zone
        ].cursor() as duck:  # loops of one process may have threads of their own
            known = [name for name in table.column_names if name in link.columns]
            duck.register("input", table.select(known))
            return duck.sql(f"SELECT {listed} FROM input").to_arrow_table()

    # filters -----------------------------------------------------------------------------------

    def _filtered(self, link: Link, part: pa.Table) -> Bools:
        """Which of some rows pass."""
        if link.effects:
            return bools(self._once(link, part)[link.outputs[0].name])
        order = self.orders.get(link.identity, FilterOrder((link.written,)))
        rows = part.num_rows
        is_first = not self.seen.get(link.identity, LinkSeen()).patterns
        marked = _marked(link, order, rows, is_first=is_first)
        passed = np.zeros(rows, dtype=bool)
        tally = _Tally(len(link.calls))
        if marked.size:
            said = [self._verdict(link, n, part, marked) for n in range(len(link.calls))]
            tally.mark(said)
            passed[marked] = np.logical_and.reduce([verdict for verdict, _ in said])
        self._tell(link, LinkSeen(marked=tally.marked, patterns=tally.patterns))
        plan = _chosen(order, self.seen[link.identity])
        left = np.setdiff1d(np.arange(rows), marked, assume_unique=True)
        met = left.size
        for number in order.plans[plan]:
            if left.size:
                verdict, seconds = self._verdict(link, number, part, left)
                tally.count(number, verdict, seconds)
                left = left[verdict]
        passed[left] = True
        orders = ((plan, met),) if link.is_open else ()
        self._tell(link, LinkSeen(rows, int(passed.sum()), tally.calls, orders=orders))
        return passed

    def _verdict(
        self, link: Link, number: int, part: pa.Table, places: Places
    ) -> tuple[Bools, float]:
        """What one filter says of some rows, and how long it took."""
        call = link.calls[number]
        arguments = part.select(_read_by(link, call))
        if places.size < part.num_rows:
            arguments = arguments.take(pa.array(places))
        given, seconds = self._called(link, call, arguments)
        found = column(given, pa.bool_(), places.size, f"{_subject(link, call)}")
        return bools(found), seconds

    # columns -----------------------------------------------------------------------------------

    def _computed(self, link: Link, part: pa.Table) -> pa.Table:
        """The columns that a function computes of some rows."""
        if link.effects:
            return self._once(link, part)
        found, seconds = self._results(link, part)
        rows = part.num_rows
        self._tell(link, LinkSeen(rows, rows, (CallSeen(rows, rows, seconds, 1),)))
        return found

    def _once(self, link: Link, part: pa.Table) -> pa.Table:
        """What a function with effects gives; not called if that is known from before a restart."""
        rows = part.num_rows
        place = None if self.kept is None else self.kept.place(link.identity, part)
        known = None if place is None else Kept.read(place)
        if known is not None:
            self._tell(link, LinkSeen(rows, _passed(link, known), kept=rows))
            return known
        found, seconds = self._results(link, part)
        if place is not None:
            Kept.write(place, found)
        passed = _passed(link, found)
        self._tell(link, LinkSeen(rows, passed, (CallSeen(rows, passed, seconds, 1),)))
        return found

    def _results(self, link: Link, part: pa.Table) -> tuple[pa.Table, float]:
        [call] = link.calls
        given, seconds = self._called(link, call, part.select(_read_by(link, call)))
        subject, rows = _subject(link, call), part.num_rows
        if link.is_filter or (len(link.returns) == 1 and not is_several(given)):
            columns = [given]
        else:
            columns = several(given, link, subject)
        kinds = [arrow_type(output.type) for output in link.outputs]
        arrays = [
            column(one, kind, rows, subject) for one, kind in zip(columns, kinds, strict=True)
        ]
        return pa.table(arrays, [output.name for output in link.outputs]), seconds

    def _called(self, link: Link, call: Call, arguments: pa.Table) -> tuple[Any, float]:
        """What a function gives, and how long it took."""
        function = self.functions[link.key(call)]
        arrays = [one.combine_chunks() for one in arguments.columns]
        names = [name for name, _ in call.inputs]
        began = own_time()
        try:
            if call.is_batch:
                given = function(pa.record_batch(arrays, names))
            else:
                given = function(**dict(zip(names, arrays, strict=True)))
        except Exception as error:  # whatever a person's code raises
            text = f"{_subject(link, call)} failed on {arguments.num_rows} rows"
            reason = f"{type(error).__name__}: {error}".rstrip(": ")
            raise SlackwaterError("FUNCTION_FAILED", f"{text}: {reason}", WAY_OUT) from error
        return given, own_time() - began

    def _tell(self, link: Link, seen: LinkSeen) -> None:
        known = self.seen.get(link.identity)
        self.seen[link.identity] = seen if known is None else known + seen


@dataclass(slots=True)
class _Tally:
    """What the filters of a link did with some rows."""

    filters: int
    calls: tuple[CallSeen, ...] = ()
    marked: tuple[CallSeen, ...] = ()
    patterns: Patterns = ()

    def __post_init__(self) -> None:
        self.calls = (CallSeen(),) * self.filters

    def mark(self, said: Sequence[tuple[Bools, float]]) -> None:
        self.marked = tuple(CallSeen(v.size, int(v.sum()), seconds, 1) for v, seconds in said)
        masks = sum(v.astype(np.int64) << n for n, (v, _) in enumerate(said))
        keys, rows = np.unique(masks, return_counts=True)
        self.patterns = counted(tuple(zip(keys.tolist(), rows.tolist(), strict=True)))

    def count(self, number: int, verdict: Bools, seconds: float) -> None:
        found = self.calls[number] + CallSeen(verdict.size, int(verdict.sum()), seconds, 1)
        self.calls = (*self.calls[:number], found, *self.calls[number + 1 :])


def _marked(link: Link, order: FilterOrder, rows: int, *, is_first: bool) -> Places:
    """Rows that all filters see, all over those that came; fewer once some were seen."""
    count = min(MARKED, rows // SIXTEENTH)
    count = count if count >= FEWEST else 0
    if not is_first:
        count //= 4
    elif order.is_marked:
        count = max(count, min(MARKED // 2, rows))
    if not link.is_open or not count:
        return np.empty(0, dtype=np.int64)
    return np.unique(np.linspace(0, rows - 1, count).astype(np.int64))


def _chosen(order: FilterOrder, seen: LinkSeen) -> int:
    """The order for rows that follow those of which something was seen."""
    rows = sum(count for _, count in seen.patterns)
    if not order.chooses or len(order.plans) < 2 or rows < FEWEST:
        return order.plan
    costs = _costs(order, seen)
    prices = [work(plan, costs, seen.patterns) for plan in order.plans]
    least = min(range(len(prices)), key=lambda n: (prices[n], n))
    return least if prices[least] < BETTER * prices[order.plan] else order.plan


def _costs(order: FilterOrder, seen: LinkSeen) -> list[float]:
    """What filters cost for a row: as before, unless calls take quite another time now."""
    if len(order.costs) < len(seen.marked):
        return [one.seconds / one.rows for one in seen.marked]
    known = zip(order.costs, order.calls, seen.marked, strict=True)
    return [_cost(row, call, one) for row, call, one in known]


def _cost(row: float, call: float, seen: CallSeen) -> float:
    """Whatever disturbs a clock makes a few rows dearer, and never cheaper."""
    expected = row * seen.rows + call * seen.times
    is_dearer = seen.seconds > max(SURE, OTHER * expected)
    is_other = is_dearer or seen.seconds < expected / OTHER
    return row * seen.seconds / expected if is_other else row


def _texts(link: Link) -> list[str]:
    """What the functions of a link read, each once."""
    return list(_expressions(link))


def _expressions(link: Link) -> dict[str, Any]:
    return {value.sql: value for call in link.calls for _, value in call.inputs}


def _types(link: Link) -> list[str]:
    """The types of what is read, in the order of :func:`_texts`."""
    pairs = (pair for call in link.calls for pair in zip(call.inputs, call.types, strict=True))
    return list({value.sql: kind for (_, value), kind in pairs}.values())


def _read_by(link: Link, call: Call) -> list[str]:
    texts = _texts(link)
    return [f"i{texts.index(value.sql)}" for _, value in call.inputs]


def _subject(link: Link, call: Call) -> str:
    return f"stream {link.stream!r}: function {call.name}"


def _passed(link: Link, results: pa.Table) -> int:
    if not link.is_filter:
        return int(results.num_rows)
    return int(bools(results[link.outputs[0].name]).sum())


def _whole(values: pa.ChunkedArray, kind: pa.DataType) -> pa.Array:
    found = values.combine_chunks()
    return found if found.type == kind else found.cast(kind)
