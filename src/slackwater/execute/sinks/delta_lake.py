"""A table of Delta Lake: the id of a batch is an application transaction of the same commit.

Needs the extra ``delta``; not loaded before it is used.
"""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pyarrow as pa
from deltalake import CommitProperties, DeltaTable, Transaction, write_deltalake
from deltalake.exceptions import DeltaError

from slackwater.errors import SinkError
from slackwater.execute.sinks.mode import Mode, check_keys, check_mode, newest, ranked
from slackwater.execute.sinks.plain import plain, plain_schema
from slackwater.execute.sinks.sink import Results, Target
from slackwater.execute.sinks.staging import Staging
from slackwater.runs.files import make_folder
from slackwater.runs.paths import is_remote, local_path

_BATCH, _OUTPUT, _APP = "slackwater.batch", "slackwater.output", "slackwater.app"
_OTHERS = "choose another folder, or move away what is there (a new checkpoint deletes nothing)"


@dataclass(slots=True)
class DeltaSink:
    """Writes answers into the table under ``path``; see :func:`slackwater.delta`.

    ``prepare`` keeps rows under ``path/_slackwater``, which readers of Delta Lake pass by.
    """

    path: str
    mode: Mode = "append"
    _target: Target = field(init=False, repr=False, default=Target(""))

    def __post_init__(self) -> None:
        check_mode(self.mode, "delta")
        if is_remote(self.path):
            text = f"delta: {self.path} is not a folder of this machine"
            raise SinkError("SINK_REMOTE", text, "give a local or mounted folder")
        self.path = str(local_path(self.path))

    @property
    def place(self) -> tuple[str, ...]:
        """What two outputs must not share."""
        return ("folder", str(Path(self.path).resolve()))

    @property
    def _staging(self) -> Staging:
        return Staging(Path(self.path) / "_slackwater")

    @property
    def _app(self) -> str:
        owner = self._target.owner
        return "slackwater" if owner is None else f"slackwater {owner.id} {owner.output}"

    def open(self, target: Target) -> None:
        self.check(target)
        try:
            make_folder(self._staging.folder)
        except OSError as error:
            raise SinkError(
                "SINK_NOT_WRITABLE",
                f"{self._what}: cannot write there: {error.strerror}",
                "choose another folder or give this process the right to write there",
            ) from error
        if self._table() is None and target.schema is not None:
            with self._telling():
                rows = plain_schema(target.schema).empty_table()
                write_deltalake(self.path, rows, mode="append", commit_properties=self._noted(-1))

    def check(self, target: Target) -> str:
        """Look at what is there; nothing is changed."""
        check_keys(self.mode, target)
        self._target = target
        table = self._table()
        if table is None:
            return f"{self._what} will be made"
        self._refuse_others(table)
        if target.schema is not None:
            self._compare(table, target.schema)
        return f"{self._what} is there"

    def prepare(self, batch: int, results: Results) -> int:
        return self._staging.store(batch, results)

    def commit(self, batch: int) -> None:
        rows = self._staging.table(batch)
        if rows is None:
            return
        table = self._table()
        if table is None or self._done(table) < batch:
            with self._telling():
                self._write(table, plain(rows), batch)
        self._staging.remove(batch)

    def recover(self, last: int) -> None:
        table = self._table()
        if table is not None and self._done(table) > last:
            self._go_back(table, last)
        for batch in [*self._staging.batches()]:
            if batch <= last:
                self.commit(batch)
            else:
                self._staging.remove(batch)

    # inside ----------------------------------------------------------------------------------

    @property
    def _what(self) -> str:
        return f"delta table {self.path}"

    def _table(self) -> DeltaTable | None:
        with self._telling():
            return DeltaTable(self.path) if DeltaTable.is_deltatable(self.path) else None
        raise AssertionError("telling raises")

    def _done(self, table: DeltaTable) -> int:
        """The newest batch of ours."""
        found = table.transaction_version(self._app)
        return -1 if found is None else int(found) - 1  # the log has no version below 0

    def _noted(self, batch: int) -> CommitProperties:
        """The id of the batch, where readers of the log find it, and where it is atomic."""
        told = {_BATCH: str(batch), _OUTPUT: self._target.output, _APP: self._app}
        return CommitProperties(told, app_transactions=[Transaction(self._app, batch + 1)])

    def _write(self, table: DeltaTable | None, rows: pa.Table, batch: int) -> None:
        noted = self._noted(batch)
        if table is not None:
            self._compare(table, rows.schema)
        if self.mode == "append" or table is None:
            rows = rows if self.mode == "append" else newest(rows, self._target.keys)
            write_deltalake(self.path, rows, mode="append", commit_properties=noted)
            return
        keys = self._target.keys
        same = " AND ".join(
            f"(t.{_quoted(key)} IS NOT DISTINCT FROM s.{_quoted(key)})" for key in keys
        )
        merge = table.merge(
            newest(rows, keys), same, source_alias="s", target_alias="t", commit_properties=noted
        )
        wins = _WINS if ranked(rows.column_names) else None
        merge.when_matched_update_all(predicate=wins).when_not_matched_insert_all().execute()

    def _refuse_others(self, table: DeltaTable) -> None:
        owner = self._target.owner
        if owner is None or owner.adopts or Path(self.path).is_relative_to(owner.folder):
            return
        for commit in table.history():
            app = commit.get(_APP)
            if app is not None and app != self._app:
                text = (
                    f"{owner.output}: {self._what} has {commit.get(_OUTPUT)} of another checkpoint"
                )
                raise SinkError("SINK_OCCUPIED", text, _OTHERS)

    def _compare(self, table: DeltaTable, schema: pa.Schema) -> None:
        """Refuse a table with other columns."""
        there = {field.name: field.type for field in pa.schema(table.schema().to_arrow())}
        wanted = {f.name: f.type for f in plain_schema(schema)}
        missing = [f"{name} ({kind})" for name, kind in wanted.items() if there.get(name) != kind]
        if missing:
            text = f"{self._what} has no column {', '.join(missing)}"
            hint = "change the table, or let the pipeline make one elsewhere"
            raise SinkError("SINK_COLUMNS", text, hint)

    def _go_back(self, table: DeltaTable, last: int) -> None:
        """The table as it was after a batch, if nobody else wrote to it since."""
        with self._telling():
            for commit in table.history():  # newest first
                mine = commit.get(_APP) == self._app
                if mine and int(commit[_BATCH]) <= last:
                    table.restore(commit["version"], commit_properties=self._noted(last))
                    return
                if not mine:
                    break
        raise SinkError(
            "SINK_AHEAD",
            f"{self._what} has batches after {last}, with which the checkpoint goes on, and "
            "commits of others between them",
            f"restore a version before batch {last + 1}, or use another folder",
        )

    @contextmanager
    def _telling(self) -> Iterator[None]:
        try:
            yield
        except (DeltaError, OSError) as error:
            text = str(error).splitlines()[0]
            hint = "nothing is lost or doubled: mend it and start the pipeline again"
            raise SinkError("SINK_FAILED", f"{self._what}: {text}", hint) from error


_WINS = (
    "(s.kind <> 'estimate' AND t.kind = 'estimate') OR "
    "((s.kind = 'estimate') = (t.kind = 'estimate') AND s.revision >= t.revision)"
)


def _quoted(name: str) -> str:
    return '"' + name.replace('"', '""') + '"'
