"""Where levels can be tested, and in how many ways: examples, a table, and counting one by one."""

from __future__ import annotations

from itertools import product
from math import prod

import pytest
from hypothesis import given
from hypothesis import strategies as st

from slackwater.errors import SlackwaterError
from slackwater.precede.candidates import candidates
from slackwater.precede.designated import designated, reduced
from slackwater.precede.level import DynamicLevel, StaticLevel
from slackwater.precede.paths import dynamic_path, placements, reevaluation_paths, static_path
from slackwater.precede.pipeline import Operator, Pipeline
from slackwater.precede.plan import INITIAL, RankPlan
from slackwater.precede.predicate import Predicate
from slackwater.precede.shared import Shared
from slackwater.precede.space import (
    Contents,
    dynamic_placements,
    placements_of,
    search_space,
    separate_placements,
    static_placements,
)
from tests.precede.stocks import (
    OP1,
    OP2,
    PIPELINE,
    QUERY,
    RC1,
    RC2,
    RC3,
    RC4,
    SHARED,
    chain,
    news,
    one_of_each,
)

BLOGS = DynamicLevel("B", 2, 1, "B.sector", "c")
STOCK = StaticLevel(1, Predicate("S.owned = TRUE"), "S")


@pytest.mark.spec("precedence:PR-43")
def test_static_levels_may_be_tested_anywhere_behind_the_leaf() -> None:
    assert static_path(PIPELINE, QUERY.levels[0]) == (RC2, RC3)
    assert static_placements(PIPELINE, QUERY.levels[:1]) == 2


@pytest.mark.spec("precedence:PR-43", "precedence:PR-44")
def test_what_a_projection_drops_is_not_tested_behind_it() -> None:
    cut = Operator("cut", ("op1",), "project", drops=frozenset({"S.owned", "N.sector"}))
    pipeline = Pipeline((OP1, cut, Operator("op2", ("cut", "B"), keys=OP2.keys)))
    sources = [edge.source for edge in static_path(pipeline, STOCK)]
    assert sources == ["S", "op1"]
    assert [edge.source for edge in dynamic_path(pipeline, news("c", 3))] == ["N", "op1"]


@pytest.mark.spec("precedence:PR-44")
def test_dynamic_levels_are_tested_up_to_their_operator() -> None:
    assert dynamic_path(PIPELINE, news("c", 1)) == (RC1,)
    assert dynamic_path(PIPELINE, news("c", 2)) == (RC1, RC3)
    assert dynamic_path(PIPELINE, BLOGS) == (RC4,)


@pytest.mark.spec("precedence:PR-45")
def test_what_may_lose_a_promise_is_tested_again() -> None:
    path = dynamic_path(PIPELINE, news("c", 2))
    assert reevaluation_paths(PIPELINE, path, RC1, {1, 2}) == ((RC3,),)
    assert reevaluation_paths(PIPELINE, path, RC3, {1, 2}) == ()
    assert reevaluation_paths(PIPELINE, path, RC1, {2}) == ()
    assert placements(PIPELINE, news("c", 2), {1, 2}) == ((RC1, RC3), (RC3,))
    assert placements(PIPELINE, news("c", 2), {2}) == ((RC1,), (RC3,))


@pytest.mark.spec("precedence:PR-46")
def test_designated_operators_follow_from_static_places() -> None:
    level = QUERY.levels[0]
    early, late = RankPlan(((level, RC2),)), RankPlan(((level, RC3),))
    assert designated(PIPELINE, early, 1) == {1, 2}
    assert designated(PIPELINE, late, 1) == {2}
    assert designated(PIPELINE, early, 2) == designated(PIPELINE, INITIAL, 1) == frozenset()


@pytest.mark.spec("precedence:PR-58")
@pytest.mark.parametrize(
    ("paths", "kept"),
    [(1, {8}), (2, {4, 8}), (4, {2, 4, 6, 8}), (8, {1, 2, 3, 4, 5, 6, 7, 8})],
)
def test_of_joins_in_a_row_on_one_attribute_the_last_is_designated(
    paths: int, kept: set[int]
) -> None:
    shared = Shared(chain(8, paths))
    assert reduced(shared, range(1, 9)) == kept
    assert reduced(SHARED, {1, 2}) == {2}
    assert reduced(SHARED, {1}) == {1}


TABLE = [  # joins, paths; PR: paths of levels, product, sum; PR-Prune: likewise (1.13.2)
    (2, 1, (3, 2, 4), (2, 2, 3)),
    (4, 1, (10, 288, 20), (4, 24, 10)),
    (8, 1, (36, 5_056_584_744_960_000, 120), (8, 40_320, 36)),
    (8, 2, (20, 82_944, 40), (8, 576, 20)),
    (8, 4, (20, 5_760_000, 56), (12, 14_400, 34)),
    (8, 8, (20, 22_325_625, 60), (20, 22_325_625, 60)),
]


def spaces(joins: int, paths: int, *, is_pruning: bool) -> tuple[Pipeline, Contents]:
    pipeline = chain(joins, paths)
    shared = Shared(pipeline)
    found = frozenset(range(1, joins + 1))
    kept = reduced(shared, found) if is_pruning else found
    every = candidates(shared, one_of_each(pipeline, kept, STOCK))
    return pipeline, Contents((STOCK,), every, kept)


@pytest.mark.spec("precedence:PR-47")
@pytest.mark.parametrize(("joins", "paths", "whole", "pruned"), TABLE)
def test_the_formulas_give_the_table(
    joins: int, paths: int, whole: tuple[int, ...], pruned: tuple[int, ...]
) -> None:
    for expected, is_pruning in ((whole, False), (pruned, True)):
        pipeline, it = spaces(joins, paths, is_pruning=is_pruning)
        ways = [len(dynamic_path(pipeline, level)) for level in it.dynamic]
        assert (len(ways), prod(ways), sum(ways)) == expected  # the table: a stretch is one edge
        assert static_placements(pipeline, it.static) == joins
        if paths == 4 and is_pruning:  # stretches behind op2, op4, op6 have two edges each
            expected = (12, 313_600, 60)
        both = dynamic_placements(pipeline, it.dynamic, it.designated)
        assert (both, separate_placements(pipeline, it.dynamic, it.designated)) == expected[1:]
        assert search_space(pipeline, {1: it}) == joins * both
        assert search_space(pipeline, {1: it, 2: it}) == 2 * joins * both


@pytest.mark.spec("precedence:PR-47")
@given(st.integers(1, 7), st.data())
def test_the_formulas_count_what_there_is(joins: int, data: st.DataObject) -> None:
    length = data.draw(st.sampled_from([n for n in range(1, joins + 1) if joins % n == 0]))
    pipeline = chain(joins, joins // length)
    known = frozenset(data.draw(st.sets(st.integers(1, joins))))
    level = data.draw(st.sampled_from(spaces(joins, joins // length, is_pruning=False)[1].dynamic))
    path = dynamic_path(pipeline, level)
    ways = {
        chosen
        for chosen in product((True, False), repeat=len(path))
        if is_way(pipeline, [e for e, c in zip(path, chosen, strict=True) if c], level, known)
    }
    assert placements_of(pipeline, level, known) == len(ways)
    assert len(placements(pipeline, level, known)) == len(ways)


def is_way(
    pipeline: Pipeline, chosen: list[object], level: DynamicLevel, known: frozenset[int]
) -> bool:
    """A first test, then exactly one on each stretch between designated operators behind it."""
    path = dynamic_path(pipeline, level)
    stretches: list[list[object]] = [[]]
    for edge in path:
        stretches[-1].append(edge)
        if pipeline.positions[edge.operator] in known:
            stretches.append([])
    hits = [sum(edge in chosen for edge in stretch) for stretch in stretches if stretch]
    began = hits[next((i for i, n in enumerate(hits) if n), len(hits)) :]
    return bool(began) and all(n == 1 for n in began)


def test_a_pipeline_that_makes_no_sense_is_refused() -> None:
    for wrong in (
        (),
        (OP1, OP1),
        (OP2, OP1),
        (Operator("op1", ("S",), keys=("S.a",)),),
        (Operator("op1", ("S", "N")),),
        (OP1, Operator("op2", ("C", "B"), keys=("C.a", "B.a"))),
    ):
        with pytest.raises(SlackwaterError, match="PIPELINE_INVALID"):
            Pipeline(wrong)
