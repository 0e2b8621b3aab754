"""``slackwater bench``: plain Structured Streaming against Slackwater, measured here and now."""

from __future__ import annotations

import json
from pathlib import Path
from typing import Annotated, Any

import typer
from rich.console import Console
from rich.status import Status
from rich.table import Table

from slackwater.bench import estimates as estimating
from slackwater.bench import files as reading
from slackwater.bench import growth as growing
from slackwater.bench import joins as joining
from slackwater.bench import plot
from slackwater.bench import recall as finding
from slackwater.bench import slack as waiting
from slackwater.bench import windows as comparing
from slackwater.bench.cases import choose
from slackwater.bench.joins import CASES as JOINS
from slackwater.bench.regimes import REGIMES
from slackwater.bench.session import bench_session
from slackwater.cli.options import TierChoice
from slackwater.runs.files import storage_error

UNEQUAL = 1

app = typer.Typer(no_args_is_help=True, help="Measure Slackwater against plain Spark.")

JsonFile = Annotated[Path | None, typer.Option("--json", help="Write the figures to this file.")]
Plot = Annotated[Path | None, typer.Option("--plot", help="Draw pictures into this folder.")]
KeepData = Annotated[
    Path | None,
    typer.Option(help="Keep input files here for the next time; a temporary folder if left out."),
]


@app.command()
def windows(
    *,
    quick: Annotated[bool, typer.Option("--quick", help="Light cases only: 3 minutes.")] = False,
    json_: JsonFile = None,
    cases: Annotated[
        list[str] | None, typer.Option(help='Only cases that begin so, e.g. "tumbling-200k".')
    ] = None,
    tier: Annotated[TierChoice | None, typer.Option(help="Run all cases on this tier.")] = None,
    batches: Annotated[int | None, typer.Option(min=2, help="Batches of each case.")] = None,
    tuned: Annotated[
        bool, typer.Option("--tuned", help="Give plain Spark our checkpoint file setting too.")
    ] = False,
    plot_: Plot = None,
    keep_data: KeepData = None,
) -> None:
    """Windowed sums: the same query and files in both engines, results compared exactly.

    Figures are medians of batches after warm-up, in seconds; runs of the engines alternate.
    """
    pinned = tier.value if tier and tier is not TierChoice.auto else None
    chosen = choose(cases or (), quick=quick, tier=pinned, batches=batches)
    console = Console()
    outcomes = []
    with console.status("start Spark") as status:
        for outcome in comparing.measure(
            bench_session(),
            chosen,
            cache=_cache(keep_data),
            tuned=tuned,
            tell=_teller(status, len(chosen)),
        ):
            outcomes.append(outcome)
            console.print(_line(outcome))
    report = comparing.report(outcomes)
    console.print(_table(outcomes))
    _deliver(console, report, json_, plot_)
    _fail_unless(all(outcome.equal for outcome in outcomes), console)


@app.command()
def growth(
    *,
    quick: Annotated[bool, typer.Option("--quick", help="Fewer points.")] = False,
    only: Annotated[
        list[str] | None, typer.Option(help=f"Only these: {', '.join(growing.SERIES)}.")
    ] = None,
    json_: JsonFile = None,
    plot_: Plot = None,
    keep_data: KeepData = None,
) -> None:
    """How cost grows: with size/slide, with keys, with history, with open panes."""
    console = Console()
    with console.status("start Spark") as status:
        report = growing.measure(
            bench_session(), only or (), cache=_cache(keep_data), quick=quick, tell=status.update
        )
    for name in growing.SERIES:
        if name in report:
            console.print(_points(name, report[name]))
    _deliver(console, report, json_, plot_)


@app.command()
def slack(
    *,
    quick: Annotated[bool, typer.Option("--quick", help="Shorter streams, no overhead.")] = False,
    only: Annotated[
        list[str] | None, typer.Option(help=f"Only these: {', '.join(REGIMES)}.")
    ] = None,
    json_: JsonFile = None,
    keep_data: KeepData = None,
) -> None:
    """Error bounds: were they kept, and how long did results take?

    For each regime of disorder and each bound, against Max-K and against the best fixed slack
    chosen in hindsight on the same micro-batches. Latency is event time, mean over all results.
    """
    console = Console()
    cost = None
    with console.status("start Spark") as status:
        session = bench_session()
        seconds = 600 if quick else 1800
        outcomes = list(
            waiting.measure(
                session, only or (), seconds=seconds, cache=_cache(keep_data), tell=status.update
            )
        )
        if not quick and not only:
            status.update("overhead")
            cost = waiting.overhead(session, cache=_cache(keep_data))
    console.print(_promises(outcomes))
    if cost is not None:
        console.print(
            f"an error bound adds {cost['share']:.1%} to the time of a batch, "
            f"choosing the slack {cost['adaptation_share']:.1%}"
        )
    _deliver(console, waiting.report(outcomes, cost), json_, None)


@app.command()
def joins(
    *,
    quick: Annotated[bool, typer.Option("--quick", help="Fewer cases.")] = False,
    only: Annotated[
        list[str] | None, typer.Option(help=f"Only these: {', '.join(c.label for c in JOINS)}.")
    ] = None,
    tuned: Annotated[
        bool, typer.Option("--tuned", help="Plain Spark with the settings of our own streams.")
    ] = False,
    json_: JsonFile = None,
    keep_data: KeepData = None,
) -> None:
    """Joins against plain Spark's chained stream-stream joins, on the same files."""
    console = Console()
    chosen = joining.choose(only or (), quick=quick)
    outcomes: list[joining.Outcome] = []
    with console.status("start Spark") as status:
        for outcome in joining.measure(
            bench_session(),
            chosen,
            cache=_cache(keep_data),
            tuned=tuned,
            tell=_teller(status, len(chosen)),
        ):
            outcomes.append(outcome)
            one = f"{outcome.case.label}: Slackwater {outcome.slackwater_s:.3f} s"
            console.print(f"{one}, plain Spark {outcome.native_s:.3f} s ({outcome.store} store)")
    console.print(_joined(outcomes))
    for tier in joining.long_tiers(outcomes):
        console.print(f"{tier} tier: {_crossing(joining.crossing(outcomes, tier))}")
    _deliver(console, joining.report(outcomes), json_, None)
    _fail_unless(all(outcome.equal for outcome in outcomes), console)


@app.command()
def files(
    *,
    quick: Annotated[
        bool, typer.Option("--quick", help="A million rows, every engine once.")
    ] = False,
    cases: Annotated[
        list[str] | None,
        typer.Option(help=f"Only these: {', '.join(c.label for c in reading.CASES)}."),
    ] = None,
    rows: Annotated[
        int | None, typer.Option(help=f"Rows of each case; {reading.ROWS:,} by default.")
    ] = None,
    json_: JsonFile = None,
    keep_data: KeepData = None,
) -> None:
    """Whole jobs over CSV, Parquet and JSON files, with DuckDB once over all of them as a floor.

    Every engine has run a small job of the same kind before. Figures are seconds by the clock.
    """
    chosen = reading.choose(cases or (), quick=quick, rows=rows)
    console = Console()
    outcomes: list[reading.Outcome] = []
    with console.status("start Spark") as status:
        for outcome in reading.measure(
            bench_session(),
            chosen,
            cache=_cache(keep_data),
            tell=_teller(status, len(chosen)),
        ):
            outcomes.append(outcome)
            one = f"{outcome.case.label}: Slackwater {outcome.slackwater_s:.2f} s, plain Spark "
            console.print(f"{one}{outcome.native_s:.2f} s, DuckDB {outcome.duckdb_s:.2f} s")
    console.print(_read(outcomes))
    _deliver(console, reading.report(outcomes), json_, None)
    _fail_unless(all(outcome.equal for outcome in outcomes), console)


def _read(outcomes: list[reading.Outcome]) -> Table:
    table = Table(title="seconds of a whole job", title_justify="left")
    table.add_column("case", no_wrap=True)
    for name in ("plain Spark", "Slackwater", "ratio", "DuckDB", "of it", "equal"):
        table.add_column(name, justify="right")
    for one in outcomes:
        table.add_row(
            one.case.label,
            f"{one.native_s:.2f}",
            f"{one.slackwater_s:.2f}",
            f"[bold]{one.ratio:.2f}[/]",
            f"{one.duckdb_s:.2f}",
            f"{one.of_duckdb:.2f}",
            "yes" if one.equal else "[bold red]no[/]",
        )
    return table


def _joined(outcomes: list[joining.Outcome]) -> Table:
    table = Table(title="seconds a batch", title_justify="left")
    table.add_column("case", no_wrap=True)
    heads = ("rows", "plain Spark", "Slackwater", "ratio", "state rows", "on disk", "memory")
    for name in (*heads, "equal"):
        table.add_column(name, justify="right")
    for one in outcomes:
        table.add_row(
            one.case.label,
            f"{one.case.rows * one.case.ways:,}",
            f"{one.native_s:.3f}",
            f"{one.slackwater_s:.3f}",
            f"{one.ratio:.2f}",
            f"{one.state_rows:,}",
            f"{one.state_bytes / 1e6:,.0f} MB",
            f"{one.memory / 1e6:,.0f} MB",
            "yes" if one.equal else "NO",
        )
    return table


def _crossing(rows: float | None) -> str:
    if rows is None:
        return "no state is too large: a batch of plain Spark grows with it at least as much"
    return f"plain Spark would be as fast at {rows:,.0f} rows of state"


@app.command()
def recall(
    *,
    quick: Annotated[bool, typer.Option("--quick", help="Shorter streams.")] = False,
    only: Annotated[
        list[str] | None, typer.Option(help=f"Only these: {', '.join(finding.REGIMES)}.")
    ] = None,
    json_: JsonFile = None,
    keep_data: KeepData = None,
) -> None:
    """Recall contracts of joins: were they kept, at which latency and memory?"""
    console = Console()
    with console.status("start Spark") as status:
        outcomes = list(
            finding.measure(
                bench_session(),
                only or (),
                seconds=240 if quick else 600,
                cache=_cache(keep_data),
                tell=status.update,
            )
        )
    console.print(_recalls(outcomes))
    _deliver(console, finding.report(outcomes), json_, None)


def _recalls(outcomes: list[finding.Outcome]) -> Table:
    table = Table(title="recall in periods of 10 s", title_justify="left")
    table.add_column("regime", no_wrap=True)
    costs = ("latency", "Max-K", "fixed", "held", "Max-K", "fixed")
    heads = ("recall", "mean", "kept", "within 1 %", "told", *costs)
    table.add_column("emit", no_wrap=True)
    for name in heads:
        table.add_column(name, justify="right", no_wrap=True)
    for one in outcomes:
        table.add_row(
            one.regime,
            one.emit[:5],
            f"{one.gamma:g}",
            f"{one.recall:.3f}",
            f"{one.fulfilment:.0%}",
            f"{one.nearly:.0%}",
            "" if one.measured is None else f"{one.measured:.0%}",
            f"{one.latency_s:.1f} s",
            f"{one.latency_maxk_s:.1f} s",
            f"{one.latency_fixed_s:.1f} s",
            f"{one.held:,.0f}",
            f"{one.held_maxk:,.0f}",
            f"{one.held_fixed:,.0f}",
        )
    return table


@app.command()
def estimates(
    *,
    quick: Annotated[bool, typer.Option("--quick", help="One case, few batches.")] = False,
    only: Annotated[
        list[str] | None,
        typer.Option(help=f"Only these: {', '.join(c.label for c in estimating.CASES)}."),
    ] = None,
    json_: JsonFile = None,
    keep_data: KeepData = None,
) -> None:
    """Estimates: their cost per batch, their speed on demand, and Spark's update mode beside them.

    Finals are compared with a fresh computation, with and without estimates.
    """
    chosen = estimating.choose(only or (), quick=quick)
    console = Console()
    with console.status("start Spark") as status:
        session = bench_session()
        outcomes = list(
            estimating.measure(
                session,
                chosen,
                cache=_cache(keep_data),
                rounds=1 if quick else estimating.ROUNDS,
                tell=_teller(status, len(chosen)),
            )
        )
        emissions = estimating.compare(
            session, chosen[0], cache=_cache(keep_data), tell=status.update
        )
    console.print(_costs(outcomes))
    console.print(_emissions(emissions))
    _deliver(console, estimating.report(outcomes, emissions), json_, None)
    _fail_unless(all(outcome.equal for outcome in outcomes), console, "finals differ")


def _costs(outcomes: list[estimating.Outcome]) -> Table:
    table = Table(title="one estimate per batch, and on demand", title_justify="left")
    table.add_column("case", no_wrap=True)
    for name in ("finals only", "with estimates", "overhead", "on demand", "equal finals"):
        table.add_column(name, justify="right")
    for one in outcomes:
        table.add_row(
            one.case.label,
            f"{one.finals_only_s:.3f} s",
            f"{one.with_estimates_s:.3f} s",
            f"[bold]{one.overhead:.1%}[/]",
            f"{one.estimate_s:.3f} s",
            "yes" if one.equal else "[bold red]no[/]",
        )
    return table


def _emissions(emissions: list[estimating.Emission]) -> Table:
    table = Table(title="what is said until an answer is final", title_justify="left")
    table.add_column("mode", no_wrap=True)
    for name in ("batch", "rows per result", "first answer after"):
        table.add_column(name, justify="right")
    for one in emissions:
        table.add_row(
            one.mode, f"{one.batch_s:.3f} s", f"{one.rows_per_result:.2f}", f"{one.first_s:.1f} s"
        )
    return table


def _promises(outcomes: list[waiting.Outcome]) -> Table:
    table = Table(title="95 % of results within the bound?", title_justify="left")
    table.add_column("regime", no_wrap=True)
    for name in ("bound", "within", "latency", "Max-K", "same fixed", "ratio", "least fixed"):
        table.add_column(name, justify="right")
    for one in outcomes:
        table.add_row(
            one.regime,
            f"{one.epsilon:.1%}",
            f"{one.fulfilment:.1%}",
            f"{one.latency_s:.2f} s",
            f"{one.latency_maxk_s:.2f} s",
            f"{one.latency_best_fixed_s:.2f} s",
            f"{one.against_fixed:.2f}",
            f"{one.latency_least_fixed_s:.2f} s",
        )
    return table


def _cache(folder: Path | None) -> Path | None:
    return None if folder is None else folder.absolute()


def _teller(status: Status, cases: int) -> comparing.Tell:
    """Shows the step at hand and which case of how many it belongs to."""
    seen: list[str] = []

    def tell(step: str) -> None:
        case = step.partition(":")[0]
        if case not in seen:
            seen.append(case)
        status.update(f"[{len(seen)}/{cases}] {step}".replace("[", "\\["))

    return tell


def _line(outcome: comparing.Outcome) -> str:
    stores = ", ".join(f"{name} store {s:.3f} s" for name, s in outcome.stores.items())
    return f"{outcome.case.label}: Slackwater {outcome.slackwater_s:.3f} s, plain Spark {stores}"


def _table(outcomes: list[comparing.Outcome]) -> Table:
    table = Table(title="median seconds of a micro-batch", title_justify="left")
    table.add_column("case", no_wrap=True)
    for name in ("plain Spark", "Slackwater", "ratio", "equal", "DuckDB"):
        table.add_column(name, justify="right")
    for one in outcomes:
        table.add_row(
            one.case.label,
            f"{one.native_s:.3f} ({one.store})",
            f"{one.slackwater_s:.3f}",
            f"[bold]{one.ratio:.2f}[/]",
            "yes" if one.equal else "[bold red]no[/]",
            f"{one.duckdb_s:.3f}",
        )
    return table


def _points(name: str, found: Any) -> Table:
    """A series as a table; of a history only what it comes to."""
    if isinstance(found, dict):
        found = [{"batches": len(found["seconds"]), "last_to_first": found["last_to_first"]}]
    columns = list(dict.fromkeys(key for point in found for key in point))
    table = Table(*columns, title=name, title_justify="left")
    for point in found:
        table.add_row(*(str(point.get(column, "–")) for column in columns))
    return table


def _fail_unless(equal: bool, console: Console, said: str = "the engines do not agree") -> None:
    """Figures of results that differ are worth nothing: say so, and fail."""
    if not equal:
        console.print(f"[bold red]{said}[/]")
        raise typer.Exit(UNEQUAL)


def _deliver(
    console: Console, report: dict[str, Any], json_: Path | None, folder: Path | None
) -> None:
    try:
        if json_ is not None:
            json_.parent.mkdir(parents=True, exist_ok=True)
            json_.write_text(json.dumps(report, indent=1) + "\n", encoding="utf-8")
        for path in plot.draw(report, folder) if folder is not None else ():
            console.print(f"picture: {path}")
    except OSError as error:
        raise storage_error(error, json_ or folder or Path()) from error
