"""The decision step by hand: no Spark, no clock, every number in reach of a pencil."""

from __future__ import annotations

import copy
import itertools
import json
from collections import defaultdict
from typing import Any

import pytest

from slackwater.control.error_slack import WindowMeter
from slackwater.control.recall_slack import Recall
from slackwater.control.records import (
    ControlState,
    Decision,
    Observation,
    Policy,
    QueryDecision,
    StreamDecision,
)
from slackwater.control.saved import plain, read_decision, read_state
from slackwater.control.step import start, step, wants
from slackwater.disorder.recall_slack import RecallSlackState
from slackwater.plan.build import check
from slackwater.plan.stage import lay_out
from slackwater.query import contract
from slackwater.query.join import join
from slackwater.query.schema import Schema
from slackwater.query.stream import Query, Stream, StreamDef
from slackwater.stats.panes import PaneCount
from slackwater.units import DAY, END_OF_TIME, HOUR, SECOND

ROWS = Schema.of(ts="timestamp", k="bigint", v="bigint")
FAR = 10 * DAY // SECOND


def rows(max_ahead: str | None = "1 day", name: str = "r") -> Stream:
    return Stream(StreamDef(name, ROWS, "ts", max_ahead=max_ahead))


def query(
    size: int = 10, slide: int | None = None, wait: int = 0, *, base: Stream | None = None, **k: Any
) -> Query:
    name = k.pop("name", "q")
    windowed = (base or rows()).window(size, slide).group_by("k").aggregate(n="count(*)")
    return windowed.query(name, contract.slack(wait), **k)


def policy(*queries: Query, **options: Any) -> Policy:
    return Policy(lay_out(check(queries)), **options)


class Hand:
    """Feeds batches of event times (seconds) to the step and remembers its state."""

    def __init__(self, policy: Policy, tier: str = "columnar") -> None:
        self.policy = policy
        self.state: ControlState = start(policy, tier)
        self.batch = -1
        self.last: tuple[Observation, ControlState] | None = None

    def see(self, *times: float | None, failing: tuple[float, ...] = (), **more: Any) -> Decision:
        self.batch += 1
        panes = {
            state.identity: _histogram(times, failing, state.pane, state.offset)
            for _, state in self.policy.plan.base_states
        }
        more.setdefault("state_rows", 0)
        seen = Observation(self.batch, panes, wall=1_000_000 + self.batch, **more)
        self.last = seen, self.state
        decision, self.state = step(self.policy, seen, self.state)
        return decision

    def query(self, *times: float | None, **more: Any) -> QueryDecision:
        return self.see(*times, **more).queries["q"]

    def stream(self, *times: float | None, **more: Any) -> StreamDecision:
        return self.see(*times, **more).streams["r"]

    @property
    def clock(self) -> float | None:
        clock = self.state.streams["r"].clock
        return None if clock is None else clock / SECOND


def _histogram(
    times: tuple[float | None, ...], failing: tuple[float, ...], pane: int, offset: int
) -> tuple[PaneCount, ...]:
    groups: dict[tuple[int | None, bool], list[int | None]] = defaultdict(list)
    for time in times:
        micros = None if time is None else round(time * SECOND)
        at = None if micros is None else micros - (micros - offset) % pane
        groups[at, True].append(micros)
    for time in failing:
        groups[None, False].append(round(time * SECOND))
    return tuple(
        PaneCount(
            at,
            passes,
            len(found),
            min((t for t in found if t is not None), default=None),
            max((t for t in found if t is not None), default=None),
        )
        for (at, passes), found in groups.items()
    )


# clock and watermark ------------------------------------------------------------------------------


@pytest.mark.spec("qddh:F002")
def test_the_clock_is_the_largest_event_time_seen_and_never_goes_back() -> None:
    hand = Hand(policy(query()))
    seen = []
    for times in [(), (3, 5), (1,), (4.5, 9), (8,)]:
        hand.see(*times)
        seen.append(hand.clock)
    assert seen == [None, 5, 5, 9, 9]


@pytest.mark.spec("qddh:F002")
def test_delay_is_measured_against_the_clock_at_the_start_of_the_batch() -> None:
    hand = Hand(policy(query(size=1)))
    hand.see(20)
    assert hand.query(50, 5, 17).max_lateness == 15 * SECOND  # 20 - 5, not 50 - 5


def test_rows_that_fail_the_filter_move_the_clock_but_are_never_late() -> None:
    hand = Hand(policy(query(size=1)))
    hand.see(20)
    found = hand.query(failing=(30, 2))
    assert hand.clock == 30
    assert (found.late, found.dropped) == (0, 0)


def test_the_watermark_is_the_clock_less_slack_and_never_goes_back() -> None:
    hand = Hand(policy(query(wait=7)))
    marks = [hand.query(*times).upto for times in [(10,), (4,), (30,), (29,), ()]]
    assert marks == [3 * SECOND, 3 * SECOND, 23 * SECOND, 23 * SECOND, 23 * SECOND]


def test_a_window_closes_in_one_batch_only() -> None:
    hand = Hand(policy(query(wait=2)))
    spans = [(q.after, q.upto) for q in (hand.query(t) for t in (5, 14, 14, 40))]
    for before, later in itertools.pairwise(spans):
        assert later[0] == before[1]


@pytest.mark.spec("qddh:F050")
def test_with_slack_0_windows_close_as_soon_as_the_clock_passes() -> None:
    hand = Hand(policy(query(wait=0)))
    assert hand.query(9.9).upto == 9.9 * SECOND
    assert hand.query(10).upto == 10 * SECOND


@pytest.mark.spec("qddh:F052")
def test_a_fixed_slack_waits_exactly_that_long() -> None:
    hand = Hand(policy(query(wait=5)))
    hand.see(14)
    assert hand.query(14.999999).late == 0
    assert hand.query(1).late == 0  # [0, 10) is still open: 14.999999 - 5 < 10
    hand.see(15)
    assert hand.query(1).late == 1


def test_more_slack_after_a_restart_does_not_move_the_watermark_back() -> None:
    small, large = policy(query(wait=1)), policy(query(wait=60))
    hand = Hand(small)
    hand.see(100)
    again = Hand(large)
    again.state = read_state(json.loads(json.dumps(plain(hand.state))))
    assert again.query(110).upto == 99 * SECOND
    assert again.query(170).upto == 110 * SECOND


def test_queries_of_one_pipeline_have_watermarks_of_their_own() -> None:
    base = rows()
    both = policy(query(wait=1, name="fast", base=base), query(wait=30, name="slow", base=base))
    found = Hand(both).see(100).queries
    assert (found["fast"].upto, found["slow"].upto) == (99 * SECOND, 70 * SECOND)


@pytest.mark.spec("qddh:F022")
def test_the_end_of_the_stream_closes_everything() -> None:
    hand = Hand(policy(query(wait=60)))
    hand.see(100)
    found = hand.query(ended=True)
    assert found.upto == END_OF_TIME
    assert hand.state.of("q").watermark == END_OF_TIME


def test_the_end_of_a_stream_that_never_spoke_closes_nothing() -> None:
    assert Hand(policy(query())).query(ended=True).upto is None


# late rows ----------------------------------------------------------------------------------------


@pytest.mark.spec("qddh:F026")
@pytest.mark.parametrize(
    ("time", "late", "dropped"),
    [
        (3.9, 1, 1),  # windows [-2, 4), [0, 6), [2, 8): all closed at 10
        (5.9, 1, 1),  # the last of them is [4, 10), closed too
        (6, 1, 0),  # [6, 12) is open: useful, kept
        (9.9, 1, 0),  # missed [4, 10) only
        (10, 0, 0),  # its first window is [6, 12)
    ],
)
def test_a_late_row_is_kept_while_one_of_its_windows_is_open(
    time: float, late: int, dropped: int
) -> None:
    hand = Hand(policy(query(size=6, slide=2)))
    hand.see(10)
    found = hand.query(time)
    assert (found.late, found.dropped) == (late, dropped)


@pytest.mark.spec("qddh:F026")
def test_rows_are_counted_one_by_one_not_by_group() -> None:
    hand = Hand(policy(query(size=6, slide=2)))
    hand.see(10)
    found = hand.query(1, 1, 1.5, 7, 7.2, 11)
    assert (found.late, found.dropped) == (5, 3)


def test_a_revisable_row_is_late_but_not_dropped() -> None:
    hand = Hand(policy(query(size=10, late="revise", keep="20 seconds")))
    hand.see(50)
    found = hand.query(51, 45, 31, 15)
    assert found.horizon == 30 * SECOND
    assert (found.late, found.dropped) == (3, 1)


def test_nothing_is_late_in_the_first_batch() -> None:
    found = Hand(policy(query(size=1))).query(500, 1, 100)
    assert (found.late, found.dropped, found.max_lateness) == (0, 0, None)


# rows that cannot be placed in time --------------------------------------------------------------


def test_rows_without_event_time_are_counted_and_move_nothing() -> None:
    hand = Hand(policy(query()))
    hand.see(5)
    decision = hand.see(None, None, 6)
    assert decision.streams["r"].null_time == 2
    assert decision.queries["q"].null_time == decision.queries["q"].rejected == 2
    assert hand.clock == 6
    assert any("no event time" in notice for notice in decision.notices)


def test_a_far_future_row_does_not_push_the_clock() -> None:
    hand = Hand(policy(query()))
    hand.see(5)
    decision = hand.see(6, 7, 8, FAR)
    assert hand.clock == 8
    assert decision.streams["r"].far_future == decision.queries["q"].far_future == 1
    assert decision.streams["r"].bound == 8 * SECOND + DAY
    assert any("ahead of the clock" in notice for notice in decision.notices)


def test_a_first_batch_is_measured_by_its_own_median() -> None:
    hand = Hand(policy(query()))
    assert hand.stream(FAR, 5, 6, 7).far_future == 1
    assert hand.clock == 7


def test_a_stream_that_really_jumped_is_believed_after_enough_rows() -> None:
    hand = Hand(policy(query(), jump_rows=10))
    hand.see(5)
    for batch in range(3):
        assert hand.stream(*[FAR + batch] * 3).far_future == 3
        assert hand.clock == 5
    assert hand.stream(FAR + 3).far_future == 0
    assert hand.clock == FAR + 3


def test_strays_among_sound_rows_never_add_up_to_a_jump() -> None:
    hand = Hand(policy(query(), jump_rows=3))
    for batch in range(20):
        hand.see(batch, batch, FAR)
    assert hand.clock == 19


def test_an_ordered_stream_that_catches_up_on_days_in_one_batch_loses_no_row() -> None:
    hand = Hand(policy(query(size=3600)))
    hand.see(*range(0, 3600, 60))
    caught_up = hand.stream(*range(3600, 3600 + 2592 * 60, 60))  # 1.8 days
    assert caught_up.far_future == 0
    assert hand.clock == 3600 + 2591 * 60


def test_rows_that_fail_a_filter_also_tell_where_a_stream_is() -> None:
    hand = Hand(policy(query(size=3600)))
    hand.see(0)
    hours = tuple(PaneCount(None, False, 10, h * HOUR, h * HOUR + HOUR // 2) for h in range(2 * 24))
    panes = (*hours, PaneCount(2 * DAY, True, 1, 2 * DAY, 2 * DAY))
    [(_, base)] = hand.policy.plan.base_states
    seen = Observation(1, {base.identity: panes}, 0, 0)
    decision, state = step(hand.policy, seen, hand.state)
    assert decision.streams["r"].far_future == 0
    assert state.streams["r"].clock == 2 * DAY


def test_a_leap_is_believed_if_it_is_a_good_part_of_a_large_batch() -> None:
    hand = Hand(policy(query()))
    hand.see(5)
    seen = hand.stream(*range(6, 306), *(FAR + n for n in range(120)))
    assert (seen.far_future, hand.clock) == (0, FAR + 119)


def test_many_strays_of_one_broken_clock_in_a_far_larger_batch_are_not_believed() -> None:
    hand = Hand(policy(query()))
    hand.see(5)
    for batch in range(5):
        begin = 6 + 100 * batch
        crowd = [begin + n / 20 for n in range(2000)]
        seen = hand.stream(*crowd, *(FAR + 100 * batch + n for n in range(120)))
        assert seen.far_future == 120
    assert hand.clock == pytest.approx(6 + 400 + 1999 / 20)


def test_a_stray_beyond_a_leap_that_is_believed_stays_one() -> None:
    hand = Hand(policy(query()))
    hand.see(5)
    seen = hand.stream(*(FAR + n for n in range(120)), 100 * FAR)
    assert (seen.far_future, hand.clock) == (1, FAR + 119)


def test_a_source_with_one_row_a_batch_loses_a_few_rows_at_a_leap_at_most() -> None:
    hand = Hand(policy(query()))
    for time in range(20):
        hand.see(time)
    ahead = [hand.stream(FAR + n).far_future for n in range(12)]
    assert ahead == [*[1] * 9, 0, 0, 0]
    assert hand.clock == FAR + 11


def test_one_absurd_time_among_single_rows_is_not_believed_however_often_it_comes() -> None:
    hand = Hand(policy(query()))
    for time in range(60):
        hand.see(time)
        if time % 3 == 0:
            assert hand.stream(100 * FAR).far_future == 1
    assert hand.clock == 59


def test_groups_of_strays_go_through_json() -> None:
    hand = Hand(policy(query()))
    hand.see(5)
    hand.see(6, FAR)
    assert read_state(json.loads(json.dumps(plain(hand.state)))) == hand.state


def test_without_a_bound_every_row_is_believed() -> None:
    hand = Hand(policy(query(base=rows(max_ahead=None))))
    hand.see(5)
    assert hand.stream(FAR).far_future == 0
    assert hand.clock == FAR


# holding ------------------------------------------------------------------------------------------


def bounded(epsilon: float = 0.5, *, idle: str | None = None, **terms: Any) -> Query:
    windows = rows(max_ahead=None).window(10).aggregate(n="count(*)")
    return windows.query("q", contract.max_error(epsilon, **terms), idle=idle)


def regular(batch: int, late: float = 0) -> list[float]:
    """Ten seconds of a stream, a row a second; one row came late."""
    begin = 10 * batch
    times = [float(begin + n) for n in range(10)]
    return [*times, max(0.0, begin - late)] if late else times


def test_a_contract_answers_nothing_until_delays_are_known() -> None:
    hand = Hand(policy(bounded()))
    told = [hand.see(*regular(batch, late=29)) for batch in range(9)]
    held = [decision.queries["q"].upto is None for decision in told]
    assert held == [True] * 6 + [False] * 3  # delays are 28 s, the clock before is 59 s
    phases = [decision.queries["q"].controllers["error_slack"]["phase"] for decision in told]
    assert phases == ["holding"] * 6 + ["warm-up"] * 3
    assert told[-1].queries["q"].slack >= 28 * SECOND
    notices = [notice for decision in told for notice in decision.notices]
    assert "query q: holding: no answers until delays are known well enough" in notices[0]
    assert "query q: delays are known, answers from now on" in notices[1]


def test_at_most_is_the_slack_of_a_hold_and_it_is_told_when_that_cuts_it() -> None:
    hand = Hand(policy(bounded(at_most="15 seconds")))
    told = [hand.see(*regular(batch, late=10 * batch)) for batch in range(8)]
    assert [d.queries["q"].upto for d in told] == [(10 * n + 9 - 15) * SECOND for n in range(8)]
    notices = [notice for decision in told for notice in decision.notices]
    assert "holding (for 15s at most)" in notices[0]
    assert "at_most = 15s ends the hold" in notices[1]


def test_after_a_silence_the_watermark_stays_until_its_rows_have_come() -> None:
    hand = Hand(policy(bounded()))
    for batch in range(20):
        hand.see(*regular(batch))
    before = hand.query(*regular(20)).upto
    leap = hand.see(*regular(200))
    assert leap.queries["q"].upto == before
    assert any("the clock leaped" in notice for notice in leap.notices)
    backlog = [hand.query(*regular(201 + n), *regular(100 + n)) for n in range(3)]
    assert [(one.upto, one.late) for one in backlog] == [(before, 0)] * 3


def test_a_held_stream_that_falls_quiet_is_answered_in_the_end() -> None:
    hand = Hand(policy(bounded(idle="5 seconds")))
    wall = 1_000 * SECOND
    hand.see(*regular(0), now=wall)
    hand.see(*regular(1), now=wall + 10 * SECOND)
    quiet = [hand.query(now=wall + (10 + s) * SECOND).upto for s in (4, 20, 60)]
    assert quiet == [None, 20 * SECOND, 60 * SECOND]


def test_results_that_may_be_broken_unseen_are_told() -> None:
    hand = Hand(policy(bounded()))
    for batch in range(40):
        hand.see(*regular(batch, late=2))
    metered = hand.state.of("q").find(WindowMeter)
    assert metered is not None
    assert metered.settled is not None
    assert metered.settled >= 300 * SECOND
    waiting = hand.query(*regular(40), 5.0, 6.0, 17.0).window_order
    assert waiting is not None
    assert waiting.unseen == 2  # two windows, each with one result


def test_hold_and_doubt_go_through_json() -> None:
    hand = Hand(policy(bounded()))
    for batch in range(4):
        hand.see(*regular(batch, late=7))
    assert read_state(json.loads(json.dumps(plain(hand.state)))) == hand.state


# idle streams -------------------------------------------------------------------------------------


@pytest.mark.spec("qddh:F022")
def test_an_idle_stream_moves_with_the_wall_until_its_windows_close() -> None:
    hand = Hand(policy(query(size=10, wait=2, idle="5 seconds")))
    wall = 1_000 * SECOND
    hand.see(9, now=wall)
    quiet = [hand.query(now=wall + s * SECOND).upto for s in (1, 5, 6, 20)]
    assert quiet == [7 * SECOND, 7 * SECOND, 13 * SECOND, 27 * SECOND]
    assert hand.clock == 9  # the clock itself is event time only


def test_without_idle_a_quiet_stream_waits_for_ever() -> None:
    hand = Hand(policy(query(size=10)))
    hand.see(9, now=SECOND)
    assert hand.query(now=10_000 * SECOND).upto == 9 * SECOND


def test_a_stream_that_wakes_up_does_not_move_the_watermark_back() -> None:
    hand = Hand(policy(query(size=10, idle="5 seconds")))
    hand.see(9, now=0)
    hand.see(now=60 * SECOND)
    found = hand.query(12, now=61 * SECOND)
    assert found.upto == 69 * SECOND
    assert (found.late, found.dropped) == (1, 1)


# tiers --------------------------------------------------------------------------------------------


def test_the_tier_follows_the_size_of_state_with_a_margin() -> None:
    hand = Hand(policy(query(), columnar_rows=100))
    sizes = (10, 100, 101, 99, 50, 49, 99)
    tiers = []
    for size in sizes:
        hand.see(state_rows=size)
        tiers.append(hand.state.tier)
    assert tiers == ["columnar", "columnar", "spark", "spark", "spark", "columnar", "columnar"]


def test_a_change_of_tier_counts_from_the_next_batch() -> None:
    hand = Hand(policy(query(), columnar_rows=100))
    assert hand.see(state_rows=500).tier == "columnar"
    assert hand.see(state_rows=500).tier == "spark"


@pytest.mark.parametrize("pin", ["columnar", "spark"])
def test_a_pinned_tier_stays_whatever_the_size(pin: Any) -> None:
    hand = Hand(policy(query(), columnar_rows=100), pin)
    for size in (1, 1_000, 1):
        hand.see(state_rows=size, pin=pin)
        assert hand.state.tier == pin


def test_an_unpinned_pipeline_goes_back_to_the_choice_by_size() -> None:
    hand = Hand(policy(query(), columnar_rows=100), "spark")
    hand.see(state_rows=1, pin="spark")
    hand.see(state_rows=1)
    assert hand.state.tier == "columnar"


# a function ---------------------------------------------------------------------------------------


def test_the_step_is_a_function_and_leaves_its_arguments_alone() -> None:
    hand = Hand(policy(query(size=6, slide=2, idle="3 s")))
    for times in [(1, 2), (30, None), (5, FAR), ()]:
        hand.see(*times, now=len(times) * SECOND)
        seen, before = hand.last
        kept = copy.deepcopy((seen, before))
        assert step(hand.policy, seen, before) == step(hand.policy, seen, before)
        assert (seen, before) == kept


def test_records_survive_json() -> None:
    hand = Hand(policy(query(size=6, slide=2)))
    for times in [(), (1, None), (40, 2, FAR)]:
        decision = hand.see(*times)
        assert read_decision(json.loads(json.dumps(plain(decision)))) == decision
        assert read_state(json.loads(json.dumps(plain(hand.state)))) == hand.state


def test_late_rows_are_counted_by_lateness() -> None:
    hand = Hand(policy(query(10)))
    hand.see(100)
    assert hand.query(1, 2, 85, 100).lateness == ((20 * SECOND, 1), (100 * SECOND, 2))
    assert hand.query(101).lateness == ()
    decision = hand.see(1)
    assert read_decision(json.loads(json.dumps(plain(decision)))) == decision


# joins under a recall -----------------------------------------------------------------------------


def recalled(
    emit: str = "ordered", *, idle: str | None = None, max_ahead: str | None = None, **terms: Any
) -> Query:
    inputs = (rows(max_ahead=max_ahead, name=name) for name in ("a", "b"))
    pairs = join(*inputs, on="k", within="5 seconds", emit=emit)  # type: ignore[arg-type]
    terms.setdefault("over", "20 seconds")
    return pairs.query("q", contract.min_recall(0.5, **terms), idle=idle)


def test_a_recall_contract_calls_nothing_late_until_delays_are_known() -> None:
    for emit in ("ordered", "immediate"):
        hand = Hand(policy(recalled(emit)))
        told = [hand.see(*regular(batch, late=29)) for batch in range(9)]
        queries = [decision.queries["q"] for decision in told]
        assert [query.upto is None for query in queries] == [True] * 6 + [False] * 3
        assert all(query.late == 0 for query in queries)
        assert queries[-1].controllers["recall_slack"]["phase"] == "warm-up"
        assert queries[-1].slack >= 28 * SECOND
        notices = [notice for decision in told for notice in decision.notices]
        how = "no results" if emit == "ordered" else "results come, nothing is let go of"
        assert notices[0] == f"query q: holding: {how}; until delays are known well enough"
        assert "query q: delays are known, the hold ends" in notices[1]


def test_a_recall_contract_holds_for_at_most_what_is_allowed_and_tells() -> None:
    hand = Hand(policy(recalled(at_most="15 seconds")))
    told = [hand.see(*regular(batch, late=10 * batch)) for batch in range(8)]
    assert [d.queries["q"].upto for d in told] == [(10 * n + 9 - 15) * SECOND for n in range(8)]
    notices = [notice for decision in told for notice in decision.notices]
    assert "holding (for 15s at most)" in notices[0]
    assert "at_most = 15s ends the hold: less may be found" in notices[1]


def test_a_held_join_whose_inputs_fall_quiet_is_answered_in_the_end() -> None:
    hand = Hand(policy(recalled(idle="5 seconds")))
    wall = 1_000 * SECOND
    hand.see(*regular(0), now=wall)
    hand.see(*regular(1), now=wall + 10 * SECOND)
    quiet = [hand.query(now=wall + (10 + s) * SECOND).upto for s in (4, 20, 60)]
    assert quiet == [None, 20 * SECOND, 60 * SECOND]


def test_the_confidence_of_a_recall_is_the_risk_that_is_planned_with() -> None:
    plan = policy(recalled(confidence=0.8)).plan.queries[0]
    recall = Recall.of(plan)
    assert recall is not None
    assert recall.params.risk == pytest.approx(0.2)


def test_rows_of_a_join_are_kept_until_what_was_missed_is_counted() -> None:
    hand = Hand(policy(recalled("immediate")))
    for batch in range(40):
        before = hand.state
        finding = hand.query(*regular(batch, late=2)).period_order
        assert finding is not None
        found = hand.state.of("q").find(RecallSlackState)
        assert found is not None
        if found.floor is not None and found.watermark is not None:
            assert finding.keep == found.watermark - found.floor >= 0
            assert all(found.floor in cut for cut in wants(hand.policy, hand.state).cuts.values())
        earlier = before.of("q").find(RecallSlackState)
        if earlier is not None and earlier.floor is not None and earlier.watermark is not None:
            assert finding.kept == earlier.watermark - earlier.floor
            assert earlier.floor <= (found.floor or 0)


def test_periods_of_rows_that_nobody_can_count_are_told_and_survive_json() -> None:
    hand = Hand(policy(recalled("immediate", max_ahead="1 day")))
    for batch in range(40):
        finding = hand.query(*regular(batch, late=2)).period_order
        assert finding is not None
        assert finding.unseen == 0
    finding = hand.query(*regular(40), 5.0, 6.0, 57.0).period_order
    assert finding is not None
    assert finding.unseen == 3  # of 57 s, results may lie in two periods
    finding = hand.query(*regular(41), FAR).period_order  # a stray in both inputs, of 864,000 s
    assert finding is not None
    assert finding.unseen == 1
    assert read_state(json.loads(json.dumps(plain(hand.state)))) == hand.state
