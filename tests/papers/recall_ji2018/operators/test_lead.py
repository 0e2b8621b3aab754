from __future__ import annotations

import json

import pytest
from hypothesis import given
from hypothesis import strategies as st

from slackwater.errors import CheckpointError
from slackwater.papers.recall_ji2018.operators.lead import LeadState, MeanLead, sync_sizes

CHUNKS = st.lists(st.tuples(st.integers(1, 5), st.integers(0, 100)), max_size=20)


def lead_of(chunks: list[tuple[int, int]]) -> MeanLead:
    lead = MeanLead.start()
    for items, total in chunks:
        lead.update(items, total)
    return lead


@pytest.mark.spec("qddh:F041")
def test_the_mean_is_that_of_the_samples_in_the_window() -> None:
    lead = lead_of([(2, 10), (4, 40), (2, 6)])
    assert lead.get() == 7
    lead.forget(2)
    assert lead.get() == pytest.approx(46 / 6)
    lead.forget(100)
    assert lead.get() is None


@pytest.mark.spec("qddh:F041", "qddh:F024")
def test_the_implicit_slack_is_the_mean_lead_less_the_smallest_of_all_streams() -> None:
    assert sync_sizes({"a": 30.0, "b": 12.0, "c": 50.0}) == {"a": 18.0, "b": 0.0, "c": 38.0}
    assert sync_sizes({"a": 30.0, "b": None}) == {"a": 0.0, "b": 0.0}


@given(CHUNKS, CHUNKS)
def test_a_lead_continues_from_state_saved_as_json(
    before: list[tuple[int, int]], after: list[tuple[int, int]]
) -> None:
    saved = json.loads(json.dumps(lead_of(before).snapshot().to_json()))
    resumed = MeanLead.start(LeadState.from_json(saved))
    for items, total in after:
        resumed.update(items, total)
    assert resumed.snapshot() == lead_of(before + after).snapshot()
    assert resumed.get() == lead_of(before + after).get()


def test_saved_state_of_an_unknown_version_is_refused() -> None:
    with pytest.raises(CheckpointError, match="version 99"):
        MeanLead.start(LeadState(version=99))
