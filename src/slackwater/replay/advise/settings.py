"""A slack as people set it in Spark, Flink and here.

Spark and Flink count watermarks in milliseconds, and both close a window once the watermark has
reached its end (Flink takes one millisecond off its watermark and off the window's end).
"""

from __future__ import annotations

from dataclasses import dataclass

from slackwater.replay.advise.quality import Target
from slackwater.units import MILLISECOND, SECOND

# What Spark and Flink can be told.
RESOLUTION = MILLISECOND


@dataclass(frozen=True, slots=True)
class Settings:
    """Lines ready to use."""

    spark: str
    flink: str
    slackwater: str


def settings(time: str, slack: int, target: Target) -> Settings:
    """The lines for a slack in microseconds, a multiple of a millisecond.

    >>> lines = settings("ts", 2_400_000, Target(0.01, 0.95))
    >>> lines.spark
    'withWatermark("ts", "2.4 seconds")'
    >>> lines.flink
    'WatermarkStrategy.forBoundedOutOfOrderness(Duration.ofMillis(2400))'
    >>> lines.slackwater
    'sw.max_error(0.01, confidence=0.95)'
    """
    name = time.replace("\\", "\\\\").replace('"', '\\"')
    return Settings(
        f'withWatermark("{name}", "{seconds(slack)} seconds")',
        f"WatermarkStrategy.forBoundedOutOfOrderness(Duration.ofMillis({slack // MILLISECOND}))",
        f"sw.max_error({target.error:g}, confidence={target.confidence:g})",
    )


def seconds(micros: int) -> str:
    """Seconds, exact and without an exponent.

    >>> seconds(2_401_000), seconds(0), seconds(86_400_000_000)
    ('2.401', '0', '86400')
    """
    text = f"{micros // SECOND}.{micros % SECOND:06d}".rstrip("0")
    return text.removesuffix(".")
