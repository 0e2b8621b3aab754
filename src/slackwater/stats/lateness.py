"""How late rows are and how unevenly they come: the records, and the delays they give."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np

from slackwater.errors import SourceError
from slackwater.stats.draws import Floats, Ints, normal, zipf
from slackwater.units import DAY, SECOND, DurationLike, duration

DELAYS = ("uniform", "exponential", "pareto", "zipf", "normal")
_SHAPES = {"pareto": 1.5, "zipf": 2.0, "normal": 0.25}
_ZIPF_RANKS = 201
_MOST_RANKS = 10_000_000
_LONGEST = 10_000 * DAY  # a heavy tail without a cap may draw infinity


@dataclass(frozen=True, slots=True)
class Burst:
    """The last ``length`` of every ``every`` microseconds has ``factor`` times the base rate.

    A factor of 0 makes the stream fall silent periodically.
    """

    every: int
    length: int
    factor: float

    def __post_init__(self) -> None:
        refuse("burst", _burst_problems(self))

    @classmethod
    def of(cls, every: DurationLike, length: DurationLike, factor: float) -> Burst:
        """A burst from durations as people write them: ``Burst.of("1 min", "5 s", 10)``."""
        return cls(duration(every), duration(length), factor)


@dataclass(frozen=True, slots=True)
class Gap:
    """Nothing arrives in ``[start, start + length)``, microseconds from the start of the stream."""

    start: int
    length: int

    def __post_init__(self) -> None:
        refuse("gap", _gap_problems(self))

    @classmethod
    def of(cls, start: DurationLike, length: DurationLike) -> Gap:
        """A gap from durations as people write them: ``Gap.of("2 min", "30 s")``."""
        return cls(duration(start), duration(length))


@dataclass(frozen=True, slots=True)
class Disorder:
    """How late rows are, and how unevenly they come.

    Parameters
    ----------
    late : float
        Share of the rows, 0 to 1, that get a delay. (A delay shorter than the time between two
        arrivals does not put a row out of order; a delay of 0 can be drawn too.)
    delay : str
        ``uniform`` on (0, scale]; ``exponential`` with mean scale; ``pareto`` (Lomax), a heavy
        tail; ``zipf``, rank k in 1, 2, ... gives (k - 1) * scale; ``normal`` with mean scale, cut
        at 0.
    scale : int
        Microseconds; the unit of the delay.
    shape : float, optional
        Tail index of ``pareto`` (1.5), skew z of ``zipf`` (2), standard deviation of ``normal``
        as a multiple of the scale (0.25); the others have none.
    cap : int, optional
        Longest delay in microseconds; longer draws become the cap. For ``zipf`` it sets the number
        of ranks, cap / scale + 1 (without a cap 201 ranks).
    drift : float
        Linear drift: seconds by which the scale grows per second since the regime began (negative
        to shrink, never below 0).
    burst : Burst, optional
        Periodic change of the rate.
    gaps : tuple of Gap
        Silences, in order.
    regimes : tuple of (int, Disorder)
        Sudden changes: from this many microseconds after the start on, delays follow the other
        record. The moment is measured on arrival, the event time of a row that is not late.

    Examples
    --------
    >>> calm = Disorder.of(late=0.1, delay="exponential", scale="200 ms")
    >>> storm = Disorder.of(late=0.5, delay="pareto", scale="1 s", cap="1 min")
    >>> changing = Disorder.of(late=0.1, scale="200 ms", regimes=[("10 min", storm)])
    >>> changing.regimes[0][0]
    600000000
    """

    late: float = 0.0
    delay: str = "exponential"
    scale: int = SECOND
    shape: float | None = None
    cap: int | None = None
    drift: float = 0.0
    burst: Burst | None = None
    gaps: tuple[Gap, ...] = ()
    regimes: tuple[tuple[int, Disorder], ...] = ()

    def __post_init__(self) -> None:
        refuse("disorder", _disorder_problems(self))

    @classmethod
    def of(
        cls,
        *,
        late: float = 1.0,
        delay: str = "exponential",
        scale: DurationLike = "1 second",
        shape: float | None = None,
        cap: DurationLike | None = None,
        drift: float = 0.0,
        burst: Burst | None = None,
        gaps: Iterable[Gap] = (),
        regimes: Iterable[tuple[DurationLike, Disorder]] = (),
    ) -> Disorder:
        """A disorder from durations as people write them; every row late unless told."""
        return cls(
            late=late,
            delay=delay,
            scale=duration(scale),
            shape=shape,
            cap=None if cap is None else duration(cap),
            drift=drift,
            burst=burst,
            gaps=tuple(gaps),
            regimes=tuple((duration(start), other) for start, other in regimes),
        )


def disorder_from_json(value: dict[str, Any]) -> Disorder:
    """The disorder of a JSON value made by ``dataclasses.asdict``."""
    return Disorder(
        **{
            **value,
            "burst": None if value["burst"] is None else Burst(**value["burst"]),
            "gaps": tuple(Gap(**gap) for gap in value["gaps"]),
            "regimes": tuple((s, disorder_from_json(other)) for s, other in value["regimes"]),
        }
    )


def delays(disorder: Disorder, offset: Ints, draws: Floats) -> Ints:
    """Delays in microseconds of rows that arrive at these offsets, from three rows of uniforms."""
    delay = _regime_delays(disorder, offset, draws)
    for start, regime in disorder.regimes:
        since = offset - start
        delay = np.where(since >= 0, _regime_delays(regime, since, draws), delay)
    return np.rint(delay).astype(np.int64)


def _regime_delays(disorder: Disorder, since: Ints, draws: Floats) -> Floats:
    late, draw, second = draws
    scale = np.maximum(disorder.scale + disorder.drift * since, 0.0)
    delay = scale * _unit_delay(disorder, draw, second)
    delay = np.minimum(delay, _LONGEST if disorder.cap is None else disorder.cap)
    return np.where(late < disorder.late, delay, 0.0)


def _unit_delay(disorder: Disorder, draw: Floats, second: Floats) -> Floats:
    shape = _SHAPES.get(disorder.delay, 1.0) if disorder.shape is None else disorder.shape
    if disorder.delay == "uniform":
        return 1.0 - draw
    if disorder.delay == "exponential":
        return -np.log1p(-draw)
    if disorder.delay == "pareto":
        return (1.0 - draw) ** (-1.0 / shape) - 1.0
    if disorder.delay == "zipf":
        return zipf(_zipf_ranks(disorder), shape, draw).astype(np.float64)
    return np.maximum(1.0 + shape * normal(draw, second), 0.0)


def _zipf_ranks(disorder: Disorder) -> int:
    return _ZIPF_RANKS if disorder.cap is None else disorder.cap // disorder.scale + 1


def refuse(record: str, problems: list[str]) -> None:
    """Raise one error that lists all problems of a record, if there are any."""
    if not problems:
        return
    lines = "\n".join(f"  {number}. {text}" for number, text in enumerate(problems, start=1))
    noun = "problem" if len(problems) == 1 else "problems"
    raise SourceError("WORKLOAD_INVALID", f"{len(problems)} {noun} in the {record}:\n{lines}")


def failed(*checks: tuple[bool, str]) -> list[str]:
    """The texts of the checks that do not hold."""
    return [text for holds, text in checks if not holds]


def _burst_problems(burst: Burst) -> list[str]:
    return failed(
        (burst.every > 0, f"every is {burst.every} us; it must be positive"),
        (
            0 < burst.length < burst.every,
            f"length is {burst.length} us; it must be above 0 and below every ({burst.every} us)",
        ),
        (0 <= burst.factor < np.inf, f"factor is {burst.factor}; it must be a number >= 0"),
    )


def _gap_problems(gap: Gap) -> list[str]:
    return failed(
        (gap.start >= 0, f"start is {gap.start} us; it must be at least 0"),
        (gap.length > 0, f"length is {gap.length} us; it must be positive"),
    )


def _disorder_problems(disorder: Disorder) -> list[str]:
    starts = [start for start, _ in disorder.regimes]
    ends = [gap.start + gap.length for gap in disorder.gaps]
    return failed(
        (0 <= disorder.late <= 1, f"late is {disorder.late}; it is a share from 0 to 1"),
        (
            disorder.delay in DELAYS,
            f"delay is {disorder.delay!r}; it must be one of {', '.join(DELAYS)}",
        ),
        (disorder.scale > 0, f"scale is {disorder.scale} us; it must be positive"),
        (
            disorder.shape is None or 0 < disorder.shape < np.inf,
            f"shape is {disorder.shape}; it must be positive",
        ),
        (
            disorder.shape is None or disorder.delay in _SHAPES or disorder.delay not in DELAYS,
            f"shape is {disorder.shape}, but {disorder.delay} delays have none",
        ),
        (
            disorder.cap is None or disorder.cap > 0,
            f"cap is {disorder.cap} us; it must be positive (or None)",
        ),
        (
            disorder.delay != "zipf" or disorder.scale <= 0 or _zipf_ranks(disorder) <= _MOST_RANKS,
            f"cap / scale gives more than {_MOST_RANKS} zipf ranks; make the scale coarser",
        ),
        (bool(np.isfinite(disorder.drift)), f"drift is {disorder.drift}; it must be a number"),
        (
            all(start > 0 for start in starts) and starts == sorted(set(starts)),
            f"regimes start at {starts} us; starts must be positive and ascending",
        ),
        (
            not any(r.regimes or r.gaps or r.burst for _, r in disorder.regimes),
            "a regime has its own burst, gaps or regimes; give those to the outer disorder",
        ),
        (
            all(end <= gap.start for end, gap in zip(ends, disorder.gaps[1:], strict=False)),
            "gaps overlap or are not in order",
        ),
    )
