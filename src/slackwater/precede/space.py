"""How many plans there are to choose among (spec precedence 1.13.1, F1 to F5).

PR and PR-Prune differ in what they are given here: fewer levels, fewer designated operators.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from math import prod

from slackwater.precede.designated import Designated
from slackwater.precede.level import DynamicLevel, StaticLevel
from slackwater.precede.paths import dynamic_path, reevaluation_paths, static_path
from slackwater.precede.pipeline import Pipeline


@dataclass(frozen=True, slots=True)
class Contents:
    """The levels of one rank, and the designated operators that it has."""

    static: tuple[StaticLevel, ...]
    dynamic: tuple[DynamicLevel, ...]
    designated: Designated


def static_placements(pipeline: Pipeline, levels: Iterable[StaticLevel]) -> int:
    """Ways to place the static levels of a rank (F1)."""
    return prod(len(static_path(pipeline, level)) for level in levels)


def placements_of(pipeline: Pipeline, level: DynamicLevel, designated: Designated) -> int:
    """Ways to place one dynamic level (F2)."""
    path = dynamic_path(pipeline, level)
    again = (reevaluation_paths(pipeline, path, first, designated) for first in path)
    return sum(prod(map(len, stretches)) for stretches in again)


def dynamic_placements(
    pipeline: Pipeline, levels: Iterable[DynamicLevel], designated: Designated
) -> int:
    """Ways to place the dynamic levels of a rank together (F3)."""
    return prod(placements_of(pipeline, level, designated) for level in levels)


def separate_placements(
    pipeline: Pipeline, levels: Iterable[DynamicLevel], designated: Designated
) -> int:
    """What there is to look at if each dynamic level is placed by itself."""
    return sum(placements_of(pipeline, level, designated) for level in levels)


def search_space(pipeline: Pipeline, ranks: Mapping[int, Contents]) -> int:
    """All plans that a search rank by rank compares (F4; F5 with what pruning leaves)."""
    return sum(
        static_placements(pipeline, one.static)
        * dynamic_placements(pipeline, one.dynamic, one.designated)
        for one in ranks.values()
    )
