"""A monoid of a pipeline file is called by its name."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from slackwater.query.monoid import monoid
from tests.frontends.kinds import (
    QUERY,
    READINGS,
    RMS,
    problems,
    sound,
)


def aggregates(folder: Path, text: str, monoids: str = RMS) -> Any:
    query = QUERY.replace('"count(*)"', f'"{text}"')
    return sound(folder, monoids + READINGS + query).queries[0].stream.steps[-1].values  # type: ignore[union-attr]


def test_a_monoid_is_written_out_where_it_is_called(tmp_path: Path) -> None:
    rms = monoid("sqrt(sum(x * x) / count(x))", "x")
    assert aggregates(tmp_path, "rms(value - 1)") == (("n", rms("value - 1")),)
    assert aggregates(tmp_path, "RMS(value - 1)") == (("n", rms("value - 1")),)


def test_what_a_monoid_is_made_of_stays_together(tmp_path: Path) -> None:
    ((_, text),) = aggregates(tmp_path, "1 - share(value, key)")
    assert text == "1 - (SUM((value)) / SUM((key)))"


def test_a_text_without_a_monoid_stays_as_it_was_written(tmp_path: Path) -> None:
    assert aggregates(tmp_path, "sum( value )") == (("n", "sum( value )"),)


@pytest.mark.parametrize(
    ("monoids", "text", "where", "condition"),
    [
        (RMS, "rms(value, key)", "query.q.aggregate.n", "MONOID_ARGUMENTS"),
        ('[monoid.sum]\nbody = "min(x)"', "count(*)", "monoid.sum", "MONOID_NAME"),
        ('[monoid."a b"]\nbody = "min(x)"', "count(*)", "monoid.a b", "MONOID_NAME"),
        ('[monoid.odd]\nbody = "sum("', "count(*)", "monoid.odd", "MONOID_INVALID"),
        ("[monoid.odd]\nparameters = [1]", "count(*)", "monoid.odd.body", "KEY_MISSING"),
        ("[monoid.odd]\nparameters = [1]", "count(*)", "monoid.odd.parameters", "KEY_TYPE"),
    ],
)
def test_what_is_wrong_with_a_monoid_is_told(
    tmp_path: Path, monoids: str, text: str, where: str, condition: str
) -> None:
    query = QUERY.replace('"count(*)"', f'"{text}"')
    assert problems(tmp_path, monoids + READINGS + query)[where][0] == condition
