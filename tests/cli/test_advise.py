"""The advise command: a table, JSON, a picture, and clear words for bad input."""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.csv as pa_csv
import pyarrow.parquet as pq
import pytest
from typer.testing import CliRunner

from slackwater.cli.main import app
from slackwater.cli.show.advice import show_wait

cli = CliRunner()

START = 1_704_067_200
TIMES = [0, 5, 12, 14, 8, 21, 23, 9, 31, 35, 27, 44, 52, 61]
COMMON = ["--window", "10s", "--aggregate", "sum(v)"]


def table(**more: Any) -> pa.Table:
    seconds = pa.array([START + t for t in TIMES], pa.int64())
    columns = {
        "ts": pa.array([(START + t) * 1_000_000 for t in TIMES], pa.timestamp("us", tz="UTC")),
        "seconds": seconds,
        "seq": pa.array(range(len(TIMES))),
        "v": pa.array([float(1 + n % 3) for n in range(len(TIMES))]),
        "name": pa.array(["a" if n % 2 else "b" for n in range(len(TIMES))]),
    }
    return pa.table({**columns, **more})


@pytest.fixture
def recorded(tmp_path: Path) -> Path:
    path = tmp_path / "rows.parquet"
    pq.write_table(table(), path)
    return path


def advise(*words: str | Path) -> dict[str, Any]:
    result = cli.invoke(app, ["advise", *map(str, words), "--json"])
    assert result.exit_code == 0, result.stderr
    return dict(json.loads(result.stdout))


def refused(*words: str | Path) -> str:
    result = cli.invoke(app, ["advise", *map(str, words)])
    assert result.exit_code == 2, result.stdout
    assert result.stdout == ""
    return " ".join(result.stderr.split())


def test_json_is_one_document_with_the_smallest_delay_and_ready_lines(recorded: Path) -> None:
    found = advise(recorded, "--time", "ts", *COMMON, "--confidence", "1")
    # the row of second 9 comes when the clock is at 23: [0, 10) must stay open 13 s and a little
    assert found["smallest_us"] == 13_000_001
    assert found["setting_us"] == 13_001_000
    assert found["settings"] == {
        "spark": 'withWatermark("ts", "13.001 seconds")',
        "flink": "WatermarkStrategy.forBoundedOutOfOrderness(Duration.ofMillis(13001))",
        "slackwater": "sw.max_error(0.01, confidence=1)",
    }
    assert (found["rows"], found["set_aside"], found["keys"]) == (14, 0, 1)
    assert found["chosen"]["within"] == 1.0
    assert found["no_k"]["lost"] == 3


def test_the_table_and_the_verdict_are_printed(recorded: Path) -> None:
    words = [str(recorded), "--time", "ts", *COMMON, "--confidence", "1", "--by", "name"]
    result = cli.invoke(app, ["advise", *words], env={"COLUMNS": "160"})
    assert result.exit_code == 0, result.stderr
    for part in ("14 rows in 1 file", "smallest fixed", "Max-K", "quality-driven", "withWatermark"):
        assert part in result.stdout


def test_in_a_pipe_the_table_is_plain_and_whole(recorded: Path) -> None:
    words = [str(recorded), "--time", "ts", *COMMON, "--confidence", "1", "--by", "name"]
    result = cli.invoke(app, ["advise", *words], env={"COLUMNS": "80"})
    lines = result.stdout.splitlines()
    [head] = [line.split() for line in lines if "policy" in line]
    assert " ".join(head) == (
        "slack policy within 1 % mean error max error coverage latency late rows lost rows"
    )
    [largest] = [line for line in lines if "Max-K" in line and "mean latency" not in line]
    assert len(re.split(r" {2,}", largest.strip())) == 9
    assert "…" not in result.stdout
    assert not set("│┃━╇") & set(result.stdout)


def test_several_aggregates_are_advised_on_in_one_call(tmp_path: Path, recorded: Path) -> None:
    words = [recorded, "--time", "ts", "--window", "10s", "--confidence", "1"]
    asked = ["--aggregate", "sum(v)", "--aggregate", "max(v)", "--aggregate", "sum(v)"]
    found = advise(*words, *asked, "--plot", tmp_path / "advice.png")
    alone = [advise(*words, "--aggregate", text) for text in ("sum(v)", "max(v)")]
    assert found["aggregates"] == alone
    assert found["smallest_us"] == max(one["smallest_us"] for one in alone)
    assert found["settings"] == alone[0]["settings"]
    names = ["advice-1.png", "advice-2.png"]
    assert sorted(path.name for path in tmp_path.glob("*.png")) == names
    told = cli.invoke(app, ["advise", *map(str, words), *asked]).stdout
    assert "SUM(`v`) over" in told
    assert "MAX(`v`) over" in told
    assert "smallest fixed slack for all of them: 13 s, which SUM(`v`) needs" in told


def test_one_of_several_aggregates_that_is_wrong_is_refused(recorded: Path) -> None:
    said = refused(recorded, "--time", "ts", "--aggregate", "median(v)", *COMMON)
    assert "[AGGREGATE_UNSUPPORTED]" in said


def test_every_format_gives_the_same_answer(tmp_path: Path, recorded: Path) -> None:
    rows = table()
    pa_csv.write_csv(rows, tmp_path / "rows.csv")
    lines = [json.dumps({**row, "ts": row["ts"].isoformat()}) for row in rows.to_pylist()]
    (tmp_path / "rows.jsonl").write_text("\n".join(lines) + "\n")
    words = ["--time", "ts", *COMMON, "--by", "name"]
    expected = advise(recorded, *words)
    for name in ("rows.csv", "rows.jsonl"):
        found = advise(tmp_path / name, *words)
        assert {**found, "files": None} == {**expected, "files": None}, name


def test_files_are_read_in_the_order_of_their_names(tmp_path: Path, recorded: Path) -> None:
    rows = table()
    folder = tmp_path / "parts"
    folder.mkdir()
    for number, (first, last) in enumerate([(0, 4), (4, 9), (9, 14)]):
        pq.write_table(rows.slice(first, last - first), folder / f"part-{number}.parquet")
    expected = advise(recorded, "--time", "ts", *COMMON)
    for words in ([folder / "part-*.parquet"], [folder], sorted(folder.iterdir(), reverse=True)):
        found = advise(*words, "--time", "ts", *COMMON)
        assert {**found, "files": None} == {**expected, "files": None}


def test_numbers_are_instants_if_their_unit_is_said(recorded: Path) -> None:
    said = refused(recorded, "--time", "seconds", *COMMON)
    assert "[TIME_UNIT_MISSING]" in said
    assert "--time-unit s, ms, us or ns" in said
    found = advise(recorded, "--time", "seconds", "--time-unit", "s", *COMMON)
    assert found["smallest_us"] == advise(recorded, "--time", "ts", *COMMON)["smallest_us"]


def test_rows_without_time_are_counted_and_set_aside(tmp_path: Path) -> None:
    path = tmp_path / "holes.parquet"
    times = [None if n in (3, 7) else (START + t) * 1_000_000 for n, t in enumerate(TIMES)]
    pq.write_table(table(ts=pa.array(times, pa.timestamp("us"))), path)
    found = advise(path, "--time", "ts", *COMMON)
    assert (found["rows"], found["set_aside"]) == (12, 2)


def test_arrival_must_not_go_back_unless_sorted(tmp_path: Path, recorded: Path) -> None:
    path = tmp_path / "mixed.parquet"
    order = [0, 1, 2, 4, 3, *range(5, 14)]
    pq.write_table(table().take(order), path)
    said = refused(path, "--time", "ts", "--arrival", "seq", *COMMON)
    assert "[ARRIVAL_UNORDERED]" in said
    assert f"goes back at row 5 of {path}: 3 after 4" in said
    assert "--sort" in said
    found = advise(path, "--time", "ts", "--arrival", "seq", "--sort", *COMMON)
    expected = advise(recorded, "--time", "ts", *COMMON)
    assert {**found, "files": None} == {**expected, "files": None}


def test_the_place_where_arrival_goes_back_is_told_by_file(tmp_path: Path) -> None:
    rows = table()
    pq.write_table(rows.slice(9), tmp_path / "a.parquet")
    pq.write_table(rows.slice(0, 9), tmp_path / "b.parquet")
    said = refused(tmp_path, "--time", "ts", "--arrival", "seq", *COMMON)
    assert f"row 1 of {tmp_path / 'b.parquet'}: 0 after 13" in said


def test_a_picture_is_drawn(tmp_path: Path, recorded: Path) -> None:
    picture = tmp_path / "pictures" / "advice.png"
    advise(recorded, "--time", "ts", *COMMON, "--plot", picture)
    assert picture.read_bytes().startswith(b"\x89PNG")


def test_an_ordered_stream_needs_no_slack(tmp_path: Path) -> None:
    path = tmp_path / "ordered.parquet"
    pq.write_table(table().sort_by("ts"), path)
    found = advise(path, "--time", "ts", *COMMON, "--plot", tmp_path / "ordered.png")
    assert (found["smallest_us"], found["disorder"]["late"]) == (0, 0)
    assert found["settings"]["spark"] == 'withWatermark("ts", "0 seconds")'


@pytest.mark.parametrize(
    ("words", "condition", "part"),
    [
        (["--time", "when"], "QUERY_INVALID", "there is no column 'when'"),
        (["--time", "when"], "COLUMN_UNKNOWN", "columns: ts (timestamp with time zone), seconds"),
        (["--time", "name"], "TIME_NOT_AN_INSTANT", "is text, e.g. 'b'"),
        (["--time", "ts", "--arrival", "no"], "COLUMN_UNKNOWN", "--arrival: there is no column"),
        (["--time", "ts", "--arrival", "name"], "ARRIVAL_NOT_AN_INSTANT", "is text"),
        (["--time", "ts", "--by", "no"], "COLUMN_UNKNOWN", "--by: there is no column 'no'"),
        (["--time", "ts", "--window", "soon"], "DURATION_INVALID", "'soon' is not a duration"),
        (["--time", "ts", "--window", "0s"], "WINDOW_NOT_POSITIVE", "must be above 0"),
        (["--time", "ts", "--slide", "0s"], "WINDOW_NOT_POSITIVE", "must be above 0"),
        (["--time", "ts", "--slide", "11s"], "SLIDE_ABOVE_SIZE", "longer than the window 10s"),
        (["--time", "ts", "--aggregate", "sum(v"], "SQL_UNPARSABLE", "is not an SQL expression"),
        (["--time", "ts", "--aggregate", "sum(w)"], "COLUMN_UNKNOWN", "there is no column"),
        (["--time", "ts", "--aggregate", "sum(name)"], "TYPE_MISMATCH", "needs a number"),
        (
            ["--time", "ts", "--aggregate", "median(v)"],
            "AGGREGATE_UNSUPPORTED",
            "supported: count, sum, avg, min, max",
        ),
        (
            ["--time", "ts", "--aggregate", "count(distinct v)"],
            "AGGREGATE_UNSUPPORTED",
            "distinct",
        ),
        (["--time", "ts", "--aggregate", "max(v) - 1"], "AGGREGATE_UNSUPPORTED", "expression over"),
        (["--time", "ts", "--aggregate", "v"], "AGGREGATE_UNSUPPORTED", "not an aggregate"),
        (["--time", "ts", "--error", "1.5"], "ERROR_INVALID", "at least 0 and below 1"),
        (["--time", "ts", "--confidence", "0"], "CONFIDENCE_INVALID", "above 0 and at most 1"),
        (["--time", "ts", "--step", "0s"], "STEP_NOT_POSITIVE", "must be above 0"),
        (["--time", "ts", "--plot", "picture.txt"], "PICTURE_FORMAT", ".png, .svg, .pdf"),
    ],
)
def test_bad_options_are_named(recorded: Path, words: list[str], condition: str, part: str) -> None:
    said = refused(recorded, *COMMON, *words)
    assert f"[{condition}]" in said
    assert part in said


def test_bad_files_are_named(tmp_path: Path, recorded: Path) -> None:
    words = ["--time", "ts", *COMMON]
    empty, torn, odd = (tmp_path / name for name in ("empty.csv", "torn.parquet", "rows.xlsx"))
    empty.touch()
    torn.write_bytes(b"PAR1 and nothing else")
    odd.write_text("?")
    pa_csv.write_csv(table(), tmp_path / "other.csv")
    nothing, same = tmp_path / "nothing.parquet", tmp_path / "same.parquet"
    pq.write_table(table().slice(0, 0), nothing)
    pq.write_table(table().slice(0, 1), same)
    void = tmp_path / "void.parquet"
    pq.write_table(table(ts=pa.nulls(len(TIMES), pa.timestamp("us"))), void)
    for files, condition in (
        ([tmp_path / "missing.csv"], "FILE_NOT_FOUND"),
        ([tmp_path / "missing-*.csv"], "FILE_NOT_FOUND"),
        ([empty], "SOURCE_EMPTY"),
        ([nothing], "SOURCE_EMPTY"),
        ([torn], "SOURCE_UNREADABLE"),
        ([odd], "FORMAT_UNKNOWN"),
        ([recorded, tmp_path / "other.csv"], "FORMATS_DIFFER"),
        ([same], "TIME_CONSTANT"),
        ([void], "TIME_NULL"),
    ):
        assert f"[{condition}]" in refused(*files, *words), condition


@pytest.mark.parametrize(
    ("micros", "text"),
    [(None, "–"), (0, "0 s"), (12, "12 µs"), (2_400_000, "2.4 s"), (3_600e6, "1 h")],
)
def test_waits_are_shown_with_a_unit_that_fits(micros: float | None, text: str) -> None:
    assert show_wait(micros) == text
