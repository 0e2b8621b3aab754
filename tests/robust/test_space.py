"""Intervals around estimates, the grid over them, and boxes of the grid."""

from __future__ import annotations

from itertools import product

import pytest
from hypothesis import given
from hypothesis import strategies as st

from slackwater.errors import SlackwaterError
from slackwater.robust.box import Box
from slackwater.robust.space import parameter_space
from slackwater.robust.uncertainty import LEVEL_OF, uncertainty_level

NEWS = {"share": 0.4, "news": 100.0}


@pytest.mark.spec("robust:F001", "robust:F008")
def test_two_levels_are_a_fifth_to_both_sides() -> None:
    share, news = parameter_space(NEWS, 2, kinds={"news": "rate"}).dimensions
    assert (share.lo, share.hi) == pytest.approx((0.32, 0.48))
    assert (news.lo, news.hi) == pytest.approx((80.0, 120.0))
    assert (share.kind, news.kind) == ("selectivity", "rate")


@pytest.mark.spec("robust:F002")
def test_levels_may_differ_by_dimension() -> None:
    share, news = parameter_space(NEWS, {"share": 1, "news": 5}, kinds={"news": "rate"}).dimensions
    assert (share.lo, share.hi) == pytest.approx((0.36, 0.44))
    assert (news.lo, news.hi) == pytest.approx((50.0, 150.0))


@pytest.mark.spec("robust:F003")
def test_bounds_may_be_given_where_they_are_not_symmetric() -> None:
    found = parameter_space(NEWS, {"share": 2}, kinds={"news": "rate"}, bounds={"news": (50, 200)})
    assert (found.dimensions[1].lo, found.dimensions[1].hi) == (50, 200)


@pytest.mark.spec("robust:F004")
def test_what_is_certain_is_no_part_of_the_grid() -> None:
    found = parameter_space(NEWS, {"share": 2, "news": 0}, kinds={"news": "rate"}, units=4)
    assert found.free == (0,)
    assert found.whole == Box((0,), (4,))
    assert found.at((2,)) == pytest.approx((0.4, 100.0))
    for level in (6, -1):
        with pytest.raises(SlackwaterError, match="uncertainty of share"):
            parameter_space(NEWS, {"share": level, "news": 0})


@pytest.mark.spec("robust:F005")
def test_a_filter_keeps_no_more_than_all_and_that_is_recorded() -> None:
    found = parameter_space({"filter": 0.8, "join": 0.8}, 5, kinds={"join": "fan_out"})
    assert found.dimensions[0].hi == 1.0
    assert found.dimensions[1].hi == pytest.approx(1.2)
    assert found.clamped == ("filter",)


def test_everything_that_is_wrong_is_said_at_once() -> None:
    with pytest.raises(SlackwaterError) as refused:
        parameter_space(
            {"a": 0.0, "b": 0.5, "c": 0.5},
            {"a": 2, "b": 9, "c": 1, "d": 1},
            bounds={"c": (0.9, 0.1)},
        )
    assert refused.value.condition == "SPACE_INVALID"
    for part in ("'d'", "estimate of a", "uncertainty of b", "bounds of c"):
        assert part in refused.value.message


@pytest.mark.spec("robust:F006")
def test_how_an_estimate_was_obtained_says_how_uncertain_it_is() -> None:
    assert [uncertainty_level(source) for source in LEVEL_OF] == [0, 1, 2, 3, 4, 5]


@pytest.mark.spec("robust:F007")
@given(st.integers(1, 200), st.floats(0.001, 1000), st.integers(1, 5), st.data())
def test_lines_and_values_belong_together(
    units: int, estimate: float, level: int, data: st.DataObject
) -> None:
    space = parameter_space({"a": estimate}, level, kinds={"a": "rate"}, units=units)
    line = data.draw(st.integers(0, units))
    assert space.lines(space.at((line,))) == (line,)
    assert space.cell(space.at((line,))) == (min(line, units - 1),)
    beyond = space.at((units,))[0] * 3
    assert space.cell((beyond,)) == (units - 1,)
    assert space.cell((0.0,)) == (0,)


@pytest.mark.spec("robust:F009")
def test_ten_dimensions_take_no_more_than_ten_intervals() -> None:
    space = parameter_space({f"s{n}": 0.5 for n in range(10)}, 5)
    assert space.whole.volume == 100**10
    assert space.cell(space.estimate) == (50,) * 10


@st.composite
def cut_boxes(draw: st.DrawFn) -> tuple[Box, tuple[int, ...]]:
    sides = draw(st.lists(st.tuples(st.integers(0, 5), st.integers(1, 5)), min_size=1, max_size=3))
    box = Box(tuple(lo for lo, _ in sides), tuple(lo + width for lo, width in sides))
    return box, tuple(draw(st.integers(lo, lo + width)) for lo, width in sides)


@pytest.mark.spec("robust:F010")
@given(cut_boxes())
def test_the_parts_of_a_box_are_the_box(case: tuple[Box, tuple[int, ...]]) -> None:
    box, at = case
    if not any(lo < x < hi for lo, x, hi in zip(box.lo, at, box.hi, strict=True)):
        with pytest.raises(ValueError, match="cuts nothing"):
            box.split(at)
        return
    parts = box.split(at)
    assert sum(part.volume for part in parts) == box.volume
    for cell in product(*(range(lo, hi) for lo, hi in zip(box.lo, box.hi, strict=True))):
        assert sum(part.contains(cell) for part in parts) == 1


def test_the_centre_is_rounded_down() -> None:
    assert Box((0, 1), (3, 2)).center == (1, 1)
    assert Box((0, 1), (1, 2)).is_unit
