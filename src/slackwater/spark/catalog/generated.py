"""What may be said of a generator: a synthetic stream and its disorder."""

from __future__ import annotations

from typing import Annotated

from slackwater.frontends.catalog import SourceTable
from slackwater.frontends.table import Table
from slackwater.frontends.values import Count, Duration, Instant, Number, Text, Whole, one_of
from slackwater.spark.sources.generator import Generator, generator
from slackwater.stats.lateness import DELAYS, Burst, Disorder, Gap
from slackwater.stats.workload import VALUES, Values
from slackwater.units import DurationLike


class ValuesTable(Table):
    """``values``: the distribution of the value column."""

    distribution: Annotated[str, one_of(*VALUES)] | None = None
    """its form (`normal`)"""
    mean: Number | None = None
    """its mean (10)"""
    spread: Number | None = None
    """half its width, or its deviation (2)"""


class BurstTable(Table):
    """``disorder.burst``: a rate that changes periodically."""

    every: Duration
    """time from one burst to the next"""
    length: Duration
    """time that it lasts"""
    factor: Number
    """the rate in it, as a multiple"""


class GapTable(Table):
    """``disorder.gaps``: silences, in order."""

    start: Duration
    """from the start of the stream"""
    length: Duration
    """time that it lasts"""


class DelaysTable(Table):
    """How late rows are."""

    late: Number | None = None
    """share of the rows that get a delay (1)"""
    delay: Annotated[str, one_of(*DELAYS)] | None = None
    """distribution of the delays (`exponential`)"""
    scale: Duration | None = None
    """unit of the delay (one second)"""
    shape: Number | None = None
    """tail index, skew or deviation of the distribution"""
    cap: Duration | None = None
    """longest delay"""
    drift: Number | None = None
    """seconds by which the scale grows per second (0)"""


class RegimeTable(DelaysTable):
    """``disorder.regimes``: other delays from some moment on."""

    start: Duration
    """from the start of the stream"""


class DisorderTable(DelaysTable):
    """``disorder``: how late rows are, and how unevenly they come."""

    burst: BurstTable | None = None
    """a rate that changes periodically"""
    gaps: list[GapTable] | None = None
    """silences, in order"""
    regimes: list[RegimeTable] | None = None
    """sudden changes of the delays"""


class GeneratorTable(SourceTable):
    """``[source.NAME]`` with ``kind = "generator"``: a seeded, disordered stream."""

    time: Text = "ts"
    """the event-time column (`ts`)"""
    rows_per_second: Number | None = None
    """rows per second of event time (1000)"""
    keys: Count | None = None
    """number of keys (100)"""
    key_skew: Number | None = None
    """Zipf skew of the keys (0)"""
    values: ValuesTable | None = None
    """the distribution of `value`"""
    disorder: DisorderTable | None = None
    """delays, bursts, gaps (none)"""
    seed: Whole | None = None
    """same seed, same rows (0)"""
    start: Instant | None = None
    """event time of the first row (2024-01-01)"""
    total_rows: Whole | None = None
    """the stream ends there"""
    rows_per_batch: Count | None = None
    """most rows of a micro-batch"""
    speed: Number | None = None
    """stream seconds per wall second (1 without `rows_per_batch`)"""
    partitions: Count | None = None
    """most Spark tasks that make rows of one batch (2)"""


def open_generator(table: GeneratorTable) -> Generator:
    said = table.own()
    if table.values is not None:
        said["values"] = Values(**table.values.said())
    if table.disorder is not None:
        said["disorder"] = _disorder(table.disorder)
    return generator(**said)


def _disorder(table: DisorderTable) -> Disorder:
    said = table.said()
    if table.burst is not None:
        said["burst"] = Burst.of(**table.burst.said())
    if table.gaps is not None:
        said["gaps"] = [Gap.of(**gap.said()) for gap in table.gaps]
    if table.regimes is not None:
        said["regimes"] = [_regime(regime) for regime in table.regimes]
    return Disorder.of(**said)


def _regime(table: RegimeTable) -> tuple[DurationLike, Disorder]:
    delays = {key: value for key, value in table.said().items() if key != "start"}
    return table.start, Disorder.of(**delays)
