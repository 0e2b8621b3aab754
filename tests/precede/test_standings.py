"""Standings found from those of a plan with one level less are those found from the start."""

from __future__ import annotations

import random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from slackwater.precede.candidates import candidates
from slackwater.precede.paths import placements, static_path
from slackwater.precede.plan import INITIAL, RankPlan
from slackwater.precede.shared import Shared
from slackwater.precede.standings import Classification
from tests.precede.stocks import DAY, PIPELINE, QUERY, counted, situation

LEVELS = candidates(Shared(PIPELINE), counted(DAY))
FLOWS = situation(DAY, 0.0).model().flows


@pytest.mark.spec("precedence:PR-53")
@settings(max_examples=60)
@given(st.integers(0))
def test_what_is_remembered_changes_nothing(seed: int) -> None:
    draw = random.Random(seed)
    known = Classification(PIPELINE, FLOWS)
    static = [(one, draw.choice(static_path(PIPELINE, one))) for one in QUERY.levels]
    plan = INITIAL.with_static(draw.sample(static, draw.randint(0, 3)))
    for level in draw.sample(LEVELS, min(8, len(LEVELS))):
        ways = placements(PIPELINE, level, draw.sample((1, 2), draw.randint(0, 2)))
        tried = [plan, *(plan.with_dynamic([(level, way)]) for way in ways)]
        for one in draw.sample(tried, draw.randint(1, len(tried))):
            fresh = RankPlan(one.static, one.dynamic)
            assert known.find(one) == Classification(PIPELINE, FLOWS).anew(fresh)
        plan = draw.choice(tried)
