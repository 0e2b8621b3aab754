"""A document is the pipeline that Python gives, over the sources and sinks that there are."""

from __future__ import annotations

from pathlib import Path
from unittest.mock import patch

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import slackwater as sw
from slackwater.execute.sinks import ConsoleSink, MemorySink, ParquetSink
from slackwater.plan.build import check
from slackwater.spark.document import Document, load
from slackwater.spark.sources import Files, Generator, Recording
from slackwater.stats.workload import Burst, Disorder, Gap, Values

SOURCE = """
[source.readings]
kind = "generator"
"""
QUERY = """
[[query]]
name = "q"
from = "readings"
window = "10 s"
aggregate = { n = "count(*)" }
"""


def read(folder: Path, text: str) -> Document:
    path = folder / "pipeline.toml"
    path.write_text(text, encoding="utf-8")
    return load(path)


def problems(folder: Path, text: str) -> dict[str, tuple[str, str]]:
    """Condition and message with hint of each problem, by where it is."""
    with pytest.raises(sw.QueryError) as refused:
        read(folder, text)
    return {p.where: (p.condition, f"{p.message} {p.hint}") for p in refused.value.problems}


def test_a_document_gives_the_plan_that_python_gives(tmp_path: Path) -> None:
    document = read(
        tmp_path,
        SOURCE + QUERY + 'where = "value > 1"\nselect = ["key AS sensor", "value"]\n'
        'group_by = "sensor"\nslide = "5 s"\nstart = "1 s"\nslack = "2 s"\nlate = "revise"\n'
        'keep = "1 min"\nidle = "5 s"\n[[query.then]]\nwhere = "n > 1"\nwindow = "1 min"\n'
        'aggregate = { n = "sum(n)" }',
    )
    readings = sw.stream("readings", sw.generator(), time="ts")
    counts = readings.where("value > 1").select("key AS sensor", "value")
    counts = counts.window("10 s", "5 s", start="1 s").group_by("sensor").aggregate(n="count(*)")
    above = counts.where("n > 1").window("1 min").aggregate(n="sum(n)")
    query = above.query("q", sw.slack("2 s"), late="revise", keep="1 min", idle="5 s")
    same = sw.pipeline(query)
    assert document.pipeline.explain() == same.explain()
    assert document.pipeline.meaning == same.meaning


def test_a_join_of_a_document_is_the_one_that_python_gives(tmp_path: Path) -> None:
    document = read(
        tmp_path,
        SOURCE + SOURCE.replace("readings", "payments") + "seed = 2\n"
        '[[query]]\nname = "paid"\njoin = ["readings", { from = "payments", as = "p" }]\n'
        'on = "readings.key = p.key"\nwithin = "5 s"\nmin_recall = 0.9\nover = "20 s"\n',
    )
    readings = sw.stream("readings", sw.generator(), time="ts")
    payments = sw.stream("payments", sw.generator(seed=2), time="ts").named("p")
    joined = sw.join(readings, payments, on="readings.key = p.key", within="5 s")
    same = sw.pipeline(joined.query("paid", sw.min_recall(0.9, over="20 s")))
    assert document.pipeline.explain() == same.explain()
    assert document.pipeline.meaning == same.meaning


def test_monoids_and_several_bounds_are_planned(tmp_path: Path) -> None:
    text = '[monoid.rms]\nbody = "sqrt(sum(x * x) / count(x))"\nparameters = "x"\n' + SOURCE
    text += QUERY.replace("count(*)", "rms(value)")
    text += '[[query.max_error]]\nepsilon = 0.1\n[[query.max_error]]\nepsilon = 0.2\nof = "n"'
    rms = sw.monoid("sqrt(sum(x * x) / count(x))", "x")
    readings = sw.stream("readings", sw.generator(), time="ts")
    bounds = [sw.max_error(0.1), sw.max_error(0.2, of="n")]
    query = readings.window("10 s").aggregate(n=rms("value")).query("q", bounds)
    assert read(tmp_path, text).pipeline.explain() == sw.pipeline(query).explain()


def test_costly_work_is_planned(tmp_path: Path) -> None:
    text = (
        SOURCE
        + QUERY
        + 'where = "value > 1"\ncostly = { budget = 100, aside = "drop" }\nestimates = {}'
    )
    readings = sw.stream("readings", sw.generator(), time="ts").costly(100, aside="drop")
    query = readings.where("value > 1").window("10 s").aggregate(n="count(*)")
    same = sw.pipeline(query.query("q", estimates=sw.estimates()))
    assert read(tmp_path, text).pipeline.explain() == same.explain()


def test_run_options_are_read_and_paths_start_at_the_document(tmp_path: Path) -> None:
    head = '[pipeline]\ncheckpoint = "state"\ntier = "spark"\nflush = true\nheartbeat = "1 s"\n'
    head += "max_state_rows = 9\n"
    document = read(tmp_path, head + SOURCE + QUERY + 'sink = { kind = "parquet", path = "out" }')
    assert document.checkpoint == str(tmp_path / "state")
    assert document.options.tier == "spark"
    assert document.options.max_state_rows == 9
    assert document.options.trigger == "available-now"  # because of flush
    assert document.pipeline.queries[0].sink == ParquetSink(str(tmp_path / "out"))


@pytest.mark.parametrize(
    ("sink", "kind"),
    [('{ kind = "console", rows = 3 }', ConsoleSink), ('{ kind = "memory" }', MemorySink)],
)
def test_sinks_for_people_are_made(tmp_path: Path, sink: str, kind: type) -> None:
    document = read(tmp_path, SOURCE + QUERY + f"sink = {sink}")
    assert isinstance(document.pipeline.queries[0].sink, kind)


def test_files_and_recordings_are_found_beside_the_document(tmp_path: Path) -> None:
    (tmp_path / "rows").mkdir()
    times = pa.array([1, 2], pa.timestamp("us", tz="UTC"))
    pq.write_table(
        pa.table({"ts": times, "at": times, "v": [1.0, 2.0]}), tmp_path / "rows/a.parquet"
    )
    text = """
[source.live]
kind = "files"
path = "rows"
time = "ts"
max_ahead = "any"
schema = { ts = "timestamp", v = "double" }
files_per_batch = 3
options = { mergeSchema = true }
[source.old]
kind = "recording"
path = "rows"
time = "ts"
arrival = "at"
speed = "max"
"""
    queries = QUERY.replace("readings", "live") + QUERY.replace("readings", "old").replace(
        '"q"', '"r"'
    )
    bases = [query.stream.base for query in read(tmp_path, text + queries).pipeline.queries]
    assert isinstance(bases[0].source, Files)
    assert bases[0].source == sw.files(
        tmp_path / "rows",
        schema={"ts": "timestamp", "v": "double"},
        files_per_batch=3,
        options={"mergeSchema": True},
    )
    assert bases[0].max_ahead is None
    assert isinstance(bases[1].source, Recording)
    assert bases[1].source.pace.speed is None
    assert bases[1].arrival == "at"


def test_a_generator_takes_its_disorder_from_tables(tmp_path: Path) -> None:
    text = (
        SOURCE
        + """
rows_per_second = 50
values = { distribution = "uniform", mean = 5 }
start = 2024-06-01T00:00:00Z
[source.readings.disorder]
late = 0.1
delay = "pareto"
burst = { every = "1 min", length = "5 s", factor = 10 }
gaps = [{ start = "2 min", length = "30 s" }]
regimes = [{ start = "10 min", late = 0.5, scale = "2 s" }]
"""
    )
    source = read(tmp_path, text + QUERY).pipeline.queries[0].stream.base.source
    assert isinstance(source, Generator)
    disorder = Disorder.of(
        late=0.1,
        delay="pareto",
        burst=Burst.of("1 min", "5 s", 10),
        gaps=[Gap.of("2 min", "30 s")],
        regimes=[("10 min", Disorder.of(late=0.5, scale="2 s"))],
    )
    same = sw.generator(
        50, values=Values("uniform", 5), start="2024-06-01T00:00:00Z", disorder=disorder
    )
    assert source == same
    assert source.describe() == same.describe()  # whole numbers stay whole: it names a checkpoint


def test_problems_of_the_file_and_of_the_queries_are_told_at_once(tmp_path: Path) -> None:
    text = """
[pipeline]
flush = true
trigger = "1 s"
[source.b]
kind = "files"
path = "nowhere"
time = "ts"
[source.g]
kind = "generator"
speed = "fast"
disorder = { delay = "parreto", regimes = [{ late = 2 }] }
[source.ok]
kind = "generator"
[[query]]
name = "s"
from = "ok"
window = "10 s"
slide = "20 s"
aggregate = { n = "sum(valeu)" }
sink = { kind = "consle" }
"""
    found = problems(tmp_path, text)
    expected = {
        "start, flush": ("FLUSH_ENDLESS", "available-now"),
        "source.b": ("SOURCE_MISSING", "does not exist"),
        "source.g.speed": ("KEY_TYPE", "wanted a number"),
        "source.g.disorder.delay": ("KEY_TYPE", "pareto"),
        "source.g.disorder.regimes[1].start": ("KEY_MISSING", "is missing"),
        "query.s.sink.kind": ("KEY_TYPE", "did you mean 'console'?"),
    }
    for where, (condition, words) in expected.items():
        assert found[where][0] == condition
        assert words in found[where][1]
    assert any(where.startswith("query 's'") for where in found)  # the plan builder was asked too


def test_a_source_that_cannot_be_is_refused_where_it_stands(tmp_path: Path) -> None:
    text = SOURCE + "rows_per_second = -1" + QUERY
    assert problems(tmp_path, text)["source.readings"][0] == "WORKLOAD_INVALID"


def test_a_sink_that_cannot_be_is_refused_where_it_stands(tmp_path: Path) -> None:
    text = SOURCE + QUERY + 'sink = { path = "s3a://bucket/out" }'
    assert problems(tmp_path, text)["query.q.sink"][0] == "SINK_REMOTE"


def test_queries_are_checked_once(tmp_path: Path) -> None:
    with patch("slackwater.spark.check.check", side_effect=check) as checking:
        read(tmp_path, SOURCE + QUERY)
    assert checking.call_count == 1
