"""``slackwater advise``: how long to wait, from a recorded stream. Starts nothing."""

from __future__ import annotations

import json
from dataclasses import asdict
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.progress import BarColumn, Progress, TaskProgressColumn, TextColumn, TimeElapsedColumn
from rich.text import Text

from slackwater.cli.advice import tell_advice
from slackwater.cli.options import Json
from slackwater.errors import SlackwaterError, StorageError
from slackwater.replay.advise import (
    Advice,
    Columns,
    Frames,
    Recording,
    Settings,
    Target,
    Unit,
    read_recording,
    settings,
)
from slackwater.replay.advise import (
    advise as advise_on,
)
from slackwater.replay.advise.plot import draw
from slackwater.units import duration

PICTURES = (".png", ".svg", ".pdf")


def advise(
    *,
    files: Annotated[
        list[str],
        typer.Argument(metavar="FILES...", help="Parquet, CSV or JSON files, folders, globs."),
    ],
    time: Annotated[str, typer.Option(metavar="COLUMN", help="Event time.")],
    window: Annotated[str, typer.Option(help='Window size, e.g. "60s".')],
    aggregate: Annotated[str, typer.Option(help='E.g. "sum(v)"; count, sum, avg, min, max.')],
    arrival: Annotated[
        str | None,
        typer.Option(metavar="COLUMN", help="Orders the rows as they came; file order if not."),
    ] = None,
    slide: Annotated[str | None, typer.Option(help="Windows tumble if left out.")] = None,
    by: Annotated[
        list[str] | None, typer.Option(metavar="COLUMN", help="Key; may be repeated.")
    ] = None,
    error: Annotated[float, typer.Option(help="Relative error allowed.")] = 0.01,
    confidence: Annotated[float, typer.Option(help="Share of results that keep it.")] = 0.95,
    time_unit: Annotated[
        Unit | None, typer.Option(help="What one is, if time is a number since the epoch.")
    ] = None,
    sort: Annotated[bool, typer.Option("--sort", help="Sort the rows by arrival.")] = False,
    step: Annotated[
        str | None, typer.Option(help="Event time between steps of the controller.")
    ] = None,
    json_: Json = False,
    plot: Annotated[Path | None, typer.Option(help="Draw a picture (png, svg or pdf).")] = None,
) -> None:
    """Tell how long to wait for stragglers, from a recorded stream.

    Plays the recording under many fixed delays and under quality-driven slack, and names the
    smallest fixed delay with which enough results keep the error bound. Needs no Spark.
    """
    size = duration(window)
    frames = Frames(size, size if slide is None else duration(slide))
    target = Target(error, confidence)
    interval = None if step is None else _positive(step)
    _check_picture(plot)
    columns = Columns(time, aggregate, arrival, tuple(by or ()), time_unit, sort)
    with _progress() as progress:
        task = progress.add_task("read", total=None)

        def tell(what: str, done: int, total: int | None) -> None:
            progress.update(task, description=what, completed=done, total=total)

        recording = read_recording(files, columns, tell)
        advice = advise_on(
            recording.timeline, frames, recording.measure, target, interval=interval, tell=tell
        )
    lines = settings(time, advice.setting, target)
    if json_:
        typer.echo(json.dumps(_document(recording, advice, lines)))
    else:
        tell_advice(recording, advice, lines, Console())
    if plot is not None:
        _draw(advice, plot)


def _progress() -> Progress:
    return Progress(
        TextColumn("{task.description}"),
        BarColumn(),
        TaskProgressColumn(),
        TimeElapsedColumn(),
        console=Console(stderr=True),
        transient=True,
    )


def _positive(text: str) -> int:
    step = duration(text)
    if step <= 0:
        raise SlackwaterError("STEP_NOT_POSITIVE", f"--step is {text!r}, it must be above 0")
    return step


def _check_picture(path: Path | None) -> None:
    if path is not None and path.suffix.lower() not in PICTURES:
        raise SlackwaterError(
            "PICTURE_FORMAT",
            f"cannot draw into {path}",
            f"the name must end in {', '.join(PICTURES)}",
        )


def _draw(advice: Advice, path: Path) -> None:
    try:
        draw(advice, path)
    except OSError as error:
        raise StorageError(
            "STORAGE_FAILED", f"cannot write {path}: {error.strerror}", "give another --plot"
        ) from error
    Console(stderr=True).print(Text(f"picture: {path}"), soft_wrap=True)


def _document(recording: Recording, advice: Advice, lines: Settings) -> dict[str, Any]:
    return {
        "files": list(recording.files.paths),
        "rows": recording.timeline.rows,
        "keys": recording.timeline.key_count,
        "set_aside": recording.set_aside,
        **advice.to_json(),
        "settings": asdict(lines),
    }
