"""Plans for ranks: what they cost, which is better, and what the strategies find."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from slackwater.errors import SlackwaterError
from slackwater.precede import placement
from slackwater.precede.adaptor import SetActiveRanks, SetRouting, Settings, adapt, settings_of
from slackwater.precede.comparison import COMPARISONS
from slackwater.precede.construction import PP, PR, PR_PRUNE, STRATEGIES, Strategy, construct
from slackwater.precede.cost import Estimate, Model, UnitCosts, shares
from slackwater.precede.designated import designated
from slackwater.precede.flows import flows
from slackwater.precede.level import NO_RANK
from slackwater.precede.pcql import Window
from slackwater.precede.pipeline import Operator, Pipeline
from slackwater.precede.placement import Examination, joint
from slackwater.precede.plan import INITIAL, RankPlan
from tests.precede.stocks import (
    DAY,
    ONE,
    OP1,
    PIPELINE,
    RC1,
    RC2,
    RC3,
    TWO,
    classes,
    news,
    situation,
)  # fmt: skip

DEMAND = situation(DAY, 0.0).model().demand()
JOINT = replace(PR, name="oracle", search=joint)


@pytest.mark.spec("precedence:PR-51", "precedence:PR-52")
@pytest.mark.parametrize("name", ["significant_first", "sum"])
def test_the_plans_of_table_3_are_compared_rank_by_rank(name: str) -> None:
    table = {
        "pr1": Estimate({}, 1022, 0, (0, 2, 15), (0, 35, 75)),
        "pr2": Estimate({}, 1256, 0, (0, 2, 15), (0, 35, 75)),
        "pr3": Estimate({}, 1956, 0, (0, 2, 95), (0, 80, 89)),
        "pr4": Estimate({}, 1006, 0, (9, 123, 90), (89, 90, 87)),
    }
    key = COMPARISONS[name]
    assert sorted(table, key=lambda plan: key(table[plan])) == ["pr1", "pr2", "pr3", "pr4"]


@pytest.mark.spec("precedence:PR-53")
def test_rates_and_costs_follow_the_formulas() -> None:
    kinds = classes([("S", 1, "c", 2.0), ("S", 0, "d", 1.0), ("N", 0, "c", 4.0)])
    stock, other, paper = flows(Pipeline((OP1,)), kinds, Window(micros=10_000_000))
    assert (stock.pairs, other.pairs, paper.pairs) == (80.0, 0.0, 80.0)  # together 2 · W · λ · λ
    stock, _, paper = flows(Pipeline((OP1,)), kinds, Window(rows=30))
    assert stock.pairs == 2.0 * 30 * 1.0
    assert paper.pairs == pytest.approx(4.0 * 30 * (2 / 3))
    units = UnitCosts()
    assert units.work(OP1, stock) == pytest.approx(2.0 * 1.0 + 60 * 0.05)
    assert units.work(Operator("f", ("S",), "select"), stock) == pytest.approx(2.0 * 0.3)
    assert units.work(Operator("p", ("S",), "project"), stock) == pytest.approx(2.0 * 0.3)


@pytest.mark.spec("precedence:PR-53")
def test_ranks_are_served_one_after_the_other() -> None:
    assert shares({1: 2.0, 2: 4.0, NO_RANK: 5.0}, 4.0) == {1: 1.0, 2: 0.5, NO_RANK: 0.0}
    assert shares({1: 2.0}, -1.0) == {1: 0.0}


@pytest.mark.spec("precedence:PR-53")
def test_a_plan_costs_its_tests_and_protects_what_it_finds() -> None:
    kinds = classes([("S", 1, "c", 2.0), ("S", 0, "d", 3.0), ("N", 0, "c", 4.0)])
    network = flows(Pipeline((OP1,)), kinds, Window(micros=1_000_000))
    work = 2.0 + 8.0 * 0.05
    model = Model(Pipeline((OP1,)), network, work + 0.1 + 0.09, 1, (news("c"),))
    estimate = model.estimate(RankPlan(((ONE, RC2),)))
    assert estimate.classification == pytest.approx(5.0 * 0.02)
    assert estimate.statistics == pytest.approx(9.0 * 0.01)
    assert estimate.work == pytest.approx({1: work, NO_RANK: 3.0 + 4.0 + 8.0 * 0.05})
    assert estimate.used(1) == pytest.approx(work + 0.19)
    assert estimate.significant == pytest.approx((0.0,))
    assert estimate.promising == pytest.approx((4.0,))


@pytest.mark.spec("precedence:PR-53")
@given(st.floats(0.0, 1.2), st.floats(0.0, 1.2))
def test_with_more_capacity_less_expires(one: float, other: float) -> None:
    plan = RankPlan(((ONE, RC2), (TWO, RC3)), ((news("Drugs", 2), (RC1,)),))
    less, more = sorted((one, other))
    few, many = (situation(DAY, share * DEMAND).model().estimate(plan) for share in (more, less))
    pairs = zip(
        (*few.significant, *few.promising), (*many.significant, *many.promising), strict=True
    )
    assert all(a <= b + 1e-9 for a, b in pairs)


@pytest.mark.spec("precedence:PR-40", "precedence:PR-70")
@pytest.mark.parametrize("strategy", STRATEGIES, ids=lambda one: one.name)
def test_nothing_is_active_while_all_can_be_served(strategy: Strategy) -> None:
    found = construct(situation(DAY, DEMAND), strategy)
    assert (found.plan, found.examined) == (INITIAL, 0)
    loaded = construct(situation(DAY, DEMAND * 0.5), strategy).plan
    assert loaded.active_ranks
    told = adapt(PIPELINE, loaded, found.plan)
    assert settings_of(loaded).apply(told) == Settings()


@pytest.mark.spec("precedence:PR-48")
@pytest.mark.parametrize("strategy", STRATEGIES, ids=lambda one: one.name)
def test_the_heavier_the_load_the_fewer_ranks_are_active(strategy: Strategy) -> None:
    shares_of = [n / 100 for n in range(1, 100, 3)]
    plans = [construct(situation(DAY, share * DEMAND), strategy).plan for share in shares_of]
    active = [plan.active_ranks for plan in plans]
    assert {*active} == {(1,), (1, 2), (1, 2, 3)}
    assert (active[0], active[-1]) == ((1,), (1, 2, 3))
    firsts = [active.index(ranks) for ranks in ((1,), (1, 2), (1, 2, 3))]
    assert firsts == sorted(firsts)
    if strategy != PR:  # which may leave promises out, and have room for a rank more
        assert active == sorted(active, key=len)


ROWS = st.tuples(st.sampled_from("SNB"), st.booleans(), st.sampled_from("cd"), st.floats(0.5, 9.0))
KINDS = st.lists(ROWS, min_size=3, max_size=6).map(
    lambda rows: classes([(s, int(r and s == "S"), v, rate) for s, r, v, rate in rows])
)


@pytest.mark.spec("precedence:PR-49")
@given(KINDS, st.floats(0.05, 0.9))
def test_no_placement_of_rank_one_beats_the_oracle(kinds: tuple[object, ...], share: float) -> None:
    here = situation(kinds, 0.0)  # type: ignore[arg-type]
    here = replace(here, levels=here.levels[:1])
    here = replace(here, capacity=share * here.model().demand())
    look = Examination(here.model())
    keys = {s.name: look.key(construct(here, s).plan) for s in (JOINT, PR, PR_PRUNE, PP)}
    assert all(keys["oracle"] <= key for key in keys.values()), keys


@pytest.mark.spec("precedence:PR-49")
def test_the_joint_search_refuses_what_is_too_large(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(placement, "MOST", 3)
    with pytest.raises(SlackwaterError, match="SEARCH_TOO_LARGE"):
        construct(situation(DAY, DEMAND * 0.3), JOINT)


@pytest.mark.spec("precedence:PR-57")
def test_promises_are_no_longer_added_when_the_capacity_is_used() -> None:
    rich = construct(situation(DAY, DEMAND * 0.5), PR_PRUNE).plan
    poor = construct(situation(DAY, DEMAND * 0.01), PR_PRUNE).plan
    assert rich.dynamic
    assert poor.static
    assert poor.dynamic == ()


@pytest.mark.spec("precedence:PR-56")
def test_pr_prune_looks_only_at_the_end_of_the_run_and_finds_common_values() -> None:
    plan = construct(situation(DAY, DEMAND * 0.5), PR_PRUNE).plan
    assert {level.until for level, _ in plan.dynamic} == {2}
    assert "Energy" not in {level.value for level, _ in plan.dynamic}  # no blog has it
    gains = [level.gain for level, _ in plan.dynamic if level.rank == 1]
    assert gains == sorted(gains, reverse=True)
    assert designated(PIPELINE, plan, 1)


@pytest.mark.spec("precedence:PR-63")
def test_pr_prune_examines_fewer_plans() -> None:
    times = iter([1.0, 3.5])
    here = situation(DAY, DEMAND * 0.4)
    timed = construct(here, PR_PRUNE, clock=lambda: next(times))
    assert timed.seconds == 2.5
    assert 0 < timed.examined < construct(here, PR).examined < construct(here, JOINT).examined


@pytest.mark.spec("precedence:PR-74")
def test_pp_has_no_promises() -> None:
    plan = construct(situation(DAY, DEMAND * 0.4), PP).plan
    assert plan.static
    assert plan.dynamic == ()


@pytest.mark.spec("precedence:PR-64")
def test_only_what_differs_is_told() -> None:
    old = RankPlan(((ONE, RC2),))
    assert adapt(PIPELINE, old, old) == ()
    new = RankPlan(((ONE, RC2), (TWO, RC2)))
    assert [type(one).__name__ for one in adapt(PIPELINE, old, new)] == [
        "SetAssessment",
        "SetActiveRanks",
    ]
    moved = adapt(PIPELINE, old, RankPlan(((ONE, RC3),)))
    assert SetRouting("S", use_classifier=False) in moved
    assert SetRouting("op1", use_classifier=True) in moved
    assert not any(isinstance(one, SetActiveRanks) for one in moved)


@pytest.mark.spec("precedence:PR-64")
@given(st.floats(0.01, 1.1), st.floats(0.01, 1.1), st.sampled_from(STRATEGIES))
def test_what_is_told_makes_the_new_plan_of_the_old(a: float, b: float, how: Strategy) -> None:
    old, new = (construct(situation(DAY, share * DEMAND), how).plan for share in (a, b))
    assert settings_of(old).apply(adapt(PIPELINE, old, new)) == settings_of(new)
