"""Partition groups go from machine to machine while rows come: nothing missing, nothing twice."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import replace
from itertools import pairwise

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from slackwater.balance.rule import Thresholds
from slackwater.papers.adaptive_zhu2006.balancing import (
    START,
    alone,
    best_plan,
    group_of,
    keyed,
    query_of,
)
from slackwater.papers.adaptive_zhu2006.machines.cluster import Cluster, Site
from slackwater.papers.adaptive_zhu2006.machines.coordinator import SETTINGS, Setting
from slackwater.papers.adaptive_zhu2006.machines.machine import Machine
from slackwater.papers.adaptive_zhu2006.machines.message import Message
from slackwater.papers.adaptive_zhu2006.operators.plan import Plan, show, streams_of, tree
from slackwater.papers.adaptive_zhu2006.operators.row import Single

WINDOW, UNTIL = 2_000, 12_000
TREES = ("(A B) C", "(B C) A", "(A C) B", "A B C")
MOVES = (SETTINGS[2], SETTINGS[3])
HALF = Thresholds(100.0, float("inf"), 40.0)


def rows(seed: int = 1, until: int = UNTIL) -> list[Single]:
    return keyed(dict.fromkeys("ABC", ((0, 20.0),)), 200, until, seed)


def site(**terms: object) -> Site:
    names = [f"M{1 + (number >= 60) + (number >= 80)}" for number in range(100)]
    lags = {"A": 0.0, "B": 30.0, "C": 60.0}
    return replace(Site(2.0, names, group_of, lags, HALF, 1_000.0, 3_000.0), **terms)


def never(machine: Machine) -> Plan:
    return machine.plan


def cluster(setting: Setting, where: Site | None = None, **plans: str) -> Cluster:
    """Machines may begin with plans of their own."""
    made = Cluster(query_of(WINDOW), START, where or site(), setting, never)
    for name, text in plans.items():
        made.machines[name].plan = tree(text)
    return made


def kinds(log: Sequence[Message], ids: tuple[int, ...]) -> Iterator[str]:
    """What was said in a round, each kind once for all parties."""
    before = ""
    for message in log:
        if message.ids in ((), ids) and message.kind != before:
            yield message.kind
            before = message.kind


@pytest.mark.spec("adaptive:DIS-11", "adaptive:DIS-07", "adaptive:DIS-08")
@pytest.mark.parametrize("setting", MOVES, ids=lambda one: one.name)
@settings(max_examples=6, deadline=None)
@given(
    seed=st.integers(0, 10**6),
    trees=st.tuples(*[st.sampled_from(TREES)] * 3),
    speed=st.sampled_from([0.05, 0.2, 5.0]),
)
def test_results_are_those_of_one_plan_on_one_machine(
    setting: Setting, seed: int, trees: tuple[str, str, str], speed: float
) -> None:
    """Whatever plans the machines have, and however slow they are."""
    stream = rows(seed)
    plans = dict(zip(("M1", "M2", "M3"), trees, strict=True))
    made = cluster(setting, site(speed=speed), **plans)
    made.run(stream, UNTIL)
    shown = made.finish()
    assert shown.digest == alone(stream, WINDOW)
    assert shown.rounds or speed < 1 or setting.way == "parallel"


@pytest.mark.spec("adaptive:DIS-16", "adaptive:DIS-07")
def test_parallel_track_says_what_its_protocol_says() -> None:
    made = cluster(SETTINGS[2], site(most_rounds=1))
    made.run(rows(), UNTIL)
    log = made.finish().log
    [done] = made.manager.rounds
    assert list(kinds(log, done.ids)) == [
        "ComputePartitionsToMove",
        "PartitionsToMove",
        "DuplicatePartitions",
        "CheckOld",
        "AllOldPurged",
        "DeletePartitions",
        "PartitionDeleted",
    ]
    order = [(m.kind, m.sender) for m in log if m.kind in ("CheckOld", "AllOldPurged")]
    splits, joins = [("CheckOld", f"split {s}") for s in "ABC"], ("(A B)", "((A B) C)")
    checks = [("CheckOld", f"M1 {join}") for join in joins]
    purged = [("AllOldPurged", f"M1 {join}") for join in joins]  # lower ones first
    assert order == [*splits, *checks, *purged, ("AllOldPurged", "M1")]
    assert 1.5 * WINDOW < done.ended - done.began < 2.5 * WINDOW


@pytest.mark.spec("adaptive:DIS-16", "adaptive:DIS-08", "adaptive:DIS-10")
def test_moving_state_says_what_its_protocol_says() -> None:
    made = cluster(SETTINGS[3], site(most_rounds=1))
    made.run(rows(), UNTIL)
    log = made.finish().log
    [done] = made.manager.rounds
    assert list(kinds(log, done.ids)) == [
        "ComputePartitionsToMove",
        "PartitionsToMove",
        "DeactivatePartitions",
        "MinTimestamp",
        "SyncTime",
        "EndOfPartition",
        "Deactivated",
        "SendPartitions",
        "ReceivePartitions",
        "Received",
        "ReactivatePartitions",
    ]
    least = [message.value for message in log if message.kind == "MinTimestamp"]
    sync = {message.value for message in log if message.kind == "SyncTime"}
    assert len(least) == 3
    assert sync == {max(value for value in least if value is not None)}
    assert done.ended - done.began < WINDOW
    assert all(not machine.moved for machine in made.machines.values())  # equal shapes: all fits


@pytest.mark.spec("adaptive:DIS-09")
def test_a_receiver_with_another_plan_takes_drops_and_makes_states() -> None:
    made = cluster(SETTINGS[3], site(most_rounds=1), M2="(B C) A", M3="(B C) A")
    made.run(rows(), UNTIL)
    made.finish()
    [done] = made.manager.rounds
    moved = made.machines[done.receiver].moved
    assert len(moved) == len(done.ids)
    for one in moved:
        taken = sorted(show(place.child) for place in one.matched)
        assert taken == ["A", "B", "C"]
        assert [show(place.child) for place in one.made] == ["(B C)"]
        assert [show(place.child) for place in one.dropped] == ["(A B)"]
    assert sum(one.made_rows for one in moved) > 0


@pytest.mark.spec("adaptive:DIS-11")
@pytest.mark.parametrize("setting", MOVES, ids=lambda one: one.name)
def test_groups_that_stay_never_pause(setting: Setting) -> None:
    """With time enough a row of theirs is processed as soon as all splits have come to it."""
    made, stream = cluster(setting, site(speed=1_000.0)), rows()
    lag, step = max(split.lag for split in made.splits.values()), 100
    came: Counter[int] = Counter()
    behind: set[int] = set()
    for end in range(step, UNTIL, step):
        made.run([one for one in stream if end - step < one.ts <= end], end)
        came.update(group_of(one) for one in stream if end - step < one.ts + lag <= end)
        done = sum((machine.processed for machine in made.machines.values()), Counter[int]())
        behind |= {number for number in came if done[number] < came[number]}
    moved = {number for one in made.manager.rounds for number in one.ids}
    assert moved
    assert behind <= moved


@pytest.mark.spec("adaptive:DIS-12", "adaptive:DIS-13")
def test_a_machine_changes_its_plan_or_moves_groups_never_both_at_once() -> None:
    delays = {name: ((0, 20.0), (4_000, 20.0 if name == "A" else 200.0)) for name in "ABC"}
    stream = keyed(delays, 200, 30_000, 1)
    by_name = {}
    for setting in SETTINGS:
        made = Cluster(query_of(WINDOW), START, site(speed=0.5), setting, best_plan)
        made.run(stream, 30_000)
        shown = made.finish()
        assert shown.digest == alone(stream, WINDOW)
        assert bool(shown.changes) == setting.local
        assert bool(shown.rounds) <= (setting.way is not None)
        by_name[setting.name] = shown
        for change in shown.changes:
            for done in shown.rounds:
                if change.machine in (done.sender, done.receiver):
                    assert change.until <= done.began or change.at >= done.ended
    assert by_name["LM+MSLB"].rounds
    plans = [one.plan for one in by_name["LM"].changes if one.machine == "M1"]
    assert plans[-1] == show(tree("(B C) A"))


@pytest.mark.spec("adaptive:DIS-02")
def test_a_split_sends_rows_of_a_partition_to_its_machine_or_to_both() -> None:
    made = cluster(SETTINGS[0])
    split, single = made.splits["A"], query_of(WINDOW).single("A", 5, 0, (7,))
    split.arrive(single)
    split.handle(5)
    assert [machine.waiting for machine in made.machines.values()] == [1, 0, 0]
    split.hear(Message(0.0, "DuplicatePartitions", "DM", "split A", (7,), other="M3"))
    split.arrive(replace(single, seq=1))
    split.handle(5)
    assert [machine.waiting for machine in made.machines.values()] == [2, 0, 1]
    split.hear(Message(0.0, "DeletePartitions", "DM", "split A", (7,)))
    split.arrive(replace(single, seq=2))
    split.handle(5)
    assert [machine.waiting for machine in made.machines.values()] == [2, 0, 2]


def test_a_split_holds_back_rows_of_groups_that_move_in_their_order() -> None:
    made = cluster(SETTINGS[0])
    split, query = made.splits["B"], query_of(WINDOW)
    singles = [query.single("B", 10 * n, n, (n % 2,)) for n in range(8)]
    for single in singles:
        split.arrive(single)
    split.handle(60)  # lags: those up to 30 are routed
    split.hear(Message(60.0, "DeactivatePartitions", "DM", "split B", (1,)))
    [least] = [message.value for message in made.wire.log]
    assert least == 50  # of partition 1, which has odd tens
    split.handle(80)
    split.hear(Message(80.0, "SyncTime", "DM", "split B", (1,), 60.0))
    assert made.machines["M1"].waiting == 5 + 1  # and the one from before the common time
    split.handle(120)
    split.hear(Message(120.0, "ReactivatePartitions", "DM", "split B", (1,), other="M2"))
    assert made.machines["M2"].waiting == 1
    assert all(a.seq < b.seq for a, b in pairwise(singles))
    assert split.mapping[1] == ("M2",)
    assert streams_of(made.machines["M2"].plan) == {"A", "B", "C"}
