"""Random files of lines, most with something odd in them, and whether two readings are the same."""

from __future__ import annotations

import json
import math

import numpy as np
import pyarrow as pa
import pyarrow.types as kinds

from slackwater.execute.files import Form
from slackwater.query.schema import Column, Schema
from tests.spark.odd_values import KINDS, Chance, alike, mutated

MARK = b"\xef\xbb\xbf"
ODD_LINES = ("", " ", "\t", "a", ",,", "\t\t\t", '""')
ODD_OBJECTS = (
    *("", " ", "null", "[]", "{}", "1", '"a"', "[{}]", "{} {}", "{}{}", '{"c0":', "// x", "{},"),
)
ODD_JSON = (
    *("null", "{}", "[]", "[1]", '{"a":1}', '""', "true", "false", "1", '"1"', "1.0", "NaN"),
    *('"\\ud800"', '"\\u0000"', '"\\u00e9"', '"\\/"', "-0", "0", "-0.0", "-0e1", "1e5", "-Inf"),
)
ODD_NAMES = ("a.b", "a b", "ä", "A", 'x"y', "$", "a\\b", "é", "e\u0301")
MORE_FIELDS = ('"z":[1,{"c0":2}]', '"z":{"c0":[]}', '"C0":1', '"zz":"\\"}"')


def csv_form(chance: Chance, zone: str) -> Form:
    pick = chance.random
    options = {
        "header": pick.choice(["true", "true", "false"]),
        "enforceSchema": pick.choice(["true", "false"]),
    }
    if chance.often(0.4):
        options["sep"] = pick.choice([";", "|", "\t", "\\t"])
    if chance.often(0.3):
        options["nullValue"] = pick.choice(["NA", "null", "-", "1"])
    return Form("csv", _schema(chance), tuple(options.items()), zone)


def csv_text(chance: Chance, form: Form, *, odd: bool) -> bytes:
    """A file; ``odd`` ones have a strange value, a strange line or a strange byte somewhere."""
    pick = chance.random
    separator = form.option("sep", ",").replace("\\t", "\t")
    quote = pick.choice([0, 0, 0.3, 1])
    end = pick.choice(["\n", "\n", "\n", "\r\n"])
    zoned = chance.often(0.3)
    rows = [_csv_row(chance, form, quote, zoned=zoned) for _ in range(pick.choice([0, 1, 2, 3, 8]))]
    if odd and rows and chance.often(0.6):
        row, place = pick.choice(rows), pick.randrange(len(form.columns.columns))
        text = chance.odd(form.columns.columns[place].type)
        row[place] = pick.choice([text, f'"{text}"'])
    lines = [separator.join(row) for row in rows]
    if odd and chance.often(0.15):
        lines.insert(pick.randint(0, len(lines)), pick.choice(ODD_LINES))
    names = [f'"{name}"' if quote == 1 else name for name in form.columns.names]
    head = (separator.join(names) + end).encode() if form.says("header") else b""
    body = _body(chance, lines, end, odd=odd)
    return (MARK if odd and chance.often(0.03) else b"") + head + body


def _csv_row(chance: Chance, form: Form, quote: float, *, zoned: bool) -> list[str]:
    null = form.option("nullvalue", "")
    row = []
    for column in form.columns.columns:
        if row and chance.often(0.1):  # a row of nulls is no line at all between tabs
            row.append(chance.random.choice(["", null]))
            continue
        text = alike(chance.text(column.type), column.type, zoned=zoned)
        is_quoted = quote and (column.type == "string" or chance.often(quote))
        row.append(f'"{text}"' if is_quoted else text)
    return row


def json_form(chance: Chance, zone: str) -> Form:
    schema = _schema(chance)
    first, *rest = schema.columns
    if chance.often(0.2):
        first = Column(chance.random.choice(ODD_NAMES), first.type)
    return Form("json", Schema((first, *rest)), (), zone)


def json_text(chance: Chance, form: Form, *, odd: bool) -> bytes:
    """A file; ``odd`` ones have a strange value, a strange line or a strange byte somewhere."""
    pick = chance.random
    end = pick.choice(["\n", "\n", "\n", "\r\n"])
    spaced, zoned = chance.often(0.5), chance.often(0.3)
    rows = pick.choice([0, 1, 2, 3, 8])
    strange = pick.randrange(max(rows, 1)) if odd else None
    lines = [_object(chance, form, odd=row == strange, zoned=zoned) for row in range(rows)]
    texts = ["{" + (", " if spaced else ",").join(fields) + "}" for fields in lines]
    if odd and chance.often(0.25):
        texts.insert(pick.randint(0, len(texts)), pick.choice(ODD_OBJECTS))
    body = _body(chance, texts, end, odd=odd)
    return (MARK if odd and chance.often(0.03) else b"") + body


def _object(chance: Chance, form: Form, *, odd: bool, zoned: bool) -> list[str]:
    """The fields of an object, some of them left out."""
    pick = chance.random
    strange = pick.choice(form.columns.names) if odd else None
    colon = pick.choice([":", ": "])
    fields = []
    for column in form.columns.columns:
        is_odd = column.name == strange and chance.often(0.7)
        value = _json_value(chance, column.type, odd=is_odd, zoned=zoned)
        if chance.often(0.9):
            text = value if chance.often(0.9) else "null"
            fields.append(f"{json.dumps(column.name)}{colon}{text}")
    if chance.often(0.3):
        fields.insert(pick.randint(0, len(fields)), pick.choice(MORE_FIELDS))
    if odd and fields and chance.often(0.1):
        fields.append(pick.choice(fields))
    return fields


def _json_value(chance: Chance, kind: str, *, odd: bool, zoned: bool) -> str:
    text = chance.odd(kind) if odd else alike(chance.text(kind), kind, zoned=zoned)
    is_text = kind in ("string", "date", "timestamp", "timestamp_ntz")
    if odd and chance.often(0.3):
        return chance.random.choice(ODD_JSON)
    if odd and chance.often(0.2):
        is_text = not is_text
    return json.dumps(text, ensure_ascii=chance.often(0.5)) if is_text else text


def _schema(chance: Chance) -> Schema:
    columns = chance.random.choices(KINDS, k=chance.random.choice([1, 2, 3, 4, 6]))
    return Schema(tuple(Column(f"c{n}", kind) for n, kind in enumerate(columns)))


def _body(chance: Chance, lines: list[str], end: str, *, odd: bool) -> bytes:
    text = end.join(lines) + (end if chance.often(0.8) else "")
    if odd and chance.often(0.45):
        text = mutated(text, chance.random)
    data = text.encode("utf-8", "surrogatepass")
    if odd and chance.often(0.05):
        place = chance.random.randint(0, len(data))
        broken = chance.random.choice([b"\xff", b"\xc3", b"\xe2\x82"])
        return data[:place] + broken + data[place:]
    return data


def same(one: pa.Table, two: pa.Table) -> bool:
    """Whether two tables are equal to the last bit; one NaN is like another."""
    if one.schema.types != two.schema.types or one.num_rows != two.num_rows:
        return False
    return all(map(_same_column, one.columns, two.columns))


def _same_column(one: pa.ChunkedArray, two: pa.ChunkedArray) -> bool:
    if not kinds.is_floating(one.type):
        return bool(one.equals(two))
    return [_bits(value) for value in one.to_pylist()] == [_bits(v) for v in two.to_pylist()]


def _bits(value: float | None) -> object:
    if value is None or math.isnan(value):
        return str(value)
    return np.float64(value).tobytes()
