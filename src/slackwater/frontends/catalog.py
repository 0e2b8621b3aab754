"""Kinds of sources and sinks by name: what may be said of one, and how it is made.

Front ends know names; whoever has the engine fills the table. So no front end needs to know an
engine, and all of them know the same kinds.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Annotated, Any, Generic, Protocol, TypeVar

from slackwater.frontends.table import Table, keys_of
from slackwater.frontends.values import DURATION, Text, either
from slackwater.query.schema import Schema
from slackwater.query.table import TableDef

ANY = "any"  # max_ahead: no bound


class SourceTable(Table):
    """``[source.NAME]``: what may be said of any source."""

    kind: Text
    """which kind of source it is"""
    time: Text
    """the event-time column"""
    arrival: Text | None = None
    """where recorded: the column with the time or order of arrival"""
    max_ahead: Annotated[str | int | float, either(ANY, DURATION)] | None = None
    """rows further ahead of the clock are set aside (one day)"""

    def own(self) -> dict[str, Any]:
        """What was said of this kind of source, without what may be said of any."""
        return {k: v for k, v in self.said().items() if k not in keys_of(SourceTable)}


class SinkTable(Table):
    """``sink``, ``side``, ``quality``: what may be said of any sink."""

    kind: Text | None = None
    """which kind of sink it is; may be left out where there is a `path`"""


class Source(Protocol):
    """What a front end needs of a source."""

    def schema(self) -> Schema:
        """The columns, before any engine runs."""
        ...


SourceT = TypeVar("SourceT", bound=SourceTable)
SinkT = TypeVar("SinkT", bound=SinkTable)


@dataclass(frozen=True, slots=True)
class SourceKind(Generic[SourceT]):
    """A kind of source; ``open`` may raise a ``SlackwaterError``."""

    table: type[SourceT]
    open: Callable[[SourceT], Source]


@dataclass(frozen=True, slots=True)
class SinkKind(Generic[SinkT]):
    """A kind of sink; ``open`` may raise a ``SlackwaterError``."""

    table: type[SinkT]
    open: Callable[[SinkT], object]


@dataclass(frozen=True, slots=True)
class Catalog:
    """All kinds there are; ``folder`` is the kind of a sink of which only a path was said.

    ``table`` opens a table that rows look something up in: by its name and path, with ``refresh``
    and ``schema``; it may raise a ``SlackwaterError``.
    """

    sources: Mapping[str, SourceKind[Any]]
    sinks: Mapping[str, SinkKind[Any]]
    table: Callable[..., TableDef]
    folder: str = "parquet"
