"""Look at some of the rows of a batch; what several saw is put together as if one had."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import chain

import pyarrow as pa

from slackwater.execute.delta import Delta
from slackwater.execute.duck import DuckReader
from slackwater.execute.hands import Asked, Seen
from slackwater.execute.raw import RawReader
from slackwater.plan.sql.statement import Statement
from slackwater.plan.sql.windows import Writer
from slackwater.plan.state import State
from slackwater.stats.panes import PaneCount
from slackwater.units import HOUR

ROWS = 1 << 20  # that are looked at together: many, and never all of a large file
FEWEST = 1024  # hash values by which distinct ones are counted; exact as long as there are fewer
HASHES = 2.0**64


@dataclass(frozen=True, slots=True)
class Looked:
    """What was seen of some rows, by base state, and by column the smallest hash values."""

    deltas: dict[str, Delta] = field(default_factory=dict)
    hashes: dict[str, dict[str, tuple[int, ...]]] = field(default_factory=dict)

    @property
    def rows(self) -> int:
        """How many rows were looked at for the state that had most."""
        return max((sum(c.rows for c in d.counts) for d in self.deltas.values()), default=0)

    def beating(self, beat: int) -> Looked:
        """The same with a heartbeat in it."""
        return replace(self, deltas={n: replace(d, beat=beat) for n, d in self.deltas.items()})


def gathered(batches: Iterable[pa.RecordBatch]) -> Iterator[list[pa.RecordBatch]]:
    """Batches, so many together that they are worth a look."""
    held: list[pa.RecordBatch] = []
    rows = 0
    for batch in batches:
        held.append(batch)
        rows += batch.num_rows
        if rows >= ROWS:
            yield held
            held, rows = [], 0
    if held:
        yield held


def look(
    raw: RawReader,
    duck: DuckReader,
    tables: Mapping[str, pa.Table],
    asked: Asked,
    *,
    worked: str | None = None,
    but: Collection[str] = (),
) -> Looked:
    """Look at some rows, by stream and with ``__ts``, for all base states ``but`` some.

    Those that wait are left out, but for the state that they are ``worked`` on for, and then it is
    the only one.
    """
    found = Looked()
    for name, state in raw.plan.base_states:
        if state.identity in but:
            continue
        here = state.identity == worked if worked else state.identity not in raw.waiting
        if name in tables and here:
            delta = raw.read(duck, tables[name], state, asked)
            columns = asked.wants.distinct.get(state.identity)
            if columns is not None and delta.table is not None:
                found.hashes[state.identity] = _hashes(duck, delta.table, columns)
            found.deltas[state.identity] = delta
    return found


def together(looked: Sequence[Looked], asked: Asked) -> Seen:
    """What several tasks saw, as if one had."""
    identities = dict.fromkeys(chain.from_iterable(one.deltas for one in looked))
    deltas = {
        identity: _joined([one.deltas[identity] for one in looked if identity in one.deltas], asked)
        for identity in identities
    }
    distinct = {
        identity: _distinct([one.hashes[identity] for one in looked if identity in one.hashes])
        for identity in asked.wants.distinct
        if identity in deltas
    }
    return Seen(deltas, distinct)


def _joined(parts: Sequence[Delta], asked: Asked) -> Delta:
    state = parts[0].state
    beats = [part.beat for part in parts if part.beat is not None]
    sums: dict[str, float] = {}
    for part in parts:
        for name, total in (part.sums or {}).items():
            sums[name] = sums.get(name, 0.0) + total
    tables = [part.table for part in parts if part.table is not None]
    return Delta(
        state,
        pa.concat_tables(tables) if tables else None,
        None,
        counted(state, chain.from_iterable(p.counts for p in parts), asked),
        max(beats, default=None),
        None if all(part.sums is None for part in parts) else sums,
        tuple(run for part in parts for run in part.brought),
    )


def counted(state: State, counts: Iterable[PaneCount], asked: Asked) -> tuple[PaneCount, ...]:
    """Rows by pane, hour or step, of several parts of a batch."""
    cuts = sorted(asked.wants.cuts.get(state.identity, ()))
    found: dict[tuple[object, ...], PaneCount] = {}
    for one in counts:
        key: tuple[object, ...] = (one.pane, one.passes)
        if not one.passes:
            key = (None, False, None if one.low is None else one.low // HOUR)
        elif one.pane is not None and state.kind == "input":
            key = (one.pane // state.pane, bisect_right(cuts, one.pane))
        found[key] = _both(found[key], one) if key in found else one
    return tuple(found.values())


def _both(a: PaneCount, b: PaneCount) -> PaneCount:
    panes, lows, highs = (
        [value for value in pair if value is not None]
        for pair in ((a.pane, b.pane), (a.low, b.low), (a.high, b.high))
    )
    return PaneCount(
        min(panes, default=None),
        a.passes,
        a.rows + b.rows,
        min(lows, default=None),
        max(highs, default=None),
    )


def _hashes(
    duck: DuckReader, table: pa.Table, columns: Iterable[str]
) -> dict[str, tuple[int, ...]]:
    found = {}
    for name in columns:
        column = Writer().name(name)
        text = (
            f"SELECT DISTINCT hash({column}) AS h FROM input WHERE {column} IS NOT NULL "
            f"ORDER BY h LIMIT {FEWEST}"
        )
        hashed = duck.ask(Statement(text, ("input",)), {"input": table.select([name])})
        found[name] = tuple(hashed["h"].to_pylist())
    return found


def _distinct(parts: Sequence[Mapping[str, tuple[int, ...]]]) -> dict[str, float]:
    """Distinct values by column, from the smallest hash values of all parts."""
    found = {}
    for name in dict.fromkeys(chain.from_iterable(parts)):
        least = sorted(set(chain.from_iterable(part.get(name, ()) for part in parts)))[:FEWEST]
        few = len(least) < FEWEST
        found[name] = float(len(least)) if few else (FEWEST - 1) * HASHES / least[-1]
    return found
