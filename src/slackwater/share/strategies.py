"""The ways to place buffers, from none shared to the fewest rows held."""

from __future__ import annotations

from slackwater.share.configuration import Strategy
from slackwater.share.greedy import greedy
from slackwater.share.naive import naive
from slackwater.share.opt import opt
from slackwater.share.unshared import unshared

STRATEGIES: tuple[tuple[str, Strategy], ...] = (
    ("unshared", unshared),
    ("naive", naive),
    ("greedy", greedy),
    ("opt", opt),
)
