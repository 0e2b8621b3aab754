"""Files of comma-separated values, as Spark's reader takes them."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from itertools import chain

import numpy as np
import pyarrow as pa
import pyarrow.csv as pa_csv

from slackwater.execute.files.form import Form
from slackwater.execute.files.not_plain import NotPlain
from slackwater.execute.files.part import Part
from slackwater.execute.files.pieces import MARK, in_order, pieces
from slackwater.execute.files.texts import typed, whole

_BLANK = re.compile(rb"^(?!\r?$)[\x01-\x09\x0b-\x20]+$", re.MULTILINE)


def read_csv(
    part: Part, form: Form, names: Sequence[str], *, threads: bool
) -> Iterator[pa.RecordBatch]:
    """The columns of a file, piece by piece."""
    reader = _Reader(form, names)
    parts = pieces(part)
    if form.says("header") and part.number == 0:
        first = next(parts, None)
        parts = iter(()) if first is None else chain([reader.after_header(first)], parts)
    filled = (part for part in parts if not _is_blank(part))
    yield from in_order(reader.read, filled, threads=threads)


class _Reader:
    """What is the same for all pieces of a file."""

    def __init__(self, form: Form, names: Sequence[str]) -> None:
        self._form = form
        self._schema = form.schema(names)
        separator = form.option("sep", form.option("delimiter", ","))
        self._separator = "\t" if separator == "\\t" else separator
        self._null = form.option("nullvalue", "")
        places = [str(place) for place in range(len(form.columns.columns))]
        wanted = [str(form.columns.names.index(name)) for name in names]
        self._places = places
        self._convert = pa_csv.ConvertOptions(
            include_columns=wanted,
            column_types=dict.fromkeys(wanted, pa.string()),
            null_values=sorted({"", self._null}),
            strings_can_be_null=True,
            quoted_strings_can_be_null=True,
        )

    def after_header(self, piece: bytes) -> bytes:
        """The first piece without its header, which must name the columns."""
        head, _, rest = piece.partition(b"\n")
        found = [_bare(name) for name in head.decode().strip("\r").split(self._separator)]
        names = self._form.columns.names
        if len(found) != len(names) or _is_blank(head):
            raise NotPlain("the header has another number of columns")
        enforced = self._form.option("enforceschema", "true").lower() == "true"
        if not enforced and [n.lower() for n in found] != [n.lower() for n in names]:
            raise NotPlain("the header names other columns")
        return rest

    def read(self, piece: bytes) -> pa.RecordBatch:
        if piece.startswith(MARK):
            raise NotPlain("there is a mark of UTF-8 within the file")
        quoted = b'"' in piece
        if quoted:
            self._check_quotes(piece)
        if (self._separator == "\t" or len(self._places) == 1) and _BLANK.search(piece):
            raise NotPlain("a line is made of blanks")
        table = pa_csv.read_csv(
            pa.py_buffer(piece),
            pa_csv.ReadOptions(
                use_threads=False, block_size=len(piece) + 1, column_names=self._places
            ),
            pa_csv.ParseOptions(
                delimiter=self._separator,
                quote_char='"' if quoted else False,
                double_quote=False,
                escape_char=False,
            ),
            self._convert,
        ).combine_chunks()
        columns = [
            typed(whole(column), kind, self._form.zone)
            for column, kind in zip(table.columns, self._schema.types, strict=True)
        ]
        return pa.record_batch(columns, schema=self._schema)

    def _check_quotes(self, piece: bytes) -> None:
        """Refuse quotes but those around a whole value that has no quote, escape or end of line."""
        if b"\\" in piece:
            raise NotPlain("a file with quotes has a backslash")
        if self._null and b'""' in piece:
            raise NotPlain("an empty text is quoted, and another text means null")
        data = np.frombuffer(b"\n" + piece.rstrip(b"\r\n") + b"\n", np.uint8)
        marks = np.flatnonzero(data == ord('"'))
        opening, closing = marks[::2], marks[1::2]
        between = np.frombuffer(f"{self._separator}\r\n".encode(), np.uint8)
        ends = np.flatnonzero(data == ord("\n"))
        if not (
            len(opening) == len(closing)
            and np.isin(data[opening - 1], between).all()
            and np.isin(data[closing + 1], between).all()
            and (np.searchsorted(ends, opening) == np.searchsorted(ends, closing)).all()
        ):
            raise NotPlain("a quote is not around a whole value")


def _is_blank(text: bytes) -> bool:
    return not text or text.isspace()


def _bare(name: str) -> str:
    if len(name) > 1 and name.startswith('"') and name.endswith('"'):
        name = name[1:-1]
    if '"' in name or "\\" in name:
        raise NotPlain("the header has odd quotes")
    return name
