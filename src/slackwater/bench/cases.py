"""What is measured: a table of cases. One row is one query on one input."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any, Protocol

from slackwater.bench.data import Workload
from slackwater.errors import Problem, QueryError
from slackwater.units import SECOND

TIERS = ("columnar", "spark")
K, M = 1_000, 1_000_000
BOTH = ("hdfs", "rocksdb")
# With a million keys RocksDB took four times as long as the default store (15.5 s against 4.0 s a
# batch, tumbling, 200 k rows). One case goes on measuring both, the others take the faster twice.
FASTER = ("hdfs", "hdfs")


class Windowed(Protocol):
    """Windows and the wait for stragglers, in seconds: all that a query needs of a case."""

    @property
    def size(self) -> int: ...
    @property
    def slide(self) -> int: ...
    @property
    def slack(self) -> int: ...


@dataclass(frozen=True, slots=True)
class Case:
    """Sum and count by window and key, over some batches of equal size.

    ``size`` and ``slide`` (both in seconds) make the windows; ``warmup`` batches at the start are
    not measured: code is compiled and state grows to its steady size in them. ``stores`` names the
    state store of plain Spark in each round; the faster one counts.
    """

    case: str
    size: int
    slide: int
    rows: int
    keys: int
    tier: str = "columnar"
    batches: int = 12
    warmup: int = 5
    slack: int = 5
    quick: bool = False
    stores: tuple[str, ...] = BOTH

    @property
    def label(self) -> str:
        """Names the case among all others, e.g. ``sliding-10-200k-1k-columnar``."""
        return f"{self.case}-{_short(self.rows)}-{_short(self.keys)}-{self.tier}"

    @property
    def workload(self) -> Workload:
        """The input: cases that differ in windows or tier only read the same files."""
        return Workload(self.rows, self.keys, self.batches, slack=self.slack)

    @property
    def windows(self) -> tuple[int, int]:
        """Size and slide in microseconds."""
        return self.size * SECOND, self.slide * SECOND


def _short(number: int) -> str:
    if number % M == 0:
        return f"{number // M}m"
    return f"{number // K}k" if number % K == 0 else str(number)


CASES: tuple[Case, ...] = (
    Case("tumbling", 10, 10, 200 * K, 1 * K, quick=True),
    Case("tumbling", 10, 10, 2 * M, 1 * K, batches=10),
    Case("sliding-10", 10, 1, 200 * K, 1 * K, quick=True),
    Case("sliding-10", 10, 1, 2 * M, 1 * K, batches=10),
    # state is as large as it gets once the stream is one window and the slack long
    Case("sliding-60", 60, 1, 200 * K, 1 * K, warmup=7, quick=True),
    Case("sliding-60", 60, 1, 2 * M, 1 * K, batches=8, warmup=5),
    # a million keys: state meant for executors, pinned there; the columnar tier beside it
    Case("tumbling", 10, 10, 200 * K, 1 * M, "spark"),
    Case("tumbling", 10, 10, 200 * K, 1 * M, "columnar", stores=FASTER),
    Case("tumbling", 10, 10, 2 * M, 1 * M, "spark", batches=10, stores=FASTER),
    Case("tumbling", 10, 10, 2 * M, 1 * M, "columnar", batches=10, stores=FASTER),
    Case("sliding-10", 10, 1, 200 * K, 1 * M, "spark", batches=8, warmup=4, stores=FASTER),
    Case("sliding-10", 10, 1, 200 * K, 1 * M, "columnar", batches=8, warmup=4, stores=FASTER),
)


def choose(
    names: Sequence[str] = (),
    *,
    quick: bool = False,
    tier: str | None = None,
    batches: int | None = None,
) -> list[Case]:
    """The cases whose label begins with one of ``names`` (all, if none is given).

    Parameters
    ----------
    quick
        Only the light cases, with few batches.
    tier
        Run every case on this tier instead of its own.
    batches
        Number of batches of every case.
    """
    if found := _problems(names, tier, batches):
        raise QueryError(found)
    cases = [c for c in CASES if not names or c.label.startswith(tuple(names))]
    if quick:
        cases = [_lighter(c) for c in cases if c.quick]
    changes: dict[str, Any] = {}
    if tier is not None:
        changes["tier"] = tier
    cases = [replace(c, **changes) for c in cases]
    if batches is not None:
        cases = [replace(c, batches=batches, warmup=min(c.warmup, batches // 2)) for c in cases]
    return list(dict.fromkeys(cases))


def _lighter(case: Case) -> Case:
    return replace(case, batches=8, warmup=4)


def _problems(names: Sequence[str], tier: str | None, batches: int | None) -> list[Problem]:
    found = []
    for name in names:
        if not any(case.label.startswith(name) for case in CASES):
            labels = ", ".join(case.label for case in CASES)
            text = f"no case begins with {name!r}; there are: {labels}"
            found.append(Problem("CASE_UNKNOWN", "bench, cases", text))
    if tier is not None and tier not in TIERS:
        text = f"{tier!r} is not one of: {', '.join(TIERS)}"
        found.append(Problem("TIER_UNKNOWN", "bench, tier", text))
    if batches is not None and batches < 2:
        found.append(Problem("OPTION_INVALID", "bench, batches", f"{batches} is below 2"))
    return found
