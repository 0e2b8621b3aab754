"""A table of keys and values against a model of it; every problem is told, none raised."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Annotated, Any, ClassVar, Self, TypeVar, get_args, get_origin

from pydantic import (
    BaseModel,
    ConfigDict,
    ModelWrapValidatorHandler,
    ValidationError,
    model_validator,
)
from pydantic.fields import FieldInfo
from pydantic_core import ErrorDetails, InitErrorDetails, PydanticCustomError

from slackwater.errors import Problem
from slackwater.frontends.values import IN_TEXT, STRANGE, WRONG, Context, Words, refusal, suggestion

MISSING = "KEY_MISSING"
UNKNOWN = "KEY_UNKNOWN"
_OURS = (WRONG, MISSING, UNKNOWN, STRANGE, IN_TEXT)

T = TypeVar("T", bound="Table")


class Table(BaseModel):
    """A table of a pipeline file: a field for each key.

    A key that is not given is ``None`` here: what that means is said where the value is used, once.
    """

    model_config = ConfigDict(
        strict=True, extra="forbid", frozen=True, use_attribute_docstrings=True
    )
    form: ClassVar[str] = "a table"
    elsewhere: ClassVar[Mapping[str, str]] = {}  # keys of another form of the table: what has them

    def said(self, *keys: str) -> dict[str, Any]:
        """The values that were given, by key; of some keys, or of all."""
        fields = {key_of(name, field): name for name, field in type(self).model_fields.items()}
        given = {k: getattr(self, n) for k, n in fields.items() if n in self.model_fields_set}
        return {key: value for key, value in given.items() if not keys or key in keys}

    @model_validator(mode="wrap")
    @classmethod
    def _in_our_words(cls, value: Any, handler: ModelWrapValidatorHandler[Self]) -> Self:
        try:
            return handler(value)
        except ValidationError as error:
            told = [_told(cls, one) for one in error.errors(include_url=False)]
            raise ValidationError.from_exception_data(cls.__name__, told) from None


def key_of(name: str, field: FieldInfo) -> str:
    """How a field is called in the file."""
    return field.alias or name


def keys_of(table: type[Table]) -> dict[str, FieldInfo]:
    """The fields of a table by their keys."""
    return {key_of(name, field): field for name, field in table.model_fields.items()}


def words_of(field: FieldInfo) -> str:
    """What the value of a field may be."""
    for one in (*field.metadata, *_inner(field.annotation)):
        if isinstance(one, Words):
            return one.words
    if any(get_origin(part) is list for part in _inner(field.annotation)):
        return "a list of tables"
    return tables_in(field)[0].form


def tables_in(field: FieldInfo) -> list[type[Table]]:
    """The tables that a field holds."""
    inner = _inner(field.annotation)
    return [one for one in inner if isinstance(one, type) and issubclass(one, Table)]


def _inner(annotation: Any) -> list[Any]:
    """A type, what it is made of, and what is said of them; that of the whole comes first."""
    parts = get_args(annotation)
    if get_origin(annotation) is Annotated:
        parts = (*parts[1:], parts[0])
    return [annotation, *(inner for part in parts for inner in _inner(part))]


def read_table(
    table: type[T], value: Any, where: str, problems: list[Problem], context: Context
) -> T | None:
    """The table of a value; ``None`` if something is wrong with it, which joins ``problems``."""
    try:
        return table.model_validate(value, context=context)
    except ValidationError as error:
        problems += [_problem(one, where) for one in error.errors(include_url=False)]
        return None


def unknown_key(name: str, where: str, allowed: Iterable[str]) -> Problem:
    """A key that is not there."""
    hint = suggestion(name, allowed)
    return Problem(UNKNOWN, f"{where}.{name}", "there is no such key here", hint)


def _told(table: type[Table], error: ErrorDetails) -> InitErrorDetails:
    """One error of a table, in our words unless it has them already."""
    if error["type"] in _OURS:
        context = error["ctx"]
        refused = refusal(error["type"], context["message"], context["hint"])
    else:
        refused = _refused(table, error)
    return InitErrorDetails(type=refused, loc=error["loc"], input=error["input"])


def _refused(table: type[Table], error: ErrorDetails) -> PydanticCustomError:
    keys = keys_of(table)
    key = str(error["loc"][0]) if error["loc"] else None
    if key is None:
        return refusal(WRONG, f"got {error['input']!r}, wanted {table.form}")
    if error["type"] == "extra_forbidden":
        return refusal(UNKNOWN, "there is no such key here", _way_out(table, key))
    wanted = words_of(keys[key])
    if error["type"] == "missing":
        return refusal(MISSING, f"is missing; it is {wanted}")
    return refusal(WRONG, f"got {error['input']!r}, wanted {wanted}")


def _way_out(table: type[Table], key: str) -> str:
    if key in table.elsewhere:
        return f"it belongs to {table.elsewhere[key]}"
    return suggestion(key, keys_of(table), table.elsewhere)


def _problem(error: ErrorDetails, where: str) -> Problem:
    parts = (f"[{part + 1}]" if isinstance(part, int) else f".{part}" for part in error["loc"])
    context = error["ctx"]
    return Problem(error["type"], where + "".join(parts), context["message"], context["hint"])
