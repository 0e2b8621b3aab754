"""``slackwater dashboard``, ``report`` and ``metrics``: read events in a process without Spark."""

from __future__ import annotations

import os
import subprocess
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Annotated, NoReturn

import typer

from slackwater.errors import SlackwaterError

PORT = 8765
Checkpoints = Annotated[
    list[Path], typer.Argument(metavar="CHECKPOINT...", help="Folders of running or ended runs.")
]


def dashboard(
    checkpoints: Checkpoints,
    host: Annotated[
        str, typer.Option(help="Address; others than this machine need SLACKWATER_TOKEN set.")
    ] = "127.0.0.1",
    port: Annotated[int, typer.Option(min=0, max=65_535, help="Port; 0 for any free one.")] = PORT,
) -> None:
    """Show runs on a web page, live or looking back, until Ctrl-C.

    The page reads the event logs only; it costs the pipelines nothing. Metrics for Prometheus are
    under /metrics. If SLACKWATER_TOKEN is set, every request must bring it.
    """
    _hand_over("serve", "--host", host, "--port", str(port), "--", *map(str, checkpoints))


def report(
    checkpoints: Checkpoints,
    output: Annotated[Path, typer.Option("--output", "-o", help="The file to write.")] = Path(
        "report.html"
    ),
) -> None:
    """Write runs as one HTML file that opens without a server."""
    _hand_over("report", "--output", str(output), "--", *map(str, checkpoints))


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
    words = ["--every", str(every)]
    words += ["--otlp", otlp] if otlp else []
    words += ["--grafana"] if grafana else []
    _hand_over("metrics", *words, "--", *map(str, checkpoints or ()))


def _command(*words: str) -> list[str]:
    return [sys.executable, "-m", "slackwater.dashboard", *words]


def _hand_over(*words: str) -> NoReturn:
    """Become the process that reads events; it needs a fraction of the memory."""
    sys.stdout.flush()
    os.execv(sys.executable, _command(*words))


@contextmanager
def page_beside(checkpoint: Path, port: int) -> Iterator[str]:
    """The page of one run, served by a child process as long as this lasts; gives its address."""
    words = ("serve", "--until-eof", "--port", str(port), "--", str(checkpoint))
    child = subprocess.Popen(
        _command(*words),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        start_new_session=True,  # Ctrl-C is for the pipeline; the page ends after it
    )
    try:
        yield _address(child)
    finally:
        child.communicate()  # closing its input ends it


def _address(child: subprocess.Popen[str]) -> str:
    assert child.stdout is not None
    line = child.stdout.readline()
    if line.startswith("page at "):
        return line.removeprefix("page at ").strip()
    _, said = child.communicate()
    hint = "see 'slackwater dashboard --help'"
    raise SlackwaterError("PAGE_FAILED", f"the page cannot be served: {said.strip()}", hint)
