"""Composites: what each aggregate of an expression is asked for, so that the whole is right."""

from __future__ import annotations

import itertools
import math

import pytest
from hypothesis import given
from hypothesis import strategies as st

import slackwater as sw
from slackwater.disorder.threshold import Moments, Requirement, coverage_threshold
from slackwater.plan.bound import Bound, bounds_of
from slackwater.plan.explain import explain_text
from slackwater.query.expression import Expression
from tests.plan.test_build import plan, stream

VALUES = st.lists(st.floats(0.01, 1e6), min_size=3, max_size=3)


def bounds(text: str, epsilon: float = 0.01, delta: float = 0.06) -> tuple[Bound, ...]:
    return bounds_of("x", Expression(text).tree, epsilon, delta)[0]


@pytest.mark.spec("qddh:F062")
@pytest.mark.parametrize(
    ("text", "epsilon", "part"),
    [
        ("sum(a)", 0.01, 0.01),
        ("mean(a)", 0.01, 0.01),
        ("-2 * abs(sum(a) FILTER (WHERE a > 1))", 0.01, 0.01),
        ("sum(a) / sum(b)", 0.01, 0.01 / 2.01),
        ("100.0 * sum(a) / count(*)", 0.1, 0.1 / 2.1),
        ("sum(a) * avg(b)", 0.01, math.sqrt(1.01) - 1),
        ("CAST(sum(a) AS DOUBLE) / (sum(b) / count(*))", 0.01, (math.sqrt(9.1001) - 3.01) / 2),
        ("count(*) + count(a)", 0.01, 0.01),
        ("sum(a) / (1 + count(*))", 0.02, 0.02 / 2.02),
    ],
)
def test_parts_of_a_composite_get_what_interval_arithmetic_leaves_them(
    text: str, epsilon: float, part: float
) -> None:
    found = bounds(text, epsilon)
    assert [bound.epsilon for bound in found] == pytest.approx([part] * len(found), rel=1e-6)
    assert {bound.delta for bound in found} == {0.06 / len(found)}
    assert {(bound.limit, bound.risk) for bound in found} == {(epsilon, 0.06)}
    assert not any(bound.is_heuristic for bound in found)


@pytest.mark.spec("qddh:F062")
@given(VALUES, st.floats(0.001, 0.3))
def test_the_whole_is_within_its_bound_if_all_parts_are_and_no_more_could_be_left_them(
    values: list[float], epsilon: float
) -> None:
    part = bounds("sum(a) / sum(b) * sum(c)", epsilon)[0].epsilon
    true = values[0] / values[1] * values[2]
    corners = [
        [v * (1 + side * part) for v, side in zip(values, sides, strict=True)]
        for sides in itertools.product((-1, 1), repeat=3)
    ]
    errors = [abs(a / b * c / true - 1) for a, b, c in corners]
    assert max(errors) <= epsilon * (1 + 1e-9)
    assert max(errors) >= epsilon * (1 - 1e-6)


@pytest.mark.spec("qddh:F062")
@pytest.mark.parametrize(
    "text",
    ["sum(a) - sum(b)", "sum(a) + sum(b)", "round(sum(a))", "approx_percentile(a, 0.5) / sum(b)"],
)
def test_where_no_error_follows_the_bound_is_labelled_a_heuristic(text: str) -> None:
    assert all(bound.is_heuristic for bound in bounds(text))
    assert {bound.epsilon for bound in bounds(text)} == {0.01}


@pytest.mark.spec("qddh:F062")
def test_a_composite_needs_the_coverage_of_its_strictest_part() -> None:
    known = Moments(500, 2.0, 1.0)
    needed = [
        coverage_threshold(Requirement(bound.kind, bound.epsilon, bound.delta), known)
        for bound in bounds("sum(a) / count(*)", 0.05)
    ]
    alone = coverage_threshold(Requirement("sum", 0.05 / 2.05, 0.03), known)
    assert max(needed) == pytest.approx(alone)
    assert alone > coverage_threshold(Requirement("sum", 0.05, 0.06), known)


def test_what_was_promised_of_a_composite_is_told_and_measured_not_its_parts() -> None:
    ratio = stream().window("5 s").aggregate(x="sum(v) / count(*)", y="sum(v) - sum(k)")
    promised = plan(ratio.query("q", sw.max_error(0.01, confidence=0.9)))
    contract = promised.queries[0].promise
    assert contract is not None
    assert contract.columns == {"x": 0.01, "y": 0.01}
    assert contract.confidence == pytest.approx(0.9)
    assert "error at most x 0.01, y 0.01 for 0.9 of results, heuristic for y" in explain_text(
        promised
    )
