"""A TOML document is a pipeline, or a list of everything that is wrong with it."""

from __future__ import annotations

from pathlib import Path

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

import slackwater as sw
from slackwater.execute.sinks import ConsoleSink, MemorySink, ParquetSink
from slackwater.spark.document import Document, load
from slackwater.spark.sources import Files, Generator, Recording

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
    assert document.pipeline.explain() == sw.pipeline(query).explain()


def test_estimates_of_a_document_are_those_that_python_gives(tmp_path: Path) -> None:
    terms = """
[[query.estimates]]
every = "5 s"
where = "n > 3"
[[query.estimates]]
accuracy = 0.9
of = "n"
band = 0.8
"""
    document = read(tmp_path, SOURCE + QUERY + terms)
    readings = sw.stream("readings", sw.generator(), time="ts")
    counts = readings.window("10 s").aggregate(n="count(*)")
    prods = [sw.estimates(every="5 s", where="n > 3"), sw.estimates(accuracy=0.9, of="n", band=0.8)]
    same = sw.pipeline(counts.query("q", estimates=prods))
    assert document.pipeline.plan.queries[0].estimates == same.plan.queries[0].estimates
    found = problems(tmp_path, SOURCE + QUERY + "[[query.estimates]]\nevry = 1")
    assert found["query.q.estimates[1].evry"][0] == "KEY_UNKNOWN"


def test_run_options_are_read_and_paths_start_at_the_document(tmp_path: Path) -> None:
    head = '[pipeline]\ncheckpoint = "state"\ntier = "spark"\nflush = true\nheartbeat = "1 s"\n'
    document = read(tmp_path, head + SOURCE + QUERY + 'sink = { kind = "parquet", path = "out" }')
    assert document.checkpoint == str(tmp_path / "state")
    assert document.options.tier == "spark"
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
    assert bases[0].max_ahead is None
    assert isinstance(bases[1].source, Recording)
    assert bases[1].source.pace.speed is None
    assert bases[1].arrival == "at"


def test_a_generator_takes_its_disorder_from_tables(tmp_path: Path) -> None:
    text = (
        SOURCE
        + """
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
    disorder = source.workload.disorder
    assert disorder.regimes[0][0] == 600_000_000
    assert disorder.burst is not None
    assert disorder.gaps[0].length == 30_000_000
    assert source.workload.start == 1_717_200_000_000_000


def test_everything_wrong_is_told_at_once(tmp_path: Path) -> None:
    text = """
[pipeline]
tier = "gpu"
chekpoint = "x"
[source.a]
kind = "file"
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
name = "q"
from = "okay"
windw = "10 s"
aggregate = { n = 3 }
[[query]]
from = "ok"
window = "5 bananas"
aggregate = { n = "count(*)" }
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
        "pipeline.tier": ("KEY_TYPE", "one of auto, columnar, spark"),
        "pipeline.chekpoint": ("KEY_UNKNOWN", "did you mean 'checkpoint'?"),
        "source.a.kind": ("KEY_TYPE", "did you mean 'files'?"),
        "source.b": ("SOURCE_MISSING", "does not exist"),
        "source.g.speed": ("KEY_TYPE", "wanted a number"),
        "source.g.disorder.delay": ("KEY_TYPE", "pareto"),
        "source.g.disorder.regimes[1].start": ("KEY_MISSING", "is missing"),
        "query.q.from": ("SOURCE_UNKNOWN", "did you mean 'ok'?"),
        "query.q.windw": ("KEY_UNKNOWN", "did you mean 'window'?"),
        "query.q.window": ("KEY_MISSING", "a duration"),
        "query.q.aggregate": ("KEY_TYPE", "a table of texts"),
        "query[2].name": ("KEY_MISSING", "is missing"),
        "query[2].window": ("KEY_TYPE", "'5 bananas'"),
        "query.s.sink.kind": ("KEY_TYPE", "did you mean 'console'?"),
    }
    for where, (condition, words) in expected.items():
        assert found[where][0] == condition
        assert words in found[where][1]
    planned = {
        condition for where, (condition, _) in found.items() if where.startswith("query 's'")
    }
    assert planned  # the plan builder was asked too


@pytest.mark.parametrize(
    ("text", "where"),
    [
        ("", "pipeline.toml.query"),
        (SOURCE, "pipeline.toml.query"),
        (SOURCE + "query = []", "source.readings.query"),
        ("query = []" + SOURCE, "query"),
        ("source = 3\nquery = []", "pipeline.toml.source"),
        ("[source]\nreadings = 3" + QUERY, "source.readings"),
        ('[source.readings]\nspeed = "x"' + QUERY, "source.readings.kind"),
        (SOURCE + "max_ahead = true" + QUERY, "source.readings.max_ahead"),
        ("[pipeline]\ncolumnar_rows = 0" + SOURCE + QUERY, "pipeline.columnar_rows"),
        ('[pipeline]\nflush = true\ntrigger = "1 s"' + SOURCE + QUERY, "start, flush"),
        (SOURCE + QUERY + 'sink = { kind = "parquet" }', "query.q.sink.path"),
        (SOURCE + QUERY + "sink = 3", "query.q.sink"),
        (SOURCE + QUERY + 'late = "maybe"', "query.q.late"),
    ],
)
def test_wrong_shapes_are_named(tmp_path: Path, text: str, where: str) -> None:
    assert where in problems(tmp_path, text)


def test_broken_toml_says_where(tmp_path: Path) -> None:
    ((_, (condition, message)),) = problems(tmp_path, "\n[source.]\n").items()
    assert condition == "TOML_INVALID"
    assert "line 2" in message


JOIN = """
[source.orders]
kind = "generator"
[source.payments]
kind = "generator"
seed = 2
[[query]]
name = "paid"
"""
PAIR = 'join = ["orders", "payments"]\non = "key"\nwithin = "5 s"\n'


def test_a_join_is_the_one_that_python_gives(tmp_path: Path) -> None:
    document = read(
        tmp_path,
        JOIN + 'join = ["orders", { from = "payments", as = "p", where = "value > 0" }]\n'
        'on = ["orders.key = p.key", "orders.value < p.value"]\n'
        'within = { orders = "5 s", p = "9 s" }\nemit = "ordered"\norder = "written"\n'
        'select = ["orders.key AS key", "p.value AS paid"]\nmin_recall = 0.9\n'
        'confidence = 0.8\nover = "20 s"\n',
    )
    orders = sw.stream("orders", sw.generator(), time="ts")
    payments = sw.stream("payments", sw.generator(seed=2), time="ts")
    joined = sw.join(
        orders,
        payments.where("value > 0").named("p"),
        on=["orders.key = p.key", "orders.value < p.value"],
        within={"orders": "5 s", "p": "9 s"},
        emit="ordered",
        order="written",
    )
    shown = joined.select("orders.key AS key", "p.value AS paid")
    query = shown.query("paid", sw.min_recall(0.9, confidence=0.8, over="20 s"))
    assert document.pipeline.explain() == sw.pipeline(query).explain()


def test_aggregates_may_follow_a_join_and_windows_may_be_for_pairs(tmp_path: Path) -> None:
    text = 'join = ["orders", "payments"]\non = "key"\nwithin = { "orders, payments" = "5 s" }\n'
    above = 'window = "10 s"\naggregate = { n = "count(*)" }\n'
    assert "level 1" in read(tmp_path, JOIN + text + above).pipeline.explain()


@pytest.mark.parametrize(
    ("text", "where", "condition"),
    [
        ('join = ["orders", "paymnts"]\non = "key"\nwithin = "5 s"', "join[2]", "SOURCE_UNKNOWN"),
        ('join = ["orders", { as = "x" }]\nwithin = "5 s"', "join[2].from", "KEY_MISSING"),
        ('join = "orders"', "join", "KEY_TYPE"),
        ('join = ["orders", "payments"]\non = "key"\nwithin = "soon"', "within", "KEY_TYPE"),
        ('from = "orders"\nwithin = "5 s"\nwindow = "1 s"', "within", "KEY_UNKNOWN"),
        (
            f"{PAIR}min_recall = 0.9\nslack = 1",
            "slack",
            "KEY_TWICE",
        ),
        (
            f'{PAIR}over = "1 s"',
            "over",
            "KEY_ALONE",
        ),
        (
            'from = "orders"\nwindow = "1 s"\naggregate = { n = "count(*)" }\nconfidence = 0.9',
            "confidence",
            "KEY_ALONE",
        ),
    ],
)
def test_what_is_wrong_with_a_join_or_contract_is_named(
    tmp_path: Path, text: str, where: str, condition: str
) -> None:
    assert problems(tmp_path, JOIN + text)[f"query.paid.{where}"][0] == condition
