"""What may be said of sinks that are tables of a database or a lake."""

from __future__ import annotations

from typing import Annotated

from slackwater.execute.sinks import Sink, delta, iceberg, postgres
from slackwater.execute.sinks.mode import MODES
from slackwater.frontends.catalog import SinkTable
from slackwater.frontends.secret import AddressTable, SecretTable
from slackwater.frontends.values import Duration, Located, Text, Words, one_of

Kept = Annotated[str, one_of(*MODES)]
Properties = Annotated[dict[str, AddressTable], Words("a table of texts, or of tables with env")]


class PostgresTable(SinkTable):
    """``sink`` with ``kind = "postgres"``: a table of PostgreSQL."""

    table: Text
    """`table` or `schema.table`; it belongs to one output of one checkpoint"""
    server: AddressTable
    """`postgresql://USER@HOST:PORT/DATABASE`"""
    password: SecretTable | None = None
    """where the password is (as `psql` finds it)"""
    mode: Kept | None = None
    """every answer, or the newest of each window and key (`append`)"""
    patience: Duration | None = None
    """how long a server that is away is waited for (one minute)"""


class DeltaTable(SinkTable):
    """``sink`` with ``kind = "delta"``: a table of Delta Lake."""

    path: Located
    """the folder; it belongs to one output of one checkpoint"""
    mode: Kept | None = None
    """every answer, or the newest of each window and key (`append`)"""


class IcebergTable(SinkTable):
    """``sink`` with ``kind = "iceberg"``: a table of Iceberg."""

    table: Text
    """`namespace.table`; it belongs to one output of one checkpoint"""
    catalog: AddressTable
    """its address, such as `sqlite:////path/catalog.db`"""
    warehouse: Located | None = None
    """the folder for data of tables that are made"""
    properties: Properties | None = None
    """what else the catalog wants to know"""
    mode: Kept | None = None
    """every answer, or the newest of each window and key (`append`)"""
    name: Text | None = None
    """the catalog's own name (`default`)"""


def open_postgres(table: PostgresTable) -> Sink:
    password = None if table.password is None else table.password.secret()
    said = table.said("mode", "patience")
    return postgres(table.table, table.server.value(), password=password, **said)


def open_delta(table: DeltaTable) -> Sink:
    return delta(table.path, **table.said("mode"))


def open_iceberg(table: IcebergTable) -> Sink:
    properties = {name: one.value() for name, one in (table.properties or {}).items()}
    said = table.said("warehouse", "mode", "name")
    return iceberg(table.table, table.catalog.value(), properties=properties, **said)
