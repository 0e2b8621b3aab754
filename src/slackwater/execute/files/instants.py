"""Texts as instants; those that name no zone are in the session's."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from slackwater.execute.files.letters import edges, letters
from slackwater.execute.files.not_plain import NotPlain
from slackwater.zones import offset_of

_WALL = pa.timestamp("us")
_INSTANT = pa.timestamp("us", "UTC")
# Java and Arrow have tables of zones of their own, which agree on these years.
_FIRST = 315_532_800_000_000  # 1980
_LAST = 2_114_380_800_000_000  # 2037
_SHORTEST = len("2024-01-01 00:00:00Z")
_MOST_HOURS = 17  # Spark takes 18:00, and not a minute more


def instants(texts: pa.StringArray, zone: str) -> pa.Array:
    """Texts as instants, all with a zone or all without; raises `NotPlain` or an Arrow error."""
    if _names_zone(pc.first(texts).as_py() or ""):
        _check_zones(texts.drop_null())
        return pc.cast(texts, _INSTANT)
    return _in_zone(pc.cast(texts, _WALL), zone)


def _names_zone(text: str) -> bool:
    return text.endswith("Z") or "+" in text or "-" in text[len("2024-01-01") :]


def _in_zone(walls: pa.Array, zone: str) -> pa.Array:
    """What clocks on a wall of the zone show, as instants."""
    offset = offset_of(zone)
    if offset is None:
        _check_years(walls)
        there = pc.assume_timezone(walls, zone, ambiguous="earliest", nonexistent="raise")
        return there.cast(_INSTANT)
    micros = walls.view(pa.int64())
    return (pc.subtract(micros, offset * 1_000_000) if offset else micros).view(_INSTANT)


def _check_years(walls: pa.Array) -> None:
    ends = pc.min_max(walls.view(pa.int64())).as_py()
    if ends["min"] is not None and not (ends["min"] >= _FIRST and ends["max"] < _LAST):
        raise NotPlain("a time is before 1980 or after 2036, in a zone that changes its clocks")


def _check_zones(texts: pa.StringArray) -> None:
    """Refuse all but whole seconds, or parts of them, and ``Z`` or ``+hh:mm`` after them."""
    data, cuts = letters(texts), edges(texts)
    begins, ends = cuts[:-1], cuts[1:]
    if len(texts) == 0 or (ends - begins).min() < _SHORTEST:
        raise NotPlain("a time has an odd form")
    colons = (data[begins + 13] == ord(":")) & (data[begins + 16] == ord(":"))
    offset = ends[data[ends - 1] != ord("Z")]
    signs = np.isin(data[offset - 6], np.frombuffer(b"+-", np.uint8))
    hours = 10 * (data[offset - 5].astype(int) - 48) + data[offset - 4] - 48
    usual = signs & (data[offset - 3] == ord(":")) & (hours <= _MOST_HOURS)
    if not (colons.all() and usual.all()):
        raise NotPlain("a time has an odd form")
