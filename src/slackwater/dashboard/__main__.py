"""The page, the report and the metrics in a process of their own, which knows no Spark.

``slackwater dashboard``, ``report`` and ``metrics`` hand over to it.
"""

from __future__ import annotations

import argparse
import os
import sys
import time
from importlib.resources import files
from pathlib import Path

from prometheus_client import CollectorRegistry, generate_latest

from slackwater.dashboard import otel
from slackwater.dashboard.metrics import Collector
from slackwater.dashboard.report import write_report
from slackwater.dashboard.serve import serve
from slackwater.dashboard.settings import LOOPBACK, PORT, Settings
from slackwater.errors import SlackwaterError
from slackwater.history.follow import Follower

TOKEN = "SLACKWATER_TOKEN"  # where the token is looked for: a command line can be seen by others
FAILED = 2


def main(arguments: list[str] | None = None) -> int:
    asked = _parser().parse_args(arguments)
    try:
        asked.run(asked)
    except SlackwaterError as error:
        print(f"error {error}", file=sys.stderr)
        return FAILED
    except KeyboardInterrupt:
        return 130
    except BrokenPipeError:  # whoever read has enough
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m slackwater.dashboard", description=__doc__)
    commands = parser.add_subparsers(required=True)
    page = commands.add_parser("serve")
    page.add_argument("--host", default=LOOPBACK)
    page.add_argument("--port", type=int, default=PORT)
    page.add_argument("--until-eof", action="store_true")
    page.set_defaults(run=_serve)
    report = commands.add_parser("report")
    report.add_argument("--output", type=Path, required=True)
    report.set_defaults(run=_report)
    metrics = commands.add_parser("metrics")
    metrics.add_argument("--otlp")
    metrics.add_argument("--every", type=float, default=10.0)
    metrics.add_argument("--grafana", action="store_true")
    metrics.set_defaults(run=_metrics)
    for command in (page, report, metrics):
        command.add_argument("checkpoints", nargs="*", type=Path)
    return parser


def _serve(asked: argparse.Namespace) -> None:
    settings = Settings(asked.host, asked.port, os.environ.get(TOKEN) or None)

    def tell(url: str) -> None:
        print(f"page at {url}", flush=True)

    serve(asked.checkpoints, settings, tell=tell, until_eof=asked.until_eof)


def _report(asked: argparse.Namespace) -> None:
    size = write_report(asked.checkpoints, asked.output)
    print(f"{asked.output}: {size / 1024:,.0f} kB, opens without a server")


def _metrics(asked: argparse.Namespace) -> None:
    if asked.grafana:
        print(files("slackwater.dashboard").joinpath("grafana.json").read_text(encoding="utf-8"))
        return
    if not asked.checkpoints:
        raise SlackwaterError(
            "CHECKPOINT_MISSING", "no checkpoint is given", "slackwater metrics CHECKPOINT..."
        )
    runs = [Follower(checkpoint, long=1 << 62) for checkpoint in asked.checkpoints]
    for run in runs:
        run.look_through()
    if asked.otlp is None:
        registry = CollectorRegistry()
        registry.register(Collector(runs))
        sys.stdout.write(generate_latest(registry).decode())
        return
    provider = otel.export(runs, otel.sender(asked.otlp, asked.every))
    try:
        _follow(runs)
    finally:
        provider.shutdown()


def _follow(runs: list[Follower]) -> None:
    while True:
        read = [run.look() for run in runs]
        if not any(read):
            time.sleep(0.5)


if __name__ == "__main__":
    sys.exit(main())
