"""Estimates: on demand, by prods of people and of streams, judged by their finals."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from typer.testing import CliRunner

import slackwater as sw
from slackwater.cli.main import app
from slackwater.control.accuracy import Accuracy
from slackwater.control.prods import ProdMemory
from slackwater.control.request import Request
from slackwater.events import log
from slackwater.execute.loop import Loop
from slackwater.query.stream import Stream
from slackwater.runs.requests import Inbox
from tests.driver import batch, feed, make_loop, readings, run

cli = CliRunner()


def prods(loop: Loop) -> ProdMemory:
    """What is remembered of the prods of a query."""
    memory = loop.state.of("q").find(ProdMemory)
    assert memory is not None
    return memory


def accuracy(loop: Loop) -> Accuracy:
    """What the estimates of a query were worth."""
    return prods(loop).accuracy


def even(count: int = 20, span: int = 5, keys: int = 2) -> list[pa.Table]:
    """A row of value 10 for each key in every second, in batches of ``span`` seconds."""
    return [
        batch(*((n * span + s + 0.5, k, 10) for s in range(span) for k in range(keys)))
        for n in range(count)
    ]


def totals(size: str = "20 s", slide: str = "20 s") -> Stream:
    return readings().window(size, slide).group_by("k").aggregate(n="count(*)", s="sum(v)")


def rows_of(sink: Any, kind: str = "estimate") -> list[dict[str, Any]]:
    return [row for row in sink.table().to_pylist() if row["kind"] == kind]


def events(loop: Loop, kind: str) -> list[dict[str, Any]]:
    return [event for event in log.read(loop.checkpoint.events) if event["event"] == kind]


@pytest.mark.spec("prodding:F15", "prodding:F60", "prodding:F53")
def test_estimates_say_how_much_is_in_what_that_would_come_to_and_how_far_off_they_were(
    tmp_path: Path,
) -> None:
    sink = sw.memory()
    query = totals().query("q", sw.slack(0), sink=sink, estimates=sw.estimates(every=0))
    loop = run((query,), even(80), tmp_path / "ck")
    found = [row for row in rows_of(sink) if row["k"] == 0]
    early = [row for row in found if row["window_start"].second == 20][:4]
    shares = [0.225, 0.475, 0.725, 0.975]  # of time: the clock is half a second behind
    assert [row["revision"] for row in early] == [1, 2, 3, 4]
    assert [row["n"] for row in early] == [row["tuples"] for row in early] == [5, 10, 15, 20]
    assert [row["coverage"] for row in early] == pytest.approx(shares)
    scaled = [5 * n / share for n, share in enumerate(shares, start=1)]
    assert [row["n_scaled"] for row in early] == pytest.approx(scaled)
    assert {row["n_low"] for row in early} == {None}  # nothing is known of errors yet
    assert [row["prod"] for row in early] == [f"every-1/{n}" for n in (4, 5, 6, 7)]
    last = found[-2]  # by now the share of rows at this age is known: 15 of 20
    assert (last["coverage"], last["s_scaled"]) == (0.75, 200.0)
    assert last["s_low"] <= 200.0 <= last["s_high"]
    told = events(loop, "batch")[-1]["queries"]["q"]["estimates"]["accuracy"]["n"]
    assert (told["pairs"], told["worst"]) == (2 * 79, 25.0)
    assert told["mean"] == pytest.approx((50 + 75 + 100 + 19 * (25 + 50 + 75 + 100)) / 79)


def test_estimates_that_wait_to_be_judged_are_few_files_and_gone_with_their_windows(
    tmp_path: Path,
) -> None:
    terms = sw.estimates(every=0)
    query = totals("60 s", "1 s").query("q", sw.slack(0), sink=sw.memory(), estimates=terms)
    loop = make_loop((query,), tmp_path / "ck")
    most = 0
    for number, table in enumerate(even(40, span=2)):
        feed(loop, table, number)
        most = max(most, len(loop.catalog.at("q-estimates")))
    assert 3 < most < 20
    loop.finish()
    assert loop.catalog.at("q-estimates") == []
    loop.close()


def test_finals_say_how_many_rows_they_have_and_leave_the_rest_empty(tmp_path: Path) -> None:
    sink = sw.memory()
    query = totals().query("q", sw.slack(0), sink=sink, estimates=sw.estimates(every=0))
    run((query,), even(8), tmp_path / "ck")
    final = rows_of(sink, "final")[0]
    assert (final["tuples"], final["n"], final["prod"], final["n_scaled"]) == (20, 20, None, None)


@pytest.mark.spec("prodding:F52")
def test_a_person_may_say_what_a_good_estimate_is(tmp_path: Path) -> None:
    def quality(early: Any, final: Any, gap: Any) -> Any:
        assert (gap >= 0).all()
        return 100.0 - abs(final - early)

    terms = sw.estimates(every=0, quality=quality)
    query = totals().query("q", sw.slack(0), sink=sw.memory(), estimates=terms)
    loop = run((query,), even(12), tmp_path / "ck")
    assert accuracy(loop).columns["n"].overall.worst == 85.0


@pytest.mark.spec("prodding:F55")
def test_the_controller_finds_the_aggressiveness_that_keeps_the_accuracy(tmp_path: Path) -> None:
    terms = sw.estimates(accuracy=0.7, of="n")
    query = totals().query("q", sw.slack(0), sink=sw.memory(), estimates=terms)
    tables = even(200, span=1)
    loop = run((query,), tables, tmp_path / "ck", flush=False)
    chosen = prods(loop).chosen["accuracy-1"]
    assert 0.25 <= chosen.value <= 0.35
    assert accuracy(loop).sources["accuracy-1"].last_mean == pytest.approx(70, abs=8)


@pytest.mark.spec("prodding:F20")
def test_prods_of_people_are_answered_once_or_told_why_not(tmp_path: Path) -> None:
    sink = sw.memory()
    query = totals().query("q", sw.slack(0), sink=sink, estimates=sw.estimates())
    loop = make_loop((query,), tmp_path / "ck")
    tables = even(6)
    feed(loop, tables[0], 0)
    for name, where in {
        "all": None,
        "group": "k = 1",
        "unknown-group": "k = 7",
        "closed": "window_end <= TIMESTAMP '1970-01-01 00:00:00'",
        "future": "window_end = TIMESTAMP '1970-01-01 01:00:00'",
        "unparsable": "k = = 1",
    }.items():
        loop.inbox.put(Request(name, "q", where))
    loop.inbox.put(Request("nowhere", "other"))
    (tmp_path / "ck" / "prods" / "broken.json").write_text("{")
    for number in (1, 2):
        feed(loop, tables[number], number)
    told = {event["prod"]: event for event in events(loop, "prod")}
    assert {name: event["rows"] for name, event in told.items()} == {
        "all": 2,
        "group": 1,
        "unknown-group": 0,
        "closed": 0,
        "future": 0,
        "unparsable": 0,
        "nowhere": 0,
        "broken": 0,
    }
    assert told["all"]["reason"] is None
    assert "no group" in told["unknown-group"]["reason"]
    assert "in the future" in told["future"]["reason"]
    assert "SQL_UNPARSABLE" in told["unparsable"]["reason"]
    assert "no query 'other'" in told["nowhere"]["reason"]
    assert "not JSON" in told["broken"]["reason"]
    assert sorted((row["prod"], row["k"]) for row in rows_of(sink)) == [
        ("all", 0),
        ("all", 1),
        ("group", 1),
    ]
    assert [path.name for path in (tmp_path / "ck" / "prods").iterdir()] == ["broken.bad"]
    reports = [event["queries"]["q"]["estimates"] for event in events(loop, "batch")]
    assert [report["refused"] for report in reports] == [0, 3, 0]
    loop.close()


def test_a_prod_is_answered_in_one_batch_though_the_process_dies_before_it_is_told(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    query = totals().query("q", sw.slack(0), estimates=sw.estimates())
    tables = even(3)
    loop = make_loop((query,), tmp_path / "ck")
    feed(loop, tables[0], 0)
    loop.inbox.put(Request("once", "q"))
    monkeypatch.setattr(loop.checkpoint, "commit", _die)
    with pytest.raises(KeyboardInterrupt):
        feed(loop, tables[1], 1)
    loop.close()
    loop = make_loop((query,), tmp_path / "ck")
    for number in (1, 2):
        feed(loop, tables[number], number)
    loop.close()
    assert [event["batch"] for event in events(loop, "prod")] == [1]
    found = pq.read_table(tmp_path / "ck" / "results" / "q")["kind"].to_pylist()
    assert found.count("estimate") == 2


def _die(*_: Any) -> None:
    raise KeyboardInterrupt


@pytest.mark.spec("prodding:F54")
def test_the_aggressiveness_is_changed_while_running(tmp_path: Path) -> None:
    terms = sw.estimates(aggressiveness=0.25)
    query = totals().query("q", sw.slack(0), sink=sw.memory(), estimates=terms)
    loop = make_loop((query,), tmp_path / "ck")
    tables = even(6)
    for number in range(3):
        feed(loop, tables[number], number)
    sw.prod(tmp_path / "ck", aggressiveness=0.75)
    for number in range(3, 6):
        feed(loop, tables[number], number)
    told = [event["queries"]["q"]["estimates"] for event in events(loop, "batch")]
    loop.close()
    assert [one["aggressiveness"]["aggressiveness-1"] for one in told] == [0.25] * 3 + [0.75] * 3
    assert [one["prods"] for one in told] == [0, 0, 0, 1, 0, 1]


def test_the_command_line_asks_a_checkpoint(tmp_path: Path) -> None:
    query = totals("40 s", "40 s").query("q", sw.slack(0), estimates=sw.estimates(every=0))
    loop = make_loop((query,), tmp_path / "ck")
    for number, table in enumerate(even(6)):
        feed(loop, table, number)
    shown = cli.invoke(app, ["estimate", str(tmp_path / "ck")])
    assert shown.exit_code == 0, shown.output
    assert "2 estimates" in shown.stdout
    one = cli.invoke(app, ["estimate", str(tmp_path / "ck"), "-w", "k = 1", "--json"])
    assert json.loads(one.stdout)["n"] == 30
    left = cli.invoke(app, ["prod", str(tmp_path / "ck"), "--wait", "0", "--json"])
    name = json.loads(left.stdout)["prod"]
    feed(loop, even(7)[6], 6)
    loop.close()
    assert [event["prod"] for event in events(loop, "prod")] == [name]
    for arguments, condition in [
        (["estimate", str(tmp_path)], "CHECKPOINT_MISSING"),
        (["estimate", str(tmp_path / "ck"), "-w", "k ="], "SQL_UNPARSABLE"),
        (["estimate", str(tmp_path / "ck"), "-q", "z"], "QUERY_UNKNOWN"),
        (["estimate", str(tmp_path / "ck"), "--every", "0"], "OPTION_INVALID"),
        (["estimate", str(tmp_path / "ck"), "--every", "nan"], "OPTION_INVALID"),
        (["estimate", str(tmp_path / "ck"), "--rows", "-1"], "OPTION_INVALID"),
        (["estimate", str(tmp_path / "ck"), "-w", "sum(n) > 1"], "SQL_NOT_SCALAR"),
        (["prod", str(tmp_path / "ck"), "-w", "sum(n) > 1"], "SQL_NOT_SCALAR"),
        (["prod", str(tmp_path / "ck"), "-w", "error('no') IS NULL"], "QUERY_INVALID"),
        (["prod", str(tmp_path / "ck"), "--aggressiveness", "nan"], "ESTIMATES_RANGE"),
        (["prod", str(tmp_path / "ck"), "--aggressiveness=-inf"], "ESTIMATES_RANGE"),
        (["prod", str(tmp_path / "ck"), "--aggressiveness", "1", "--automatic"], "PROD_INVALID"),
    ]:
        result = cli.invoke(app, arguments)
        assert (result.exit_code, condition in result.stderr) == (2, True), arguments
    assert Inbox(tmp_path / "ck" / "prods").waiting() == ()
