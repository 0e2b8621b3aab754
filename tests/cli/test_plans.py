"""The plans of a join, from a document and figures; nothing is started."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from slackwater.cli.main import app
from tests.cli.toml import GENERATED, write

SOURCES = "".join(
    f'[source.{name}]\nkind = "generator"\nrows_per_second = 10\ntotal_rows = 100\n'
    for name in "abcd"
)
JOINED = (
    SOURCES
    + """
[[query]]
name = "met"
join = ["a", "b", "c", "d"]
on = ["a.key = b.key", "b.value = c.value", "c.sensor = d.sensor"]
within = "50 s"
slack = "1 s"
"""
).replace("sensor", "key")
FIGURES = ["--rates", "a=20,b=20,c=20,d=20", "--selectivities", "a-b=0.02, b-c=0.2, c-d=0.05"]
cli = CliRunner()


def told(tmp_path: Path, *options: str, text: str = JOINED) -> tuple[int, str, str]:
    result = cli.invoke(app, ["plans", str(write(tmp_path, text)), *options])
    return result.exit_code, result.stdout, result.stderr


def test_the_best_plans_are_shown_and_one_is_chosen(tmp_path: Path) -> None:
    code, shown, said = told(tmp_path, *FIGURES, "--memory", "30000")
    assert code == 0, said
    assert "the best of all 26 plans" in shown
    assert "chosen: (c d (a b))" in shown or "chosen: ((a b) c d)" in shown
    assert "within the limits" in shown


def test_json_is_one_value_with_the_figures_of_the_source(tmp_path: Path) -> None:
    code, shown, _ = told(tmp_path, *FIGURES, "--memory", "30000", "--json")
    found = json.loads(shown)
    assert code == 0
    assert found["within"]
    assert found["chosen"]["memory"] == pytest.approx(24_000)
    assert found["chosen"]["cpu"] == pytest.approx(16_164_560)
    assert found["limits"] == {"cpu": None, "memory": 30_000.0}
    assert found["front"][0]["cpu"] <= found["chosen"]["cpu"]


def test_where_no_plan_fits_the_nearest_is_told_with_what_it_needs(tmp_path: Path) -> None:
    code, shown, _ = told(tmp_path, *FIGURES, "--memory", "3000", "--cpu", "1e6")
    assert code == 0
    assert "no plan is within the limits" in shown
    assert "comes nearest" in shown


def test_a_picture_is_drawn(tmp_path: Path) -> None:
    picture = tmp_path / "new" / "plans.png"
    code, _, said = told(tmp_path, *FIGURES, "--cpu", "2e7", "--plot", str(picture), "--inspected")
    assert code == 0, said
    assert picture.stat().st_size > 10_000


@pytest.mark.parametrize(
    ("options", "said"),
    [
        (["--rates", "a=20"], "the rate of 'b' is missing"),
        (["--rates", "a=x"], "cannot read 'a=x'"),
        ([*FIGURES[:2], "--selectivities", "a-b-c=1"], "cannot read 'a-b-c'"),
        ([*FIGURES[:2], "--selectivities", "a-b=1,b-a=0.5"], "b-a is 1 and 0.5"),
        ([*FIGURES[:2], "--selectivities", "a-d=1"], "no predicate connects a-d"),
        ([*FIGURES, "--query", "other"], "no join 'other'"),
        ([*FIGURES, "--memory", "0"], "it must be above 0"),
        ([*FIGURES, "--plot", "plans.doc"], "cannot draw into plans.doc"),
    ],
)
def test_figures_that_make_no_sense_are_refused(
    tmp_path: Path, options: list[str], said: str
) -> None:
    code, shown, error = told(tmp_path, *options)
    assert code == 2
    assert shown == ""
    assert said in " ".join(error.split())


def test_a_pipeline_without_a_join_has_no_plans_to_choose_among(tmp_path: Path) -> None:
    code, _, error = told(tmp_path, *FIGURES, text=GENERATED)
    assert code == 2
    assert "queries with a join: none" in " ".join(error.split())
