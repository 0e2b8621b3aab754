"""What orders cost, and which is best: pipelines, join graphs, fitted surfaces."""

from __future__ import annotations

import random
import time
from itertools import permutations, product

import pytest

from slackwater.errors import SlackwaterError
from slackwater.robust.left_deep import LeftDeep
from slackwater.robust.optimizer import Counted
from slackwater.robust.pipeline import Axis, Operator, Pipeline
from slackwater.robust.space import parameter_space
from slackwater.robust.surface import Surface, Term, all_terms, check_monotone, fit, terms_of
from tests.robust.instances import PIPELINE, drawn, example

SEED = time.time_ns()
BEST = (2, 1, 0)  # <3, 2, 1>


@pytest.mark.spec("robust:F024")
def test_the_known_pipeline_costs_what_it_should() -> None:
    point = (0.5, 0.7)
    assert PIPELINE.optimize(point) == BEST
    assert PIPELINE.cost(BEST, point) == pytest.approx(366.0)
    assert PIPELINE.loads(BEST, point) == pytest.approx((126, 140, 100))


@pytest.mark.spec("robust:F024")
@pytest.mark.parametrize(
    ("point", "order", "cost"),
    [
        ((0.25, 0.35), (3, 1, 2), 222.5),
        ((0.75, 1.05), (2, 1, 3), 425.0),
        ((0.25, 1.05), (1, 2, 3), 365.0),
        ((0.75, 0.35), (3, 2, 1), 233.0),
        ((0.5, 0.7), (3, 2, 1), 366.0),
    ],
)
def test_the_corners_of_the_known_space(
    point: tuple[float, float], order: tuple[int, ...], cost: float
) -> None:
    found = PIPELINE.optimize(point)
    assert tuple(number + 1 for number in found) == order
    assert PIPELINE.cost(found, point) == pytest.approx(cost)


@pytest.mark.spec("robust:F025")
def test_ranks_give_the_best_order() -> None:
    draw = random.Random(SEED)
    for operators in range(1, 8):
        known = drawn(draw, operators, dimensions=1).optimizer
        point = (draw.uniform(0.05, 2),)
        best = min(known.cost(order, point) for order in permutations(range(operators)))
        assert known.cost(known.optimize(point), point) == pytest.approx(best), SEED


def graph(draw: random.Random, streams: int) -> tuple[LeftDeep, tuple[float, ...]]:
    edges = [(draw.randrange(n), n) for n in range(1, streams)]
    edges += [(0, n) for n in range(2, streams) if draw.random() < 0.3 and (0, n) not in edges]
    windows = tuple(draw.uniform(1, 5) for _ in range(streams))
    costs = tuple(draw.uniform(0.5, 2) for _ in range(streams))
    rates = [draw.uniform(1, 20) for _ in range(streams)]
    shares = [draw.random() ** 2 for _ in edges]
    return LeftDeep(windows, costs, tuple(edges)), (*rates, *shares)


@pytest.mark.spec("robust:F026")
def test_the_best_probes_of_a_join_graph_are_found() -> None:
    draw = random.Random(SEED)
    for streams in range(2, 8):
        known, point = graph(draw, streams)
        found = known.optimize(point)
        costs = [known.cost(order, point) for order in permutations(range(1, streams))]
        assert known.cost(found, point) == pytest.approx(min(costs)), SEED


@pytest.mark.spec("robust:F027")
def test_a_probe_gives_more_where_the_stream_it_holds_comes_faster() -> None:
    """Fan-out is share times rate times window, so a rate is a dimension of a selectivity, too."""
    probe = Operator(1.0, share=0.01, rate=20.0, window=10.0)
    assert probe.fan_out == pytest.approx(2.0)
    known = Pipeline(
        (probe, Operator(1, 1)), 5.0, (Axis("rate", 0), Axis("share", 0), Axis("rate"))
    )
    slow, fast = known.cost((0, 1), (20.0, 0.01, 5.0)), known.cost((0, 1), (40.0, 0.01, 5.0))
    assert (slow, fast) == pytest.approx((5 + 10, 5 + 20))
    assert known.cost((0, 1), (40.0, 0.01, 10.0)) == pytest.approx(2 * fast)
    assert known.given((0, 1), (40.0, 0.01, 10.0)) == pytest.approx(40.0)


@pytest.mark.spec("robust:F028")
def test_what_was_asked_is_not_asked_again() -> None:
    known = example()
    assert known.at((3, 4)) == known.at((3, 4))
    known.at((3, 5))
    assert (known.calls, known.requests) == (2, 3)
    known.cost(BEST, (0, 0))
    assert known.calls == 2


@pytest.mark.spec("robust:F029")
def test_the_slope_by_formula_is_that_of_a_step() -> None:
    draw = random.Random(SEED)
    for _ in range(20):
        known = drawn(draw, 6, dimensions=3)
        space, pipeline = known.space, known.optimizer
        assert isinstance(pipeline, Pipeline)
        order = tuple(draw.sample(range(6), 6))
        lines = tuple(draw.randint(0, space.units) for _ in range(3))
        for axis, one in enumerate(space.dimensions):
            step = (one.hi - one.lo) / space.units
            by_formula = pipeline.slope(order, space.at(lines), axis) * step
            assert known.slope(order, lines, axis) == pytest.approx(by_formula, abs=1e-9), SEED


def test_the_slope_of_a_rate_is_what_a_row_costs() -> None:
    known = Pipeline((Operator(2, 0.5), Operator(4, 1)), 10.0, (Axis("rate"),))
    assert known.slope((0, 1), (10.0,), 0) == pytest.approx(4.0)


@pytest.mark.spec("robust:F030")
def test_no_plan_costs_more_than_at_the_upper_corner() -> None:
    """Lemma 2.1, of pipelines and of join graphs."""
    draw = random.Random(SEED)
    for _ in range(50):
        known = drawn(draw, 6, dimensions=3, level=5)
        order = tuple(draw.sample(range(6), 6))
        highest = known.cost(order, known.space.whole.hi)
        lines = tuple(draw.randint(0, known.space.units) for _ in range(3))
        assert known.cost(order, lines) <= highest * (1 + 1e-12), SEED
        deep, point = graph(draw, 4)
        lower = tuple(value * draw.random() for value in point)
        assert deep.cost((1, 2, 3), lower) <= deep.cost((1, 2, 3), point), SEED


@pytest.mark.spec("robust:F020")
def test_a_surface_has_two_to_the_n_plus_one_less_one_terms() -> None:
    assert [len(all_terms(count)) for count in (1, 2, 3, 4)] == [3, 7, 15, 31]
    assert len(set(all_terms(4))) == 31


@pytest.mark.spec("robust:F021")
def test_a_fit_finds_the_coefficients() -> None:
    draw = random.Random(SEED)
    for logarithm in ("plain", "above_one"):
        wanted = Surface(all_terms(2), tuple(draw.uniform(1, 9) for _ in range(7)), logarithm)
        points = [(draw.uniform(0.1, 4), draw.uniform(0.1, 4)) for _ in range(60)]
        found = fit(wanted.terms, [(p, wanted.cost(p)) for p in points], logarithm)
        assert found.coefficients == pytest.approx(wanted.coefficients, rel=1e-4), SEED


def test_a_fit_to_a_pipeline_is_the_pipeline() -> None:
    points = list(product((0.3, 0.5, 0.7), repeat=2))
    found = fit(
        [Term((0,)), Term((1,)), Term((0, 1)), Term()],
        [(p, PIPELINE.cost(BEST, p)) for p in points],
    )
    assert found.cost((0.5, 0.7)) == pytest.approx(366.0)
    assert found.coefficients == pytest.approx((0, 380, 0, 100), abs=1e-6)


@pytest.mark.spec("robust:F022")
def test_operators_need_the_terms_of_their_kind() -> None:
    plain = (Term((0,)), Term((1,)), Term())
    assert terms_of(["selection", "selection"]) == plain
    assert terms_of(["join", "join"]) == (*plain[:2], Term((0, 1)), Term())
    assert terms_of(["selection", "projection"]) == (Term((0,)), Term())
    assert Term((0,), has_logarithms=True) in terms_of(["sort", "selection"])


@pytest.mark.spec("robust:F023")
def test_a_surface_that_falls_is_refused() -> None:
    lo, hi = (0.1, 0.1), (1.0, 1.0)
    rising = Surface((Term((0,)), Term((1,), has_logarithms=True), Term()), (1.0, 2.0, 3.0))
    check_monotone(rising, lo, hi)
    falling = Surface(rising.terms, rising.coefficients, "plain")  # x log x falls up to 1/e
    with pytest.raises(SlackwaterError, match="the cost falls"):
        check_monotone(falling, lo, hi)
    with pytest.raises(SlackwaterError, match="COST_NOT_MONOTONE"):
        check_monotone(Surface((Term((0,)), Term()), (-1.0, 5.0)), lo, hi)


def test_a_space_without_uncertainty_asks_once() -> None:
    space = parameter_space({"first": 0.5, "third": 0.7}, 0)
    known = Counted(PIPELINE, space)
    assert known.at(()) == BEST
    assert space.whole.is_unit
