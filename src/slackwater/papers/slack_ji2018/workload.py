"""Stand-ins for the two soccer streams of the source work (Ji 2018, ch. 4)."""

from __future__ import annotations

from slackwater.papers.stream.soccer import Soccer

SET_1 = Soccer("set 1", 980, 544_223, 0.834, 0.2255, 18, 4_490, 0.03, is_second_half=True)
SET_2 = Soccer("set 2", 1400, 559_211, 0.828, 0.1717, 23, 16_950, 0.012, is_second_half=False)
