"""What a function gave, as the columns that were declared; what is none of them is refused."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from slackwater.errors import SlackwaterError
from slackwater.plan.calls import Link

Bools = npt.NDArray[np.bool_]
WAY_OUT = "nothing of this batch was committed: mend the function and start the pipeline again"


def bools(values: pa.ChunkedArray | pa.Array) -> Bools:
    """True where a value is; what is null is not."""
    filled = values.fill_null(False)
    return np.asarray(filled.to_numpy(zero_copy_only=False), dtype=bool)


def is_several(given: Any) -> bool:
    return isinstance(given, Mapping | pa.RecordBatch | pa.Table)


def several(given: Any, link: Link, subject: str) -> list[Any]:
    """The columns of a result, in the order in which they were declared."""
    if isinstance(given, pa.RecordBatch | pa.Table):
        given = dict(zip(given.schema.names, given.columns, strict=True))
    names = ", ".join(link.returns)
    if not isinstance(given, Mapping):
        text = f"{subject} gave a {type(given).__name__}; declared are the columns {names}"
        raise _refused(text, "give a dict of arrays, or a pyarrow.RecordBatch")
    if set(given) != set(link.returns):
        text = f"{subject} gave the columns {', '.join(map(str, given))}; declared are {names}"
        raise _refused(text, "give exactly these")
    return [given[name] for name in link.returns]


def column(given: Any, kind: pa.DataType, rows: int, subject: str) -> pa.Array:
    """One column of a result, if it is what was declared."""
    if isinstance(given, np.ndarray):
        given = _of_numpy(given, subject)
    if isinstance(given, pa.ChunkedArray):
        given = given.combine_chunks()
    if not isinstance(given, pa.Array):
        text = f"{subject} gave a {type(given).__name__}, which is no array"
        raise _refused(text, "give a pyarrow.Array, or a NumPy array of one dimension")
    if len(given) != rows:
        raise _refused(f"{subject} was given {rows} rows and gave {len(given)}", "a value for each")
    if pa.types.is_null(given.type):
        return given.cast(kind)
    if given.type != kind:
        hint = "change what is declared, or cast the array: .cast(...)"
        raise _refused(f"{subject} gave {given.type}, declared is {kind}", hint)
    return given


def _of_numpy(given: npt.NDArray[Any], subject: str) -> pa.Array:
    try:
        return pa.array(given)
    except (pa.ArrowException, TypeError) as error:
        raise _refused(f"{subject} gave an array that is no column: {error}", "") from error


def _refused(text: str, hint: str) -> SlackwaterError:
    return SlackwaterError("FUNCTION_RESULT", text, f"{hint}; {WAY_OUT}" if hint else WAY_OUT)
