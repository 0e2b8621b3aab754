"""Columns of one file, whatever its format."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from pathlib import Path
from urllib.parse import unquote

import pyarrow as pa

from slackwater.execute.files.form import Form, why_not
from slackwater.execute.files.not_plain import NotPlain
from slackwater.execute.files.part import Part
from slackwater.execute.files.read_csv import read_csv
from slackwater.execute.files.read_json import read_json
from slackwater.execute.files.read_parquet import read_parquet
from slackwater.runs.paths import is_remote, local_path

_READERS = {"csv": read_csv, "json": read_json, "parquet": read_parquet}


def read(
    part: Part, form: Form, names: Sequence[str], *, threads: bool = False
) -> Iterator[pa.RecordBatch]:
    """Columns of a part of a file as Spark's reader gives them, some rows at a time.

    Parameters
    ----------
    part : Part
        All of a file of this machine, or a part.
    form : Form
        What it is read as.
    names : sequence of str
        The columns wanted, in this order; the types are ``form.schema(names)``.
    threads : bool
        Whether all cores may be used.

    Raises
    ------
    NotPlain
        Spark may read something else; that can show after some rows were given.
    """
    reason = why_not(form, names)
    if reason is not None:
        raise NotPlain(reason)
    where = replace(part, file=_local(part.file, form))
    try:
        yield from _READERS[form.format](where, form, names, threads=threads)
    except (pa.ArrowException, OSError, UnicodeDecodeError) as error:
        raise NotPlain(f"{where.file.name}: {error}") from error


def _local(path: str | Path, form: Form) -> Path:
    if is_remote(str(path)):
        raise NotPlain("the file is not on this machine")
    where = local_path(path)
    columns = {name.lower() for name in form.columns.names}
    for folder in where.parts[:-1]:
        name, equals, _ = folder.partition("=")
        if equals and unquote(name).lower() in columns:
            raise NotPlain(f"the column {name!r} is in the path")
    return where
