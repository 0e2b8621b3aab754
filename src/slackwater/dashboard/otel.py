"""The same metrics for OpenTelemetry, sent to a collector every so often (extra ``otel``)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from slackwater.dashboard.metrics import METRICS, Metric
from slackwater.errors import SlackwaterError
from slackwater.history.follow import Follower

try:
    from opentelemetry.exporter.otlp.proto.http.metric_exporter import OTLPMetricExporter
    from opentelemetry.metrics import CallbackOptions, Observation
    from opentelemetry.sdk.metrics import MeterProvider
    from opentelemetry.sdk.metrics.export import MetricReader, PeriodicExportingMetricReader

    IS_INSTALLED = True
except ImportError:  # pragma: no cover - without the extra
    IS_INSTALLED = False

_UNITS = {"seconds": "s", "rows": "{row}", "bytes": "By", "ratio": "1"}


def sender(endpoint: str, every: float) -> MetricReader:
    """Sends metrics to an OTLP/HTTP endpoint every so many seconds."""
    _require_extra()
    exporter = OTLPMetricExporter(endpoint=endpoint)
    return PeriodicExportingMetricReader(exporter, export_interval_millis=every * 1000)


def _require_extra() -> None:
    if not IS_INSTALLED:
        raise SlackwaterError(
            "OTEL_MISSING",
            "OpenTelemetry is not installed",
            "install it with: pip install 'slackwater[otel]'",
        )


def export(runs: Sequence[Follower], reader: MetricReader) -> MeterProvider:
    """Let a reader have the metrics of some runs; shut the provider down to end."""
    _require_extra()
    provider = MeterProvider(metric_readers=[reader], shutdown_on_exit=False)
    meter = provider.get_meter("slackwater")
    for metric in METRICS:
        make: Any = (
            meter.create_observable_gauge
            if metric.kind == "gauge"
            else meter.create_observable_counter
        )
        make(
            metric.name.removesuffix("_total"),
            callbacks=[_observe(metric, runs)],
            unit=_unit(metric),
            description=metric.help,
        )
    return provider


def _unit(metric: Metric) -> str:
    words = metric.name.removesuffix("_total").split("_")
    return _UNITS.get(words[-1], "1")


def _observe(
    metric: Metric, runs: Sequence[Follower]
) -> Callable[[CallbackOptions], Iterable[Observation]]:
    def observe(_: CallbackOptions) -> Iterable[Observation]:
        for sample in metric.samples(runs):
            labels = dict(zip(metric.label_names, sample.labels, strict=True))
            yield Observation(sample.value, labels)

    return observe
