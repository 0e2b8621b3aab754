"""Why is this window still open? The answer, from the newest batch."""

from __future__ import annotations

from dataclasses import dataclass

from slackwater.history.entry import shown, why
from slackwater.history.history import History
from slackwater.history.plan import QueryShape
from slackwater.history.table import Key
from slackwater.units import show_instant


@dataclass(frozen=True, slots=True)
class OpenWindow:
    """The oldest window of a query that is not answered yet.

    ``missing`` is how far the query's clock must still move, ``reason`` why the slack is as it is.
    """

    query: str
    start: int
    end: int
    missing: int
    slack: int
    reason: str

    @property
    def text(self) -> str:
        begin, end = (show_instant(t)[11:19] for t in (self.start, self.end))
        return (
            f"{begin} – {end} is open until the clock has moved on by "
            f"{shown(self.missing)}: slack is {shown(self.slack)}"
        )


def oldest_open(history: History, query: str) -> OpenWindow | None:
    """The oldest open window; ``None`` if nothing is known of windows or all are closed."""
    shape = history.plan.queries.get(query) or QueryShape(query)
    last = {
        field: history.table.last(Key("query", query, field))
        for field in ("watermark", "clock", "slack", "threshold", "measured_coverage", "wanted")
    }
    mark, clock, slack = last["watermark"], last["clock"], last["slack"]
    if shape.window is None or mark is None or clock is None or slack is None:
        return None
    size, slide, offset = shape.window
    phase = (offset + size) % slide
    end = (int(mark) - phase) // slide * slide + phase + slide
    words = {
        field: history.words.word(history.table.last(Key("query", query, field)))
        for field in ("phase", "binding")
    }
    reason = why(
        words["phase"],
        words["binding"],
        needed=last["threshold"],
        found=last["measured_coverage"],
        wanted=last["wanted"],
        slack=slack,
    )
    missing = max(0, end + int(slack) - int(clock))
    return OpenWindow(query, end - size, end, missing, int(slack), reason)
