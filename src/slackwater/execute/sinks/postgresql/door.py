"""The way to a server: its address, its secrets, connections that are opened anew when lost."""

from __future__ import annotations

import logging
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import TypeVar

import psycopg
from adbc_driver_postgresql import dbapi
from psycopg.conninfo import conninfo_to_dict, make_conninfo

from slackwater.errors import SinkError
from slackwater.execute.sinks.postgresql.failure import Failure, is_away, told
from slackwater.secrets import Secret

LOG = logging.getLogger("slackwater.postgres")
_NAME = "slackwater"  # how the server's own lists call us
_CONNECT = 10  # seconds
_PAUSES = (0.1, 2.0)  # seconds: the first, and the longest, between two tries

T = TypeVar("T")
Statements = psycopg.Connection[tuple[object, ...]]


@dataclass(slots=True)
class Door:
    """Two connections: one for statements, and one that takes Arrow tables as they are."""

    server: str | Secret
    password: Secret | None
    place: str
    patience: float
    _statements: Statements | None = field(default=None, repr=False)
    _rows: dbapi.Connection | None = field(default=None, repr=False)

    def __post_init__(self) -> None:
        if isinstance(self.server, str) and "password" in self._read(self.server):
            raise SinkError(
                "SECRET_IN_TEXT",
                f"{self.place}: a password does not stand in the address of a server",
                'take it out and give password=sw.secret(env="...") or sw.secret(file="...")',
            )

    def __del__(self) -> None:
        self.shut()

    def statements(self) -> Statements:
        """The connection for statements."""
        if self._statements is None or self._statements.closed:
            self._statements = psycopg.connect(self._address())
        return self._statements

    def rows(self) -> dbapi.Connection:
        """The connection for rows."""
        if self._rows is None:
            self._rows = dbapi.connect(self._address())
        return self._rows

    def again(self, work: Callable[[], T]) -> T:
        """Do what may be repeated until it is done, as long as a server that is away may take."""
        until, pause = time.monotonic() + self.patience, _PAUSES[0]
        while True:
            with self.telling(until) as is_done:
                found = work()
                is_done.append(True)
            if is_done:
                return found
            time.sleep(pause)
            pause = min(2 * pause, _PAUSES[1])

    @contextmanager
    def telling(self, until: float = 0.0) -> Iterator[list[bool]]:
        """Failures as errors of ours; before ``until`` those that may pass are swallowed."""
        done: list[bool] = []
        try:
            yield done
        except Failure as error:
            self.shut()
            failed = told(error, f"{self.place} at {self._shown()}", *self._secrets())
            if is_away(error) and time.monotonic() < until:
                LOG.warning("%s; trying again", failed.message)
                return
            raise failed from None
        except BaseException:
            self.shut()
            raise

    def shut(self) -> None:
        """Close both connections; the next use opens them anew."""
        for one in (self._statements, self._rows):
            with suppress(*Failure):
                if one is not None:
                    one.close()
        self._statements = self._rows = None

    def _read(self, text: str) -> dict[str, object]:
        try:
            return dict(conninfo_to_dict(text))
        except psycopg.ProgrammingError:  # what it says repeats the text
            raise SinkError(
                "SINK_ADDRESS",
                f"{self.place}: that is no address of a server",
                "write postgresql://USER@HOST:PORT/DATABASE",
            ) from None

    def _said(self) -> dict[str, object]:
        server = self.server.read() if isinstance(self.server, Secret) else self.server
        return self._read(server)

    def _address(self) -> str:
        said = {"application_name": _NAME, "connect_timeout": _CONNECT, **self._said()}
        if self.password is not None:
            said["password"] = self.password.read()
        return make_conninfo("", **said)  # type: ignore[arg-type]

    def _shown(self) -> str:
        """Host, port and database; nothing of an address that is itself a secret."""
        if isinstance(self.server, Secret):
            return f"the server of {self.server}"
        said = self._said()
        host, port = said.get("host", "localhost"), said.get("port", 5432)
        return f"{host}:{port}/{said.get('dbname', '')}"

    def _secrets(self) -> tuple[str | None, ...]:
        """What no error may repeat."""
        found = [str(self._said().get("password") or "")]
        if isinstance(self.server, Secret):
            found.append(self.server.read())
        if self.password is not None:
            found.append(self.password.read())
        return tuple(found)
