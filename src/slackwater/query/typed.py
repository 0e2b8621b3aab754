"""A piece of DuckDB text with the Spark type of its value."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

from slackwater.query import patterns
from slackwater.query.casts import cast
from slackwater.query.kinds import is_decimal, meeting


class UnsupportedError(Exception):
    """An expression that has no sure meaning in both engines; ``hint`` is the way round.

    ``function`` is the name of a function that is in no table.
    """

    def __init__(self, message: str, hint: str = "", function: str = "") -> None:
        self.message = message
        self.hint = hint
        self.function = function
        super().__init__(message)


@dataclass(frozen=True, slots=True)
class Typed:
    """Text that can stand as an argument anywhere, and its type; ``literal`` if it is one."""

    sql: str
    kind: str
    literal: str | None = None

    def to(self, kind: str) -> Typed:
        """The value as another type."""
        if self.kind == kind:
            return self
        if self.kind == "string" and self.literal is not None:
            known = _LITERALS.get(kind)
            if known is not None:
                made = known(self.literal)
                if made is None:
                    raise UnsupportedError(
                        f"{self.literal!r} is not read as a {kind}", _FORMS_OF_TIME
                    )
                return Typed(made, kind)
        made = cast(self.sql, self.kind, kind)
        if made is None:
            raise UnsupportedError(f"no cast from {self.kind} to {kind}", _hint(self.kind, kind))
        return Typed(made, kind)


_FORMS_OF_TIME = "write 2026-01-31, or 2026-01-31 12:30:00, with Z or +02:00 behind it if wanted"
_LITERALS: dict[str, Callable[[str], str | None]] = {
    "date": patterns.day,
    "timestamp": patterns.instant,
    "timestamp_ntz": patterns.local_instant,
}


def _hint(given: str, wanted: str) -> str:
    if wanted.startswith("timestamp"):
        return "let the source give timestamps, or use timestamp_seconds, timestamp_millis"
    if is_decimal(given) and wanted == "string":
        return "cast it to a decimal with six digits behind the point at most first"
    if {given, wanted} & {"date", "timestamp"} and "interval" not in given:
        return "unix_date, unix_seconds and date_add turn days and instants into numbers and back"
    return "cast it beforehand: sw.stream takes a streaming DataFrame, too"


def together(values: list[Typed], what: str) -> list[Typed]:
    """All values in the type in which they meet."""
    kind = values[0].kind
    for value in values[1:]:
        met = meeting(kind, value.kind)
        if met is None:
            raise UnsupportedError(f"{what}: {kind} beside {value.kind}", "cast one of them")
        kind = met
    return [value.to(kind) for value in values]
