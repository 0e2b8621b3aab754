"""``slackwater demo``: a disordered sensor stream, answered live."""

from __future__ import annotations

import io
import json
import re
import tempfile
from collections.abc import Iterator
from contextlib import contextmanager, nullcontext, suppress
from pathlib import Path
from threading import Event
from typing import Annotated

import typer
from rich.console import Console
from rich.panel import Panel

from slackwater.cli.options import Json, TierChoice
from slackwater.cli.overload import queries as burst
from slackwater.cli.page import page_beside
from slackwater.cli.perform import Run, perform
from slackwater.cli.show.summary import print_summary
from slackwater.errors import StorageError
from slackwater.query.contract import max_error, slack
from slackwater.query.estimates import estimates
from slackwater.query.stream import Query, Stream
from slackwater.runs.files import storage_error
from slackwater.spark.pipeline import Options, stream
from slackwater.spark.sources.generator import generator
from slackwater.stats.lateness import Disorder
from slackwater.stats.workload import Values

TITLE = "slackwater demo"
SPEED = 10.0  # seconds of event time per second on the wall
ROWS_PER_SECOND = 2_000.0  # of event time
MOST_ROWS = 40_000  # of a batch: what piles up while Spark warms up is caught up in steps
SENSORS = 12
_FONTS = re.compile(r"@font-face \{.*?\}\s*", re.DOTALL)  # a picture need not fetch anything


def demo(
    *,
    seconds: Annotated[
        float, typer.Option(min=1.0, help="How long to run; Spark's start is not counted.")
    ] = 60.0,
    json_: Json = False,
    keep: Annotated[
        Path | None, typer.Option(help="Folder for results and state; a temporary one if left out.")
    ] = None,
    tier: Annotated[TierChoice, typer.Option(help="Where state lives.")] = TierChoice.auto,
    picture: Annotated[
        Path | None, typer.Option(help="Also save the last view as an SVG picture.")
    ] = None,
    dashboard: Annotated[
        bool, typer.Option("--dashboard", help="Also serve a live page, until Ctrl-C.")
    ] = False,
    port: Annotated[
        int | None, typer.Option(min=0, max=65_535, help="Port of the page; 0 for any free one.")
    ] = None,
    overload: Annotated[
        bool,
        typer.Option("--overload", help="Show a burst instead, and whose results come first."),
    ] = False,
) -> None:
    """Watch a disordered sensor stream being answered.

    Three queries share one stream: "overview" waits long, windows over windows, and says every ten
    seconds what it would answer; "quick" waits little and corrects itself when stragglers come;
    "bounded" promises an error and chooses its own slack, and gives estimates as early as they are
    accurate enough. After a third of the time the stream's delays grow.

    With --overload two queries match orders and payments, in the middle third many times as many.
    Both may do as much work in a batch: "by_rank" does that of the best customers first,
    "as_they_come" the oldest.
    """
    console = Console(stderr=json_)
    options = Options(trigger="500 ms", tier=tier.value)
    asked, title = (
        (burst(seconds), f"{TITLE} --overload") if overload else (queries(seconds), TITLE)
    )
    run = Run(asked, _folder(keep), options, title, seconds, collect=True)
    with _page(console, run.folder, port) if dashboard else nullcontext() as address:
        done = perform(run, console, "silent" if json_ else "screen")
        if picture is not None:
            save_picture(picture, done.picture, title)
        if json_:
            typer.echo(json.dumps({"command": "demo", "page": address, **done.summary}))
        else:
            print_summary(console, done.summary)
        if address is not None and console.is_terminal and not json_:
            _linger(console, address)


@contextmanager
def _page(console: Console, folder: Path, port: int | None) -> Iterator[str]:
    """The page of the demo in a process of its own."""
    # the folder counts as a checkpoint once its log is there
    (folder / "events.jsonl").touch()
    with page_beside(folder, port) as address:
        console.print(f"page at {address}", highlight=False, soft_wrap=True)
        yield address


def _linger(console: Console, address: str) -> None:
    """The page can be scrubbed through when the demo is over."""
    console.print(f"the page stays at {address} until Ctrl-C", highlight=False, soft_wrap=True)
    with suppress(KeyboardInterrupt):
        Event().wait()


def queries(seconds: float) -> tuple[Query, ...]:
    """The demo's three queries; its regime change comes after a third of ``seconds``."""
    readings = sensors(change=seconds * SPEED / 3).select("key AS sensor", "value")
    per_sensor = readings.window("10 s", "2 s").group_by("sensor")
    levels = per_sensor.aggregate(
        n="count(*)", mean="avg(value)", p95="approx_percentile(value, 0.95)", peak="max(value)"
    )
    overview = levels.window("30 s").aggregate(
        windows="count(*)",
        mean="avg(mean)",
        spread="stddev(mean)",
        p95="avg(p95)",
        peak="max(peak)",
    )
    quick = per_sensor.aggregate(n="count(*)", mean="avg(value)", peak="max(value)")
    bounded = per_sensor.aggregate(n="count(*)", mean="avg(value)")
    return (
        overview.query("overview", slack("15 s"), late="side", estimates=estimates(every="10 s")),
        quick.query("quick", slack("2 s"), late="revise", keep="1 min"),
        bounded.query(
            "bounded",
            max_error(0.02, confidence=0.9, at_most="30 s"),
            estimates=estimates(accuracy=0.95, of="mean"),
        ),
    )


def sensors(change: float) -> Stream:
    """A seeded stream: heavy-tailed delays that grow after ``change`` seconds of event time."""
    storm = Disorder.of(late=0.5, delay="pareto", scale="1500 ms", shape=1.3, cap="90 s")
    calm = Disorder.of(
        late=0.3, delay="pareto", scale="300 ms", cap="60 s", regimes=[(change, storm)]
    )
    source = generator(
        ROWS_PER_SECOND,
        keys=SENSORS,
        values=Values("normal", mean=20.0, spread=3.0),
        disorder=calm,
        seed=7,
        speed=SPEED,
        rows_per_batch=MOST_ROWS,
    )
    return stream("sensors", source, time="ts", arrival="arrival")


def _folder(keep: Path | None) -> Path:
    if keep is None:
        return Path(tempfile.mkdtemp(prefix="slackwater-demo-"))
    folder = keep.absolute()
    try:
        folder.mkdir(parents=True, exist_ok=True)
        taken = any(folder.iterdir())
    except OSError as error:
        raise storage_error(error, folder) from error
    if taken:
        raise StorageError(
            "FOLDER_NOT_EMPTY", f"{folder} is not empty", "give --keep a new or empty folder"
        )
    return folder


def save_picture(path: Path, picture: Panel, title: str = TITLE) -> None:
    """Save the last view as SVG."""
    paper = Console(record=True, width=104, file=io.StringIO(), force_terminal=True)
    paper.print(picture)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        svg = _FONTS.sub("", paper.export_svg(title=title))
        path.write_text(svg, encoding="utf-8")
    except OSError as error:
        raise storage_error(error, path) from error
