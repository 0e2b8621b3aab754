"""The streams of the experiments: arrival times, rates, selectivities, join graphs."""

from __future__ import annotations

from itertools import pairwise
from math import exp, sqrt
from random import Random

import numpy as np
import pytest

from slackwater.papers.adaptive_zhu2006.adaptation import swapped
from slackwater.papers.adaptive_zhu2006.graphs import Shape, graph
from slackwater.papers.adaptive_zhu2006.operators.engine import Engine
from slackwater.papers.adaptive_zhu2006.operators.heuristic import reordered, selectivities
from slackwater.papers.adaptive_zhu2006.operators.oracle import expected
from slackwater.papers.adaptive_zhu2006.operators.plan import tree
from slackwater.papers.adaptive_zhu2006.workload import Load, arrivals, poisson

# three swaps at random, apart enough to measure between them
AT_RANDOM = tuple(sorted(Random(5).sample(range(1_500, 9_000, 1_500), 3)))


@pytest.mark.spec("adaptive:SUB-01")
def test_delays_are_exponential_by_mean_variance_and_distribution() -> None:
    times = poisson(np.random.default_rng(11), ((0, 1000.0),), 4_000_000)
    delays = np.diff(times)
    count = len(delays)
    assert abs(delays.mean() - 1000) < 4 * 1000 / sqrt(count)
    assert 0.85 < delays.var() / 1000**2 < 1.15
    # Kolmogorov-Smirnov: the largest distance of the two distribution functions, 1 % level
    ordered = np.sort(delays)
    model = np.array([1 - exp(-one / 1000) for one in ordered])
    steps = np.arange(count + 1) / count
    distance = max(np.max(steps[1:] - model), np.max(model - steps[:-1]))
    assert distance < 1.63 / sqrt(count)
    even = np.arange(count) * 2000 / count  # uniform delays of the same mean are told apart
    far = np.max(np.abs(np.array([1 - exp(-one / 1000) for one in even]) - steps[:-1]))
    assert far > 1.63 / sqrt(count)


@pytest.mark.spec("adaptive:SUB-01")
def test_a_seed_gives_the_same_stream_again_and_another_one_does_not() -> None:
    load = Load.steady(1000, (50, 50), (0.5,))
    runs = [[(one.stream, one.ts) for one in arrivals(load, 2000, seed)] for seed in (1, 1, 2)]
    assert runs[0] == runs[1] != runs[2]
    assert all(a[1] <= b[1] for a, b in pairwise(runs[0]))


@pytest.mark.spec("adaptive:SUB-02")
def test_a_rate_steps_when_it_is_told_to() -> None:
    # 100 tuples a second until second 30, then 5
    steps = ((0, 10.0), (30_000, 200.0))
    times = poisson(np.random.default_rng(4), steps, 90_000)
    before = sum(one < 30_000 for one in times) / 30
    after = sum(one >= 30_000 for one in times) / 60
    assert before == pytest.approx(100, rel=0.08)
    assert after == pytest.approx(5, rel=0.25)


@pytest.mark.spec("adaptive:SUB-03")
@pytest.mark.parametrize("times", [(5_000,), AT_RANDOM], ids=["step", "random"])
def test_predicates_have_their_selectivities_and_swap_them(times: tuple[int, ...]) -> None:
    load = Load(1000, dict.fromkeys("ABC", ((0, 8.0),)), swapped(0.02, 0.25, times))
    stream = arrivals(load, 10_000, 7)
    for number, (since, until) in enumerate(pairwise((0, *times, 10_000))):
        found = selectivities(load.query, [one for one in stream if since <= one.ts < until])
        wanted = (0.02, 0.25) if number % 2 == 0 else (0.25, 0.02)
        assert list(found.values()) == pytest.approx(wanted, rel=0.15)


@pytest.mark.spec("adaptive:SUB-04")
@pytest.mark.parametrize("shape", ["chain", "star", "tree", "cycle", "random"])
def test_streams_are_joined_by_every_shape_of_graph(shape: Shape) -> None:
    streams = "ABCD"
    pairs = graph(shape, streams, seed=3)
    degrees = sorted(sum(one in pair for pair in pairs) for one in streams)
    shapes = {"chain": [1, 1, 2, 2], "star": [1, 1, 1, 3], "cycle": [2, 2, 2, 2]}
    assert degrees == shapes.get(shape, degrees)
    assert shape != "tree" or len(pairs) == 3
    load = Load(120, dict.fromkeys(streams, ((0, 40.0),)), (((0, 0.5),),) * len(pairs), pairs)
    query = load.query
    assert {frozenset(pair) for pair in pairs} == {edge.streams for edge in query.edges}
    stream = arrivals(load, 1_500, 2)
    wanted = expected(query, stream)
    assert wanted.total() > 0
    # connected: the heuristic reaches all streams by edges alone
    for plan in (tree("A B C D"), reordered(query, {})):
        engine = Engine(query, plan)
        engine.run(stream)
        assert engine.records() == wanted


@pytest.mark.spec("adaptive:SUB-04")
def test_random_graphs_differ_by_seed_and_are_connected() -> None:
    found = {graph("random", "ABCDE", seed) for seed in range(20)}
    assert len(found) > 10
    assert {len(pairs) for pairs in found} > {4, 6}
    for pairs in found:
        reached = {"A"}
        for _ in range(5):
            reached |= {one for pair in pairs if reached & set(pair) for one in pair}
        assert reached == set("ABCDE")
