"""A run in columns: numbers, waits, repairs, thinning, and logs one does not fully understand."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from slackwater.errors import CheckpointError
from slackwater.history.history import History
from slackwater.history.open_window import oldest_open
from slackwater.history.summary import summarize
from slackwater.history.table import BATCH, Key
from tests.events.story import EVENT, SECOND, WALL, batch, costly, plan


def told(batches: int, most: int = 1 << 17) -> History:
    history = History(most)
    history.add([{"event": "start", "schema": 1, "batch": -1, "plan": plan(), "at": WALL}])
    history.add([{"event": "batch", **batch(number)} for number in range(batches)])
    return history


def test_numbers_of_a_batch_stand_in_columns() -> None:
    table = told(9).table
    assert table.size == 9
    assert table.last(Key("query", "fixed", "slack")) == 2 * SECOND
    assert table.last(Key("query", "fixed", "lag")) == 2 * SECOND
    assert table.total(Key("query", "bounded", "late")) == 8 * 5
    assert table.total(Key("lateness", "bounded", str(5 * SECOND))) == 8 * 2
    assert table.last(Key("state", "bb", "bytes")) == 2000
    assert table.last(Key("run", "", "slowest_ms")) == 113.0


def test_tasks_stand_in_columns_and_skew_is_the_slowest_beside_the_mean() -> None:
    history = told(0)
    for number, spent in enumerate([{}, {"0": 10, "1": 30}, {"0": 20, "1": 20, "2": 80}]):
        tasks = {"tasks": {"ms": spent, "rows": {"0": 4}, "split": 1}} if spent else {}
        history.add([{"event": "batch", **batch(number), **tasks}])
    table = history.table
    assert table.column(Key("task", "1", "ms")).tolist()[1:] == [30, 20]
    assert table.total(Key("task", "0", "rows")) == 8
    skew = table.column(Key("run", "", "skew"))
    assert np.isnan(skew[0])
    assert skew[1:].tolist() == [1.5, 2.0]


def test_latency_is_the_time_from_a_windows_end_to_its_answer() -> None:
    """Windows of 10 s end every 2 s; the clock moves a second per batch, the slack is 2 s."""
    column = told(9).table.column(Key("query", "fixed", "latency"))
    assert column[~np.isnan(column)].tolist() == [2 * SECOND] * 4


def test_batches_one_by_one_and_all_at_once_give_the_same() -> None:
    one = History()
    one.add([{"event": "start", "plan": plan(), "at": WALL}])
    for number in range(30):
        one.add([{"event": "batch", **batch(number)}])
    whole = told(30)
    assert set(one.table.keys) == set(whole.table.keys)
    for key in one.table.keys:
        if key.field in ("phase", "binding", "tier"):  # numbers for words, by first appearance
            words = [h.words.word(h.table.last(key)) for h in (one, whole)]
            assert words[0] == words[1]
            continue
        columns = [h.table.column(key) for h in (one, whole)]
        if key.group == "lateness":  # unknown before the first such row, or none: the same
            columns = [np.nan_to_num(column) for column in columns]
        np.testing.assert_array_equal(*columns, str(key))


def test_estimates_stand_in_columns_by_column_and_source() -> None:
    history = told(30)
    table = history.table
    assert table.total(Key("estimates", "fixed", "rows")) == 90
    assert table.total(Key("estimates", "fixed", "late")) == 3
    assert table.total(Key("estimates", "fixed", "refused")) == 2
    assert table.last(Key("accuracy_worst", "fixed", "total")) == pytest.approx(0.7)
    recent = table.column(Key("accuracy_recent", "fixed", "total"))
    assert np.isnan(recent[:5]).all()
    assert (recent[5:] > 0.85).all()
    assert table.last(Key("aggressiveness", "fixed", "accuracy-1")) is not None
    assert {key.owner for key in table.keys if key.group == "estimates"} == {"fixed"}


def test_a_column_that_is_called_like_a_count_is_not_added_up() -> None:
    """The fields of these groups are names that people gave."""
    history = History(most=4)
    events = [{"event": "batch", **batch(number)} for number in range(20)]
    for event in events:
        known = event["queries"]["fixed"]["estimates"]
        known["accuracy"] = {name: {"recent": 90.0, "worst": 50.0} for name in ("late", "lag")}
        known["aggressiveness"] = {"rows": 0.25}
    history.add(events)
    given = history.numbers(2)
    assert given["accuracy_recent"]["fixed"] == {"late": [0.9, 0.9], "lag": [0.9, 0.9]}
    assert given["aggressiveness"]["fixed"] == {"rows": [0.25, 0.25]}


def test_samples_of_estimates_are_given_for_a_span_and_go_with_a_repair() -> None:
    history = told(30)
    found = history.converged()["fixed"]
    assert [sample["batch"] for sample in found] == list(range(6, 30, 2))
    assert found[0]["points"][0] == [0.2, 0.2]
    assert found[0]["end"] == EVENT + 4 * SECOND
    part = history.converged(WALL + 5 * SECOND, WALL + 7 * SECOND)["fixed"]
    assert [sample["batch"] for sample in part] == [10, 12, 14]
    assert [sample["batch"] for sample in history.converged_after(26)["fixed"]] == [28]
    history.add([{"event": "repair", "batch": 9, "removed": []}])
    assert [sample["batch"] for sample in history.converged()["fixed"]] == [6, 8]


def test_a_repair_takes_batches_back() -> None:
    history = told(10)
    epoch = history.epoch
    history.add([{"event": "repair", "batch": 6, "removed": []}])
    assert history.newest == 6
    assert history.epoch > epoch
    history.add([{"event": "batch", **batch(7)}])
    assert history.table.column(BATCH).tolist() == list(range(8))


def test_a_batch_told_again_counts_once() -> None:
    history = told(10)
    history.add([{"event": "batch", **batch(number)} for number in (8, 9, 10)])
    assert history.table.column(BATCH).tolist() == list(range(11))
    assert history.table.total(Key("query", "fixed", "late")) == 50


def test_a_long_run_is_thinned_and_its_totals_stay() -> None:
    thin, whole = told(1_000, most=100), told(1_000)
    assert thin.table.size <= 100
    for field in ("late", "measured", "within", "emitted"):
        key = Key("query", "bounded", field)
        assert thin.table.total(key) == whole.table.total(key)
    assert thin.newest == 999
    assert thin.epoch > whole.epoch


def test_a_span_is_given_as_so_many_points() -> None:
    history = told(1_000)
    given = history.numbers(50)
    assert len(given["run"][""]["at"]) == 50
    assert sum(given["query"]["fixed"]["late"]) == 999 * 5
    part = history.numbers(50, WALL, WALL + 4 * SECOND)
    assert part["run"][""]["batch"] == list(range(9))
    assert history.numbers_after(997, 10)["run"][""]["batch"] == [998, 999]


def test_the_end_of_the_stream_is_no_watermark() -> None:
    history = told(3)
    last = batch(3)
    last["queries"]["fixed"]["watermark"] = 1 << 61
    history.add([{"event": "batch", **last}, {"event": "stop", "reason": "sealed", "batch": 3}])
    assert history.table.last(Key("query", "fixed", "watermark")) is None
    assert history.table.last(Key("query", "fixed", "lag")) is None
    assert history.ended == "sealed"


def test_a_run_that_is_started_again_is_not_ended() -> None:
    history = told(3)
    history.add([{"event": "stop", "reason": "stopped", "batch": 2}])
    assert history.ended == "stopped"
    history.add([{"event": "start", "batch": 2, "plan": plan()}])
    assert history.ended is None


def test_odd_events_do_no_harm() -> None:
    history = told(2)
    odd = [
        {"event": "batch"},
        {"event": "batch", "batch": "7", "at": None},
        {"event": "batch", "batch": 2, "at": WALL + 10, "streams": [], "queries": "none", "ms": 5},
        {"event": "batch", "batch": 3, "at": WALL + 20, "queries": {"fixed": {"slack": "much"}}},
        {"event": "batch", "batch": 4, "at": WALL + 30, "state": {"by": {"aa": "?"}}},
        {"event": "batch", "batch": 5, "at": WALL + 40, "queries": {"new": {"lateness": [[1]]}}},
        {"event": "something new", "batch": 1, "x": {}},
        {"event": "start", "plan": {"queries": {"q": 5}, "contracts": []}},
        {"event": "repair", "batch": None},
        {"event": "notice"},
    ]
    history.add(odd)
    assert history.newest == 5
    assert history.numbers(10)["query"]["fixed"]["slack"][:2] == [2 * SECOND] * 2
    assert len(history.happened(100)) >= 5


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False) | st.text(max_size=5),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner),
    max_leaves=6,
)


def paths(value: object, path: tuple[str, ...] = ()) -> list[tuple[str, ...]]:
    inner = value.items() if isinstance(value, dict) else ()
    return [path, *(found for key, each in inner for found in paths(each, (*path, key)))]


@given(data=st.data())
def test_whatever_stands_in_a_field_does_no_harm(data: st.DataObject) -> None:
    history = History(most=4)
    history.add([{"event": "start", "schema": 1, "plan": plan()}])
    for number in range(6):
        kind = data.draw(
            st.sampled_from(["batch", "batch", "start", "tier", "stop", "repair", "prod"])
        )
        event = {"event": kind, **costly(number), "plan": plan()}
        *way, last = data.draw(st.sampled_from([p for p in paths(event) if p]))
        target = event
        for key in way:
            target = target[key]  # type: ignore[assignment]
        if last != "event":
            target[last] = data.draw(JSON)
        if event.get("schema") is None:
            history.add([event])
    history.numbers(5)
    history.converged()
    history.happened(20)
    history.plan.to_json()
    summarize(history, 1.0, {})
    for query in ("fixed", "bounded"):
        oldest_open(history, query)


def test_a_log_of_a_later_schema_is_refused() -> None:
    with pytest.raises(CheckpointError, match="EVENTS_FORMAT"):
        History().add([{"event": "start", "schema": 2}])


def test_recall_is_taken_where_it_is_told() -> None:
    history = History()
    joined = {"queries": {"j": {"join": {"inputs": {"a": "s1", "b": "s2"}}, "stages": []}},
              "contracts": {"j": {"min_recall": 0.9}}}  # fmt: skip
    event = batch(0, names=("j",))
    event["streams"] = {name: {"rows": 1, "clock": EVENT + n} for n, name in enumerate("ab")}
    event["queries"]["j"]["quality"] = {"recall": 0.93, "phase": "model"}
    history.add([{"event": "start", "plan": joined}, {"event": "batch", **event}])
    promise = history.plan.queries["j"].promise
    assert promise is not None
    assert (promise.kind, promise.target, promise.due) == ("recall", 0.9, None)  # an older log
    assert history.table.last(Key("query", "j", "recall")) == 0.93
    assert history.table.last(Key("query", "j", "clock")) == EVENT


def test_a_part_of_a_batch_whose_time_is_not_known_has_none() -> None:
    history = History(most=4)
    event = {"event": "batch", **costly(0)}
    event["ms"] = {**event["ms"], "observe": None}
    history.add([{"event": "start", "schema": 1, "plan": plan()}, event])
    assert "observe" not in summarize(history, 1.0, {}).verb_ms
    assert "commit" in summarize(history, 1.0, {}).verb_ms
