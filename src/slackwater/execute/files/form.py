"""What a file is read as: format, columns, options and the zone of times without one."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import pyarrow as pa
import pyarrow.compute as pc

from slackwater.arrow_types import arrow_type
from slackwater.query.schema import Schema
from slackwater.zones import offset_of

# Settings of a Spark session by which plain files mean something else, and what they must be.
SETTINGS: Mapping[str, str] = {
    "spark.sql.caseSensitive": "false",
    "spark.sql.columnNameOfCorruptRecord": "_corrupt_record",
    "spark.sql.legacy.timeParserPolicy": "CORRECTED",
    "spark.sql.parquet.fieldId.read.enabled": "false",
    "spark.sql.timestampType": "TIMESTAMP_LTZ",
}

_CORRUPT = "_corrupt_record"
_MOST_COLUMNS = 20_000  # Spark's reader of CSV gives up soon after
_SHORT = {"byte": "tinyint", "short": "smallint", "integer": "int", "long": "bigint"}
_SIMPLE = (
    *("boolean", "tinyint", "smallint", "int", "bigint", "float", "double"),
    *("string", "date", "timestamp", "timestamp_ntz"),
)
_DECIMAL = re.compile(r"decimal\((\d{1,2}),\s*(\d{1,2})\)")

Check = Callable[[str], bool]


def _any(value: str) -> bool:  # noqa: ARG001 - has the shape of a check
    return True


def _one_of(*allowed: str) -> Check:
    return lambda value: value.lower() in allowed


def _is_null_text(value: str) -> bool:
    return value.isprintable() and value.isascii() and not set(value) & set('"\\,;|:^~')


_BOTH, _NO = _one_of("true", "false"), _one_of("false")
_LISTING = dict.fromkeys(  # which files are read, and when, is Spark's part
    (
        *("maxfilespertrigger", "maxbytespertrigger", "maxfileage", "maxcachedfiles"),
        *("latestfirst", "filenameonly", "pathglobfilter", "recursivefilelookup"),
    ),
    _any,
)
_OPTIONS: dict[str, dict[str, Check]] = {
    "csv": {
        **_LISTING,
        "header": _BOTH,
        "enforceschema": _BOTH,
        "inferschema": _BOTH,  # the columns are given
        "sep": _one_of(",", ";", "|", ":", "^", "~", "\t", "\\t"),
        "delimiter": _one_of(",", ";", "|", ":", "^", "~", "\t", "\\t"),
        "nullvalue": _is_null_text,
        "mode": _one_of("permissive"),
        "encoding": _one_of("utf-8"),
        "charset": _one_of("utf-8"),
        "quote": _one_of('"'),
        "escape": _one_of("\\"),
        "multiline": _NO,
        "ignoreleadingwhitespace": _NO,
        "ignoretrailingwhitespace": _NO,
    },
    "json": {**_LISTING, "mode": _one_of("permissive"), "multiline": _NO},
    "parquet": {
        **_LISTING,
        "mergeschema": _BOTH,  # the columns are given
        "datetimerebasemode": _any,  # of times that are not plain anyway
        "int96rebasemode": _any,
    },
}


@dataclass(frozen=True, slots=True)
class Form:
    """What the files of a source are read as.

    ``zone`` is that of the session: times that name none are in it.
    """

    format: str
    columns: Schema
    options: tuple[tuple[str, str], ...]
    zone: str

    def option(self, name: str, default: str) -> str:
        """An option by its name in lower case, as Spark finds it."""
        return {key.lower(): value for key, value in self.options}.get(name, default)

    def says(self, name: str) -> bool:
        """Whether an option that is off by default is on."""
        return self.option(name, "false").lower() == "true"

    def schema(self, names: Sequence[str]) -> pa.Schema:
        """The Arrow types of columns of plain files, as Spark gives them."""
        return pa.schema([(name, arrow_type(self._kind(name))) for name in names])

    def _kind(self, name: str) -> str:
        kind = self.columns.type_of(name)
        if kind is None:
            raise KeyError(name)
        return plain_type(kind) or kind


def plain_type(kind: str) -> str | None:
    """A type that is read here, in the spelling of ``arrow_type``; ``None`` for all others."""
    name = _SHORT.get(kind.lower(), kind.lower())
    if name in (*_SIMPLE, "binary"):
        return name
    digits = _DECIMAL.fullmatch(name)
    return (
        name if digits and 1 <= int(digits[1]) <= 38 and int(digits[2]) <= int(digits[1]) else None
    )


def why_not(form: Form, names: Sequence[str]) -> str | None:
    """Why the columns of files of this form are left to Spark; ``None`` if they need not be."""
    if form.format not in _OPTIONS:
        return f"files of format {form.format} are not read here"
    return _of_options(form) or _of_columns(form) or _of_names(form, names) or _of_zone(form, names)


def _of_options(form: Form) -> str | None:
    known = _OPTIONS[form.format]
    for name, value in form.options:
        check = known.get(name.lower())
        if check is None or not check(value):
            return f"the option {name}={value!r} is not read here as Spark reads it"
    given = [name.lower() for name, _ in form.options]
    twice = len(set(given)) < len(given) or {"sep", "delimiter"} <= set(given)
    return "an option is given twice" if twice else None


def _of_columns(form: Form) -> str | None:
    names = [name.lower() for name in form.columns.names]
    if len(set(names)) < len(names):
        return "two columns have the same name"
    if _CORRUPT in names and form.format != "parquet":
        return f"the column {_CORRUPT} is filled with lines that Spark cannot read"
    return "there are too many columns" if len(names) > _MOST_COLUMNS else None


def _of_names(form: Form, names: Sequence[str]) -> str | None:
    if not names:
        return "no column is asked for"
    for name in names:
        kind = form.columns.type_of(name)
        known = None if kind is None else plain_type(kind)
        if known is None or (known == "binary" and form.format != "parquet"):
            return f"column {name!r}: {kind} is not read here from {form.format}"
    return None


def _of_zone(form: Form, names: Sequence[str]) -> str | None:
    kinds = [form.columns.type_of(name) or "" for name in names]
    if form.format == "parquet" or "timestamp" not in map(str.lower, kinds):
        return None
    known = offset_of(form.zone) is not None or ("/" in form.zone and _arrow_knows(form.zone))
    return None if known else f"the time zone {form.zone} is not known here"


def _arrow_knows(zone: str) -> bool:
    try:
        pc.assume_timezone(pa.array([0], pa.timestamp("us")), zone)
    except pa.ArrowException:
        return False
    return True
