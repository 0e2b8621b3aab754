"""DuckDB in a task, over the rows of some groups."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import duckdb
import pyarrow as pa

from slackwater.execute.batch import Layout
from slackwater.execute.duck import DuckEngine, timed, usable
from slackwater.execute.slices import Numbers, arranged, mapped, numbers, taken, written
from slackwater.execute.spread.copies import Copies
from slackwater.execute.spread.portion import Portion, among
from slackwater.plan.spread import Leg
from slackwater.plan.stage import QueryPlan
from slackwater.plan.state import State
from slackwater.runs.run import Run

SOUND = 100_000  # files that a process remembers to have checked
_sound: set[tuple[str, str]] = set()


@dataclass(frozen=True, slots=True)
class Above:
    """The first level of a leg, for what is handed on to it: its state, the columns that it keeps,
    and whether results of a join come in.
    """

    state: State
    panes: pa.Schema
    is_joined: bool

    @classmethod
    def of(cls, layout: Layout, query: QueryPlan, leg: Leg) -> Above:
        state = query.stages[leg.first - 1].state
        return cls(state, layout.shapes[query.name, leg.first].panes, leg.first == 1)


class GroupEngine(DuckEngine):
    """Runs statements over what a task has; writes Arrow files whose rows lie by group.

    ``columns`` say by state which group a row is of; ``token`` tells this pipeline from all others,
    ``mark`` files of this task, and of this try of it.
    """

    def __init__(
        self,
        folder: Path,
        duck: duckdb.DuckDBPyConnection,
        portion: Portion,
        columns: Mapping[str, tuple[str, ...]],
        *,
        token: str,
        mark: str,
    ) -> None:
        super().__init__(folder, duck=duck)
        self._portion = portion
        self._columns = columns
        self._token = token
        self._copies = Copies.of(folder, token)
        self._mark = mark

    def save(self, relation: pa.Table, run: Run, time: str) -> Run | None:
        if relation.num_rows == 0:
            return None
        return self._kept(relation, timed(run, relation, time))

    def _kept(self, relation: pa.Table, run: Run) -> Run:
        """Write the rows that this task keeps; others are only read here."""
        groups = self._numbers(relation, run.state)
        kept = among(groups, self._portion.kept(run.state))
        if kept.all():
            return self._arranged(relation, run, groups)
        assert among(groups, self._portion.read(run.state)).all(), run.state
        mine = relation.filter(pa.array(kept))
        if mine.num_rows:
            saved = self._arranged(mine, run, groups[kept])
        else:
            saved = replace(self._named(run), rows=relation.num_rows, slices=())
        self._tables[saved.path] = relation
        return saved

    def _arranged(self, relation: pa.Table, run: Run, groups: Numbers) -> Run:
        table, slices = arranged(relation, groups)
        saved = self._saved(table, self._named(run), memoryview(written(table)))
        return replace(saved, slices=slices)

    def _named(self, run: Run) -> Run:
        return replace(run, name=f"{run.name.removesuffix('.parquet')}-{self._mark}.arrow")

    def brought(self, run: Run) -> pa.Table:
        """New rows of the groups, in all their columns."""
        return taken(mapped(self._file(run)), run.slices or ())

    def handed(
        self, rows: pa.Table | None, above: Above, names: Sequence[str], run: Run
    ) -> tuple[Run, ...]:
        """Rows that go on to another leg, by the groups of some keys they will have there, as a
        file; nothing if there are none.
        """
        if rows is None or not rows.num_rows:
            return ()
        keys = rows.select([])
        if names:  # in the types that state has: a hash is one of a type
            schema = pa.schema([above.panes.field(name) for name in names])
            statement = self.writer.keys(above.state, names, joined=above.is_joined)
            keys = self.run(statement, schema, {}, {"input": rows})
        return (self._arranged(rows, run, numbers(self._duck, keys, names)),)

    def taken_in(self, run: Run) -> Run | None:
        """What the groups have of a run that does not lie by group, as one that does."""
        self._check(run)
        table = usable(run, self._file(run))
        mask = self._portion.mask(self._numbers(table, run.state), run.state)
        mine = table.filter(pa.array(mask))
        return self._kept(mine, replace(run, upper=None)) if mine.num_rows else None

    def _check(self, run: Run) -> None:
        """Once in a process and pipeline: tasks of every batch open the same files."""
        known = (self._token, run.path)
        if known not in _sound:
            self._copies.wait_for(run.path, run.file_bytes)
            super()._check(run)
            if len(_sound) >= SOUND:
                _sound.clear()
            _sound.add(known)

    def _file(self, run: Run) -> Path:
        whole = run.slices is None  # perhaps a folder, and read this once
        return self.folder / run.path if whole else self._copies.path(run.path, run.file_bytes)

    def _numbers(self, table: pa.Table, state: str) -> Numbers:
        return numbers(self._duck, table, self._columns[state])

    def close(self) -> None:
        """Tables go; the connection is for the next task."""
        self._disk.shutdown(cancel_futures=True)
        self._tables.clear()
