from __future__ import annotations

from collections import Counter
from itertools import pairwise

import pytest
from hypothesis import given
from hypothesis import strategies as st

from slackwater.errors import CheckpointError, SlackwaterError
from slackwater.papers.recall_ji2018.operators.combined import Combined
from slackwater.papers.recall_ji2018.operators.condition import Equal, Where, closed, same_key
from slackwater.papers.recall_ji2018.operators.operator import (
    JoinOperator,
    JoinParams,
    JoinState,
    Probing,
    Purge,
)
from slackwater.papers.recall_ji2018.operators.oracle import all_combinations
from slackwater.papers.recall_ji2018.operators.windows import StreamWindows
from slackwater.stats.arrival import Arrival, Delayed
from tests.papers.recall_ji2018.operators.disordered import Row, identities, ordered, rows, single

ABC = (("a",), ("b",), ("c",))
WINDOWS = StreamWindows.of({"a": 6, "b": 3, "c": 9})
PROBING = st.sampled_from(["hash", "nested"])


def join_of(inputs: str = "abc", **options: object) -> JoinOperator:
    windows = StreamWindows.of({name: dict(WINDOWS.sizes)[name] for name in inputs})
    options = {"terms": same_key(inputs), **options}
    names = tuple((name,) for name in inputs)
    return JoinOperator.start(JoinParams(names, windows, **options))  # type: ignore[arg-type]


def run(join: JoinOperator, arrivals: list[Row], inputs: str = "abc") -> list[Combined]:
    steps = [join.update(inputs.index(a.stream), single(a)) for a in arrivals]
    return [result for step in steps for result in step.results]


@pytest.mark.spec("qddh:F080", "adaptive:SUB-10")
@given(rows("abc"), PROBING)
def test_ordered_input_gives_every_valid_combination_once(
    arrivals: list[Row], probing: Probing
) -> None:
    results = run(join_of(probing=probing), ordered(arrivals))
    assert identities(results) == dict.fromkeys(
        all_combinations(WINDOWS, same_key("abc"), arrivals), 1
    )


@pytest.mark.spec("adaptive:SUB-09")
@given(rows("ab"), PROBING)
def test_the_symmetric_binary_join_gives_every_valid_pair_once(
    arrivals: list[Row], probing: Probing
) -> None:
    results = run(join_of("ab", probing=probing), ordered(arrivals), "ab")
    windows = StreamWindows.of({"a": 6, "b": 3})
    assert identities(results) == dict.fromkeys(
        all_combinations(windows, same_key("ab"), arrivals), 1
    )


@pytest.mark.spec("qddh:F080")
@given(rows("abc", keys=9), PROBING)
def test_any_function_of_the_members_may_be_the_condition(
    arrivals: list[Row], probing: Probing
) -> None:
    terms = (
        Where(("c", "a"), lambda c, a: abs(c - a) < 3),
        Where(("a", "b", "c"), lambda a, b, c: (a + b + c) % 2 == 0),
        Equal("a", "b", lambda a: a % 3, lambda b: b % 3),
    )
    results = run(join_of(terms=terms, probing=probing), ordered(arrivals))
    assert identities(results) == dict.fromkeys(all_combinations(WINDOWS, terms, arrivals), 1)


@pytest.mark.spec("adaptive:SUB-10")
@given(rows("abc"), st.permutations([1, 2]), st.permutations([0, 2]), st.permutations([0, 1]))
def test_orderings_of_the_probe_change_nothing(
    arrivals: list[Row], a: list[int], b: list[int], c: list[int]
) -> None:
    other = join_of(orderings=(tuple(a), tuple(b), tuple(c)))
    stream = ordered(arrivals)
    assert identities(run(other, stream)) == identities(run(join_of(), stream))
    assert all(len(item.parts) == 1 for window in other.snapshot().windows for _, item in window)


@pytest.mark.spec("qddh:F081", "adaptive:SUB-09")
def test_a_tuple_expires_what_is_old_in_the_other_windows_only() -> None:
    join = join_of("ab")
    run(join, [Arrival("a", 0, 0, 1), Arrival("b", 1, 0, 1), Arrival("a", 2, 20, 1)], "ab")
    assert join.sizes == (2, 0), "its own window keeps the old tuple until the other stream moves"
    run(join, [Arrival("b", 3, 20, 1)], "ab")
    assert join.sizes == (1, 1)


@pytest.mark.spec("qddh:F081")
def test_a_late_tuple_gives_nothing_at_once_and_meets_what_comes_after_it() -> None:
    join = join_of("ab")
    (_, early, late, then) = [
        join.update("ab".index(stream), single(Arrival(stream, n, ts, 1)))
        for n, (stream, ts) in enumerate([("b", 2), ("b", 5), ("a", 3), ("b", 6)])
    ]
    assert (early.is_late, late.is_late, late.results, late.cross) == (False, True, (), None)
    assert [result.times for result in then.results] == [{"a": 3, "b": 6}]


@pytest.mark.spec("qddh:F081")
@pytest.mark.parametrize(("ts", "kept"), [(4, 1), (3, 0)])
def test_a_late_tuple_is_kept_up_to_and_including_the_bound_of_its_window(
    ts: int, kept: int
) -> None:
    join = join_of("ab")
    run(join, [Arrival("b", 0, 10, 1), Arrival("a", 1, ts, 1)], "ab")
    assert join.sizes[0] == kept


@pytest.mark.spec("qddh:F081")
@given(rows("abc"))
def test_whatever_comes_results_are_true_and_in_order(arrivals: list[Row]) -> None:
    results = run(join_of(), arrivals)
    true = all_combinations(WINDOWS, same_key("abc"), arrivals)
    assert identities(results) <= Counter(true)
    assert all(one.ts <= other.ts for one, other in pairwise(results))


@pytest.mark.spec("qddh:F037")
def test_the_cross_product_is_that_of_the_windows_after_expiry() -> None:
    join = join_of()
    moves = [("a", 0), ("a", 2), ("b", 3), ("b", 4), ("c", 7)]
    steps = [
        join.update("abc".index(s), single(Arrival(s, n, ts, n))) for n, (s, ts) in enumerate(moves)
    ]
    assert [step.cross for step in steps] == [0, 0, 0, 0, 1 * 1]


@pytest.mark.spec("adaptive:SUB-08")
def test_a_combined_tuple_knows_all_its_times_and_who_caused_it() -> None:
    one = Combined.of(Delayed(Arrival("b", 4, 9, "x"), delay=7))
    both = one.merge(single(Arrival("a", 1, 5, 2)))
    assert (both.ts, both.oldest, both.times) == (9, 5, {"a": 5, "b": 9})
    assert (both.delay, both.trigger.arrival.stream) == (7, "b")
    assert both.identity == (("a", 1), ("b", 4))
    assert both.payloads == {"a": 2, "b": "x"}


def test_equalities_are_closed_over_what_they_imply() -> None:
    terms = closed(same_key("abc"))
    assert {term.streams for term in terms} == {("a", "b"), ("b", "c"), ("a", "c")}
    apart = (Equal("a", "b", len, len), Equal("b", "c", str, str))
    assert closed(apart) == apart


@given(rows("abc"), rows("abc"), st.sampled_from(["newest", "tight"]))
def test_a_join_continues_from_saved_state(
    before: list[Row], after: list[Row], purge: Purge
) -> None:
    steady = join_of(purge=purge)
    run(steady, before)
    resumed = JoinOperator.start(steady.params, steady.snapshot())
    assert identities(run(resumed, after)) == identities(run(steady, after))


def test_what_cannot_be_used_is_refused() -> None:
    with pytest.raises(CheckpointError, match="version 99"):
        JoinOperator.start(join_of().params, JoinState(version=99))
    with pytest.raises(SlackwaterError, match="all the others"):
        join_of(orderings=((1, 2), (0, 2), (0, 2)))
    with pytest.raises(SlackwaterError, match="two streams"):
        Where(("a",), bool)
