"""Every kind of element, with every form of predicate, through every operator."""

from __future__ import annotations

from collections.abc import Callable

import pytest

from slackwater.estimate.backlog import BacklogPolicy
from slackwater.papers.prodding_bhat2011.operators.aggregate import AggregateParams, WindowAggregate
from slackwater.papers.prodding_bhat2011.operators.bucket import (
    CountBucket,
    PaneToWindow,
    TimeBucket,
)
from slackwater.papers.prodding_bhat2011.operators.channel import Channel
from slackwater.papers.prodding_bhat2011.operators.dedup import Dedup
from slackwater.papers.prodding_bhat2011.operators.element import DataTuple, Punctuation
from slackwater.papers.prodding_bhat2011.operators.expensive import Expensive, ExpensiveParams
from slackwater.papers.prodding_bhat2011.operators.grammar import Grammar
from slackwater.papers.prodding_bhat2011.operators.join import Join
from slackwater.papers.prodding_bhat2011.operators.operator import Chain, Fork, Operator
from slackwater.papers.prodding_bhat2011.operators.passing import Map, Project, Relay, Select
from slackwater.papers.prodding_bhat2011.operators.predicate import (
    ANY,
    Eq,
    In,
    Le,
    Predicate,
    Range,
)
from slackwater.papers.prodding_bhat2011.operators.prod import Feedback, Prod
from slackwater.papers.prodding_bhat2011.operators.prodder import Prodder, ProdderParams
from slackwater.papers.prodding_bhat2011.operators.roles import Role
from slackwater.papers.prodding_bhat2011.operators.shards import Shards
from slackwater.papers.prodding_bhat2011.operators.union import Union
from slackwater.papers.stream.monoids import SUM

NAMES = {"ts": "ts", "key": "key", "value": "value", "id": "id"}
ROW = {"ts": 12, "key": 1, "value": 5, "id": 3, "wid_from": 1, "wid_to": 2}
AGGREGATE = AggregateParams(SUM, 20, 10, key=("key",))
OPERATORS: dict[str, Callable[[], Operator]] = {
    "select": lambda: Select(lambda _: False),
    "project": lambda: Project(NAMES),
    "map": lambda: Map("value", lambda value: value + 1),
    "relay": lambda: Relay(10),
    "bucket": lambda: TimeBucket(20, 10),
    "bucket of counts": lambda: CountBucket(4, 2),
    "panes to windows": lambda: PaneToWindow(2, 1),
    "top": lambda: WindowAggregate(AGGREGATE),
    "incremental": lambda: WindowAggregate(AggregateParams(SUM, 20, 10, role=Role.INCREMENTAL)),
    "accumulating": lambda: WindowAggregate(AggregateParams(SUM, 20, 10, role=Role.ACCUMULATING)),
    "shards": lambda: Shards([WindowAggregate(AGGREGATE) for _ in range(3)], lambda r: r["key"]),
    "union": lambda: Union(2),
    "join": lambda: Join(("key",), 5),
    "outer join": lambda: Join(("key",), 5, is_outer=True),
    "dedup": lambda: Dedup(("key",)),
    "prodder": lambda: Prodder(ProdderParams(20, 10, None)),
    "expensive": lambda: Expensive(ExpensiveParams(5)),
    "sidelining": lambda: Expensive(ExpensiveParams(5, 10, BacklogPolicy("idle"), "range")),
    "grammar": Grammar,
    "channel": lambda: Channel(0),
    "fork": lambda: Fork([Chain([Select(lambda _: True)])], Union(1)),
}


@pytest.mark.spec("prodding:F1", "prodding:F19", "prodding:F26")
@pytest.mark.parametrize("name", OPERATORS)
@pytest.mark.parametrize("time", [ANY, Eq(20), Le(20), Range(10, 30), In.of([10, 20])])
@pytest.mark.parametrize("wanted", [ANY, Eq(1), Le(1), Range(0, 1), In.of([1, 2])])
def test_one_prod_in_one_prod_out_whatever_it_asks(
    name: str, time: Predicate, wanted: Predicate
) -> None:
    operator = OPERATORS[name]()
    operator.take(DataTuple(ROW), 12)
    passed = [
        one
        for ident in ("one", "other")
        for one in operator.take(Prod(ident, time, (("key", wanted),)), 13)
        if isinstance(one, Prod)
    ]
    assert [one.id for one in passed] == ["one", "other"]
    for one in passed:
        is_kept = one.attributes == Prod(1, ANY, (("key", wanted),)).attributes
        assert is_kept or one.is_widened


@pytest.mark.spec("prodding:F1", "prodding:F31")
@pytest.mark.parametrize("name", OPERATORS)
def test_feedback_passes_upstream_until_a_prodder_takes_it(name: str) -> None:
    asked = Feedback("f", ANY, (("key", Eq(1)),))
    back = OPERATORS[name]().back(asked, 0)
    if name == "prodder":
        assert back == Prod("f", ANY, (("key", Eq(1)),), "feedback")
    else:
        assert back == asked


@pytest.mark.spec("prodding:F1")
@pytest.mark.parametrize("name", OPERATORS)
def test_provisional_tuples_stay_provisional(name: str) -> None:
    operator = OPERATORS[name]()
    lent = operator.take(DataTuple(ROW, None, "q"), 12)
    due = operator.due()
    out = [*lent, *(operator.fire(due) if due is not None else ())]
    out += operator.take(Prod("q", ANY), 20)
    tuples = [one for one in out if isinstance(one, DataTuple)]
    assert {one.provisional for one in tuples} <= {"q"}
    assert not any(isinstance(one, Punctuation) for one in out)
