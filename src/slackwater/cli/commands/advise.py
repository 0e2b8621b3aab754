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

from slackwater.cli.options import Json
from slackwater.cli.show.advice import Advised, output, strictest, tell_all
from slackwater.errors import SlackwaterError, StorageError
from slackwater.replay.advise import (
    Advice,
    Columns,
    Frames,
    Target,
    Unit,
    check_recording,
    read_recording,
    settings,
)
from slackwater.replay.advise import (
    advise as advise_on,
)
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
    aggregate: Annotated[
        list[str],
        typer.Option(help='E.g. "sum(v)"; count, sum, avg, min, max. May be repeated.'),
    ],
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
    smallest fixed delay with which enough results keep the error bound; with several aggregates
    one that serves them all. Needs no Spark.
    """
    size = duration(window)
    frames = Frames(size, size if slide is None else duration(slide))
    target = Target(error, confidence)
    interval = None if step is None else _positive(step)
    check_picture(plot)
    wanted = [
        Columns(time, each, arrival, tuple(by or ()), time_unit, sort)
        for each in dict.fromkeys(aggregate)
    ]
    for columns in wanted:
        check_recording(files, columns)  # all of them before the work begins
    advised: list[Advised] = []
    with _progress() as progress:
        task = progress.add_task("read", total=None)

        def tell(what: str, done: int, total: int | None) -> None:
            progress.update(task, description=what, completed=done, total=total)

        for columns in wanted:
            recording = read_recording(files, columns, tell)
            advice = advise_on(
                recording.timeline, frames, recording.measure, target, interval=interval, tell=tell
            )
            lines = settings(time, advice.setting, target)
            advised.append(Advised(recording.described(), advice, lines))
    if json_:
        typer.echo(json.dumps(_documents(advised)))
    else:
        tell_all(advised, output())
    if plot is not None:
        for each, path in zip(advised, _pictures(plot, len(advised)), strict=True):
            _draw(each.advice, path)


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


def check_picture(path: Path | None) -> None:
    """Refuse a name that says no format, before the work begins."""
    if path is not None and path.suffix.lower() not in PICTURES:
        raise SlackwaterError(
            "PICTURE_FORMAT",
            f"cannot draw into {path}",
            f"the name must end in {', '.join(PICTURES)}",
        )


def _draw(advice: Advice, path: Path) -> None:
    from slackwater.replay.advise.plot import draw

    try:
        draw(advice, path)
    except OSError as error:
        raise StorageError(
            "STORAGE_FAILED", f"cannot write {path}: {error.strerror}", "give another --plot"
        ) from error
    Console(stderr=True).print(Text(f"picture: {path}"), soft_wrap=True)


def _pictures(path: Path, count: int) -> list[Path]:
    """One name for each aggregate."""
    if count == 1:
        return [path]
    return [path.with_stem(f"{path.stem}-{number}") for number in range(1, count + 1)]


def _documents(advised: list[Advised]) -> dict[str, Any]:
    """One aggregate is its document; several are a list, and the delay that serves them all."""
    if len(advised) == 1:
        return _document(advised[0])
    widest = strictest(advised)
    return {
        "smallest_us": widest.advice.smallest,
        "setting_us": widest.advice.setting,
        "settings": asdict(widest.lines),
        "aggregates": [_document(each) for each in advised],
    }


def _document(each: Advised) -> dict[str, Any]:
    read = each.read
    return {
        "files": list(read.files),
        "rows": read.rows,
        "keys": read.keys,
        "set_aside": read.set_aside,
        **each.advice.to_json(),
        "settings": asdict(each.lines),
    }
