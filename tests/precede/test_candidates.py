"""Which values promise something, and which of them are worth a test."""

from __future__ import annotations

import pytest

from slackwater.precede.candidates import Threshold, by_gain, candidates, combined, superior
from slackwater.precede.frequency import Frequencies
from slackwater.precede.level import DynamicLevel
from tests.precede.stocks import SHARED


def of(
    levels: tuple[DynamicLevel, ...], stream: str, until: int
) -> dict[object, tuple[int, float]]:
    return {one.value: (one.rank, one.gain) for one in levels
            if (one.stream, one.until) == (stream, until)}  # fmt: skip


@pytest.mark.spec("precedence:PR-42")
def test_a_value_must_be_on_both_sides() -> None:
    significant = {("op1", "S", 1, c): 1.0 for c in ("Energy", "Advertising", "Drugs")}
    arrived = {("op1", "N", c): 1.0 for c in ("Energy", "Drugs", "Other")}
    found = candidates(SHARED, Frequencies(significant, arrived))
    assert {*of(found, "N", 1)} == {"Energy", "Drugs"}
    assert {(one.stream, one.attribute) for one in found} == {("N", "N.sector")}


@pytest.mark.spec("precedence:PR-42")
def test_the_most_critical_partner_gives_the_rank() -> None:
    significant = {(op, "S", rank, "Drugs"): 1.0 for op in ("op1", "op2") for rank in (1, 2)}
    arrived = {("op1", "N", "Drugs"): 1.0, ("op2", "N", "Drugs"): 1.0, ("op2", "B", "Drugs"): 1.0}
    found = candidates(SHARED, Frequencies(significant, arrived))
    assert [of(found, s, at)["Drugs"][0] for s, at in (("N", 1), ("N", 2), ("B", 2))] == [1, 1, 1]
    assert len(found) == 3


TWO_SECTORS = candidates(
    SHARED,
    Frequencies(
        {("op1", "S", 1, "Energy"): 2.0, ("op1", "S", 1, "Drugs"): 2.0},
        {("op1", "N", "Energy"): 1.0, ("op1", "N", "Drugs"): 2.0},
    ),
)


@pytest.mark.spec("precedence:PR-55")
def test_what_promises_too_little_is_left_out() -> None:
    assert of(TWO_SECTORS, "N", 1) == {"Energy": (1, 2.0), "Drugs": (1, 4.0)}
    for threshold in (
        Threshold(3.0, "absolute"),
        Threshold(0.6, "relative"),
        Threshold(0.5, "quantile"),
    ):
        assert [one.value for one in superior(TWO_SECTORS, threshold)] == ["Drugs"]
    for threshold in (Threshold(2.0, "absolute"), Threshold(), Threshold(0.0, "quantile")):
        assert superior(TWO_SECTORS, threshold) == TWO_SECTORS
    assert superior((), Threshold(0.5, "quantile")) == ()


@pytest.mark.spec("precedence:PR-56")
def test_the_most_promising_come_first() -> None:
    assert [one.value for one in by_gain(TWO_SECTORS)] == ["Drugs", "Energy"]
    assert by_gain(reversed(TWO_SECTORS)) == by_gain(TWO_SECTORS)


@pytest.mark.spec("precedence:PR-59")
def test_at_the_end_of_a_run_a_value_must_be_in_all_its_streams() -> None:
    significant = {(op, "S", 1, c): 2.0 for op in ("op1", "op2") for c in ("Energy", "Drugs")}
    arrived = {(op, "N", c): 1.0 for op in ("op1", "op2") for c in ("Energy", "Drugs")}
    arrived["op2", "B", "Drugs"] = 3.0
    counted = Frequencies(significant, arrived)
    assert "Energy" in of(candidates(SHARED, counted), "N", 2)
    found = combined(SHARED, counted)
    assert {(one.stream, one.until, one.value) for one in found} == {
        ("N", 2, "Drugs"),
        ("B", 2, "Drugs"),
    }
    assert {one.gain for one in found} == {6.0}
