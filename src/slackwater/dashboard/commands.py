"""``slackwater dashboard``, ``report`` and ``metrics``: read events, in a process without Spark."""

from __future__ import annotations

import os
import sys
import time
from contextlib import ExitStack, closing
from importlib.resources import files
from pathlib import Path
from typing import Annotated

import typer
from prometheus_client import CollectorRegistry, generate_latest

from slackwater.dashboard import otel
from slackwater.dashboard.metrics import Collector
from slackwater.dashboard.report import write_report
from slackwater.dashboard.serve import serve
from slackwater.dashboard.settings import LOOPBACK, PORT, Settings
from slackwater.errors import SlackwaterError
from slackwater.history.follow import Follower

TOKEN = "SLACKWATER_TOKEN"  # where the token is looked for: a command line can be seen by others
Checkpoints = Annotated[
    list[Path], typer.Argument(metavar="CHECKPOINT...", help="Folders of running or ended runs.")
]


def dashboard(
    checkpoints: Checkpoints,
    host: Annotated[
        str, typer.Option(help=f"Address; others than this machine need {TOKEN} set.")
    ] = LOOPBACK,
    port: Annotated[int, typer.Option(min=0, max=65_535, help="Port; 0 for any free one.")] = PORT,
    until_eof: Annotated[bool, typer.Option("--until-eof", hidden=True)] = False,
) -> None:
    """Show runs on a web page, live or looking back, until Ctrl-C.

    The page reads the event logs only; it costs the pipelines nothing. Metrics for Prometheus are
    under /metrics. If SLACKWATER_TOKEN is set, every request must bring it.
    """
    settings = Settings(host, port, os.environ.get(TOKEN) or None)

    def tell(url: str) -> None:
        print(f"page at {url}", flush=True)

    serve(checkpoints, settings, tell=tell, until_eof=until_eof)


def report(
    checkpoints: Checkpoints,
    output: Annotated[Path, typer.Option("--output", "-o", help="The file to write.")] = Path(
        "report.html"
    ),
) -> None:
    """Write runs as one HTML file that opens without a server."""
    size = write_report(checkpoints, output)
    print(f"{output}: {size / 1024:,.0f} kB, opens without a server")


def metrics(
    checkpoints: Annotated[
        list[Path] | None, typer.Argument(metavar="CHECKPOINT...", help="Folders of runs.")
    ] = None,
    otlp: Annotated[
        str | None,
        typer.Option(help="Keep sending to this OTLP/HTTP address, e.g. .../v1/metrics."),
    ] = None,
    every: Annotated[float, typer.Option(min=0.1, help="Seconds between two sendings.")] = 10.0,
    grafana: Annotated[
        bool, typer.Option("--grafana", help="Print a dashboard for Grafana instead.")
    ] = False,
) -> None:
    """Print metrics in the text format of Prometheus, or send them by OpenTelemetry."""
    if grafana:
        print(files("slackwater.dashboard").joinpath("grafana.json").read_text(encoding="utf-8"))
        return
    if not checkpoints:
        raise SlackwaterError(
            "CHECKPOINT_MISSING", "no checkpoint is given", "slackwater metrics CHECKPOINT..."
        )
    with ExitStack() as opened:
        runs = [
            opened.enter_context(closing(Follower(checkpoint, long=1 << 62)))
            for checkpoint in checkpoints
        ]
        for run in runs:
            run.look_through()
        if otlp is None:
            _print(runs)
        else:
            _send(runs, otlp, every)


def _print(runs: list[Follower]) -> None:
    registry = CollectorRegistry()
    registry.register(Collector(runs))
    sys.stdout.write(generate_latest(registry).decode())


def _send(runs: list[Follower], otlp: str, every: float) -> None:
    provider = otel.export(runs, otel.sender(otlp, every))
    try:
        while True:
            read = [run.look() for run in runs]
            if not any(read):
                time.sleep(0.5)
    finally:
        provider.shutdown()
