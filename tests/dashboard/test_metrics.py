"""Names with units, values from the log, text that the official parser reads, documents."""

from __future__ import annotations

import json
import re
import subprocess
import threading
from http.server import BaseHTTPRequestHandler, HTTPServer
from pathlib import Path

import pytest
from opentelemetry.sdk.metrics.export import InMemoryMetricReader
from prometheus_client import CollectorRegistry, generate_latest
from prometheus_client.openmetrics.exposition import generate_latest as generate_open
from prometheus_client.openmetrics.parser import text_string_to_metric_families as parse_open
from prometheus_client.parser import text_string_to_metric_families as parse

from slackwater.dashboard import otel
from slackwater.dashboard.metrics import METRICS, Collector
from slackwater.errors import SlackwaterError
from slackwater.events.log import EventLog
from slackwater.history.follow import Follower
from tests.dashboard.serving import command
from tests.events.joins import LIMIT, joined
from tests.events.story import EVENT, SECOND, batch, costly, ended, ranked

ROOT = Path(__file__).resolve().parents[2]
UNITS = ("seconds", "rows", "bytes", "ratio", "info", "results", "batches", "lines", "number")
UNITS += (
    "errors",
    "notices",
    "groups",
    "estimates",
    "prods",
    "windows",
    "slides",
    "migrations",
    "value",
    "units",
    "rank",
    "criteria",
)  # a value is a controller's own


@pytest.fixture
def run(tmp_path: Path) -> Follower:
    follower = Follower(ended(tmp_path / "story", 21, made=costly))
    follower.look_through()
    follower.close()
    return follower


@pytest.fixture
def registry(run: Follower) -> CollectorRegistry:
    registry = CollectorRegistry()
    registry.register(Collector([run]))
    return registry


def test_the_official_parser_reads_every_metric(registry: CollectorRegistry) -> None:
    text = generate_latest(registry).decode()
    families = {family.name: family for family in parse(text)}
    assert {m.name.removesuffix("_total") for m in METRICS} == set(families)
    samples = {s.name: s for family in families.values() for s in family.samples}
    slack = [
        s for s in families["slackwater_slack_seconds"].samples if s.labels["query"] == "fixed"
    ]
    assert (slack[0].value, slack[0].labels["pipeline"]) == (2.0, "story")
    assert samples["slackwater_late_rows_total"].value == 100
    assert samples["slackwater_clock_timestamp_seconds"].value == EVENT / SECOND + 20
    assert samples["slackwater_error_ratio"].value == pytest.approx(0.1)
    assert samples["slackwater_error_allowed_ratio"].value == pytest.approx(0.1)
    assert samples["slackwater_busy_seconds_total"].value > 0
    assert samples["slackwater_running_info"].value == 0
    assert list(parse_open(generate_open(registry).decode()))


def test_estimates_are_told_by_column_and_by_source(registry: CollectorRegistry) -> None:
    families = parse(generate_latest(registry).decode())
    samples = {s.name.removeprefix("slackwater_"): s for f in families for s in f.samples}
    counts = ("estimates_total", "prods_total", "mistimed_windows_total", "refused_prods_total")
    assert [samples[name].value for name in counts] == [63, 21, 3, 2]
    assert {samples[name].labels["query"] for name in counts} == {"fixed"}
    recent = samples["estimate_accuracy_ratio"]
    assert (recent.labels["query"], recent.labels["column"]) == ("fixed", "total")
    assert 0.85 < recent.value < 1
    assert samples["estimate_accuracy_worst_ratio"].value == pytest.approx(0.7)
    assert samples["estimate_accuracy_target_ratio"].value == 0.9
    early = samples["aggressiveness_slides"]
    assert (early.labels["source"], round(early.value, 1)) == ("accuracy-1", 0.6)


def test_a_backlog_is_told_by_where_rows_wait(registry: CollectorRegistry) -> None:
    families = {family.name: family for family in parse(generate_latest(registry).decode())}
    rows = families["slackwater_backlog_rows"].samples
    assert {s.labels["place"]: s.value for s in rows} == {"todo": 2_000, "aside": 40}
    assert families["slackwater_backlog_age_seconds"].samples[0].value == 20
    assert families["slackwater_shed_rows"].samples[0].value == 42
    assert families["slackwater_worked_rows"].samples[0].value == 21 * 60


def test_whatever_a_controller_explains_in_numbers_is_told(registry: CollectorRegistry) -> None:
    families = {family.name: family for family in parse(generate_latest(registry).decode())}
    found = {
        (s.labels["query"], s.labels["controller"], s.labels["value"]): s.value
        for s in families["slackwater_controller_value"].samples
    }
    assert found.keys() == {("fixed", "toy", "pressure"), ("fixed", "order", "cost (rows)")}
    assert found["fixed", "order", "cost (rows)"] == 1_234_587


def samples_of(folder: Path) -> dict[str, list[tuple[dict[str, str], float]]]:
    follower = Follower(folder)
    follower.look_through()
    follower.close()
    registry = CollectorRegistry()
    registry.register(Collector([follower]))
    families = parse(generate_latest(registry).decode())
    found: dict[str, list[tuple[dict[str, str], float]]] = {}
    for sample in (sample for family in families for sample in family.samples):
        found.setdefault(sample.name.removeprefix("slackwater_"), []).append(
            (sample.labels, sample.value)
        )
    return found


def test_ranks_are_told_with_their_rows_their_work_and_what_promises_them(tmp_path: Path) -> None:
    found = samples_of(ended(tmp_path / "run", 8, made=ranked))
    rows = {(one["rank"], one["fate"]): value for one, value in found["rank_rows_total"]}
    assert rows["1", "worked"] == 120
    assert rows["2", "expired"] == 40
    assert rows["none", "shed"] == 24
    assert rows["none", "admitted"] == 480

    def by_rank(name: str) -> dict[str, float]:
        return {labels["rank"]: value for labels, value in found[name]}

    assert by_rank("rank_waiting_rows") == {"1": 0, "2": 0, "none": 57}
    assert by_rank("rank_used_units_total") == {"1": 240, "2": 80, "none": 240}
    assert by_rank("rank_criteria") == {"1": 6, "2": 7}
    assert by_rank("rank_promised_results") == {"1": 120.5, "2": 3.5}
    assert by_rank("rank_promising_rows_total") == dict.fromkeys(("1", "2", "none"), 25)
    of_query = {"pipeline": "run", "query": "fixed"}
    assert found["budget_units"] == [(of_query, 80)]
    assert found["complete_rank"] == [(of_query, 1)]
    assert found["expired_rows_total"] == [(of_query, 40)]


def test_a_join_is_told_with_its_cost_its_memory_and_its_changes(tmp_path: Path) -> None:
    found = samples_of(joined(tmp_path / "run", 40))
    values = {
        "join_predicted_seconds": 0.012,
        "join_measured_seconds": 0.01,
        "join_prediction_error_ratio": 0.2,
        "join_memory_bytes": 39_000,
        "join_memory_limit_bytes": LIMIT,
    }
    for name, value in values.items():
        [(labels, told)] = found[name]
        assert labels == {"pipeline": "run", "query": "fixed"}
        assert told == pytest.approx(value), name
    [(labels, told)] = found["join_plan_info"]
    assert (labels["tree"], told) == ("(a (b c))", 1)
    assert {labels["how"]: told for labels, told in found["migrations_total"]} == {
        "moving": 1, "parallel": 1,
    }  # fmt: skip


def test_what_is_not_measured_of_a_join_is_left_out(tmp_path: Path) -> None:
    found = samples_of(joined(tmp_path, 24))
    assert "join_predicted_seconds" in found
    assert "join_measured_seconds" not in found
    assert "join_prediction_error_ratio" not in found
    assert not [name for name in samples_of(ended(tmp_path / "b", 3)) if "join" in name]


def test_names_say_what_and_in_which_unit() -> None:
    names = [metric.name for metric in METRICS]
    assert len(set(names)) == len(names)
    for metric in METRICS:
        assert re.fullmatch(r"slackwater_[a-z_]+", metric.name)
        assert metric.name.endswith("_total") == (metric.kind == "counter"), metric.name
        assert metric.name.removesuffix("_total").rsplit("_", 1)[-1] in UNITS, metric.name
        assert len(metric.help) > 5


def test_every_metric_is_documented_and_none_that_is_not_there() -> None:
    manual = (ROOT / "docs" / "events-and-metrics.md").read_text(encoding="utf-8")
    named = set(re.findall(r"`(slackwater_[a-z_]+)`", manual))
    assert named == {metric.name for metric in METRICS}
    for metric in METRICS:
        row = next(line for line in manual.splitlines() if f"`{metric.name}`" in line)
        assert metric.kind in row
        assert all(label in row for label in metric.labels), metric.name


def test_the_dashboard_for_grafana_asks_for_metrics_that_exist() -> None:
    value = json.loads((ROOT / "src/slackwater/dashboard/grafana.json").read_text())
    asked = set(re.findall(r"slackwater_[a-z_]+", json.dumps(value["panels"])))
    asked |= set(re.findall(r"slackwater_[a-z_]+", json.dumps(value["templating"])))
    assert asked
    assert asked <= {metric.name for metric in METRICS}
    labels = set(re.findall(r"\{\{(\w+)\}\}", json.dumps(value)))
    assert labels <= {label for metric in METRICS for label in metric.label_names}


def test_two_runs_of_the_same_name_are_told_apart(tmp_path: Path) -> None:
    runs = [Follower(ended(tmp_path / place / "run", 3)) for place in "ab"]
    for run in runs:
        run.look_through()
        run.close()
    slack = next(metric for metric in METRICS if metric.name == "slackwater_slack_seconds")
    names = {sample.labels[0] for sample in slack.samples(runs)}
    assert names == {str(tmp_path / "a" / "run"), str(tmp_path / "b" / "run")}


def test_names_of_queries_are_escaped(tmp_path: Path) -> None:
    odd = 'a"b\\c\nd'
    log = EventLog(tmp_path / "events.jsonl")
    log.write("batch", **batch(0, names=(odd,)))
    log.close()
    run = Follower(tmp_path)
    run.look_through()
    run.close()
    registry = CollectorRegistry()
    registry.register(Collector([run]))
    samples = [s for f in parse(generate_latest(registry).decode()) for s in f.samples]
    assert odd in {s.labels.get("query") for s in samples}


def test_opentelemetry_gets_the_same_numbers(run: Follower) -> None:
    reader = InMemoryMetricReader()
    provider = otel.export([run], reader)
    data = reader.get_metrics_data()
    provider.shutdown()
    assert data is not None
    found = {m.name: m for r in data.resource_metrics for s in r.scope_metrics for m in s.metrics}
    assert found["slackwater_slack_seconds"].unit == "s"
    points = found["slackwater_slack_seconds"].data.data_points
    assert {p.attributes["query"]: p.value for p in points}["fixed"] == 2.0
    late = found["slackwater_late_rows"].data.data_points
    assert {p.value for p in late} == {100}


def test_a_collector_receives_them(run: Follower) -> None:
    received: list[tuple[str, bytes]] = []

    class Receiver(BaseHTTPRequestHandler):
        def do_POST(self) -> None:
            body = self.rfile.read(int(self.headers["Content-Length"]))
            received.append((self.path, body))
            self.send_response(200)
            self.end_headers()

        def log_message(self, *_: object) -> None: ...

    with HTTPServer(("127.0.0.1", 0), Receiver) as server:
        thread = threading.Thread(target=server.serve_forever, daemon=True)
        thread.start()
        endpoint = f"http://127.0.0.1:{server.server_port}/v1/metrics"
        otel.export([run], otel.sender(endpoint, 60)).shutdown()
        server.shutdown()
        thread.join()
    assert received[0][0] == "/v1/metrics"
    assert b"slackwater_slack_seconds" in received[0][1]


def test_without_the_extra_it_is_said_what_to_install(
    run: Follower, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(otel, "IS_INSTALLED", False)
    with pytest.raises(SlackwaterError, match=r"slackwater\[otel\]"):
        otel.sender("http://127.0.0.1:1/v1/metrics", 1)


def test_the_command_prints_them(tmp_path: Path) -> None:
    words = command("metrics", ended(tmp_path / "run", 4))
    text = subprocess.run(words, capture_output=True, text=True, timeout=60, check=True).stdout
    assert "slackwater_slack_seconds" in {family.name for family in parse(text)}
