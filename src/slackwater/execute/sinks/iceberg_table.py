"""A table of Iceberg: the id of a batch stands in its snapshot and in the table, in one commit.

Needs the extra ``iceberg``; not loaded before it is used.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from datetime import datetime
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
from pyiceberg.catalog import Catalog, load_catalog
from pyiceberg.exceptions import NoSuchTableError, RESTError, UnauthorizedError
from pyiceberg.expressions import (
    AlwaysTrue,
    And,
    BooleanExpression,
    GreaterThanOrEqual,
    LessThanOrEqual,
)
from pyiceberg.table import Table
from pyiceberg.table.snapshots import Snapshot
from pyiceberg.table.update.snapshot import ManageSnapshots

from slackwater.errors import SinkError, SlackwaterError
from slackwater.execute.sinks.mode import Mode, check_keys, check_mode, newest
from slackwater.execute.sinks.plain import plain, plain_schema
from slackwater.execute.sinks.sink import Results, Target
from slackwater.execute.sinks.staging import Staging
from slackwater.runs.paths import is_remote, local_path
from slackwater.secrets import Secret, concealed, revealed

_BATCH, _OUTPUT, _APP = "slackwater.batch", "slackwater.output", "slackwater.app"
_HIDDEN = ("password", "secret", "token", "credential", "access-key")  # in names of properties
_AGAIN = "nothing is lost or doubled: mend it and start the pipeline again"
_OTHERS = "choose another table, or move away what is there (a new checkpoint deletes nothing)"


@dataclass(slots=True)
class IcebergSink:
    """Writes answers into ``table``; see :func:`slackwater.iceberg`.

    ``prepare`` keeps rows in files beside those of the table, which no snapshot names.
    """

    table: str
    catalog: str | Secret
    warehouse: str | None = None
    properties: dict[str, str | Secret] = field(default_factory=dict)
    mode: Mode = "append"
    name: str = "default"
    _target: Target = field(init=False, repr=False, default=Target(""))
    _catalog: Catalog | None = field(init=False, repr=False, default=None)

    def __post_init__(self) -> None:
        check_mode(self.mode, self._what)
        if "." not in self.table.strip("."):
            text = f"iceberg: {self.table!r} is no name of a table"
            raise SinkError("SINK_TABLE", text, 'give "namespace.table"')
        if isinstance(self.catalog, str) and _has_password(self.catalog):
            raise self._in_text("a password does not stand in the address of a catalog")
        for name, value in self.properties.items():
            if isinstance(value, str) and any(part in name.lower() for part in _HIDDEN):
                raise self._in_text(f"the value of {name} does not stand in a text")
        if self.warehouse is not None and not is_remote(self.warehouse):
            self.warehouse = local_path(self.warehouse).as_uri()

    @property
    def _what(self) -> str:
        return f"iceberg table {self.table}"

    def _in_text(self, text: str) -> SinkError:
        hint = 'give it as a secret: sw.secret(env="...") or sw.secret(file="...")'
        return SinkError("SECRET_IN_TEXT", f"{self._what}: {text}", hint)

    @property
    def place(self) -> tuple[str, ...]:
        """What two outputs must not share."""
        return ("iceberg", self.name, str(self.catalog), self.table)

    def open(self, target: Target) -> None:
        self.check(target)
        if self._table() is None and target.schema is not None:
            self._make(target.schema)

    def check(self, target: Target) -> str:
        """Look at what is there; nothing is changed."""
        check_keys(self.mode, target)
        self._target, self._catalog = target, None
        table = self._table()
        if table is None:
            return f"{self._what} will be made"
        self._refuse_others(table)
        if target.schema is not None:
            self._compare(table, target.schema)
        return f"{self._what} is there"

    def prepare(self, batch: int, results: Results) -> int:
        table = self._table()
        if table is None:
            rows = results.arrow()
            if not rows.num_rows:
                return 0
            table = self._make(rows.schema)
        return self._staging(table).store(batch, results)

    def commit(self, batch: int) -> None:
        table = self._table()
        if table is None:
            return
        rows = self._staging(table).table(batch)
        if rows is None:
            return
        if _done(table) < batch:
            with self._telling():
                self._write(table, plain(rows), batch)
        self._staging(table).remove(batch)

    def recover(self, last: int) -> None:
        table = self._table()
        if table is None:
            return
        if _done(table) > last:
            self._go_back(table, last)
        for batch in [*self._staging(table).batches()]:
            if batch <= last:
                self.commit(batch)
            else:
                self._staging(table).remove(batch)

    # inside ----------------------------------------------------------------------------------

    @property
    def _app(self) -> str:
        owner = self._target.owner
        return "slackwater" if owner is None else f"slackwater {owner.id} {owner.output}"

    def _opened(self) -> Catalog:
        if self._catalog is None:
            said = {name: revealed(one) for name, one in self.properties.items()}
            said["uri"] = revealed(self.catalog)
            if self.warehouse is not None:
                said["warehouse"] = self.warehouse
            self._catalog = load_catalog(self.name, **said)
        return self._catalog

    def _table(self) -> Table | None:
        """The table as it is now."""
        with self._telling():
            try:
                return self._opened().load_table(self.table)
            except NoSuchTableError:
                pass
        return None

    def _make(self, schema: pa.Schema) -> Table:
        namespace = self.table.rpartition(".")[0]
        with self._telling():
            self._opened().create_namespace_if_not_exists(namespace)
            made = self._opened().create_table_if_not_exists(self.table, plain_schema(schema))
            with made.transaction() as change:
                change.set_properties({_APP: self._app, _OUTPUT: self._target.output})
            return made
        raise AssertionError("telling raises")

    def _staging(self, table: Table) -> Staging:
        place = table.location()
        if is_remote(place):
            text = f"{self._what}: its data lie at {place}, which is not a folder of this machine"
            raise SinkError("SINK_REMOTE", text, "give a local or mounted folder as warehouse")
        return Staging(local_path(place) / "_slackwater")

    def _write(self, table: Table, rows: pa.Table, batch: int) -> None:
        self._compare(table, rows.schema)
        said = {_BATCH: str(batch), _APP: self._app}
        fresh, among = rows, None
        if self.mode == "latest":
            fresh, among = self._merged(table, rows)
        with table.transaction() as change:
            if among is None:
                change.append(fresh, snapshot_properties=said)
            else:
                change.overwrite(fresh, overwrite_filter=among, snapshot_properties=said)
            change.set_properties({**said, _OUTPUT: self._target.output})

    def _merged(self, table: Table, rows: pa.Table) -> tuple[pa.Table, BooleanExpression | None]:
        """What a stretch of the table becomes: from the first to the last window of the rows."""
        keys = self._target.keys
        ends = pc.min_max(rows[keys[0]]).as_py()
        among: BooleanExpression = AlwaysTrue()
        if rows[keys[0]].null_count == 0:
            low, high = (_literal(ends[end]) for end in ("min", "max"))
            among = _between(keys[0], low, high)
        there = table.scan(row_filter=among).to_arrow().select(rows.column_names).cast(rows.schema)
        merged = newest(pa.concat_tables([there, rows]), keys)
        return merged, among if there.num_rows else None

    def _refuse_others(self, table: Table) -> None:
        owner, app = self._target.owner, table.properties.get(_APP)
        if owner is None or owner.adopts or app in (None, self._app):
            return
        told = f"{self._what} has {table.properties.get(_OUTPUT)} of another checkpoint"
        raise SinkError("SINK_OCCUPIED", f"{owner.output}: {told}", _OTHERS)

    def _compare(self, table: Table, schema: pa.Schema) -> None:
        """Refuse a table with other columns."""
        there = {f.name: f.type for f in plain_schema(table.schema().as_arrow())}
        wanted = {f.name: _kept(f.type) for f in plain_schema(schema)}
        missing = [f"{name} ({kind})" for name, kind in wanted.items() if there.get(name) != kind]
        strange = [f.name for f in table.schema().fields if f.required and f.name not in wanted]
        if missing or strange:
            lacks = [f"has no column {', '.join(missing)}"] if missing else []
            wants = [f"wants a value for {', '.join(strange)}"] if strange else []
            text = f"{self._what} {' and '.join([*lacks, *wants])}"
            hint = "change the table, or let the pipeline make one of another name"
            raise SinkError("SINK_COLUMNS", text, hint)

    def _go_back(self, table: Table, last: int) -> None:
        """The table as it was after a batch, if nobody else wrote to it since."""
        by_id = {one.snapshot_id: one for one in table.snapshots()}
        found: Snapshot | None = table.current_snapshot()
        while found is not None and _batch_of(found, self._app, last) > last:
            parent = found.parent_snapshot_id
            found = None if parent is None else by_id.get(parent)
        if found is None or _batch_of(found, self._app, -2) == -2:
            raise SinkError(
                "SINK_AHEAD",
                f"{self._what} has batches after {last}, with which the checkpoint goes on, and no "
                "snapshot of ours from before them",
                f"roll it back to before batch {last + 1}, or use another table",
            )
        with self._telling(), table.transaction() as change:
            ManageSnapshots(change).set_current_snapshot(found.snapshot_id).commit()
            change.set_properties({_BATCH: str(last)})

    @contextmanager
    def _telling(self) -> Iterator[None]:
        """Failures of a catalog as errors of ours; it may be any, so are they."""
        try:
            yield
        except SlackwaterError:
            raise
        except Exception as error:  # noqa: BLE001 - each catalog has a family of its own
            lines = str(error).splitlines()
            secrets = [one.read() for one in self._secrets()]
            text = concealed(lines[0] if lines else type(error).__name__, *secrets)
            refused = isinstance(error, UnauthorizedError)
            away = isinstance(error, RESTError | ConnectionError)
            named = "SINK_UNREACHABLE" if away else "SINK_FAILED"
            condition = "SINK_CREDENTIALS" if refused else named
            raise SinkError(condition, f"{self._what}: {text}", _AGAIN) from None

    def _secrets(self) -> list[Secret]:
        every = [self.catalog, *self.properties.values()]
        return [one for one in every if isinstance(one, Secret)]


def _done(table: Table) -> int:
    """The newest batch of ours."""
    return int(table.properties.get(_BATCH, -1))


def _batch_of(snapshot: Snapshot, app: str, other: int) -> int:
    """The batch of a snapshot of ours; ``other`` for one of somebody else."""
    told = {} if snapshot.summary is None else snapshot.summary.additional_properties
    return int(told[_BATCH]) if told.get(_APP) == app and _BATCH in told else other


def _has_password(address: str) -> bool:
    user, at, _ = address.partition("://")[2].partition("/")[0].rpartition("@")
    return bool(at) and ":" in user


def _between(key: str, low: object, high: object) -> BooleanExpression:
    at_least: Any = GreaterThanOrEqual  # its own types know only the order of its fields
    at_most: Any = LessThanOrEqual
    return And(at_least(key, low), at_most(key, high))


def _literal(value: object) -> str | int | float:
    """A key as expressions take it."""
    if isinstance(value, datetime):
        return value.isoformat()
    return value if isinstance(value, int | float) else str(value)


def _kept(kind: pa.DataType) -> pa.DataType:
    """What Iceberg keeps a type as: it has no whole numbers of two bytes."""
    return pa.int32() if pa.types.is_int16(kind) else kind
