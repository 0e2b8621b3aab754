"""The end of a run, for people: what came, what was late, what was answered when, where it lies."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any

from rich import box
from rich.console import Console, Group, RenderableType
from rich.panel import Panel
from rich.table import Table
from rich.text import Text

from slackwater.cli.show.format import NOTHING, say_estimates, show_number, show_share, show_value
from slackwater.history.ranks import RankStanding, rank_words, title_of
from slackwater.units import show_duration

Cell = Callable[[dict[str, Any]], str]


def print_summary(console: Console, summary: dict[str, Any]) -> None:
    """Print what a run did; the argument is what ``--json`` prints."""
    shown: list[RenderableType] = [_numbers(summary), _queries(summary)]
    if any(query["estimates"] for query in summary["queries"].values()):
        shown.append(_estimates(summary))
    if any(query["backlog"] for query in summary["queries"].values()):
        shown.append(_backlogs(summary))
    shown.append(_places(summary))
    parts = [part for each in shown for part in (each, "")][:-1]
    console.print(
        Panel(Group(*parts), title="[bold]summary[/]", border_style="green", box=box.ROUNDED)
    )


def _pairs(*pairs: tuple[str, str]) -> Table:
    grid = Table.grid(padding=(0, 2))
    for name, value in pairs:
        grid.add_row(Text(name, style="dim"), Text(value, overflow="fold"))
    return grid


def _numbers(summary: dict[str, Any]) -> Table:
    batch = summary["batch_ms"]
    verbs = ", ".join(f"{verb} {ms:,.0f}" for verb, ms in summary["verb_ms"].items())
    spent = f"median {show_number(batch['median'], 'ms')}, p95 {show_number(batch['p95'], 'ms')}"
    rate = show_number(summary["rows_per_second"], "rows/s")
    return _pairs(
        ("rows", f"{summary['rows']:,} in {summary['seconds']:,.1f} s ({rate})"),
        ("batches", f"{summary['batches']:,} on the {summary['tier']} tier"),
        ("batch time", f"{spent}  (median by verb: {verbs})"),
    )


def _queries(summary: dict[str, Any]) -> Table:
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, show_edge=False, header_style="dim")
    table.add_column("")
    for name in summary["queries"]:
        table.add_column(name, justify="right", header_style="bold")
    for title, cell in _LINES.items():
        cells = [cell(query) for query in summary["queries"].values()]
        table.add_row(Text(title, style="dim"), *cells)
    return table


def _estimates(summary: dict[str, Any]) -> Table:
    """Early answers: how many, and what they were worth."""
    given = {name: query["estimates"] for name, query in summary["queries"].items()}
    return _pairs(
        *((f"estimates of {name}", say_estimates(told)) for name, told in given.items() if told)
    )


def _backlogs(summary: dict[str, Any]) -> Table:
    """Of costly queries: what was worked on, what waits on, what was given up."""
    told = {name: query["backlog"] for name, query in summary["queries"].items()}
    lines = [
        (f"{what} of {name}", text)
        for name, one in told.items()
        for what, text in ([("backlog", _backlog(one)), *_ranks(one)] if one else [])
    ]
    return _pairs(*lines)


def _backlog(told: dict[str, Any]) -> str:
    waits = told["todo"] + told["aside"]
    gone = f", {told['expired']:,} expired" if told["expired"] else ""
    return f"{told['worked']:,} rows worked on, {waits:,} wait{gone}, {told['shed']:,} shed"


def _ranks(told: dict[str, Any]) -> Iterator[tuple[str, str]]:
    """By rank, what became of its rows."""
    for one in told["ranks"]:
        standing = RankStanding(**one)
        yield title_of(standing.rank), rank_words(standing)


def _late(query: dict[str, Any]) -> str:
    return f"{query['late']:,} ({show_share(query['late_share'])})"


def _slack(query: dict[str, Any]) -> str:
    return NOTHING if query["slack_us"] is None else show_duration(query["slack_us"])


def _waits(key: str) -> Cell:
    return lambda query: show_number(query["latency_s"][key], "s")


_LINES: dict[str, Cell] = {
    "slack, late rows": lambda q: f"{_slack(q)}, {q['late_policy']}",
    "rows late for a window": _late,
    "  latest by": lambda q: show_number(q["max_lateness_s"], "s"),
    "rows too late for all": lambda q: show_value(q["dropped"]),
    "rows set aside": lambda q: show_value(q["aside"]),
    "answers": lambda q: f"{q['answers']:,}",
    "  finals": lambda q: show_value(q["finals"]),
    "  revisions": lambda q: show_value(q["revisions"]),
    "answered after window end, median": _waits("median"),
    "answered after window end, p95": _waits("p95"),
}


def _places(summary: dict[str, Any]) -> Table:
    places = [(f"results of {name}", where) for name, where in summary["results"].items()]
    places += [
        (f"rows aside of {name}", where)
        for name, where in summary["side"].items()
        if summary["queries"][name]["aside"]
    ]
    return _pairs(*places, ("events", summary["events"]), ("Spark's log", summary["log"]))
