"""``[source.NAME]`` with ``kind = "generator"``: a synthetic stream and its disorder."""

from __future__ import annotations

from typing import Any

from slackwater.errors import Problem
from slackwater.spark.document.table import (
    COUNT,
    DURATION,
    INSTANT,
    NUMBER,
    TABLE,
    TABLES,
    WHOLE,
    Key,
    Keys,
    one_of,
    read_table,
)
from slackwater.spark.sources.generator import Generator, generator
from slackwater.stats.lateness import DELAYS, Burst, Disorder, Gap
from slackwater.stats.workload import VALUES, Values
from slackwater.units import DurationLike

GENERATOR: Keys = {
    "rows_per_second": Key(NUMBER),
    "keys": Key(COUNT),
    "key_skew": Key(NUMBER),
    "values": Key(TABLE),
    "disorder": Key(TABLE),
    "seed": Key(WHOLE),
    "start": Key(INSTANT),
    "total_rows": Key(WHOLE),
    "rows_per_batch": Key(COUNT),
    "speed": Key(NUMBER),
    "partitions": Key(COUNT),
}
_VALUES: Keys = {
    "distribution": Key(one_of(*VALUES)),
    "mean": Key(NUMBER),
    "spread": Key(NUMBER),
}
_DELAYS: Keys = {
    "late": Key(NUMBER),
    "delay": Key(one_of(*DELAYS)),
    "scale": Key(DURATION),
    "shape": Key(NUMBER),
    "cap": Key(DURATION),
    "drift": Key(NUMBER),
}
_DISORDER: Keys = {**_DELAYS, "burst": Key(TABLE), "gaps": Key(TABLES), "regimes": Key(TABLES)}
_REGIME: Keys = {"start": Key(DURATION, required=True), **_DELAYS}
_GAP: Keys = {"start": Key(DURATION, required=True), "length": Key(DURATION, required=True)}
_BURST: Keys = {
    "every": Key(DURATION, required=True),
    "length": Key(DURATION, required=True),
    "factor": Key(NUMBER, required=True),
}


def table_problems(options: dict[str, Any], where: str) -> list[Problem]:
    """What is wrong with the tables inside a generator's table."""
    problems: list[Problem] = []
    read_table(options.get("values", {}), _VALUES, f"{where}.values", problems)
    at = f"{where}.disorder"
    disorder = read_table(options.get("disorder", {}), _DISORDER, at, problems)
    if "burst" in disorder:
        read_table(disorder["burst"], _BURST, f"{at}.burst", problems)
    for name, keys in (("gaps", _GAP), ("regimes", _REGIME)):
        for number, value in enumerate(disorder.get(name, []), start=1):
            read_table(value, keys, f"{at}.{name}[{number}]", problems)
    return problems


def make_generator(options: dict[str, Any]) -> Generator:
    """The generator of a table that has no problems."""
    values = Values(**options["values"]) if "values" in options else None
    disorder = _disorder(**options["disorder"]) if "disorder" in options else None
    return generator(**{**options, "values": values, "disorder": disorder})


def _disorder(
    *,
    burst: dict[str, Any] | None = None,
    gaps: tuple[dict[str, Any], ...] = (),
    regimes: tuple[dict[str, Any], ...] = (),
    **delays: Any,
) -> Disorder:
    return Disorder.of(
        **delays,
        burst=None if burst is None else Burst.of(**burst),
        gaps=[Gap.of(**gap) for gap in gaps],
        regimes=[_regime(**regime) for regime in regimes],
    )


def _regime(*, start: DurationLike, **delays: Any) -> tuple[DurationLike, Disorder]:
    return start, Disorder.of(**delays)
