"""The numbers of the source work beside ours, in both readings of its percentages (4.8, PR-90).

"PR-Prune produced 98 % more than X" is read as a share of what PR-Prune produced, (P - X) / P,
which its folds of 71 to 85 support, or literally, (P - X) / X (G16).
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any

OTHERS = ("Trad", "Rand", "Sem", "PP", "PR")
PRINTED: dict[int, dict[str, int]] = {
    1: {"Trad": 98, "Rand": 95, "Sem": 45, "PP": 33, "PR": 9},
    2: {"Trad": 97, "Rand": 88, "Sem": -13, "PP": 24, "PR": 18},
    3: {"Trad": 96, "Rand": 83, "Sem": -79, "PP": 22, "PR": 17},
}
"""Per cent more, by level; what is negative PR-Prune produced less."""


def as_ratio(percent: float) -> float:
    """PR-Prune over another, of a percentage that is a share of PR-Prune's.

    What Sem produced more is a share of Sem's then.

    >>> round(as_ratio(98)), round(as_ratio(-79), 2)
    (50, 0.21)
    """
    return 100 / (100 - percent) if percent >= 0 else (100 + percent) / 100


def literally(percent: float) -> float:
    """The ratio of a percentage that is one of the other's.

    >>> literally(98), round(literally(-79), 2)
    (1.98, 0.56)
    """
    return 1 + percent / 100 if percent >= 0 else 100 / (100 - percent)


def ratios(rows: Iterable[Mapping[str, Any]]) -> dict[tuple[int, str], float]:
    """PR-Prune over each other system, by level; infinite where another gave nothing."""
    by_name = {row["system"]: row["levels"] for row in rows}
    prune = by_name["PR-Prune"]
    return {
        (level, name): _over(prune[level - 1], by_name[name][level - 1])
        for level in PRINTED
        for name in OTHERS
        if name in by_name
    }


def _over(one: float, other: float) -> float:
    return one / other if other else float("inf")


def shared(ratio: float) -> float:
    """A ratio as a percentage, a share of the larger."""
    return 100 * (1 - 1 / ratio) if ratio >= 1 else -100 * (1 - ratio)


def more(ratio: float) -> float:
    """A ratio as a percentage, literally: of the smaller."""
    return 100 * (ratio - 1) if ratio >= 1 else -100 * (1 / ratio - 1)


def table(rows: Iterable[Mapping[str, Any]]) -> str:
    """E1 as Markdown: ratios, and percentages as share / literally."""
    found = ratios(rows)
    lines = [
        "| level | against | printed | as a share | literally | ours | as a share | literally |",
        "| --- | --- | --- | --- | --- | --- | --- | --- |",
    ]
    for (level, name), ratio in found.items():
        percent = PRINTED[level][name]
        lines.append(
            f"| {level} | {name} | {percent:+d} % | {as_ratio(percent):.2f} "
            f"| {literally(percent):.2f} | {ratio:.2f} | {shared(ratio):+.0f} % "
            f"| {more(ratio):+.0f} % |"
        )
    return "\n".join(lines) + "\n"
