"""What a table keeps of answers: all that was ever said, or the newest row of each window and key.

A final replaces every estimate, a revision the final before it; of rows of the same rank the
later counts.
"""

from __future__ import annotations

from typing import Literal

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from slackwater.errors import SinkError
from slackwater.execute.sinks.sink import Target

Mode = Literal["append", "latest"]
MODES: tuple[Mode, ...] = ("append", "latest")
RANK = ("kind", "revision")  # columns that say which of two rows of a key counts
_PLACE, _FINAL = "__place", "__final"


def check_mode(mode: str, place: str) -> None:
    """Refuse a mode that does not exist."""
    if mode not in MODES:
        hint = "append keeps everything, latest the newest row of each window and key"
        raise SinkError("SINK_MODE", f"{place}: there is no mode {mode!r}", hint)


def check_keys(mode: Mode, target: Target) -> None:
    """Refuse to keep the newest of rows that nothing tells apart."""
    if mode == "latest" and not target.keys:
        raise SinkError(
            "SINK_NO_KEYS",
            f"{target.output} of query {target.query!r} have nothing that tells a row from "
            'another: mode="latest" cannot find the one to replace',
            'use mode="append"',
        )


def ranked(names: list[str]) -> bool:
    """Whether rows say of themselves which counts; those that do not are replaced by later ones."""
    return set(RANK) <= set(names)


def newest(rows: pa.Table, keys: tuple[str, ...]) -> pa.Table:
    """One row for each key, the one that counts; keys that are null are equal."""
    order = [(_PLACE, "ascending")]
    numbered = rows.append_column(_PLACE, pa.array(np.arange(rows.num_rows)))
    if ranked(rows.column_names):
        is_final = pc.not_equal(rows["kind"], "estimate").cast(pa.int8())
        numbered = numbered.append_column(_FINAL, is_final)
        order = [(_FINAL, "ascending"), ("revision", "ascending"), *order]
    places = numbered.sort_by(order)[_PLACE]
    by_rank = rows.select(list(keys)).take(places)
    by_rank = by_rank.append_column(_PLACE, pa.array(np.arange(rows.num_rows)))
    last = by_rank.group_by(list(keys)).aggregate([(_PLACE, "max")])[f"{_PLACE}_max"]
    return rows.take(places.take(last.sort()))
