"""Sinks: what is one, which places it may have, and whose answers it may touch."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import slackwater as sw
from slackwater.execute.sinks import ParquetSink, TableResults, Target
from slackwater.query.stream import Query
from slackwater.runs.checkpoint import Owner
from tests.driver import batch, readings, run

MINE = Owner("1234", "/checkpoints/mine", "results of query 'q'")
OTHERS = Owner("5678", "/checkpoints/other", "results of query 'p'")


def write(sink: ParquetSink, number: int) -> None:
    sink.prepare(number, TableResults(pa.table({"n": [number]})))
    sink.commit(number)


def claim(sink: ParquetSink, owner: Owner) -> None:
    sink.open(Target("q", owner=owner))


def query(name: str = "q", **places: Any) -> Query:
    return readings().window("10 s").aggregate(n="count(*)").query(name, **places)


def test_a_path_stays_where_it_was_when_the_process_moves(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    sink = sw.parquet("out")
    (tmp_path / "elsewhere").mkdir()
    monkeypatch.chdir(tmp_path / "elsewhere")
    sink.open(Target("q"))
    assert sink.folder == tmp_path / "out"
    assert sw.parquet(f"file://{tmp_path}/out") == sink
    with pytest.raises(sw.SinkError, match="SINK_REMOTE"):
        sw.parquet("s3a://bucket/out")


def test_a_folder_with_answers_of_others_is_refused_and_left_as_it_is(tmp_path: Path) -> None:
    sink = sw.parquet(tmp_path)
    claim(sink, OTHERS)
    write(sink, 0)
    for owner in (MINE, Owner(OTHERS.id, OTHERS.folder, MINE.output)):
        with pytest.raises(sw.SinkError, match=r"SINK_OCCUPIED.*'q'.*'p' of .*/other"):
            claim(sink, owner)
    moved = Owner(OTHERS.id, "/checkpoints/moved", OTHERS.output)
    claim(sink, moved)
    assert pq.read_table(tmp_path)["n"].to_pylist() == [0]


@pytest.mark.parametrize("name", ["batch=0", "batch=foo", "part-0.parquet"])
def test_answers_of_nobody_known_are_refused_unless_they_were_always_there(
    tmp_path: Path, name: str
) -> None:
    (tmp_path / name).mkdir()
    sink = sw.parquet(tmp_path)
    with pytest.raises(sw.SinkError, match="SINK_OCCUPIED"):
        claim(sink, MINE)
    claim(sink, Owner(MINE.id, MINE.folder, MINE.output, adopts=True))  # from before owners
    claim(sink, MINE)


def test_only_own_batches_are_rolled_back(tmp_path: Path) -> None:
    sink = sw.parquet(tmp_path)
    claim(sink, MINE)
    for number in range(3):
        write(sink, number)
    for name in ("batch=foo", "_batch=1", "_batch=probe", "other", "_batch=mine"):
        (tmp_path / name).mkdir()
    sink.recover(0)
    kept = {path.name for path in tmp_path.iterdir()}
    assert kept == {"batch=0", "batch=foo", "other", "_batch=mine", "_slackwater.json"}


def test_a_new_checkpoint_leaves_old_answers_alone(tmp_path: Path) -> None:
    out = sw.parquet(tmp_path / "out")
    rows = [batch((1, 1, 1), (11, 1, 1)), batch((21, 1, 1))]
    run((query(sink=out),), rows, tmp_path / "one")
    before = pq.read_table(out.folder)
    with pytest.raises(sw.SinkError, match="SINK_OCCUPIED"):
        run((query(sink=out),), rows, tmp_path / "two")
    assert pq.read_table(out.folder).equals(before)


def test_two_outputs_of_a_pipeline_need_two_places(tmp_path: Path) -> None:
    (tmp_path / "real").mkdir()
    (tmp_path / "link").symlink_to(tmp_path / "real")
    one, again = (sw.parquet(tmp_path / name) for name in ("real", "link/../link/."))
    table = sw.memory()
    queries = [query("a", sink=one, side=table), query("b", side=again, sink=table)]
    with pytest.raises(sw.QueryError) as caught:
        sw.pipeline(*queries)
    told = {(p.condition, p.where) for p in caught.value.problems}
    assert told == {("SINK_TWICE", "query 'b', sink"), ("SINK_TWICE", "query 'b', side")}
    assert "query 'a', sink writes to the same folder" in str(caught.value)
    both = sw.callback(print)
    sw.pipeline(query("a", sink=both), query("b", sink=both))  # a function may take both


@pytest.mark.parametrize(
    ("sink", "way_out"),
    [
        ("folder", 'sw.parquet("folder")'),
        (Path("folder"), 'sw.parquet("folder")'),
        (sw.memory, "sw.memory()"),
        (ParquetSink, "sw.memory()"),
        (42, "open, prepare, commit and recover"),
    ],
)
def test_what_is_no_sink_is_refused_with_the_way_out(sink: Any, way_out: str) -> None:
    with pytest.raises(sw.QueryError) as caught:
        sw.pipeline(query(sink=sink, late="never"))
    assert [p.condition for p in caught.value.problems] == ["LATE_POLICY", "SINK_KIND"]
    assert way_out in caught.value.problems[1].hint


@pytest.mark.parametrize(
    ("wrong", "way_out"),
    [
        (readings(), ".query("),
        (readings().window("1 s"), ".query("),
        ([query()], "sw.pipeline(*queries)"),
        ("q", ".query("),
    ],
)
def test_what_is_no_query_is_refused_with_the_way_out(wrong: Any, way_out: str) -> None:
    with pytest.raises(sw.QueryError) as caught:
        sw.pipeline(query(), wrong)
    (problem,) = caught.value.problems
    assert (problem.condition, problem.where) == ("QUERY_KIND", "pipeline, argument 2")
    assert way_out in problem.hint


@pytest.mark.parametrize("wrong", [pd.DataFrame({"ts": [1]}), "folder", None, sw.generator])
def test_what_is_no_source_is_refused_with_the_way_out(wrong: Any) -> None:
    with pytest.raises(sw.SourceError, match=r"SOURCE_KIND.*'r'") as caught:
        sw.stream("r", wrong, time="ts")
    assert "sw.recording" in caught.value.hint
