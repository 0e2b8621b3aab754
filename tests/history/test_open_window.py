"""Why a window is still open."""

from __future__ import annotations

from slackwater.history.history import History
from slackwater.history.open_window import oldest_open
from tests.events.story import EVENT, SECOND, batch, plan


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
