"""Events and decisions in words."""

from __future__ import annotations

from slackwater.history.entry import shown
from slackwater.history.history import History
from tests.events.story import SECOND, WALL, batch, plan


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


def test_short_durations_have_few_digits() -> None:
    assert [shown(n) for n in (0, 433_898, 2_100_000, 90_000_000, 3_723_000_000)] == [
        "0 ms", "434 ms", "2.1 s", "90 s", "1h 2min 3s",
    ]  # fmt: skip
