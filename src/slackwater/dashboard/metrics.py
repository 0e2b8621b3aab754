"""The metrics of a run, for Prometheus: one table of names, and a reader for each."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

import numpy as np
from prometheus_client import Metric as Family
from prometheus_client.core import CounterMetricFamily, GaugeMetricFamily
from prometheus_client.registry import Collector as Base

from slackwater.dashboard.readings import (
    Labels,
    Reading,
    accuracy_target,
    balancing,
    became,
    broken,
    controllers,
    had,
    happened,
    in_force,
    is_running,
    last,
    last_named,
    migrations,
    newest_latency,
    one,
    promised,
    rank_last,
    rank_total,
    spent,
    tier,
    total,
    unusable,
    waiting,
)
from slackwater.history.follow import Follower
from slackwater.history.table import AT, BATCH, Key
from slackwater.units import SECOND


class Sample(NamedTuple):
    """A value under its labels, the pipeline's name first."""

    labels: Labels
    value: float


@dataclass(frozen=True, slots=True)
class Metric:
    """A metric: its name ends in its unit, ``labels`` come after ``pipeline``."""

    name: str
    kind: Literal["gauge", "counter"]
    help: str
    labels: Labels
    read: Reading

    @property
    def label_names(self) -> Labels:
        return ("pipeline", *self.labels)

    def samples(self, runs: Sequence[Follower]) -> Iterator[Sample]:
        """The values that are known now."""
        for run, name in zip(runs, _names(runs), strict=True):
            with run.lock:
                found = list(self.read(run.history))
            for labels, value in found:
                if value is not None and np.isfinite(value):
                    yield Sample((name, *labels), float(value))


def _names(runs: Sequence[Follower]) -> list[str]:
    """Folder names; where two are the same, the whole path."""
    names = [run.name for run in runs]
    return [
        name if names.count(name) == 1 else str(run.path.parent.absolute())
        for name, run in zip(names, runs, strict=True)
    ]


QUERY, STREAM = ("query",), ("stream",)

METRICS: tuple[Metric, ...] = (
    Metric(
        "slackwater_slack_seconds",
        "gauge",
        "How long the query waits for stragglers, in event time",
        QUERY,
        last("query", "slack", SECOND),
    ),
    Metric(
        "slackwater_watermark_lag_seconds",
        "gauge",
        "How far the watermark is behind the query's clock",
        QUERY,
        last("query", "lag", SECOND),
    ),
    Metric(
        "slackwater_watermark_timestamp_seconds",
        "gauge",
        "Event time up to which windows are answered",
        QUERY,
        last("query", "watermark", SECOND),
    ),
    Metric(
        "slackwater_latency_seconds",
        "gauge",
        "Event time between the end of windows and their answer, newest",
        QUERY,
        newest_latency,
    ),
    Metric(
        "slackwater_error_ratio",
        "gauge",
        "Share of measured results that broke their error bound",
        QUERY,
        broken,
    ),
    Metric(
        "slackwater_error_allowed_ratio",
        "gauge",
        "Share of results that may break their error bound",
        QUERY,
        promised("error"),
    ),
    Metric(
        "slackwater_recall_ratio",
        "gauge",
        "Share of results that were found, newest",
        QUERY,
        last("query", "recall"),
    ),
    Metric(
        "slackwater_recall_promised_ratio",
        "gauge",
        "Share of results that must be found",
        QUERY,
        promised("recall"),
    ),
    Metric(
        "slackwater_coverage_ratio",
        "gauge",
        "Share of a window's rows that were in when it was answered, as measured last",
        QUERY,
        last("query", "measured_coverage"),
    ),
    Metric(
        "slackwater_late_rows_total",
        "counter",
        "Rows that missed at least one of their windows",
        QUERY,
        total("query", "late"),
    ),
    Metric(
        "slackwater_dropped_rows_total",
        "counter",
        "Rows that missed all of their windows",
        QUERY,
        total("query", "dropped"),
    ),
    Metric(
        "slackwater_aside_rows_total",
        "counter",
        "Rows written to the side output",
        QUERY,
        total("query", "aside"),
    ),
    Metric(
        "slackwater_results_total", "counter", "Answers given", QUERY, total("query", "emitted")
    ),
    Metric(
        "slackwater_measured_results_total",
        "counter",
        "Results whose error is known",
        QUERY,
        total("query", "measured"),
    ),
    Metric(
        "slackwater_estimates_total",
        "counter",
        "Estimates of open windows given",
        QUERY,
        total("estimates", "rows"),
    ),
    Metric(
        "slackwater_prods_total",
        "counter",
        "Demands for estimates answered",
        QUERY,
        total("estimates", "prods"),
    ),
    Metric(
        "slackwater_refused_prods_total",
        "counter",
        "Demands of people that could not be answered",
        QUERY,
        total("estimates", "refused"),
    ),
    Metric(
        "slackwater_mistimed_windows_total",
        "counter",
        "Windows that were answered for good before their prod was due",
        QUERY,
        total("estimates", "late"),
    ),
    Metric(
        "slackwater_estimate_accuracy_ratio",
        "gauge",
        "Mean accuracy of the newest estimates whose final is known",
        ("query", "column"),
        last_named("accuracy_recent"),
    ),
    Metric(
        "slackwater_estimate_accuracy_worst_ratio",
        "gauge",
        "Worst accuracy of an estimate so far",
        ("query", "column"),
        last_named("accuracy_worst"),
    ),
    Metric(
        "slackwater_estimate_accuracy_target_ratio",
        "gauge",
        "Mean accuracy that estimates of this source are to keep",
        ("query", "source"),
        accuracy_target,
    ),
    Metric(
        "slackwater_aggressiveness_slides",
        "gauge",
        "How long before the end of a window this source prods it, in slides",
        ("query", "source"),
        last_named("aggressiveness"),
    ),
    Metric(
        "slackwater_backlog_rows",
        "gauge",
        "Rows of a costly query that wait: for their turn, or aside after an estimate",
        ("query", "place"),
        waiting,
    ),
    Metric(
        "slackwater_backlog_age_seconds",
        "gauge",
        "How far the oldest row that waits is behind the query's clock",
        QUERY,
        last("backlog", "age", SECOND),
    ),
    Metric(
        "slackwater_worked_rows_total",
        "counter",
        "Rows of a costly query that were worked on",
        QUERY,
        total("backlog", "worked"),
    ),
    Metric(
        "slackwater_shed_rows_total",
        "counter",
        "Rows of a costly query that were given up after an estimate",
        QUERY,
        total("backlog", "shed"),
    ),
    Metric(
        "slackwater_expired_rows_total",
        "counter",
        "Rows of a query under overload whose lifespan was over before their turn",
        QUERY,
        total("backlog", "expired"),
    ),
    Metric(
        "slackwater_budget_units",
        "gauge",
        "Rows and expected combinations that the newest batch could work on",
        QUERY,
        last("backlog", "budget"),
    ),
    Metric(
        "slackwater_complete_rank",
        "gauge",
        "Up to this rank no row waits, and none was given up in the newest batch; 0 for none",
        QUERY,
        last("backlog", "complete"),
    ),
    Metric(
        "slackwater_rank_rows_total",
        "counter",
        "Rows of a rank, by what became of them: admitted, worked, expired, shed",
        ("query", "rank", "fate"),
        became,
    ),
    Metric(
        "slackwater_rank_promising_rows_total",
        "counter",
        "Rows that were admitted to a rank for the sake of critical ones",
        ("query", "rank"),
        rank_total("promising"),
    ),
    Metric(
        "slackwater_rank_waiting_rows",
        "gauge",
        "Rows of a rank that wait for their turn",
        ("query", "rank"),
        rank_last("waiting"),
    ),
    Metric(
        "slackwater_rank_used_units_total",
        "counter",
        "Units of the budget that rows of a rank took",
        ("query", "rank"),
        rank_total("used"),
    ),
    Metric(
        "slackwater_rank_criteria",
        "gauge",
        "Values of join columns that promise a rank",
        ("query", "rank"),
        rank_last("criteria"),
    ),
    Metric(
        "slackwater_rank_promised_results",
        "gauge",
        "Critical results that these values promise, by what came lately",
        ("query", "rank"),
        rank_last("yield"),
    ),
    Metric(
        "slackwater_join_predicted_seconds",
        "gauge",
        "Time of joining in a batch that the plan in force is predicted to take",
        QUERY,
        last("join", "predicted_ms", 1000),
    ),
    Metric(
        "slackwater_join_measured_seconds",
        "gauge",
        "Time of joining in a batch that it took; left out right after a change",
        QUERY,
        last("join", "measured_ms", 1000),
    ),
    Metric(
        "slackwater_join_prediction_error_ratio",
        "gauge",
        "How much more was predicted than measured, as a share of that; negative for less",
        QUERY,
        last("join", "error"),
    ),
    Metric(
        "slackwater_join_memory_bytes",
        "gauge",
        "What inputs and inner nodes of a join hold",
        QUERY,
        last("join", "held"),
    ),
    Metric(
        "slackwater_join_memory_limit_bytes",
        "gauge",
        "What they may hold",
        QUERY,
        last("join", "limit"),
    ),
    Metric(
        "slackwater_join_plan_info",
        "gauge",
        "The tree by which a join runs: 1 for the one in force",
        ("query", "tree"),
        in_force,
    ),
    Metric(
        "slackwater_migrations_total",
        "counter",
        "Changes of the tree of a join, by how they were made",
        ("query", "how"),
        migrations,
    ),
    Metric(
        "slackwater_controller_value",
        "gauge",
        "A number that a controller explains of its newest decision, under its own label",
        ("query", "controller", "value"),
        controllers,
    ),
    Metric("slackwater_rows_total", "counter", "Rows read", STREAM, total("stream", "rows")),
    Metric(
        "slackwater_unusable_rows_total",
        "counter",
        "Rows that cannot be placed in time, by reason",
        ("stream", "reason"),
        unusable,
    ),
    Metric(
        "slackwater_clock_timestamp_seconds",
        "gauge",
        "Largest event time seen",
        STREAM,
        last("stream", "clock", SECOND),
    ),
    Metric(
        "slackwater_batches_total",
        "counter",
        "Micro-batches done",
        (),
        one(lambda h: h.table.total(Key("run", "", "batches"))),
    ),
    Metric(
        "slackwater_batch_number",
        "gauge",
        "Number of the newest batch",
        (),
        one(lambda h: h.table.last(BATCH)),
    ),
    Metric(
        "slackwater_batch_timestamp_seconds",
        "gauge",
        "Wall time of the newest batch",
        (),
        one(lambda h: (h.table.last(AT) or np.nan) / SECOND),
    ),
    Metric(
        "slackwater_batch_duration_seconds",
        "gauge",
        "Time spent in the newest batch, by phase",
        ("phase",),
        last("verb", "ms", 1000),
    ),
    Metric(
        "slackwater_busy_seconds_total",
        "counter",
        "Time spent in batches, by phase",
        ("phase",),
        spent,
    ),
    Metric(
        "slackwater_state_rows",
        "gauge",
        "Rows of state, by state",
        ("state",),
        last("state", "rows"),
    ),
    Metric(
        "slackwater_state_bytes",
        "gauge",
        "Size of state on disk, by state",
        ("state",),
        last("state", "bytes"),
    ),
    Metric(
        "slackwater_task_rows",
        "gauge",
        "Rows that a task had in the newest batch: of state, and new ones in its queues",
        ("task", "place"),
        had,
    ),
    Metric(
        "slackwater_moved_groups_total",
        "counter",
        "Groups of state that were given to other tasks",
        (),
        one(lambda h: h.table.total(Key("run", "", "moved"))),
    ),
    Metric(
        "slackwater_balancing_seconds",
        "gauge",
        "Wall time of the newest balancing: batches one after the other that moved groups",
        (),
        one(balancing),
    ),
    Metric(
        "slackwater_tier_info",
        "gauge",
        "Where state is advanced: 1 for the tier in use",
        ("tier",),
        tier,
    ),
    Metric(
        "slackwater_running_info",
        "gauge",
        "1 while the log does not say that the pipeline ended",
        (),
        one(is_running),
    ),
    Metric("slackwater_errors_total", "counter", "Batches that failed", (), happened("error")),
    Metric("slackwater_notices_total", "counter", "Notices given", (), happened("notice")),
    Metric(
        "slackwater_damaged_lines_total",
        "counter",
        "Lines of the event log that cannot be read",
        (),
        happened("damaged"),
    ),
)


class Collector(Base):
    """Gives the registry of ``prometheus_client`` what the logs say now."""

    def __init__(self, runs: Sequence[Follower]) -> None:
        self._runs = runs

    def collect(self) -> Iterator[Family]:
        for metric in METRICS:
            make = GaugeMetricFamily if metric.kind == "gauge" else CounterMetricFamily
            family = make(metric.name, metric.help, labels=metric.label_names)
            for sample in metric.samples(self._runs):
                family.add_metric(sample.labels, sample.value)
            yield family
