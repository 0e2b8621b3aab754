"""Predicates: what a prod, a punctuation or a feedback says about one attribute.

Five forms are enough for all of them: any value, one value, a bound, an interval with both ends,
a set. Reference: Bhat 2011, ch. 3 (common element type).
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from typing import Any

from slackwater.errors import SlackwaterError

Value = str | int | float | bool | None


@dataclass(frozen=True, slots=True)
class Anything:
    """``*``: every value, the unknown one too."""

    def matches(self, _: Any) -> bool:
        return True

    def to_json(self) -> list[Any]:
        return ["any"]

    def __str__(self) -> str:
        return "*"


@dataclass(frozen=True, slots=True)
class Eq:
    """One value; ``Eq(None)`` is the unknown one."""

    value: Value

    def matches(self, value: Any) -> bool:
        return bool(value == self.value)

    def to_json(self) -> list[Any]:
        return ["eq", self.value]

    def __str__(self) -> str:
        return f"={self.value}"


@dataclass(frozen=True, slots=True)
class Le:
    """Every value up to a bound, the bound included."""

    bound: int | float | str

    def matches(self, value: Any) -> bool:
        return _is_ordered(value, self.bound)

    def to_json(self) -> list[Any]:
        return ["le", self.bound]

    def __str__(self) -> str:
        return f"<={self.bound}"


@dataclass(frozen=True, slots=True)
class Range:
    """Every value between two bounds, both included."""

    low: int | float | str
    high: int | float | str

    def __post_init__(self) -> None:
        if not _is_ordered(self.low, self.high):
            raise SlackwaterError(
                "PREDICATE_INVALID",
                f"range: {self.low!r} to {self.high!r} is no interval",
                "give two bounds of one kind, the lower one first",
            )

    def matches(self, value: Any) -> bool:
        return _is_ordered(self.low, value) and _is_ordered(value, self.high)

    def to_json(self) -> list[Any]:
        return ["range", self.low, self.high]

    def __str__(self) -> str:
        return f"{self.low}..{self.high}"


@dataclass(frozen=True, slots=True)
class In:
    """The values of a set."""

    values: frozenset[Value]

    @classmethod
    def of(cls, values: Iterable[Value]) -> In:
        return cls(frozenset(values))

    def matches(self, value: Any) -> bool:
        return value in self.values

    def to_json(self) -> list[Any]:
        return ["in", sorted(self.values, key=lambda value: (str(type(value)), str(value)))]

    def __str__(self) -> str:
        return "{" + ", ".join(map(str, self.to_json()[1])) + "}"


Predicate = Anything | Eq | Le | Range | In
ANY = Anything()


def from_json(form: Sequence[Any]) -> Predicate:
    """The predicate of a JSON form, as ``to_json`` gave it.

    >>> from_json(["range", 5, 10]).matches(10), from_json(["le", 5]).matches(None)
    (True, False)
    """
    match list(form):
        case ["any"]:
            return ANY
        case ["eq", value]:
            return Eq(value)
        case ["le", bound]:
            return Le(bound)
        case ["range", low, high]:
            return Range(low, high)
        case ["in", values] if isinstance(values, list | tuple):
            return In.of(values)
    raise SlackwaterError(
        "PREDICATE_INVALID",
        f"{form!r} is no predicate",
        'write ["any"], ["eq", v], ["le", v], ["range", low, high] or ["in", [v, …]]',
    )


def _is_ordered(low: Any, high: Any) -> bool:
    """Whether low ≤ high; values of kinds that do not compare are in no order."""
    if low is None or high is None:
        return False
    try:
        return bool(low <= high)
    except TypeError:
        return False
