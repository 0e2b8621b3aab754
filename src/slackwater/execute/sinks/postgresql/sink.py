"""A table of PostgreSQL: rows wait beside it until their batch is done, then move in at once."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field

import pyarrow as pa
from psycopg import Rollback
from psycopg.sql import SQL

from slackwater.errors import SinkError
from slackwater.execute.sinks.mode import Mode, check_keys, check_mode
from slackwater.execute.sinks.plain import plain, plain_schema
from slackwater.execute.sinks.postgresql import statements as say
from slackwater.execute.sinks.postgresql.columns import BATCH, columns_of, spelt
from slackwater.execute.sinks.postgresql.door import Door, Statements
from slackwater.execute.sinks.sink import Results, Target
from slackwater.runs.checkpoint import Owner
from slackwater.secrets import Secret
from slackwater.units import SECOND, DurationLike, duration

_NULLS = 150_000  # the server version from which on an index can hold nulls to be equal
_NOBODY = Owner("", "", "")


@dataclass(slots=True)
class PostgresSink:
    """Writes answers into ``table``; see :func:`slackwater.postgres`.

    ``prepare`` copies the rows of a batch into ``TABLE__waiting``. ``commit`` moves them, in one
    transaction with the id of the batch, which stands in ``slackwater_outputs``.
    """

    table: str
    server: str | Secret
    password: Secret | None = None
    mode: Mode = "append"
    patience: DurationLike = "1 minute"
    _names: say.Names = field(init=False, repr=False)
    _door: Door = field(init=False, repr=False)
    _target: Target = field(init=False, repr=False, default=Target(""))
    _epoch: int = field(init=False, repr=False, default=0)
    _columns: dict[str, str] | None = field(init=False, repr=False, default=None)
    _prepared: int | None = field(init=False, repr=False, default=None)

    def __post_init__(self) -> None:
        check_mode(self.mode, self._what)
        self._names = say.Names.of(self.table)
        seconds = duration(self.patience) / SECOND
        self._door = Door(self.server, self.password, self._what, seconds)

    @property
    def _what(self) -> str:
        return f"postgres table {self.table}"

    @property
    def place(self) -> tuple[str, ...]:
        """What two outputs must not share."""
        return ("postgres", str(self.server), self.table)

    # phases ----------------------------------------------------------------------------------

    def open(self, target: Target) -> None:
        self._target, self._columns, self._prepared = target, None, None
        with self._door.telling():
            self._enter(self._door.statements())

    def check(self, target: Target) -> str:
        """Connect and try what `open` does, all of which is taken back."""
        self._target, self._columns = target, None
        with self._door.telling():
            connection = self._door.statements()
            with connection.transaction() as all_of_it:
                there = bool(connection.execute(say.columns_there(self._names.target)).fetchall())
                self._enter(connection)
                raise Rollback(all_of_it)
        self._columns = None
        self._door.shut()
        return f"{self._what} is there" if there else f"{self._what} will be made"

    def prepare(self, batch: int, results: Results) -> int:
        table = plain(results.arrow())
        if table.num_rows:
            self._door.again(lambda: self._store(batch, table))
            self._prepared = batch
        return int(table.num_rows)

    def commit(self, batch: int) -> None:
        if batch == self._prepared:
            self._door.again(lambda: self._move(batch))

    def recover(self, last: int) -> None:
        self._door.again(lambda: self._recover(last))

    def close(self) -> None:
        """Leave the server; the next use connects anew."""
        self._door.shut()

    # what each does, repeatable --------------------------------------------------------------

    def _enter(self, connection: Statements) -> None:
        """Claim the table; make what is missing; see that what is there fits."""
        target = self._target
        check_keys(self.mode, target)
        if self.mode == "latest" and connection.info.server_version < _NULLS:
            text = f'{self._what}: mode="latest" needs PostgreSQL 15 or later'
            raise SinkError("SINK_SERVER", text, 'use mode="append"')
        owner = target.owner or _NOBODY
        with connection.transaction():
            connection.execute("SELECT pg_advisory_xact_lock(hashtext('slackwater_outputs'))")
            if not connection.execute(say.columns_there(self._names.outputs)).fetchall():
                connection.execute(say.make_outputs(self._names))
            batch = self._known(connection, owner)
            claimed = say.claim(self._names, owner.id, owner.folder, owner.output)
            row = connection.execute(claimed).fetchone()
            assert row is not None
            self._epoch = int(str(row[0]))
            if target.schema is not None:
                self._fit(
                    connection,
                    columns_of(plain_schema(target.schema), self._what),
                    batch is not None,
                )

    def _known(self, connection: Statements, owner: Owner) -> object | None:
        """The newest batch of ours; refuse a table that has answers of others."""
        known = connection.execute(say.owner_of(self._names)).fetchone()
        if known is not None:
            checkpoint, folder, output, batch = known
            if (checkpoint, output) != (owner.id, owner.output):
                raise self._occupied(f"{output} of the checkpoint in {folder}")
            return batch
        is_ours = BATCH in self._there(connection)
        if is_ours and not owner.adopts and connection.execute(say.stray(self._names)).fetchone():
            raise self._occupied("answers of a pipeline that nobody knows")
        return None

    def _there(self, connection: Statements) -> dict[str, bool]:
        """The columns of the table, and whether a row must say something for them."""
        found = connection.execute(say.columns_there(self._names.target)).fetchall()
        return {str(name): bool(needed) for name, _, needed in found}

    def _fit(self, connection: Statements, columns: dict[str, str], had_answers: bool) -> None:
        """Make the table, or see that it takes such rows; make the one where rows wait."""
        there = self._there(connection)
        if not there and had_answers:
            raise SinkError(
                "SINK_TABLE_MISSING",
                f"{self._what} had answers of this pipeline and is gone",
                f"bring it back; to go on with an empty one remove its line in {say.OUTPUTS}",
            )
        if not there:
            keys = self._target.keys
            connection.execute(say.make_table(self._names, columns, self.mode, keys))
        else:
            self._compare(there, columns)
        if self._waiting(connection) != {name: spelt(kind) for name, kind in columns.items()}:
            connection.execute(say.make_waiting(self._names, columns))
        move = say.move(self._names, columns, 0, self.mode, self._target.keys)
        connection.execute(SQL("EXPLAIN ") + move)  # the server's own word on types and keys
        self._columns = columns

    def _waiting(self, connection: Statements) -> dict[str, str]:
        """The columns in which rows wait, and their types; none if there is no such table."""
        found = connection.execute(say.columns_there(self._names.waiting)).fetchall()
        return {str(name): str(kind) for name, kind, _ in found if name != BATCH}

    def _compare(self, there: dict[str, bool], columns: dict[str, str]) -> None:
        """Refuse a table that has other columns, with all that is wrong."""
        wanted = {**columns, BATCH: "bigint"}
        missing = [f"{name} {kind}" for name, kind in wanted.items() if name not in there]
        strange = [name for name, needed in there.items() if needed and name not in wanted]
        told = []
        if missing:
            told.append(f"has no column {', '.join(missing)}")
        if strange:
            told.append(f"wants a value for {', '.join(strange)}, which no row has")
        if told:
            hint = "change the table, or let the pipeline make one of another name"
            raise SinkError("SINK_COLUMNS", f"{self._what} {' and '.join(told)}", hint)

    @contextmanager
    def _held(self) -> Iterator[tuple[Statements, int]]:
        """A transaction in which nobody else touches the output, and its newest batch."""
        connection = self._door.statements()
        with connection.transaction():
            row = connection.execute(say.hold(self._names)).fetchone()
            if row is None or row[0] != self._epoch:
                text = f"{self._what}: another process has taken over this output"
                raise SinkError("SINK_FENCED", text, "let only one process use a checkpoint")
            yield connection, -1 if row[1] is None else int(str(row[1]))

    def _store(self, batch: int, table: pa.Table) -> None:
        columns = columns_of(table.schema, self._what)
        if columns != self._columns:
            with self._held() as (connection, done):
                self._fit(connection, columns, done >= 0)
        with self._held() as (_, done):
            if done < batch:
                self._copy(batch, table)

    def _copy(self, batch: int, table: pa.Table) -> None:
        """The rows alone, where they wait."""
        ids = pa.repeat(pa.scalar(batch, pa.int64()), table.num_rows)
        rows, names = table.append_column(BATCH, ids), self._names
        connection = self._door.rows()
        with connection.cursor() as cursor:
            cursor.execute(say.empty(names).as_string())
            cursor.adbc_ingest(
                names.waiting_table, rows, mode="append", db_schema_name=names.schema
            )
        connection.commit()

    def _move(self, batch: int) -> None:
        with self._held() as (connection, done):
            if done >= batch:  # the word that it was done got lost on the way
                return
            columns = self._columns or self._waiting(connection)  # after a restart: as they wait
            if columns:  # else there were never any rows, and there is no table yet
                self._show(connection, columns, batch)
                connection.execute(say.note(self._names, batch))

    def _show(self, connection: Statements, columns: dict[str, str], batch: int) -> None:
        keys = self._target.keys
        connection.execute(say.move(self._names, columns, batch, self.mode, keys))
        if self.mode == "latest" and not self._there(connection)[BATCH]:
            found = connection.execute(say.foreign(self._names, keys, batch)).fetchone()
            if found is not None:
                named = ", ".join(f"{k} = {v}" for k, v in zip(keys, found, strict=True))
                raise SinkError(
                    "SINK_CONFLICT",
                    f"{self._what}: a row that is not of this pipeline has {named}",
                    "remove it and start the pipeline again: nothing is lost or doubled",
                )
        connection.execute(say.empty(self._names))

    def _recover(self, last: int) -> None:
        with self._held() as (connection, done):
            if done > last:
                self._go_back(connection, last, done)
        if done < last:
            self._move(last)

    def _go_back(self, connection: Statements, last: int, done: int) -> None:
        """Take back what came after a batch that a repaired checkpoint went back to."""
        if self.mode == "latest":
            raise SinkError(
                "SINK_AHEAD",
                f"{self._what} has batch {done}, the checkpoint goes on from batch {last}: "
                'mode="latest" does not keep the rows that were replaced since',
                f"remove the table and its line in {say.OUTPUTS} and write the history with "
                'mode="append", or use another table',
            )
        connection.execute(say.forget(self._names, last))
        connection.execute(say.note(self._names, last if last >= 0 else None))

    def _occupied(self, text: str) -> SinkError:
        hint = "choose another table, or move away what is there (a new checkpoint deletes nothing)"
        return SinkError("SINK_OCCUPIED", f"{self._target.output}: {self._what} has {text}", hint)
