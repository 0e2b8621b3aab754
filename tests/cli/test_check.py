"""A file is checked before it runs: nothing is started, nothing is made."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from typer.testing import CliRunner

from slackwater.cli.main import app
from slackwater.frontends.table import keys_of
from slackwater.frontends.toml import model
from slackwater.frontends.toml.reference import tables
from slackwater.spark.catalog import catalog
from tests.cli.toml import GENERATED, write

cli = CliRunner()
AWAY = 'kind = "postgres", table = "t", server = "postgresql://me@127.0.0.1:1/answers"'


def with_sink(folder: Path, sink: str, side: str = '{ kind = "memory" }') -> str:
    text = GENERATED.replace(
        "[query.aggregate]", f"sink = {sink}\nside = {side}\n[query.aggregate]"
    )
    return str(write(folder, text))


def test_outputs_are_looked_at_and_left_alone(tmp_path: Path) -> None:
    file = with_sink(tmp_path, '{ kind = "delta", path = "table" }', '{ path = "late" }')
    result = cli.invoke(app, ["check", file])
    assert result.exit_code == 0, result.output
    assert "1 query is sound" in result.stdout
    assert f"totals, results: delta table {tmp_path}/table will be made" in result.stdout
    assert f"totals, late rows: folder {tmp_path}/late will be made" in result.stdout
    assert sorted(path.name for path in tmp_path.iterdir()) == [Path(file).name]


def test_an_output_that_is_refused_is_told_with_the_way_out(tmp_path: Path) -> None:
    result = cli.invoke(app, ["check", with_sink(tmp_path, f"{{ {AWAY} }}"), "--json"])
    assert result.exit_code == 1
    results, late = json.loads(result.stdout)["outputs"]
    assert (results["ok"], results["condition"]) == (False, "SINK_UNREACHABLE")
    assert "127.0.0.1:1" in results["text"]
    assert late["ok"]


@pytest.mark.parametrize(
    "sink",
    [
        f'{{ {AWAY}, password = "hunter2" }}',
        f"{{ {AWAY}, password = 271828 }}",
        '{ kind = "postgres", table = "t", server = "postgresql://me:hunter2@h/d" }',
        '{ kind = "postgres", table = "t", server = ["hunter2"] }',
        '{ kind = "iceberg", table = "a.b", catalog = "sqlite://", properties.token = "hunter2" }',
        '{ kind = "iceberg", table = "a.b", catalog = "sqlite://", properties.a = ["hunter2"] }',
    ],
)
def test_a_secret_in_a_file_is_refused_and_not_repeated(tmp_path: Path, sink: str) -> None:
    result = cli.invoke(app, ["check", with_sink(tmp_path, sink)])
    assert result.exit_code == 2
    told = result.output + result.stderr
    assert "SECRET_IN_TEXT" in told or "KEY_TYPE" in told
    assert "hunter2" not in told
    assert "271828" not in told


@pytest.mark.parametrize("place", ["{}", '{ env = "A", file = "b" }'])
def test_a_secret_in_a_file_has_one_place(tmp_path: Path, place: str) -> None:
    result = cli.invoke(app, ["check", with_sink(tmp_path, f"{{ {AWAY}, password = {place} }}")])
    assert result.exit_code == 2
    assert "query.totals.sink.password" in result.stderr
    assert "wanted a table with env or file" in result.stderr


def test_the_schema_for_editors_has_every_key_of_every_table() -> None:
    result = cli.invoke(app, ["schema"])
    found = json.loads(result.stdout)
    assert set(found["properties"]) == {*keys_of(model.FileTable)}
    sinks = found["properties"]["query"]["items"]["else"]["properties"]["sink"]
    by_kind = {case["if"]["properties"]["kind"]["const"]: case["then"] for case in sinks["allOf"]}
    assert set(by_kind) == {*catalog().sinks} == {*sinks["properties"]["kind"]["enum"]}
    for name, kind in catalog().sinks.items():
        assert set(by_kind[name]["properties"]) == {*keys_of(kind.table)}
    postgres = by_kind["postgres"]
    assert postgres["required"] == ["table", "server"]
    assert postgres["properties"]["mode"]["enum"] == ["append", "latest"]
    assert postgres["properties"]["password"]["additionalProperties"] is False
    every = result.stdout
    for table in tables(catalog()):
        for key, field in keys_of(table).items():
            assert json.dumps(key) in every, key
            assert field.description is not None
