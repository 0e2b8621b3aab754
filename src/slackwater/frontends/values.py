"""What the value of a key may be: in words for people, and as a type.

Every type carries its words, so that whatever else comes is told once and plainly:
``got 3, wanted text``.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from dataclasses import dataclass
from datetime import datetime
from difflib import get_close_matches
from pathlib import Path
from typing import Annotated, Any

from pydantic import (
    AfterValidator,
    BeforeValidator,
    GetCoreSchemaHandler,
    ValidationError,
    ValidationInfo,
    ValidatorFunctionWrapHandler,
)
from pydantic_core import CoreSchema, PydanticCustomError, core_schema

from slackwater.errors import SlackwaterError
from slackwater.units import duration

WRONG = "KEY_TYPE"
STRANGE = "SOURCE_UNKNOWN"
IN_TEXT = "SECRET_IN_TEXT"


@dataclass(frozen=True, slots=True)
class Context:
    """What values refer to: relative paths to a folder, names of sources to those there are."""

    base: Path
    sources: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True)
class Words:
    """What a value may be, in words."""

    words: str


@dataclass(frozen=True, slots=True)
class Wanted(Words):
    """What a value may be, in words and as a test; nothing more is told of a value it refuses."""

    accepts: Callable[[Any], bool] = lambda _: True

    def __get_pydantic_core_schema__(
        self, source: object, handler: GetCoreSchemaHandler
    ) -> CoreSchema:
        return core_schema.no_info_wrap_validator_function(self._check, handler(source))

    def _check(self, value: Any, inner: ValidatorFunctionWrapHandler) -> Any:
        try:
            found = inner(value)
        except ValidationError:
            raise refusal(WRONG, f"got {value!r}, wanted {self.words}") from None
        if not self.accepts(found):
            raise refusal(WRONG, f"got {value!r}, wanted {self.words}")
        return found


def refusal(condition: str, message: str, hint: str = "") -> PydanticCustomError:
    """An error in words of ours; they are not a template, whatever braces they have."""
    return PydanticCustomError(
        condition,
        "{message}",
        {"message": message, "hint": hint},
    )


def one_of(*names: str) -> Wanted:
    """One of some names."""
    return Wanted(f"one of {', '.join(names)}", names.__contains__)


def either(name: str, kind: Wanted) -> Wanted:
    """A name, or something else."""
    return Wanted(f'{kind.words}, or "{name}"', lambda v: v == name or kind.accepts(v))


def is_duration(value: Any) -> bool:
    """Whether a value can be read as a duration."""
    try:
        return duration(value) is not None
    except SlackwaterError:
        return False


def _fits(value: float) -> bool:
    """Whether a number is one of TOML's: whole ones have 64 bits, Python's reader takes more."""
    return not isinstance(value, int) or -(2**63) <= value < 2**63


def _several(value: Any) -> Any:
    """One text or several as several."""
    if isinstance(value, str):
        return (value,)
    return tuple(value) if isinstance(value, list) and value else value


def suggestion(word: str, allowed: Iterable[str], meant: Iterable[str] = ()) -> str:
    """What may be written instead, the likeliest first; ``meant`` may only have been meant."""
    names = list(allowed)
    near = get_close_matches(word, [*names, *meant], n=1)
    guess = f"did you mean {near[0]!r}? " if near else ""
    return f"{guess}allowed here: {', '.join(names)}"


def _located(path: str, info: ValidationInfo[Context]) -> str:
    """A path as seen from the folder of the file; only Spark knows places with a scheme."""
    if "://" in path and not path.startswith("file://"):
        return path
    return str(info.context.base / Path(path.removeprefix("file://")).expanduser())


def _there(name: str, info: ValidationInfo[Context]) -> str:
    """The name of a source that there is."""
    if name in info.context.sources:
        return name
    text, hint = f"there is no [source.{name}]", suggestion(name, info.context.sources)
    raise refusal(STRANGE, text, hint)


NUMBER = Wanted("a number", _fits)
DURATION = Wanted('a duration such as "10 seconds" (a number is seconds)', is_duration)

Text = Annotated[str, Wanted("text", bool)]
SourceName = Annotated[str, Wanted("the name of a source", bool), AfterValidator(_there)]
Texts = Annotated[tuple[str, ...], BeforeValidator(_several), Wanted("text or a list of texts")]
TextTable = Annotated[dict[str, str], Wanted('a table of texts, e.g. { name = "..." }')]
Located = Annotated[str, AfterValidator(_located), Wanted("a path", bool)]
# A whole number stays one: it is part of what a checkpoint means.
Number = Annotated[int | float, NUMBER]
Whole = Annotated[int, Wanted("a whole number", _fits)]
Count = Annotated[int, Wanted("a whole number above 0", lambda v: v > 0 and _fits(v))]
Flag = Annotated[bool, Wanted("true or false")]
Duration = Annotated[str | int | float, DURATION]
Instant = Annotated[str | datetime, Wanted("an instant")]
AnyTable = Annotated[dict[str, Any], Wanted("a table")]
