"""What is said to the server: a function for each statement."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass

from psycopg.sql import SQL, Composed, Identifier, Literal

from slackwater.errors import SinkError
from slackwater.execute.sinks.mode import Mode, ranked
from slackwater.execute.sinks.postgresql.columns import BATCH

OUTPUTS = "slackwater_outputs"
_LONGEST = 63 - len("__waiting")  # bytes of a name, by the server


@dataclass(frozen=True, slots=True)
class Names:
    """The tables of an output: its own, the one where rows wait, and the list of outputs."""

    schema: str | None
    table: str

    @classmethod
    def of(cls, name: str) -> Names:
        """From ``table`` or ``schema.table``."""
        schema, dot, table = name.rpartition(".")
        if not table or (dot and not schema) or "\0" in name or len(table.encode()) > _LONGEST:
            text = f"postgres: {name!r} is no name of a table"
            hint = f'give "table" or "schema.table", at most {_LONGEST} bytes'
            raise SinkError("SINK_TABLE", text, hint)
        return cls(schema or None, table)

    def _at(self, name: str) -> Identifier:
        return Identifier(*(part for part in (self.schema, name) if part is not None))

    @property
    def target(self) -> Identifier:
        return self._at(self.table)

    @property
    def waiting(self) -> Identifier:
        return self._at(self.waiting_table)

    @property
    def waiting_table(self) -> str:
        return f"{self.table}__waiting"

    @property
    def outputs(self) -> Identifier:
        return self._at(OUTPUTS)


def _listed(names: Iterable[str], before: str = "") -> Composed:
    return SQL(", ").join(SQL(before) + Identifier(name) for name in names)


def make_outputs(names: Names) -> Composed:
    """Whose each table is, and its newest batch; ``epoch`` fences off whoever was there before."""
    return SQL(
        "CREATE TABLE IF NOT EXISTS {} (name text PRIMARY KEY, checkpoint text NOT NULL, "
        "folder text NOT NULL, output text NOT NULL, epoch bigint NOT NULL, batch bigint)"
    ).format(names.outputs)


def owner_of(names: Names) -> Composed:
    return SQL(
        "SELECT checkpoint, folder, output, batch FROM {} WHERE name = {} FOR UPDATE"
    ).format(names.outputs, Literal(names.table))


def claim(names: Names, checkpoint: str, folder: str, output: str) -> Composed:
    """Take the table, or go on with it; gives the epoch that fences off all before."""
    return SQL(
        "INSERT INTO {outputs} AS o VALUES ({name}, {checkpoint}, {folder}, {output}, 1, NULL) "
        "ON CONFLICT (name) DO UPDATE SET epoch = o.epoch + 1, folder = excluded.folder "
        "RETURNING epoch"
    ).format(
        outputs=names.outputs,
        name=Literal(names.table),
        checkpoint=Literal(checkpoint),
        folder=Literal(folder),
        output=Literal(output),
    )


def hold(names: Names) -> Composed:
    """Epoch and newest batch, which nobody else changes until the end of the transaction."""
    return SQL("SELECT epoch, batch FROM {} WHERE name = {} FOR UPDATE").format(
        names.outputs, Literal(names.table)
    )


def note(names: Names, batch: int | None) -> Composed:
    """Write down the newest batch."""
    return SQL("UPDATE {} SET batch = {} WHERE name = {}").format(
        names.outputs, Literal(batch), Literal(names.table)
    )


def columns_there(table: Identifier) -> Composed:
    """Name, type, and whether a row must say something for it; nothing if there is no table."""
    return SQL(
        "SELECT attname, format_type(atttypid, atttypmod), "
        "attnotnull AND NOT atthasdef AND attidentity = '' FROM pg_attribute "
        "WHERE attrelid = to_regclass({}) AND attnum > 0 AND NOT attisdropped ORDER BY attnum"
    ).format(Literal(table.as_string()))


def make_table(
    names: Names, columns: Mapping[str, str], mode: Mode, keys: tuple[str, ...]
) -> Composed:
    """The table of answers; in mode latest with the index that finds what to replace."""
    made = SQL("CREATE TABLE {} ({})").format(names.target, _typed(columns))
    if mode == "append":
        return made
    index = SQL("CREATE UNIQUE INDEX ON {} ({}) NULLS NOT DISTINCT")
    return SQL("{}; {}").format(made, index.format(names.target, _listed(keys)))


def make_waiting(names: Names, columns: Mapping[str, str]) -> Composed:
    """The table where rows wait; whatever waited there in other columns is of no use."""
    return SQL("DROP TABLE IF EXISTS {0}; CREATE TABLE {0} ({1})").format(
        names.waiting, _typed(columns)
    )


def _typed(columns: Mapping[str, str]) -> Composed:
    pairs = {**columns, BATCH: "bigint NOT NULL"}
    return SQL(", ").join(
        SQL("{} {}").format(Identifier(name), SQL(kind)) for name, kind in pairs.items()
    )


def empty(names: Names) -> Composed:
    return SQL("TRUNCATE {}").format(names.waiting)


def move(
    names: Names, columns: Iterable[str], batch: int, mode: Mode, keys: tuple[str, ...]
) -> Composed:
    """The rows of a batch from where they wait to where they are seen."""
    every = [*columns]
    parts = {
        "target": names.target,
        "waiting": names.waiting,
        "every": _listed([*every, BATCH]),
        "mine": SQL("WHERE {} = {}").format(Identifier(BATCH), Literal(batch)),
    }
    if mode == "append":
        text = "INSERT INTO {target} ({every}) SELECT {every} FROM {waiting} {mine}"
        return SQL(text).format(**parts)
    return SQL(
        "INSERT INTO {target} AS t ({every}) "
        "SELECT DISTINCT ON ({keys}) {every} FROM {waiting} {mine} "
        "ORDER BY {keys}, {rank}ctid DESC "
        "ON CONFLICT ({keys}) DO UPDATE SET {news} WHERE t.{batch} IS NOT NULL{wins}"
    ).format(
        **parts,
        keys=_listed(keys),
        rank=SQL(_RANK if ranked(every) else ""),
        news=SQL(", ").join(
            SQL("{0} = excluded.{0}").format(Identifier(name)) for name in (*every, BATCH)
        ),
        batch=Identifier(BATCH),
        wins=SQL(_WINS if ranked(every) else ""),
    )


# of rows with the same keys the one that counts: see `mode`
_RANK = "(kind <> 'estimate') DESC, revision DESC, "
_WINS = (
    " AND (excluded.kind <> 'estimate', excluded.revision) >= (t.kind <> 'estimate', t.revision)"
)


def foreign(names: Names, keys: tuple[str, ...], batch: int) -> Composed:
    """The keys of a row that somebody else wrote and a batch would replace."""
    same = SQL(" AND ").join(
        SQL("t.{0} IS NOT DISTINCT FROM w.{0}").format(Identifier(key)) for key in keys
    )
    return SQL(
        "SELECT {} FROM {} AS t JOIN {} AS w ON {} WHERE t.{} IS NULL AND w.{} = {} LIMIT 1"
    ).format(
        _listed(keys, "t."),
        names.target,
        names.waiting,
        same,
        Identifier(BATCH),
        Identifier(BATCH),
        Literal(batch),
    )


def forget(names: Names, last: int) -> Composed:
    """Take back the rows of later batches."""
    return SQL("DELETE FROM {} WHERE {} > {}").format(
        names.target, Identifier(BATCH), Literal(last)
    )


def stray(names: Names) -> Composed:
    """Whether the table has answers of some pipeline."""
    return SQL("SELECT 1 FROM {} WHERE {} IS NOT NULL LIMIT 1").format(
        names.target, Identifier(BATCH)
    )
