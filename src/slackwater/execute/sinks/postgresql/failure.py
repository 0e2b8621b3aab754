"""What a server refused, in words of ours; no text of a server is passed on unread."""

from __future__ import annotations

import adbc_driver_manager as adbc
import psycopg

from slackwater.errors import SinkError
from slackwater.secrets import concealed

Failure = (psycopg.Error, adbc.Error)

_SAFE = "nothing is lost or doubled: mend it and start the pipeline again"
_INDEX = (
    'mode="latest" needs a unique index over the keys: CREATE UNIQUE INDEX ON table (keys) '
    "NULLS NOT DISTINCT"
)
_KNOWN = {
    "23505": (
        "SINK_CONFLICT",
        "remove the rows that are not of this pipeline, or the constraint; " + _SAFE,
    ),
    "23": ("SINK_CONFLICT", "change the rows or the constraint; " + _SAFE),
    "42P01": ("SINK_TABLE_MISSING", "bring the table back; " + _SAFE),
    "42P10": (
        "SINK_COLUMNS",
        _INDEX,
    ),
    "42501": ("SINK_NOT_WRITABLE", "give this user the right to write there; " + _SAFE),
    "42": ("SINK_COLUMNS", "change the table, or let the pipeline make one of another name"),
    "28": ("SINK_CREDENTIALS", "look at the user and at where the password is; " + _SAFE),
    "22": ("SINK_VALUE", "change the query or the column so that the value fits; " + _SAFE),
    "53100": ("SINK_FULL", "free some space on the server; " + _SAFE),
    "3D": ("SINK_UNREACHABLE", "make the database, or name another; " + _SAFE),
}
_AWAY = ("08", "57P", "53300", "40", "55P03")  # the server is not there, or asks to come again
_LINE = (psycopg.OperationalError, adbc.OperationalError, adbc.InternalError)
_LOGIN = ("authentication failed", "no password supplied", "no pg_hba.conf entry")


def is_away(error: Exception) -> bool:
    """Whether the same may go well a little later: connection lost, server starting, deadlock."""
    state = _state(error)
    if state is None:
        return isinstance(error, _LINE) and not _is_login(error)
    return state.startswith(_AWAY)


def told(error: Exception, place: str, *secrets: str | None) -> SinkError:
    """A failure as an error of ours: what it was, the way out, and no secret."""
    state = _state(error)
    if _is_login(error):
        condition, hint = _KNOWN["28"]
    elif is_away(error):
        condition = "SINK_UNREACHABLE"
        hint = "start the server, or look at host, port and network; " + _SAFE
    else:
        known = () if state is None else (state, state[:2])
        found = next((_KNOWN[one] for one in known if one in _KNOWN), None)
        condition, hint = found or ("SINK_FAILED", _SAFE)
    return SinkError(condition, f"{place}: {concealed(_words(error), *secrets)}", hint)


def _state(error: Exception) -> str | None:
    found = getattr(error, "sqlstate", None)
    return found if isinstance(found, str) and found.strip("0\0") else None


def _is_login(error: Exception) -> bool:
    state = _state(error)
    if state is not None:
        return state.startswith("28")
    return any(sign in str(error) for sign in _LOGIN)


def _words(error: Exception) -> str:
    """The message in one line, with what the server said of the value that it refused."""
    if isinstance(error, psycopg.Error) and error.diag.message_primary:
        parts = (error.diag.message_primary, error.diag.message_detail)
        return ": ".join(part for part in parts if part)
    return " ".join(str(error).split())
