"""The streams of the experiments (Bhat 2011, ch. 4), seeded; virtual time in milliseconds.

D1 (traffic) and D3 (access points) are stand-ins: the recordings are not public or not at hand. D2,
D4 and D5 are generated as the source work describes.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

from slackwater.papers.prodding_bhat2011.operators.element import Punctuation
from slackwater.papers.prodding_bhat2011.operators.generate import (
    Draw,
    bursts,
    dense,
    normal,
    traffic,
    uniform,
)
from slackwater.papers.prodding_bhat2011.operators.sources import (
    Timed,
    closing,
    preprocessed,
    punctuated,
    tuples,
)
from slackwater.papers.prodding_bhat2011.operators.streamer import Delay, stream

SECOND = 1000
VALUES: dict[str, Draw] = {
    "uniform": uniform(1000),
    "normal 100": normal(500, 100),
    "normal 400": normal(500, 400),
    "normal 1000": normal(500, 1000),
}


@dataclass(frozen=True)
class Window:
    """Size and slide in milliseconds."""

    size: int
    slide: int


TRAFFIC = Window(600 * SECOND, 120 * SECOND)  # Q4-1
SLIDING = Window(30 * SECOND, 10 * SECOND)  # Q-U, Q-A
TUMBLING = Window(30 * SECOND, 30 * SECOND)  # Q-T


def traffic_stream(
    hours: float, *, offset: int, seed: int, window: Window = TRAFFIC, aggressiveness: float = 0.25
) -> list[Timed]:
    """D1': a record every 20 s, up to 20 s late; a prod 90 s into each slide of 120 s."""
    rows = traffic(hours, seed=seed, second=SECOND)
    end = round(hours * 3600) * SECOND
    recording = [
        *punctuated(tuples(rows), window.slide, is_behind=True),
        closing(end, end + window.size),
    ]
    asked = preprocessed(
        recording, window.size, window.slide, [aggressiveness], offset=offset * SECOND
    )
    return stream(asked, Delay("uniform", 20 * SECOND), seed=seed)


def uniform_stream(
    seconds: int, aggressiveness: Sequence[float], *, seed: int, window: Window = SLIDING
) -> list[Timed]:
    """D2: about 500 tuples per 30 s, up to 0.5 s late; a prod 7 s into each slide of 10 s."""
    rows = dense(seconds, uniform(1000), density=0.94, seed=seed, second=SECOND)
    end = seconds * SECOND
    recording = [*punctuated(tuples(rows), window.slide), closing(end, end + window.size)]
    if aggressiveness:
        recording = preprocessed(recording, window.size, window.slide, aggressiveness)
    return stream(recording, Delay("uniform", 500), seed=seed)


def aggressiveness_stream(
    seconds: int,
    values: str,
    aggressiveness: Sequence[float],
    *,
    offsets: Sequence[int],
    seed: int,
    window: Window = SLIDING,
) -> list[Timed]:
    """D4, D5: density 0.95, no delays; prods of all aggressivenesses and offsets in one stream.

    Prods change no final and no other prod's estimate, so one run serves for all of them.
    """
    rows = dense(seconds, VALUES[values], density=0.95, seed=seed, second=SECOND)
    end = seconds * SECOND
    out = [*punctuated(tuples(rows), window.slide), closing(end, end + window.size)]
    for offset in offsets:
        out = preprocessed(
            out,
            window.size,
            window.slide,
            aggressiveness,
            offset=offset * SECOND,
            label=f"{offset}s ",
        )
    return out


def burst_stream(
    repetitions: int, *, arrivals: Literal["random", "at once"], seed: int, second: int
) -> list[Timed]:
    """D3': about 14 000 records per repetition, a punctuation after each second.

    With time stamps in whole seconds (``at once``) the records of a second come together at its
    beginning, and its punctuation right behind them.
    """
    rows = bursts(repetitions, arrivals=arrivals, seed=seed, second=second)
    end = (rows[-1]["ts"] // second + 1) * second
    recording = [*punctuated(tuples(rows), second), closing(end, end + 5 * second)]
    if arrivals == "random":
        return recording
    return [
        Timed(at - second if isinstance(element, Punctuation) else at, element)
        for at, element in recording
    ]
