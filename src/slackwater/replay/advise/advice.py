"""From a recorded stream: how long to wait, what waiting costs and what it gives."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import asdict, dataclass
from typing import Any

from slackwater.replay.advise.control import Controller, play, quality_driven
from slackwater.replay.advise.frames import Frames
from slackwater.replay.advise.grid import grid
from slackwater.replay.advise.measure import Measure
from slackwater.replay.advise.quality import Quality, Target, quality
from slackwater.replay.advise.recording import Tell, tell_nothing
from slackwater.replay.advise.search import steps
from slackwater.replay.advise.settings import RESOLUTION
from slackwater.replay.advise.stakes import Stakes, stakes
from slackwater.replay.advise.timeline import Timeline
from slackwater.replay.advise.watermarks import fixed, growing, varying
from slackwater.stats.arrival import Instants
from slackwater.stats.report import DisorderReport, disorder_report
from slackwater.units import MILLISECOND

BARS = 60  # of the delay histogram

MakeController = Callable[[Timeline, Stakes, Target], Controller]


@dataclass(frozen=True, slots=True)
class Line:
    """One policy: its name, mean and largest slack in microseconds, and what it gives."""

    policy: str
    slack: float
    largest: int
    quality: Quality

    def to_json(self) -> dict[str, Any]:
        found = {name: _plain(value) for name, value in asdict(self.quality).items()}
        return {"policy": self.policy, "slack_us": self.slack, "largest_us": self.largest, **found}


@dataclass(frozen=True, slots=True)
class Advice:
    """The answer. Durations in microseconds of event time.

    ``smallest`` is the smallest fixed slack that meets the target, ``setting`` the smallest that
    is a whole number of milliseconds. ``steps`` and ``interval`` say how often the quality-driven
    controller was asked.
    """

    frames: Frames
    measure: Measure
    target: Target
    smallest: int
    setting: int
    curve: tuple[Line, ...]
    none: Line
    chosen: Line
    largest: Line
    driven: Line
    steps: int
    interval: int
    disorder: DisorderReport

    def to_json(self) -> dict[str, Any]:
        return {
            "window_us": self.frames.size,
            "slide_us": self.frames.slide,
            "aggregate": self.measure.sql,
            "target": asdict(self.target),
            "smallest_us": self.smallest,
            "setting_us": self.setting,
            "fixed": [line.to_json() for line in self.curve],
            "no_k": self.none.to_json(),
            "chosen": self.chosen.to_json(),
            "max_k": self.largest.to_json(),
            "quality_driven": {
                **self.driven.to_json(),
                "steps": self.steps,
                "interval_us": self.interval,
            },
            "disorder": {
                name: value
                for name, value in self.disorder.to_json().items()
                if name not in ("over_time", "interval")
            },
        }


def advise(
    timeline: Timeline,
    frames: Frames,
    measure: Measure,
    target: Target,
    *,
    controller: MakeController = quality_driven,
    interval: int | None = None,
    tell: Tell = tell_nothing,
) -> Advice:
    """Play a recorded stream under every slack worth looking at.

    Parameters
    ----------
    timeline
        Rows in arrival order.
    frames, measure
        The windowed aggregate.
    target
        What the results must be worth.
    controller
        Makes the controller of the quality-driven slack.
    interval
        Event time between two of its steps, microseconds; half a slide if left out, more if that
        would be many steps.

    Examples
    --------
    >>> import numpy as np
    >>> timeline = Timeline.of(np.array([1, 12, 8, 24]) * 1_000_000)
    >>> ten = Frames(10_000_000, 10_000_000)
    >>> advise(timeline, ten, Measure("count", "count(*)"), Target()).smallest
    2000001
    """
    tell("sort out late rows", 0, None)
    at_stake = stakes(timeline, frames, measure)
    tell("search", 0, None)
    found = steps(at_stake, target)
    needed = target.needed(at_stake.results.count)
    smallest, setting = found.smallest(needed), found.smallest(needed, RESOLUTION)
    delay = int(timeline.delays().max())
    points = grid(delay, smallest)
    lines = []
    for number, slack in enumerate(points):
        tell("try slacks", number, len(points))
        lines.append(_fixed(timeline, at_stake, target, slack))
    asked = controller(timeline, at_stake, target)
    played = play(timeline, at_stake, target, asked, interval, tell=tell)
    return Advice(
        frames=frames,
        measure=measure,
        target=target,
        smallest=smallest,
        setting=setting,
        curve=tuple(lines),
        none=lines[0],
        chosen=_fixed(timeline, at_stake, target, setting),
        largest=_varying(timeline, at_stake, target, "Max-K", growing(timeline)),
        driven=_varying(timeline, at_stake, target, "quality-driven", played.slacks, played.clock),
        steps=played.steps,
        interval=played.interval,
        disorder=_disorder(timeline, delay),
    )


def _fixed(timeline: Timeline, at_stake: Stakes, target: Target, slack: int) -> Line:
    found = quality(at_stake, fixed(timeline, at_stake, slack), target)
    return Line("fixed" if slack else "No-K", float(slack), slack, found)


def _varying(
    timeline: Timeline, at_stake: Stakes, target: Target, policy: str, *series: Instants
) -> Line:
    watermarks = varying(timeline, at_stake, *series)
    found = quality(at_stake, watermarks, target)
    return Line(policy, watermarks.slack, watermarks.largest, found)


def _disorder(timeline: Timeline, delay: int) -> DisorderReport:
    span = int(timeline.progress[-1] - timeline.progress[0])
    return disorder_report(
        timeline.times,
        granularity=max(-(-delay // BARS), MILLISECOND),
        interval=max(span, 1),
    )


def _plain(value: Any) -> Any:
    """JSON knows no infinity."""
    return None if isinstance(value, float) and math.isinf(value) else value
