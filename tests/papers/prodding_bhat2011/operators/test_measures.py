from __future__ import annotations

import pytest

from slackwater.papers.prodding_bhat2011.operators.element import DataTuple, Punctuation, Result
from slackwater.papers.prodding_bhat2011.operators.measures import (
    Latency,
    accuracies,
    by_oldest,
    by_slide,
    by_window,
    final_latency,
    is_boundary,
    measured_aggressiveness,
    monitored,
    pairs,
    qualities,
    scaled,
)
from slackwater.papers.prodding_bhat2011.operators.plan import Plan, WindowQuery, paned
from slackwater.papers.prodding_bhat2011.operators.predicate import Eq, Le
from slackwater.papers.prodding_bhat2011.operators.prod import Prod
from slackwater.papers.prodding_bhat2011.operators.quality import hamming
from slackwater.papers.prodding_bhat2011.operators.sources import (
    Timed,
    closing,
    preprocessed,
    punctuated,
    tuples,
)
from slackwater.papers.prodding_bhat2011.operators.views import history, latest
from slackwater.papers.stream.monoids import COUNT, Monoid


def results(p: float | None = 0.3, size: int = 30) -> list[Result]:
    rows = tuples([{"ts": ts} for ts in range(100)])
    recording = [*punctuated(rows, 10), closing(100, 140)]
    stream = recording if p is None else preprocessed(recording, size, 10, [p])
    return Plan(paned(WindowQuery(size, 10, COUNT, value=None))).run(stream)


@pytest.mark.spec("prodding:F46", "prodding:F12")
def test_accuracy_of_counts_is_the_share_of_the_window_that_was_covered() -> None:
    inner = [p for p in pairs(results()) if not is_boundary(p.final, 0, 100)]
    assert len(inner) == 8
    assert accuracies(inner).tolist() == pytest.approx([90.0] * 8)
    first = [p for p in pairs(results()) if is_boundary(p.final, 0, 100)]
    assert min(accuracies(first)) == pytest.approx(70)


@pytest.mark.spec("prodding:F47", "prodding:F49")
def test_latency_counts_from_the_oldest_tuple_the_windows_or_the_slides_first() -> None:
    plan = Plan(paned(WindowQuery(20, 10, COUNT, value=None)))
    for at, ts in ((7, 5), (18, 11), (19, 16)):
        plan.push(DataTuple({"ts": ts}), at)
    plan.push(Prod(1, Eq(20)), 21)
    plan.push(Punctuation(2, Le(20)), 26)
    [pair] = pairs(plan.results)
    found = [Latency.of([pair], since) for since in (by_oldest, by_window, by_slide)]
    assert [(one.early, one.final) for one in found] == [(16, 21), (14, 19), (3, 8)]
    assert {one.gain for one in found} == {5}
    assert [one.gain_percent for one in found] == pytest.approx([23.81, 26.32, 62.5], abs=0.01)
    assert pair.gap == 5


@pytest.mark.spec("prodding:F38")
def test_prods_change_no_final_and_hold_none_up_in_virtual_time() -> None:
    for since in (by_window, by_slide):
        assert final_latency(results(0.3), since) == final_latency(results(None), since)
    strip = [
        [(r.window, r.value, r.rows, r.emitted) for r in run if r.kind == "final"]
        for run in (results(0.3), results(None))
    ]
    assert strip[0] == strip[1]


@pytest.mark.spec("prodding:F51")
def test_only_windows_with_an_estimate_are_compared() -> None:
    some = [r for r in results() if r.kind == "final" or r.window % 2]
    assert {p.final.window for p in pairs(some)} == {r.window for r in some if r.kind == "early"}
    assert len(pairs(some)) < sum(r.kind == "final" for r in some)


@pytest.mark.spec("prodding:F48")
def test_aggressiveness_is_measured_from_what_happened() -> None:
    assert measured_aggressiveness(pairs(results(0.3)), 10) == pytest.approx(0.3)


@pytest.mark.spec("prodding:F60")
def test_an_estimate_scaled_by_its_coverage_stands_next_to_the_raw_one() -> None:
    inner = [p for p in pairs(results()) if not is_boundary(p.final, 0, 100)]
    assert [p.early.value for p in inner] == [27] * 8
    assert [scaled(p, 10) for p in inner] == pytest.approx([30.0] * 8)


@pytest.mark.spec("prodding:F52")
def test_text_results_have_a_quality_of_their_own() -> None:
    closest: Monoid[str, str, str] = Monoid(
        "", str, lambda a, b: max(a, b, key=lambda text: hamming(text, "karolin")), str
    )
    plan = Plan(paned(WindowQuery(10, 10, closest, "text")))
    for ts, text in ((1, "marvin0"), (3, "kathrin")):
        plan.push(DataTuple({"ts": ts, "text": text}), ts)
    plan.push(Prod(1, Eq(10)), 4)
    plan.push(DataTuple({"ts": 8, "text": "karolyn"}), 8)
    plan.push(Punctuation(2, Le(10)), 10)
    found = pairs(plan.results)
    assert (found[0].early.value, found[0].final.value) == ("kathrin", "karolyn")
    assert qualities(found, hamming) == [pytest.approx(100 * 3 / 7)]
    assert qualities(found, lambda early, final, gap: 100 - gap) == [94]


@pytest.mark.spec("prodding:F61", "prodding:F21")
def test_the_latest_answer_is_the_final_or_the_newest_estimate() -> None:
    plan = Plan(paned(WindowQuery(20, 10, COUNT, value=None)))
    steps = [(1, DataTuple({"ts": 1})), (2, Prod("a", Le(20))), (3, DataTuple({"ts": 3}))]
    steps += [(4, Prod("b", Le(20))), (10, Punctuation("u", Le(10)))]  # type: ignore[list-item]
    plan.run([Timed(at, element) for at, element in steps])
    newest = latest(plan.results)
    assert {key[0]: (r.kind, r.value, r.prod) for key, r in newest.items()} == {
        0: ("final", 2, None),
        1: ("early", 2, "b"),
    }
    assert {key[0]: [r.value for r in all_] for key, all_ in history(plan.results).items()} == {
        0: [1, 2, 2],
        1: [1, 2],
    }
    assert len(pairs(plan.results)) == 2
    assert len(pairs(plan.results, is_last_only=True)) == 1


@pytest.mark.spec("prodding:F53")
def test_pairs_reach_the_monitor_with_age_ratio_and_share_of_rows() -> None:
    inner = [p for p in pairs(results()) if not is_boundary(p.final, 0, 100)]
    found = monitored(inner)
    assert found.age.tolist() == pytest.approx([0.9] * 8)
    assert found.ratio.tolist() == pytest.approx([30 / 27] * 8)
    assert found.rows_share.tolist() == pytest.approx([0.9] * 8)
