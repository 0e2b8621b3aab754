from __future__ import annotations

from slackwater.papers.slack_ji2018.operators.coverage import Coverage, WindowCounters


def test_coverage_is_the_received_share_of_the_known_tuples() -> None:
    assert Coverage(9, 1).share == 0.9
    assert Coverage(0, 2).share == 0
    assert Coverage(0, 0).share is None


def test_counters_add_up_by_window_and_survive_saving() -> None:
    counters = WindowCounters()
    counters.receive([10, 20])
    counters.receive([10])
    counters.miss([10, 30])
    resumed = WindowCounters(counters.snapshot())
    resumed.miss([20])
    assert resumed.snapshot() == (
        (10, Coverage(2, 1)),
        (20, Coverage(1, 1)),
        (30, Coverage(0, 1)),
    )


def test_asking_about_a_window_does_not_invent_it() -> None:
    counters = WindowCounters()
    assert counters.get(10) == Coverage(0, 0)
    assert counters.ends() == []


def test_old_windows_can_be_forgotten() -> None:
    counters = WindowCounters()
    counters.receive([10, 20, 30])
    counters.miss([10, 20])
    counters.purge(before=20)
    assert counters.ends() == [20, 30]
    assert counters.get(20) == Coverage(1, 1)
