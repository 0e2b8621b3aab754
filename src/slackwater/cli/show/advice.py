"""An advice as people read it: facts, a table, a verdict."""

from __future__ import annotations

from dataclasses import dataclass

from rich.box import HEAVY_HEAD
from rich.console import Console
from rich.table import Table
from rich.text import Text

from slackwater.cli.show.format import NOTHING, show_share
from slackwater.replay.advise import Advice, Described, Line, Settings
from slackwater.units import DAY, HOUR, MILLISECOND, MINUTE, SECOND, show_duration

WIDE = 1_000  # columns of what is not a terminal
_UNITS = ((DAY, "d"), (HOUR, "h"), (MINUTE, "min"), (SECOND, "s"), (MILLISECOND, "ms"))


@dataclass(frozen=True, slots=True)
class Advised:
    """The advice for one aggregate, and what was read for it."""

    read: Described
    advice: Advice
    lines: Settings


def output() -> Console:
    """Where people read: what is not a terminal has no edge at which to cut a table."""
    console = Console()
    return console if console.is_terminal else Console(width=WIDE)


def strictest(advised: list[Advised]) -> Advised:
    """The one whose smallest slack serves all the others, too."""
    return max(advised, key=lambda each: each.advice.smallest)


def tell_all(advised: list[Advised], console: Console) -> None:
    for number, each in enumerate(advised):
        if number:
            console.print()
        _tell(each.read, each.advice, each.lines, console)
    if len(advised) > 1:
        widest = strictest(advised)
        console.print()
        console.print(
            Text.assemble(
                "smallest fixed slack for all of them: ",
                (show_wait(widest.advice.smallest), "bold"),
                f", which {widest.advice.measure.sql} needs",
            ),
            soft_wrap=True,
        )


def _tell(read: Described, advice: Advice, lines: Settings, console: Console) -> None:
    for line in _facts(read, advice):
        console.print(Text(line), soft_wrap=True)
    console.print(_table(advice, is_plain=not console.is_terminal))
    for text in _verdict(advice, lines):
        console.print(text, soft_wrap=True)


def _facts(read: Described, advice: Advice) -> list[str]:
    report = advice.disorder
    files, keys = len(read.files), read.keys
    results = advice.none.quality.results
    window = show_duration(advice.frames.size)
    if advice.frames.slide != advice.frames.size:
        window += f" every {show_duration(advice.frames.slide)}"
    disorder = f"{show_share(report.share_late)} out of order"
    disorder += f", largest delay {show_wait(report.max_delay)}"
    facts = [
        f"{_many(read.rows, 'row')} in {_many(files, 'file')}, {disorder}",
        f"{advice.measure.sql} over {window}: {_many(results, 'result')} of {_many(keys, 'key')}",
    ]
    if read.set_aside:
        facts.append(f"{read.set_aside:,} rows set aside: time or arrival is null")
    return facts


def _table(advice: Advice, *, is_plain: bool) -> Table:
    bound = f"within {100 * advice.target.error:g} %"
    table = Table(title_justify="left", box=None if is_plain else HEAVY_HEAD)
    for name in ("slack", "policy"):
        table.add_column(name, no_wrap=True, justify="right" if name == "slack" else "left")
    for name in (bound, "mean error", "max error", "coverage", "latency", "late rows", "lost rows"):
        table.add_column(name, no_wrap=is_plain, justify="right")
    for line in advice.curve:
        is_answer = line.largest == advice.smallest
        table.add_row(*_row(line, advice, ""), style="bold" if is_answer else None)
    table.add_section()
    table.add_row(*_row(advice.largest, advice, "mean "))
    table.add_row(*_row(advice.driven, advice, "mean "), style="bold")
    return table


def _row(line: Line, advice: Advice, prefix: str) -> tuple[str, ...]:
    found = line.quality
    met = found.within >= advice.target.confidence
    policy = "smallest fixed" if line.largest == advice.smallest and line.slack else line.policy
    return (
        f"{prefix}{show_wait(line.slack)}",
        line.policy if prefix else policy,
        f"{show_share(found.within)} {'✓' if met else '✗'}",
        show_error(found.mean_error),
        show_error(found.max_error),
        show_share(found.coverage),
        show_wait(found.latency),
        f"{found.late:,}",
        f"{found.lost:,}",
    )


def _verdict(advice: Advice, lines: Settings) -> list[Text]:
    target = f"{show_share(advice.target.confidence)} of the results within "
    target += f"{100 * advice.target.error:g} %"
    exact = f"{show_wait(advice.smallest)} ({advice.smallest:,} µs)"
    texts = [
        Text.assemble("smallest fixed slack for ", target, ": ", (exact, "bold")),
        Text.assemble("  Spark       ", (lines.spark, "cyan")),
        Text.assemble("  Flink       ", (lines.flink, "cyan")),
        Text.assemble("  Slackwater  ", (lines.slackwater, "cyan")),
        Text(_compare(advice)),
        Text(
            f"quality-driven slack was chosen {_many(advice.steps, 'time')}, "
            f"every {show_duration(advice.interval)} of event time"
        ),
    ]
    if advice.driven.quality.within < advice.target.confidence:
        missed = f"quality-driven slack missed the target here: {_reached(advice)}"
        texts.append(Text(missed, style="yellow"))
    return texts


def _reached(advice: Advice) -> str:
    return f"{show_share(advice.driven.quality.within)} of the results kept the bound"


def _compare(advice: Advice) -> str:
    driven, chosen, most = (
        line.quality.latency for line in (advice.driven, advice.chosen, advice.largest)
    )
    return (
        f"mean latency: {show_wait(chosen)} with the fixed slack (chosen knowing the whole "
        f"recording), {show_wait(driven)} quality-driven, {show_wait(most)} with Max-K"
    )


def show_wait(micros: float | None) -> str:
    """A duration as people compare it: three digits or so."""
    if micros is None:
        return NOTHING
    for size, name in _UNITS:
        if micros >= size:
            digits = ".3g" if micros < 100 * size else ",.0f"
            return f"{micros / size:{digits}} {name}"
    return f"{micros:g} µs" if micros else "0 s"


def _many(count: int, noun: str) -> str:
    return f"{count:,} {noun}{'' if count == 1 else 's'}"


def show_error(error: float) -> str:
    return "∞" if error == float("inf") else f"{100 * error:.3g} %"
