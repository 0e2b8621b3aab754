"""Where a level can be tested, and where it must be tested again (spec precedence 1.12, A12)."""

from __future__ import annotations

from collections.abc import Iterable
from itertools import pairwise, product

from slackwater.precede.level import DynamicLevel, StaticLevel
from slackwater.precede.pipeline import Edge, Pipeline
from slackwater.precede.plan import Places


def static_path(pipeline: Pipeline, level: StaticLevel) -> Places:
    """Edges from the leaf to the end where rows have all that is tested; one of them is enough."""
    route = pipeline.route(level.stream)
    return tuple(e for e in route if all(pipeline.has(e, one) for one in level.attributes))


def dynamic_path(pipeline: Pipeline, level: DynamicLevel) -> Places:
    """Edges from the leaf to the one in front of the designated operator."""
    route = pipeline.route(level.stream)
    near = (edge for edge in route if pipeline.positions[edge.operator] <= level.until)
    return tuple(edge for edge in near if pipeline.has(edge, level.attribute))


def reevaluation_paths(
    pipeline: Pipeline, path: Places, first: Edge, designated: Iterable[int]
) -> tuple[Places, ...]:
    """The stretches behind each designated operator that lies between a first test and the end.

    A row may lose another promise at such an operator; on each stretch it is tested again.
    """
    start, end = pipeline.positions[first.operator], pipeline.positions[path[-1].operator]
    passed = {pipeline.positions[edge.operator] for edge in path}
    between = sorted(one for one in designated if start <= one < end and one in passed)
    bounds = pairwise([*between, end])
    stretches = (_stretch(pipeline, path, after, upto) for after, upto in bounds)
    return tuple(stretch for stretch in stretches if stretch)


def _stretch(pipeline: Pipeline, path: Places, after: int, upto: int) -> Places:
    """Edges behind one operator, up to the one in front of another."""
    return tuple(edge for edge in path if after < pipeline.positions[edge.operator] <= upto)


def placements(
    pipeline: Pipeline, level: DynamicLevel, designated: Iterable[int]
) -> tuple[Places, ...]:
    """Every way to test a level: a first place, and one on each stretch behind it (F2 of them)."""
    path, known = dynamic_path(pipeline, level), tuple(designated)
    return tuple(
        (first, *again)
        for first in path
        for again in product(*reevaluation_paths(pipeline, path, first, known))
    )
