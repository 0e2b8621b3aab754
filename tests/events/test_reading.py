"""Plans, reasons, open windows, and finding and following the log of a checkpoint."""

from __future__ import annotations

from pathlib import Path

import pytest

from slackwater.errors import CheckpointError
from slackwater.events.entry import shown
from slackwater.events.follow import Follower
from slackwater.events.history import History
from slackwater.events.place import find_log
from slackwater.events.plan import Plan, read_plan
from slackwater.events.waiting import oldest_open
from tests.events.story import EVENT, SECOND, WALL, batch, ended, plan, tell


def test_a_plan_is_streams_states_and_answers() -> None:
    read = read_plan(plan())
    assert [(node.kind, node.label) for node in read.nodes] == [
        ("stream", "readings"), ("state", "panes"), ("query", "fixed"), ("query", "bounded"),
    ]  # fmt: skip
    state = read.nodes[1].id
    assert read.edges == (
        ("stream/readings", state), (state, "query/fixed"), (state, "query/bounded"),
    )  # fmt: skip
    assert read.queries["fixed"].contract == "slack 2s"
    assert read.queries["bounded"].contract == "90 % of results within 2 %"
    assert read.queries["bounded"].window == (10 * SECOND, 2 * SECOND, 0)


def test_a_plan_says_when_estimates_are_given() -> None:
    read = read_plan(plan())
    assert read.queries["fixed"].prods == "as early as 90 % accurate; every 1s"
    assert read.queries["bounded"].prods is None
    sources = [
        {"every_us": 0}, {"aggressiveness": 0.3, "where": "k > 1"}, {"label": "new"}, "odd",
        {"accuracy": 10**400, "label": "?"},
    ]  # fmt: skip
    value = {"queries": {"q": {}}, "contracts": {"q": {"estimates": sources}}}
    words = "every batch; at aggressiveness 0.3 where k > 1; new; ?"
    assert read_plan(value).queries["q"].prods == words
    value["contracts"]["q"]["estimates"] = []
    assert read_plan(value).queries["q"].prods == "on request only"


def test_what_became_of_a_prod_is_said() -> None:
    history = History()
    prod = {"event": "prod", "batch": 1, "prod": "prod-1", "query": "q", "at": WALL}
    history.add(
        [
            {**prod, "rows": 1_200, "reason": None},
            {**prod, "rows": 0, "reason": "nothing has arrived yet"},
            {**prod, "rows": 0, "reason": None},
        ]
    )
    entries = history.happened(3)
    assert [entry.title for entry in entries] == [
        "prodded: 1,200 estimates", "prodded: no estimate", "aggressiveness set by a person",
    ]  # fmt: skip
    assert {entry.query for entry in entries} == {"q"}
    assert entries[1].text == "nothing has arrived yet"


def test_a_join_is_a_node_between_its_inputs_and_what_follows() -> None:
    value = {
        "queries": {
            "j": {
                "join": {"inputs": {"a": "s1", "b": "s2"}, "emit": "ordered"},
                "stages": [{"state": "s3", "window": [5, 5, 0]}],
            }
        },
        "contracts": {"j": {"min_recall": 0.95, "confidence": 0.9}},
    }
    read = read_plan(value)
    assert [(node.kind, node.depth) for node in read.nodes] == [
        ("stream", 0), ("stream", 0), ("state", 1), ("state", 1), ("join", 2), ("state", 3),
        ("query", 4),
    ]  # fmt: skip
    assert read.queries["j"].contract == "recall at least 95 % in 90 % of periods"
    assert read.queries["j"].streams == ("a", "b")


@pytest.mark.parametrize("value", [None, [], {"queries": []}, {"queries": {"q": {"stages": 3}}}])
def test_a_plan_that_is_none_is_empty(value: object) -> None:
    assert isinstance(read_plan(value), Plan)


def test_decisions_say_what_changed_and_why() -> None:
    history = History()
    history.add([{"event": "start", "plan": plan()}])
    history.add([{"event": "batch", **batch(n)} for n in range(30)])
    tier = {"event": "tier", "batch": 29, "tier": "spark", "rows": 6_000_000, "reason": "size"}
    history.add([{**tier, "at": WALL + 30 * SECOND}])
    entries = history.happened(100)
    slack = [entry for entry in entries if entry.kind == "slack"]
    assert {entry.query for entry in slack} == {"bounded"}
    assert slack[-1].title.startswith("slack ")
    assert " → " in slack[-1].title
    assert "recent windows kept the promise" in slack[-1].text
    assert "the bound of total needs 98.00 %" in slack[-1].text
    assert entries[-1].title == "state moves to the spark tier"
    assert "6,000,000 rows" in entries[-1].text
    assert [entry.at for entry in entries] == sorted(entry.at for entry in entries)
    assert len(history.happened(3)) == 3


def test_why_a_window_is_still_open() -> None:
    history = History()
    history.add([{"event": "start", "plan": plan()}])
    history.add([{"event": "batch", **batch(n)} for n in range(6)])
    found = oldest_open(history, "fixed")
    assert found is not None
    assert (found.start, found.end) == (EVENT - 6 * SECOND, EVENT + 4 * SECOND)
    assert found.missing == SECOND
    assert "until the clock has moved on by 1 s: slack is 2 s" in found.text
    assert found.reason == "given with the query"
    assert oldest_open(history, "unknown") is None


def test_short_durations_have_few_digits() -> None:
    assert [shown(n) for n in (0, 433_898, 2_100_000, 90_000_000, 3_723_000_000)] == [
        "0 ms", "434 ms", "2.1 s", "90 s", "1h 2min 3s",
    ]  # fmt: skip


def test_a_folder_that_is_no_checkpoint_is_refused(tmp_path: Path) -> None:
    for folder in (tmp_path / "nowhere", tmp_path):
        with pytest.raises(CheckpointError, match="CHECKPOINT_MISSING"):
            find_log(folder)


def test_a_foreign_log_is_refused(tmp_path: Path) -> None:
    (tmp_path / "events.jsonl").write_text("2026-01-01 INFO all is well\n")
    with pytest.raises(CheckpointError, match="EVENTS_FOREIGN"):
        find_log(tmp_path)


def test_a_checkpoint_without_events_is_waited_for(tmp_path: Path) -> None:
    (tmp_path / "slackwater.json").write_text("{}")
    follower = Follower(tmp_path)
    assert not follower.look()
    log = tell(tmp_path, 3)
    assert follower.look()
    assert follower.history.newest == 2
    log.close()
    follower.close()


def test_the_log_itself_may_be_named(tmp_path: Path) -> None:
    ended(tmp_path / "run", 3)
    assert Follower(tmp_path / "run" / "events.jsonl").name == "run"


def test_of_a_long_log_the_newest_part_comes_first(tmp_path: Path) -> None:
    ended(tmp_path, 300, full=20_000)
    follower = Follower(tmp_path, long=30_000)
    assert follower.progress is not None
    assert follower.history.newest == 299
    assert follower.history.table.size < 100
    assert set(follower.history.plan.queries) == {"fixed", "bounded"}
    epoch = follower.epoch
    history = follower.look_through()
    assert history.table.size == 300
    assert follower.progress is None
    assert follower.epoch != epoch
    follower.close()


def test_a_log_of_a_later_version_is_said_not_shown(tmp_path: Path) -> None:
    log = tell(tmp_path, 1)
    log.write("start", schema=99)
    log.close()
    follower = Follower(tmp_path)
    with pytest.raises(CheckpointError, match="EVENTS_FORMAT"):
        follower.look_through()
    follower.close()
