from __future__ import annotations

import pytest

from slackwater.papers.prodding_bhat2011.operators.element import DataTuple, Punctuation, Row
from slackwater.papers.prodding_bhat2011.operators.plan import Plan, WindowQuery, flat
from slackwater.papers.prodding_bhat2011.operators.predicate import Eq, Le
from slackwater.papers.prodding_bhat2011.operators.prod import Prod
from slackwater.papers.prodding_bhat2011.operators.prodder import Prodder, ProdderParams
from slackwater.papers.prodding_bhat2011.operators.sources import (
    Timed,
    adapter,
    closing,
    controlled,
    corrected,
    merged,
    preprocessed,
    punctuated,
    tuples,
)
from slackwater.papers.stream.monoids import COUNT

QUERY = WindowQuery(20, 10, COUNT, value=None)
ROWS = [{"ts": ts} for ts in range(40)]


def told(stream: object) -> list[tuple[str, int, int, str | None]]:
    results = Plan(flat(QUERY)).run(stream)  # type: ignore[arg-type]
    return [(r.kind, r.end, r.value, r.source) for r in results]


@pytest.mark.spec("prodding:F27")
def test_prods_and_punctuations_are_written_into_a_recording() -> None:
    recording = [*punctuated(tuples(ROWS), 10), closing(40, 60)]
    found = told(preprocessed(recording, 20, 10, [0.3]))
    assert found[:6] == [
        ("early", 10, 7, "recorded"),
        ("final", 10, 10, None),
        ("early", 20, 17, "recorded"),
        ("final", 20, 20, None),
        ("early", 30, 17, "recorded"),
        ("final", 30, 20, None),
    ]
    earlier = told(preprocessed(recording, 20, 10, [0.3], offset=1))
    assert [row[2] for row in earlier if row[0] == "early"][:3] == [6, 16, 16]
    both = told(preprocessed(recording, 20, 10, [0.3, 0.5]))
    assert [row[2] for row in both if row[:2] == ("early", 20)] == [15, 17]


@pytest.mark.spec("prodding:F27")
def test_a_punctuation_stays_behind_by_the_disorder_it_allows_for() -> None:
    rows = [{"ts": ts} for ts in (0, 12, 9, 14, 25)]
    kinds = [
        one.element.id if isinstance(one.element, Punctuation) else one.element.row["ts"]  # type: ignore[union-attr]
        for one in punctuated(tuples(rows), 10, lag=4)
    ]
    assert kinds == [0, "[0]", 12, 9, "[10]", 14, "[20]", 25]
    behind = punctuated(tuples(rows), 10, lag=4, is_behind=True)
    assert [type(one.element).__name__[0] for one in behind] == list("DDPDDPDP")


@pytest.mark.spec("prodding:F28")
def test_a_control_stream_supplies_prods_or_is_turned_into_them() -> None:
    def alarm(row: Row) -> Prod | None:
        return Prod(f"alarm {row['ts']}", Le(30)) if row["heat"] > 80 else None

    heat = tuples([{"ts": 5, "heat": 20}, {"ts": 17, "heat": 95}])
    asked = [*controlled(heat, alarm), Timed(18, Prod("direct", Eq(20)))]
    results = Plan(flat(QUERY)).run(merged(tuples(ROWS), asked))
    assert [(r.prod, r.end, r.value, r.source) for r in results] == [
        ("alarm 17", 10, 10, "control"),
        ("alarm 17", 20, 18, "control"),
        ("alarm 17", 30, 8, "control"),
        ("direct", 20, 19, "prodder"),
    ]
    passed = list(controlled([Timed(3, Prod("kept", Eq(10)))], alarm))
    assert passed == [Timed(3, Prod("kept", Eq(10)))]


@pytest.mark.spec("prodding:F29")
def test_an_adapter_prods_as_application_time_advances() -> None:
    # in bursts: system time says nothing here
    stream = [Timed(0, DataTuple(row)) for row in ROWS]
    assert told(adapter(stream, 10)) == [
        ("early", 10, 10, "adapter"),
        ("early", 20, 20, "adapter"),
        ("early", 30, 20, "adapter"),
    ]
    ahead = told(adapter(stream, 10, ahead=4))
    assert [row[2] for row in ahead] == [6, 16, 16, 16]
    bound = told(adapter(stream, 20, is_bound=True))
    assert [row[1] for row in bound] == [10, 20]


@pytest.mark.spec("prodding:F33")
def test_several_sources_prod_one_query_at_once() -> None:
    prodder = Prodder(ProdderParams(20, 10, 0.2, end=39))
    plan = Plan([prodder, *flat(QUERY)])
    control = [Timed(15, Prod("c", Eq(20), source="control"))]
    recorded = preprocessed([*punctuated(tuples(ROWS), 10), closing(40, 60)], 20, 10, [0.4])
    results = plan.run(adapter(merged(control, recorded), 10, ahead=3))
    asked = [(r.source, r.emitted, r.value) for r in results if r.end == 20]
    assert asked == [
        ("control", 15, 15),
        ("recorded", 16, 16),
        ("adapter", 17, 17),
        ("prodder", 18, 18),
        (None, 20, 20),
    ]
    assert [r.revision for r in results if r.end == 20] == [1, 2, 3, 4, 5]


@pytest.mark.spec("prodding:F4")
def test_a_source_whose_clock_is_wrong_is_put_right() -> None:
    recording = [*punctuated(tuples(ROWS), 10), closing(40, 60)]
    want = told(preprocessed(recording, 20, 10, [0.3]))
    skewed = tuples([{"ts": row["ts"] + 7} for row in ROWS])
    wrong = [
        Timed(one.at - 7, one.element)
        for one in preprocessed([*punctuated(skewed, 10), closing(47, 67)], 20, 10, [0.3])
    ]
    assert told(wrong) != want
    shifted = [
        Timed(at, element)
        if not isinstance(element, DataTuple)
        else Timed(at, DataTuple({"ts": element.row["ts"] + 7}))
        for at, element in preprocessed(recording, 20, 10, [0.3])
    ]
    moved = [
        Timed(at, element if isinstance(element, DataTuple) else _later(element, 7))
        for at, element in shifted
    ]
    assert told(corrected(moved, 7)) == want


def _later(element: Punctuation | Prod, skew: int) -> Punctuation | Prod:
    if isinstance(element, Prod):
        assert isinstance(element.time, Eq)
        return Prod(element.id, Eq(element.time.value + skew), source=element.source)  # type: ignore[operator]
    assert isinstance(element.time, Le)
    return Punctuation(element.id, Le(element.time.bound + skew))  # type: ignore[operator]


@pytest.mark.spec("prodding:F33")
def test_at_equal_times_the_order_of_sources_decides() -> None:
    one, other = [Timed(1, Prod("a"))], [Timed(1, Prod("b")), Timed(0, Prod("c"))][:1]
    assert [timed.element.id for timed in merged(one, other)] == ["a", "b"]  # type: ignore[union-attr]
