"""How a join ran, from its events: plans over time, changes and their length, cost and memory."""

from __future__ import annotations

import random
from itertools import pairwise
from pathlib import Path

import numpy as np
import pytest

from slackwater.history.follow import newest_history
from slackwater.history.history import History
from slackwater.history.join_course import MOST, JoinCourse, error_of
from slackwater.history.join_standing import join_lines, standing_of
from slackwater.history.table import AT, Key
from tests.events.joins import FLAT, LEFT, LIMIT, RIGHT, events, joined, joining
from tests.events.story import SECOND, WALL, batch


def told(batches: int, pieces: int = 1) -> History:
    """A history that took its events in so many pieces."""
    history, all_ = History(), events(batches)
    cuts = sorted(random.sample(range(1, len(all_)), pieces - 1)) if pieces > 1 else []
    for first, last in pairwise([0, *cuts, len(all_)]):
        history.add(all_[first:last])
    return history


def course(history: History) -> JoinCourse:
    return history.joins["fixed"]


def test_each_tree_is_told_with_the_batches_it_was_in_force_in() -> None:
    spans = course(told(40)).spans
    assert [(one.tree, one.first, one.last) for one in spans] == [
        (None, 0, 1), (FLAT, 2, 9), (LEFT, 10, 19), (RIGHT, 20, 39),
    ]  # fmt: skip
    assert spans[1].since == WALL + 2 * SECOND // 2
    assert spans[1].until == WALL + 9 * SECOND // 2


@pytest.mark.parametrize("pieces", [1, 2, 7, 43])
def test_a_log_that_comes_in_pieces_tells_the_same(pieces: int) -> None:
    whole, parts = told(40), told(40, pieces)
    assert course(parts) == course(whole)
    for field in ("predicted_ms", "measured_ms", "error", "held", "limit", "expected"):
        key = Key("join", "fixed", field)
        np.testing.assert_array_equal(parts.table.column(key), whole.table.column(key))


def test_a_change_made_at_once_is_as_long_as_its_batch_beside_those_before() -> None:
    moved = course(told(40)).migrations[0]
    assert (moved.was, moved.tree, moved.how, moved.batch, moved.batches) == (
        FLAT, LEFT, "moving", 10, 0,
    )  # fmt: skip
    assert moved.seconds == pytest.approx(0.213)
    assert moved.usual == pytest.approx(0.113)
    assert moved.why == "something differed much from what was known"
    assert moved.length == "in one batch of 213 ms, those before took 113 ms"


def test_trees_side_by_side_are_told_while_they_run_and_with_their_length_after() -> None:
    running = course(told(24)).running
    assert running is not None
    assert (running.was, running.tree, running.batch, running.batches) == (LEFT, RIGHT, 20, None)
    found = course(told(40))
    assert found.running is None
    assert found.migrations[-1].batches == 6
    assert found.migrations[-1].seconds == 3.0
    assert found.migrations[-1].length == "6 batches side by side, 3 s"
    assert found.migrations[-1].why == "asked for by a person"
    assert found.counts == {"moving": 1, "parallel": 1}


def test_a_change_whose_own_event_was_lost_is_told_by_its_batches() -> None:
    history = History()
    history.add([event for event in events(40) if event["event"] == "batch"])
    shapes = [(one.how, one.batch, one.batches) for one in course(history).migrations]
    assert shapes == [("moving", 10, 0), ("parallel", 20, 6)]
    assert course(history).migrations[1].reason is None


def test_the_first_choice_of_a_tree_is_no_change_unless_it_is_told_as_one() -> None:
    assert course(told(5)).migrations == []
    history = History()
    history.add([{"event": "batch", **joining(2)}])
    change = {"tree": FLAT, "was": LEFT, "how": "moving", "since": 2, "batches": 0}
    for _ in range(2):  # told again it is the same
        history.add([{"event": "migration", "batch": 2, "query": "fixed", **change}])
    assert [(one.was, one.batch) for one in course(history).migrations] == [(LEFT, 2)]


def test_a_refused_demand_is_not_the_reason_of_a_change() -> None:
    history = History()
    history.add([{"event": "batch", **joining(number)} for number in range(11)])
    refused = {"batch": 10, "query": "fixed", "tree": LEFT, "reason": "no such input"}
    history.add([{"event": "replan", **refused}])
    assert course(history).migrations[-1].reason == "surprise"


def test_measured_time_is_left_out_where_it_is_that_of_another_plan() -> None:
    history = told(40)
    measured = history.table.column(Key("join", "fixed", "measured_ms"))
    unknown = np.flatnonzero(np.isnan(measured))
    # none before batch 4; after the change of batch 10; while and after two trees ran
    assert unknown.tolist() == [0, 1, 2, 3, 11, *range(21, 27)]
    assert history.table.last(Key("join", "fixed", "error")) == pytest.approx(0.2)


def test_the_error_of_a_prediction_is_its_share_of_what_was_measured() -> None:
    assert error_of(1.5, 1.0) == pytest.approx(0.5)
    assert error_of(0.5, 1.0) == pytest.approx(-0.5)
    assert error_of(None, 1.0) is None
    assert error_of(1.0, None) is None
    assert error_of(1.0, 0.0) is None


def test_a_repair_takes_plans_and_changes_back() -> None:
    history = told(40)
    history.add([{"event": "repair", "batch": 23, "removed": []}])
    found = course(history)
    assert found.spans[-1].last == 23
    assert found.spans[-1].until == history.table.last(AT)
    assert found.running is not None
    history.add([{"event": "repair", "batch": 8, "removed": []}])
    assert found.migrations == []
    assert found.comparisons == []
    assert found.counts.total() == 0
    assert found.tree == FLAT
    history.add(events(40)[9:])
    assert course(history).spans == course(told(40)).spans
    assert course(history).counts == {"moving": 1, "parallel": 1}


def test_a_batch_told_again_counts_its_change_once() -> None:
    history = told(11)
    history.add([{"event": "batch", **joining(10)}])
    assert course(history).counts == {"moving": 1}
    assert len(course(history).migrations) == 1


def test_of_a_plan_that_never_rests_the_newest_changes_are_kept_and_all_counted() -> None:
    history, number, all_ = History(), 3 * MOST, []
    for each in range(number):
        one = {"event": "batch", **batch(each)}
        tree = LEFT if each % 2 else RIGHT
        one["queries"]["fixed"]["controllers"] = {"join_plan": {"tree": tree}}
        all_.append(one)
    history.add(all_)
    assert len(course(history).spans) == len(course(history).migrations) == MOST
    assert course(history).counts["moving"] == number - 1


def test_what_is_new_since_a_batch_can_be_given_out_alone() -> None:
    history = told(40)
    new = history.joined_after(24)["fixed"]
    assert [one["tree"] for one in new["spans"]] == [RIGHT]
    assert [one["how"] for one in new["migrations"]] == ["parallel"]
    assert new["comparisons"] == []
    assert len(history.joined_after()["fixed"]["spans"]) == 4


def test_a_change_is_given_out_again_after_its_end_for_who_asked_is_told_later() -> None:
    history = told(40)
    hows = {
        batch: [one["how"] for one in history.joined_after(batch)["fixed"]["migrations"]]
        for batch in (10, 11, 26, 27)
    }
    assert hows == {10: ["moving", "parallel"], 11: ["parallel"], 26: ["parallel"], 27: []}


def test_a_query_that_does_not_join_has_no_course() -> None:
    history = told(12)
    assert set(history.joins) == {"fixed"}
    assert standing_of(history, "bounded") is None


@pytest.mark.parametrize(
    "odd",
    [
        {"join_plan": {}},
        {"join_plan": {"tree": 5, "beside": [], "since": "x"}},
        {"join_plan": {"tree": LEFT, "beside": FLAT}},
        {"join_plan": {"tree": LEFT}, "adapt": {"predicted_s": "x", "reason": 7, "runner_up": 1}},
        {"join_plan": {"tree": LEFT}, "adapt": []},
    ],
)
def test_what_is_odd_in_a_log_is_left_out(odd: dict[str, object]) -> None:
    history = History()
    one = joining(5)
    one["queries"]["fixed"] |= {"controllers": odd, "held": "much"}
    history.add([{"event": "batch", **one}, {"event": "batch", **joining(6)}])
    history.add([{"event": "migration", "query": "fixed"}, {"event": "replan", "query": "fixed"}])
    assert course(history).tree == FLAT
    assert np.isnan(history.table.column(Key("join", "fixed", "held"))[0])


def test_a_join_stands_in_words(tmp_path: Path) -> None:
    history = newest_history(joined(tmp_path, 40))
    standing = standing_of(history, "fixed")
    assert standing is not None
    surprised, asked = "something differed much from what was known", "asked for by a person"
    assert list(join_lines(standing, history.newest)) == [
        "plan in force: (a (b c))",
        "a batch: 12 ms predicted, 10 ms measured (off by +20 %)",
        "memory: 0.039 MB held, 0.02 MB expected, limit 0.03 MB",
        f"plans compared in batch 10: {surprised}; runner-up (a b c), 20 ms a batch",
        f"batch 10: (a b c) to ((a b) c), moving, {standing.migrations[0].length}; {surprised}",
        f"batch 20: ((a b) c) to (a (b c)), parallel, 6 batches side by side, 3 s; {asked}",
    ]
    assert standing.to_json()["compared"]["runner_up_s"] == 0.02
    assert standing.limit == LIMIT


def test_a_change_under_way_stands_in_words() -> None:
    standing = standing_of(told(24), "fixed")
    assert standing is not None
    lines = list(join_lines(standing, 23))
    assert lines[0] == "plan in force: (a (b c)) beside ((a b) c)"
    assert lines[1] == "a batch: 12 ms predicted, not measured yet"
    assert "both trees run, 3 batches after it began; asked for by a person" in lines[-1]
